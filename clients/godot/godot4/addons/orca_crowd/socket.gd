extends RefCounted

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

var _peer = WebSocketPeer.new()
var _open = false
var _ended = false
# the code to close with, 0 for none; and until when its answer is waited for, 0 before it was sent
var _wanted = 0
var _parting = 0


# Begin to connect; `kilobytes` bounds one message.
func connect_to(url, headers, kilobytes):
	_peer.supported_protocols = PackedStringArray([SUBPROTOCOL])
	_peer.handshake_headers = PackedStringArray(headers + [Request.CLIENT])
	_peer.inbound_buffer_size = 1024 * kilobytes
	_peer.outbound_buffer_size = 1024 * kilobytes
	_peer.max_queued_packets = QUEUED
	if _peer.connect_to_url(url) != OK:
		_end()


func is_open():
	return _open and _wanted == 0


func send(bytes):
	_peer.send(bytes, WebSocketPeer.WRITE_MODE_BINARY)


# Close at the next poll, as the addon for Godot 3 must: whoever is called meanwhile finds the socket as it was.
func close(code):
	_wanted = code


func poll():
	if _ended:
		return
	if _wanted != 0 and _parting == 0:
		_parting = Time.get_ticks_msec() + PARTING_MILLISECONDS
		_peer.close(_wanted, "")
	_peer.poll()
	var state = _peer.get_ready_state()
	if not _open and state == WebSocketPeer.STATE_OPEN:
		_open = true
		opened.emit()
	while _peer.get_available_packet_count() > 0:
		message.emit(_peer.get_packet())
	if state == WebSocketPeer.STATE_CLOSED or (_parting != 0 and Time.get_ticks_msec() > _parting):
		_end()


func _end():
	_ended = true
	if not _open:
		refused.emit()
		return
	_open = false
	var code = _peer.get_close_code()
	closed.emit(1006 if code < 0 else code, _peer.get_close_reason())
