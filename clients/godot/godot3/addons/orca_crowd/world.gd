extends Reference

# A world on the server. Its methods are the calls of the protocol, each under its name there.

const Columns = preload("columns.gd")
const Commands = preload("commands.gd")
const Stream = preload("stream.gd")

var id
# what the server said last about the world as a whole
var description
# why it was not created; empty where it was
var problem = {}
# the controller in whose name the calls of this handle go; see Stream.register
var controller = null

var _client
var _holder = null


func _init(client, world_id, known):
	_client = client
	id = world_id
	description = known


# ---- the world


func describe():
	return _keep(yield(_call("GET", "", null, true), "completed"))


# Change {name?, clock?, defaults?}; defaults are for agents that are added later.
func update(members):
	return _keep(yield(_call("PATCH", "", members), "completed"))


# Delete the world; its streams end with 4004.
func delete():
	return _call("DELETE", "")


# {step, sha256} over the bits of every agent's position and velocity.
func digest():
	return _call("GET", "/digest", null, true)


# The whole world as bytes, for Client.restore, or {problem}.
func snapshot():
	return _call("GET", "/snapshot", null, true)


# ---- agents


# Add agents, as a Dictionary of columns, where a single value stands for all, or an Array of Dictionaries:
# add_agents({"position": [Vector2(0, 0), Vector2(9, 0)], "radius": 0.4}). Gives {ids, step, warnings}.
func add_agents(agents):
	var body = {"agents": agents} if agents is Array else {"columns": Columns.pack(agents)}
	return _call("POST", "/agents", body)


# Read agents in columns: {fields?, ids?, offset?, limit?, precision?}. Gives {step, time, ids, position, ...}.
func agents(options = {}):
	var query = []
	for name in options:
		var value = options[name]
		if name in ["fields", "ids"]:
			value = PoolStringArray(Array(value)).join(",")
		query.append(name + "=" + str(value))
	# what a Vector2 cannot hold need not travel
	if not _client.exact and not options.has("precision"):
		query.append("precision=float32")
	var chosen = "" if query.empty() else "?" + PoolStringArray(query).join("&")
	return _call("GET", "/agents" + chosen, null, true)


# Change fields of the agents `ids`; a single value goes to all of them, null clears.
func set_agents(ids, columns):
	return _call("PATCH", "/agents", {"ids": Columns.pack_ids(ids), "columns": Columns.pack(columns, ids.size())})


# Remove agents, all of them or none; their ids are never given again. Gives {removed, step}.
func remove_agents(ids):
	# as a command, since many ids do not fit the URL that the call of this name has
	var answer = yield(commands([Commands.remove_agents(ids)]), "completed")
	if answer.has("problem"):
		return answer
	var removed = answer["results"][0]
	removed["step"] = answer["step"]
	return removed


# One agent with its effective values and `status`.
func agent(agent_id):
	return _call("GET", "/agents/" + str(agent_id), null, true)


func set_agent(agent_id, fields):
	return _call("PATCH", "/agents/" + str(agent_id), fields)


func remove_agent(agent_id):
	return _call("DELETE", "/agents/" + str(agent_id))


# Why an agent moves as it does: neighbours, constraints, program, status.
func explain(agent_id):
	return _call("GET", "/agents/%s/explain" % str(agent_id), null, true)


# ---- geometry


# Add obstacles: {points, closed} each, or a bare list of points.
func add_obstacles(obstacles):
	return _call("POST", "/obstacles", {"obstacles": Commands.obstacle_bodies(obstacles)})


# {step, obstacles}.
func obstacles():
	return _call("GET", "/obstacles", null, true)


func obstacle(obstacle_id):
	return _call("GET", "/obstacles/" + str(obstacle_id), null, true)


func set_obstacle(obstacle_id, obstacle):
	return _call("PUT", "/obstacles/" + str(obstacle_id), Commands.obstacle_bodies([obstacle])[0])


# Let an obstacle stand open as a door, or close it.
func set_door(obstacle_id, open):
	return _call("PATCH", "/obstacles/" + str(obstacle_id), {"open": open})


