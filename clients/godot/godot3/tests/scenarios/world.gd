extends "res://tests/scenario.gd"

# Every call of a world and of the client, once.

const SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [40, 0], [40, 40], [0, 40], [0, 0]]]}
const MAP = "type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n"


func run():
	say("info", yield(crowd.info(), "completed").has("limits"))
	var world = yield(crowd.create_world({"id": "godot", "time_step": 0.1, "seed": 7}), "completed")
	if world.problem:
		say("refused", world.problem["code"])
		return
	say("created", [world.id, world.problem, world.description["time_step"]])
	# agents, in columns and in rows; bits that JSON would lose
	var added = yield(world.add_agents({
		"position": [[0.1, -0.0], [10.0 / 3.0, 1e-300]], "goal": [Vector2(9, 1), Vector2(0, 1)],
		"radius": 0.4, "goal_tolerance": 1e-9, "id": [9007199254740991, 7],
	}), "completed")
	say("ids", added["ids"].size() == 2 and added["ids"][0] == 9007199254740991 and added["ids"][1] == 7)
	say("row", yield(world.add_agents([{"position": Vector2(20, 20)}]), "completed")["ids"])
	say("agent", yield(world.agent(7), "completed")["status"])
	say("position", bits(yield(world.agents(), "completed")["position"]))
	say("chosen", yield(world.agents({"fields": ["radius", "status"], "ids": [7]}), "completed"))
	yield(world.set_agents([7], {"radius": 0.25, "goal": null}), "completed")
	say("set", yield(world.agents({"fields": ["radius", "status"], "ids": [7]}), "completed"))
	say("set_agent", yield(world.set_agent(7, {"max_speed": 2}), "completed")["max_speed"])
	say("explain", yield(world.explain(7), "completed").has("constraints"))
	say("removed", yield(world.remove_agents([7]), "completed")["removed"])
	say("gone", yield(world.agent(7), "completed")["problem"]["code"])
	# geometry
	var walls = [PoolVector2Array([Vector2(1, 5), Vector2(3, 5)])]
	var wall = yield(world.add_obstacles(walls), "completed")["ids"][0]
	yield(world.set_obstacle(wall, {"points": [[1, 6], [3, 6]], "closed": false}), "completed")
	say("obstacle", yield(world.obstacle(wall), "completed"))
	say("obstacles", yield(world.obstacles(), "completed")["obstacles"].size())
	say("paths", yield(world.paths([{"from": [2, 0], "to": [2, 9], "radius": 0.5}]), "completed")["paths"][0]["waypoints"].size())
	yield(world.remove_obstacle(wall), "completed")
	var area = yield(world.add_walkable([SQUARE]), "completed")["ids"][0]
	say("area", yield(world.walkable_area(area), "completed")["clearance"])
	yield(world.set_walkable(area, {"geometry": SQUARE, "clearance": 0.5}), "completed")
	say("areas", yield(world.walkable(), "completed")["areas"][0]["clearance"])
	yield(world.remove_walkable(area), "completed")
	say("map", yield(world.add_map(MAP, "obstacles", 0.5), "completed")["ids"].size())
	# steps and the world as a whole
	say("step", yield(world.step({"count": 5, "expected_step": 0, "return": "digest"}), "completed"))
	say("digest", yield(world.digest(), "completed"))
	var snapshot = yield(world.snapshot(), "completed")
	var copy = yield(crowd.restore(snapshot, "copy"), "completed")
	say("restored", yield(copy.digest(), "completed"))
	say("update", yield(world.update({"name": "a name"}), "completed")["name"])
	say("described", yield(world.describe(), "completed")["step"])
	var ids = []
	for listed in yield(crowd.worlds(), "completed")["worlds"]:
		ids.append(listed.id)
	say("worlds", ids)
	say("velocity", bits(yield(crowd.steer({
		"time_step": 0.1, "agents": {"position": [Vector2(0, 0)], "preferred_velocity": Vector2(1, 0.5)},
	}), "completed")["velocity"]))
	# the right to step
	say("lease", yield(world.lease("me", 30), "completed")["holder"])
	say("leased", yield(crowd.world("godot").step(), "completed")["problem"]["code"])
	say("holder", yield(world.step(), "completed")["step"])
	var stream = world.stream(null)
	say("stream", yield(stream.step(), "completed")["step"])
	stream.close()
	yield(world.release_lease(), "completed")
	say("anybody", yield(crowd.world("godot").step(), "completed")["step"])
	say("deleted", yield(copy.delete(), "completed"))
	done()
