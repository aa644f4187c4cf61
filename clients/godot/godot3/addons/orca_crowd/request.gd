extends Reference

# One HTTP request, polled once a frame of the game. `send` always waits at least one frame, so that
# yield(..., "completed") holds.

const MessagePack = preload("message_pack.gd")
const Problem = preload("problem.gd")

const CONNECT_SECONDS = 5.0
const ACCEPT = "Accept: application/msgpack, application/octet-stream;q=0.5, application/problem+json;q=0.1"
# which client this is, in every request and handshake: a server that would be misread refuses it
const CLIENT = "Orca-Crowd-Client: godot3/0.1.0"
const METHODS = {
	"GET": HTTPClient.METHOD_GET,
	"POST": HTTPClient.METHOD_POST,
	"PUT": HTTPClient.METHOD_PUT,
	"PATCH": HTTPClient.METHOD_PATCH,
	"DELETE": HTTPClient.METHOD_DELETE,
}

# parts of the server's address, as `split_url` gives them
var _server
var _timeout


func _init(server, timeout):
	_server = server
	_timeout = timeout


# Split http://host:port/prefix; https needs certificates, see Godot's project settings.
static func split_url(url):
	var secure = url.begins_with("https://")
	var rest = url.substr(url.find("://") + 3) if "://" in url else url
	var slash = rest.find("/")
	var place = rest if slash < 0 else rest.substr(0, slash)
	var prefix = "" if slash < 0 else rest.substr(slash).rstrip("/")
	var colon = place.find_last(":")
	# the colons of [::1] are none of a port
	var has_port = colon > place.find_last("]") and colon >= 0
	var port = int(place.substr(colon + 1)) if has_port else (443 if secure else 80)
	var host = place.substr(0, colon) if has_port else place
	return {"secure": secure, "host": host.lstrip("[").rstrip("]"), "port": port, "prefix": prefix, "place": place}


# Send and wait: {body} of a good answer (null for 204), {problem}, or {problem, unreached: true} where the server
# cannot have seen it.
func send(method, path, headers, content):
	var http = HTTPClient.new()
	var started = OS.get_ticks_msec()
	yield(Engine.get_main_loop(), "idle_frame")
	var failed = http.connect_to_host(_server["host"], _server["port"], _server["secure"])
	while failed == OK and http.get_status() in [HTTPClient.STATUS_RESOLVING, HTTPClient.STATUS_CONNECTING]:
		if OS.get_ticks_msec() - started > 1000 * CONNECT_SECONDS:
			break
		yield(Engine.get_main_loop(), "idle_frame")
		failed = http.poll()
	if failed != OK or http.get_status() != HTTPClient.STATUS_CONNECTED:
		return {"problem": Problem.make(Problem.CONNECTION, _failure(method, path, "was not sent")), "unreached": true}
	# once it is on its way nobody knows whether it had its effect, unless an answer comes
	var sent = PoolStringArray([ACCEPT, CLIENT] + headers)
	failed = http.request_raw(METHODS[method], _server["prefix"] + path, sent, content)
	while failed == OK and http.get_status() == HTTPClient.STATUS_REQUESTING:
		if OS.get_ticks_msec() - started > 1000 * _timeout:
			break
		yield(Engine.get_main_loop(), "idle_frame")
		failed = http.poll()
	if failed != OK or not http.has_response():
		return {"problem": Problem.make(Problem.CONNECTION, _failure(method, path, "may have taken effect"))}
	var body = PoolByteArray()
	while http.get_status() == HTTPClient.STATUS_BODY:
		var chunk = http.read_response_body_chunk()
		body.append_array(chunk)
		if chunk.size() == 0:
			if OS.get_ticks_msec() - started > 1000 * _timeout:
				return {"problem": Problem.make(Problem.CONNECTION, _failure(method, path, "may have taken effect"))}
			yield(Engine.get_main_loop(), "idle_frame")
			http.poll()
	return _read(http.get_response_code(), _media_type(http), body)


func _failure(method, path, outcome):
	return "the connection to %s failed; %s %s %s" % [_server["place"], method, path, outcome]


func _media_type(http):
	for header in http.get_response_headers():
		if header.to_lower().begins_with("content-type:"):
			return header.to_lower().substr(13)
	return ""


func _read(status, media_type, bytes):
	var body = bytes
	if bytes.size() == 0:
		body = null
	elif "msgpack" in media_type:
		var unpacked = MessagePack.unpack(bytes)
		if unpacked.has("fault"):
			return {"problem": Problem.make(Problem.PROTOCOL, "an answer is no MessagePack: " + unpacked["fault"])}
		body = unpacked["value"]
	elif "json" in media_type:
		body = parse_json(bytes.get_string_from_utf8())
	if status >= 400:
		return {"problem": Problem.of_answer(status, body)}
	return {"body": body}
