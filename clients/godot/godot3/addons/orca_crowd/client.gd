extends Node

# A server of orca-crowd. Add it to the scene tree, where it polls its streams once a frame:
#
#     var crowd = preload("res://addons/orca_crowd/client.gd").new()
#     add_child(crowd)
#     var world = yield(crowd.create_world({"time_step": 0.1}), "completed")
#
# Every call gives a Dictionary in its "completed": what the server answered, or {problem} with a problem document, as
# problem.gd says. What a call takes beside its main argument is a Dictionary with the names of the protocol.
#
# Godot's containers hold float32. A Vector2 and a PoolVector2Array keep 24 of the 53 bits that the server computes
# with, so a position that is read here and sent back is another one than the server has; a float of GDScript has all
# 53. Whoever needs the bits sets `exact` and gets vectors as an Array of [x, y].

const Columns = preload("columns.gd")
const Commands = preload("commands.gd")
const MessagePack = preload("message_pack.gd")
const Problem = preload("problem.gd")
const Request = preload("request.gd")
const CrowdWorld = preload("world.gd")

# how often, and after how many seconds at first, a call that has one effect however often it is sent is sent again
const RETRIES = 4
const RETRY_SECONDS = 0.1

export var url = "http://127.0.0.1:8000"
# vectors as an Array of [x, y] with all bits, in the place of a PoolVector2Array
export var exact = false
# seconds that one answer may take, a long run of steps included
export var timeout = 60.0
# what a stream takes in one message; 10,000 agents with position and velocity are 200 in float32, 400 in float64
export var buffer_kilobytes = 4096
# sent with every request and handshake
export var headers = PoolStringArray()

var _streams = []
var _crypto = Crypto.new()


func _process(_delta):
	# a copy, since a stream may end while it is polled
	for stream in _streams.duplicate():
		stream.poll()


# Version, kernels digest, limits, and options with the values of both profiles.
func info():
	return call_server("GET", "/v1/info", null, {"repeatable": true})


# Create a world: {time_step, id?, name?, clock?, defaults?, options?, seed?, durability?, ttl?}. Gives a world; its
# `problem` is empty unless it was refused, and its `description` tells all values.
func create_world(members):
	return _described(yield(call_server("POST", "/v1/worlds", members), "completed"))


# All worlds of the server: {worlds: [world, ...]}.
func worlds():
	var answer = yield(call_server("GET", "/v1/worlds", null, {"repeatable": true}), "completed")
	if answer.has("problem"):
		return answer
	var made = []
	for description in answer["worlds"]:
		made.append(_described(description))
	return {"worlds": made}


# A handle on a world that exists; nothing is sent.
func world(id):
	return CrowdWorld.new(self, id, {})


# Make a world from the bytes of a snapshot, with the same bits.
func restore(bytes, id = null):
	var path = "/v1/worlds/restore" + ("" if id == null else "?id=" + str(id).percent_encode())
	return _described(yield(call_server("POST", path, bytes, {"media_type": "application/octet-stream"}), "completed"))


# One step for a world that the caller keeps: {time_step, agents, obstacles?, walkable?, options?}, agents as rows or
# columns. Gives {velocity}.
func steer(members):
	var body = members.duplicate()
	if body["agents"] is Dictionary:
		body["agents"] = _rows(body["agents"])
	if body.has("obstacles"):
		body["obstacles"] = Commands.obstacle_bodies(body["obstacles"])
	if body.has("walkable"):
		body["walkable"] = Commands.area_bodies(body["walkable"])
	var answer = yield(call_server("POST", "/v1/steer", body, {"repeatable": true}), "completed")
	if not answer.has("problem"):
		answer["velocity"] = Columns.read("velocity", answer["velocity"], body["agents"].size(), exact)
	return answer


# ---- for worlds and streams


# Send a request and read its answer; `options`: repeatable, headers, media_type (then the body goes as it is).
func call_server(method, path, body = null, options = {}):
	var sent = Array(headers) + options.get("headers", [])
	var content = PoolByteArray()
	if options.has("media_type"):
		content = body
		sent.append("Content-Type: " + options["media_type"])
	elif body != null:
		content = MessagePack.pack(body)
		sent.append("Content-Type: application/msgpack")
	var delay = RETRY_SECONDS
	for attempt in range(RETRIES + 1):
		var answer = yield(Request.new(Request.split_url(url), timeout).send(method, path, sent, content), "completed")
		if not answer.has("problem"):
			var given = answer["body"] if answer["body"] != null else {}
			return Columns.read_answer(given, exact)
		var broken = answer["problem"]["code"] == Problem.CONNECTION
		if attempt == RETRIES or not broken or not (answer.has("unreached") or options.get("repeatable", false)):
			return {"problem": answer["problem"]}
		yield(Engine.get_main_loop().create_timer(delay * rand_range(0.5, 1.0)), "timeout")
		delay *= 2.0


# The address of a world's stream.
func stream_url(id):
	var server = Request.split_url(url)
	var scheme = "wss://" if server["secure"] else "ws://"
	return scheme + server["place"] + server["prefix"] + "/v1/worlds/" + str(id).percent_encode() + "/stream"


# A key that nobody else has: with it a request that is sent twice has one effect.
func fresh_key():
	return _crypto.generate_random_bytes(16).hex_encode()


# Poll a stream once a frame, until it has ended.
func add_stream(stream):
	_streams.append(stream)


func remove_stream(stream):
	_streams.erase(stream)


func _described(description):
	if description.has("problem"):
		var refused = CrowdWorld.new(self, "", {})
		refused.problem = description["problem"]
		return refused
	return CrowdWorld.new(self, description["id"], description)


# Columns as rows, for the one call that takes no columns.
func _rows(columns):
	var count = 0
	for name in columns:
		if not Columns.is_single(name, columns[name]):
			count = columns[name].size()
	var rows = []
	for row in range(count):
		var agent = {}
		for name in columns:
			agent[name] = columns[name] if Columns.is_single(name, columns[name]) else columns[name][row]
		rows.append(agent)
	return rows
