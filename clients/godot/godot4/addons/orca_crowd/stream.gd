extends RefCounted

# The stream of one world, over as many connections as it takes. Made by World.stream; its client polls it.
#
# Each message of the server is a signal of its own name. `full` and `frame` come merged: a frame has every agent of
# the subscription, whatever part of them travelled. Its members: step, time, full, since, gap (steps were left out
# before it), ids, changed (whose values came with it), entered, left, and a column for every field.
#
# What is asked for (command, step, register, own, disown, ready) is awaited, and gives its answer or {problem}.

signal opened
signal hello(message)
signal full(frame)
signal frame(frame)
signal event(message)
signal ack(message)
signal stepped(message)
signal heartbeat(message)
signal pong(message)
signal error(problem)
signal closing(reason)
# the stream has ended and comes back no more
signal closed(code, reason)

const Columns = preload("columns.gd")
const MessagePack = preload("message_pack.gd")
const Problem = preload("problem.gd")
const Socket = preload("socket.gd")
const StreamState = preload("stream_state.gd")
const Waiter = preload("waiter.gd")

# how often a connection is tried that breaks, and how long it is waited for at first and at most
const ATTEMPTS = 12
const FIRST_SECONDS = 0.1
const LONGEST_SECONDS = 5.0

# what greeted this connection: {world, step, time, time_step, profile, limits}
var greeting = {}
# the last frame, merged; empty before one came
var last_frame = {}

var _client
var _world
var _headers
var _state
var _socket = null
var _ended = false
# what is asked after the end is answered with this
var _ending = {}
var _close_reason = ""
var _attempt = 0
# why the handshake failed is being asked
var _asking = false
# when the next connection is made, in milliseconds of the engine
var _next_try = 0
# who waits for an answer, by the key of the request
var _waiters = {}


func _init(client, world, subscription, headers):
	_client = client
	_world = world
	_headers = headers
	_state = StreamState.new(subscription, client.exact)
	client.add_stream(self)
	_connect()


# ---- what a client says


# Watch: {fields?, precision?, every?, delivery?, interest?, rows?, window?}. Takes the place of what was watched.
func subscribe(members = {}):
	_send(_state.subscribe(members))


func unsubscribe():
	_send(_state.unsubscribe())


# Go on after the last frame that came, as after `unsubscribe`; done by itself when a connection breaks.
func resume():
	_send(_state.resume())


# Say that every frame up to `step` has been used; done by itself for each frame when its signal returns.
func got(step):
	_send({"type": "got", "step": step})


# Run commands (see commands.gd), all or nothing. Gives {step, sequence, results}.
func command(commands, key = null):
	return await _ask("command", {"commands": Columns.pack_commands(commands)}, key)


# Take steps in a manual world: {count?, expected_step?, commands?, return?, fields?, ids?, key?}.
func step(options = {}):
	return await _ask("step", _packed(options), options.get("key"))


# Be the controller of this name, over every connection of this stream.
func register(controller, key = null):
	var answer = await _ask("register", {"controller": controller}, key)
	if not answer.has("problem"):
		_state.controller = controller
	return answer


func unregister(key = null):
	_state.controller = null
	return await _ask("unregister", {}, key)


# Let nobody else order these agents; `register` first. Gives {step, sequence, results: [{controller, owned}]}.
func own(ids, key = null):
	return await _ask("own", {"ids": Columns.pack_ids(ids)}, key)


func disown(ids, key = null):
	return await _ask("disown", {"ids": Columns.pack_ids(ids)}, key)


# Say that the orders for the next step of a barrier world are in: {for_step?, commands?, return?, fields?, ids?,
# key?}. Answered like a step, once it was taken.
func ready(options = {}):
	return await _ask("ready", _packed(options), options.get("key"))


func ping(data = null):
	_send({"type": "ping"} if data == null else {"type": "ping", "data": data})


# The row of an agent in the columns of the last frame, -1 where it is not in it.
func row_of(id):
	return _state.known.row_of(id)


# End the stream; what is waited for is answered with a problem.
func close():
	if not _ended:
		_end(1000, "by this side")


# ---- connections


# Called by the client once a frame of the game.
func poll():
	if _socket != null:
		# held here, since what comes may end it
		var socket = _socket
		socket.poll()
	elif _ended:
		_client.remove_stream(self)
	elif not _asking and Time.get_ticks_msec() >= _next_try:
		_connect()


func _connect():
	_socket = Socket.new()
	for told in ["opened", "message", "closed", "refused"]:
		_socket.connect(told, Callable(self, "_on_" + told))
	_close_reason = ""
	_socket.connect_to(_client.stream_url(_world), Array(_client.headers) + _headers, _client.buffer_kilobytes)