func remove_obstacle(obstacle_id):
	return _call("DELETE", "/obstacles/" + str(obstacle_id))


# Shortest ways, for somebody who steers himself: {from, to, radius} each, the radius left out is the world's.
# {step, paths}: {waypoints, length} each, or {unreachable, nearest, reason}, or {unfinished}.
func paths(queries):
	return _call("POST", "/paths", {"queries": queries}, true)


# Add walkable areas: {geometry, clearance, horizon, shrunk} each, or a bare GeoJSON geometry.
func add_walkable(areas):
	return _call("POST", "/walkable", {"areas": Commands.area_bodies(areas)})


# {step, areas}.
func walkable():
	return _call("GET", "/walkable", null, true)


func walkable_area(area_id):
	return _call("GET", "/walkable/" + str(area_id), null, true)


func set_walkable(area_id, area):
	return _call("PUT", "/walkable/" + str(area_id), Commands.area_bodies([area])[0])


func remove_walkable(area_id):
	return _call("DELETE", "/walkable/" + str(area_id))


# Add a map: the text of a MovingAI map, or of GeoJSON, as "obstacles" or as "walkable".
func add_map(text, kind, cell_size = null):
	var query = "?as=" + kind + ("" if cell_size == null else "&cell_size=" + str(cell_size))
	var json = text.strip_edges().begins_with("{")
	var media_type = "application/geo+json" if json else "text/plain"
	var options = _options(false, {"media_type": media_type})
	return _client.call_server("POST", _path("/map" + query), text.to_utf8(), options)


# ---- commands and steps


# Run commands (see commands.gd), all or nothing, in one step. Gives {step, sequence, results}.
func commands(list, key = null):
	var body = {"commands": Columns.pack_commands(list), "key": _client.fresh_key() if key == null else key}
	return _call("POST", "/commands", body, true)


# Take steps in a manual world: {count?, expected_step?, commands?, key?, return?, fields?, ids?}.
# Gives {step, time, digest?, agents?, events}.
func step(options = {}):
	var extra = [] if _holder == null else ["Orca-Crowd-Lease: " + _holder]
	var body = step_body(options, _client)
	return _client.call_server("POST", _path("/steps"), body, _options(true, {"headers": extra}))


# The body of a step, here and on a stream; without a key one is made, so that a repeated request steps once.
static func step_body(options, client):
	var body = options.duplicate()
	if not body.has("key"):
		body["key"] = client.fresh_key()
	if body.has("commands"):
		body["commands"] = Columns.pack_commands(body["commands"])
	if body.has("ids"):
		body["ids"] = Columns.pack_ids(body["ids"])
	return body


# Take or renew the sole right to step for `ttl` seconds; the steps and streams of this handle then show it.
func lease(holder, ttl):
	var answer = yield(_call("POST", "/lease", {"holder": holder, "ttl": ttl}, true), "completed")
	if not answer.has("problem"):
		_holder = holder
	return answer


# Give the lease of this handle back.
func release_lease():
	var extra = [] if _holder == null else ["Orca-Crowd-Lease: " + _holder]
	_holder = null
	return _client.call_server("DELETE", _path("/lease"), null, _options(false, {"headers": extra}))


# ---- the stream


# Open a stream; `subscription` is what Stream.subscribe takes, and null watches nothing.
func stream(subscription = {}):
	var extra = [] if _holder == null else ["Orca-Crowd-Lease: " + _holder]
	return Stream.new(_client, id, subscription, extra)


func _path(rest):
	return "/v1/worlds/" + str(id).percent_encode() + rest


func _options(repeatable, more = {}):
	var made = more.duplicate()
	made["repeatable"] = repeatable
	if controller != null:
		made["headers"] = made.get("headers", []) + ["Orca-Crowd-Controller: " + controller]
	return made


func _call(method, rest, body = null, repeatable = false):
	return _client.call_server(method, _path(rest), body, _options(repeatable))


func _keep(answer):
	if not answer.has("problem"):
		description = answer
	return answer
