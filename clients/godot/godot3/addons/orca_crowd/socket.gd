extends Reference

# One WebSocket connection, polled once a frame of the game. It ends with `closed` or `refused`, once.

signal opened
signal message(bytes)
# the code and reason of the other side; 1006 where none came
signal closed(code, reason)
# the handshake failed; the engine does not tell why
signal refused

const Request = preload("request.gd")
const SUBPROTOCOL = "orca-crowd.v1.msgpack"
# packets that wait in the socket's own queue
const QUEUED = 1024
# how long the answer to a close is waited for
const PARTING_MILLISECONDS = 1000

var _client = WebSocketClient.new()
var _open = false
var _code = 1006
var _reason = ""
# the code to close with, 0 for none; and until when its answer is waited for, 0 before it was sent
var _wanted = 0
var _parting = 0


# Begin to connect; `kilobytes` bounds one message.
func connect_to(url, headers, kilobytes):
	_client.set_buffers(kilobytes, QUEUED, kilobytes, QUEUED)
	_client.connect("connection_established", self, "_on_established")
	_client.connect("connection_closed", self, "_on_closed")
	_client.connect("connection_error", self, "_on_error")
	_client.connect("server_close_request", self, "_on_close_request")
	_client.connect("data_received", self, "_on_data")
	if _client.connect_to_url(url, PoolStringArray([SUBPROTOCOL]), false, PoolStringArray(headers + [Request.CLIENT])) != OK:
		_on_error()


func is_open():
	return _open and _wanted == 0


func send(bytes):
	_client.get_peer(1).put_packet(bytes)


# Close at the next poll, and not at once: this may be inside of one, which the engine does not bear.
func close(code):
	_wanted = code


func poll():
	if _wanted != 0 and _parting == 0:
		_parting = OS.get_ticks_msec() + PARTING_MILLISECONDS
		_client.disconnect_from_host(_wanted, "")
	_client.poll()
	if _parting != 0 and (not _open or OS.get_ticks_msec() > _parting):
		_on_closed()


func _on_established(_protocol):
	_client.get_peer(1).set_write_mode(WebSocketPeer.WRITE_MODE_BINARY)
	_open = true
	emit_signal("opened")


func _on_data():
	emit_signal("message", _client.get_peer(1).get_packet())


func _on_close_request(code, reason):
	_code = code
	_reason = reason


func _on_closed(_clean = false):
	_leave()
	emit_signal("closed", _code, _reason)


func _on_error():
	_leave()
	emit_signal("refused")


# Hear nothing more.
func _leave():
	_open = false
	for told in ["connection_established", "connection_closed", "connection_error"]:
		for connection in _client.get_signal_connection_list(told):
			_client.disconnect(told, self, connection["method"])