func _on_opened():
	for message in _state.opening():
		_send(message)
	opened.emit()


func _on_closed(code, reason):
	_socket = null
	if _ended:
		return
	if code in StreamState.CODES_TO_RECONNECT:
		_wait(code)
	else:
		_end(code, reason if reason != "" else _close_reason)


# The engine does not tell why a handshake failed, but a plain request does.
func _on_refused():
	_socket = null
	_asking = true
	var answer = await _client.call_server("GET", "/v1/worlds/" + str(_world).uri_encode())
	_asking = false
	if _ended:
		return
	if answer.has("problem") and answer["problem"]["status"] in range(400, 500):
		error.emit(answer["problem"])
		_end(4004 if answer["problem"]["status"] in [404, 410] else 1008, answer["problem"]["code"])
	else:
		_wait(1006)


# Wait before the next connection: longer each time, and scattered, so that not all come back in one instant.
func _wait(code):
	if _state.progress:
		_attempt = 0
	_attempt += 1
	if _attempt > ATTEMPTS:
		_end(code, "no connection after %d tries" % ATTEMPTS)
		return
	var seconds = min(FIRST_SECONDS * pow(2.0, _attempt - 1), LONGEST_SECONDS) * randf_range(0.5, 1.0)
	_next_try = Time.get_ticks_msec() + int(1000 * seconds)


func _end(code, reason):
	_ended = true
	_ending = _closed_problem(code, reason)
	if _socket != null:
		_socket.close(1000 if code == 1000 else 1002)
	var waiters = _waiters
	_waiters = {}
	for key in waiters:
		waiters[key].answered.emit({"problem": _ending})
	closed.emit(code, reason)


func _closed_problem(code, reason):
	return Problem.make(Problem.CLOSED, "the stream was closed with %d: %s" % [code, reason])


# ---- messages


func _send(message):
	# what is sent before the connection is there is sent by its opening
	if _socket != null and _socket.is_open():
		_socket.send(MessagePack.pack(message))


func _packed(options):
	var body = options.duplicate()
	if body.has("commands"):
		body["commands"] = Columns.pack_commands(body["commands"])
	if body.has("ids"):
		body["ids"] = Columns.pack_ids(body["ids"])
	return body


# Send a request and wait for the answer with its key; over a connection that breaks it is sent again.
func _ask(type, members, key):
	var message = members.duplicate()
	message["type"] = type
	message["key"] = _client.fresh_key() if key == null else key
	if _ended:
		await Engine.get_main_loop().process_frame
		return {"problem": _ending}
	# asked twice under one key, the second waits with the first
	if _waiters.has(message["key"]):
		return await _waiters[message["key"]].answered
	var waiter = Waiter.new()
	_waiters[message["key"]] = waiter
	_send(_state.request(message))
	return await waiter.answered


func _on_message(bytes):
	if _ended:
		return
	var unpacked = MessagePack.unpack(bytes)
	var message = unpacked.get("value")
	if not message is Dictionary or not message.has("type"):
		_fail("a message is no MessagePack map with a type: %s" % unpacked.get("fault", str(message)))
		return
	_state.progress = _state.progress or message["type"] != "hello"
	match message["type"]:
		"full", "frame":
			_on_frame(message)
		"ack", "stepped":
			_settle(message.get("key"), Columns.read_answer(message, _client.exact))
			emit_signal(message["type"], message)
		"error":
			_on_error(message)
		"hello":
			greeting = message
			hello.emit(message)
		"event":
			event.emit(Columns.read_answer(message, _client.exact))
		"heartbeat", "pong":
			emit_signal(message["type"], message)
		"closing":
			_close_reason = message["reason"]
			closing.emit(message["reason"])


func _on_frame(message):
	var frame = _state.frame(message)
	if frame is String:
		_fail(frame)
		return
	last_frame = frame
	emit_signal(message["type"], frame)
	if _state.gives_credit():
		got(frame["step"])


func _on_error(message):
	var problem = Problem.of_answer(message["problem"].get("status", 0), message["problem"])
	if problem["code"] == "replaced":
		_state.controller = null
	_settle(message.get("key"), {"problem": problem})
	error.emit(problem)


# Give a request its answer; one that nobody waits for any more is dropped.
func _settle(key, answer):
	if key != null and _state.answered(key):
		var waiter = _waiters[key]
		_waiters.erase(key)
		waiter.answered.emit(answer)


# What came is not the protocol: say so and end.
func _fail(detail):
	var problem = Problem.make(Problem.PROTOCOL, detail)
	error.emit(problem)
	_end(1002, detail)
