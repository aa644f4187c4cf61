extends "res://tests/scenario.gd"

# Commands over the stream and over REST: keys, refusals as problem documents, and the tight loop of a game.

var ended = null


func run():
	var world = yield(crowd.create_world({"id": "ordered", "time_step": 0.1}), "completed")
	var stream = world.stream(null)
	var orders = [
		Commands.add_agents({"position": [Vector2(0, 0), Vector2(9, 0)], "radius": 0.5}),
		Commands.add_obstacles([[Vector2(0, 3), Vector2(9, 3)]]),
	]
	var first = yield(stream.command(orders, "a key"), "completed")
	say("first", [first["step"], first["results"][0]["ids"], first["results"][1]["ids"]])
	# sent again it has no second effect, over REST neither
	say("again", yield(stream.command(orders, "a key"), "completed")["results"][0]["ids"])
	say("rest", yield(world.commands(orders, "a key"), "completed")["results"][0]["ids"])
	say("reused", yield(stream.command([Commands.remove_agents([0])], "a key"), "completed")["problem"]["code"])
	say("count", yield(world.agents(), "completed")["ids"].size())
	# all or nothing, and by item and field what was wrong
	var refused = yield(stream.command([
		Commands.set_agents([0], {"radius": 0.1}), Commands.add_agents({"position": Vector2(1, 1), "radius": -1}),
	]), "completed")["problem"]
	say("refused", [refused["status"], refused["code"], refused["errors"][0]["item"], refused["errors"][0]["field"]])
	say("radius", yield(world.agents({"fields": ["radius"], "ids": [0]}), "completed")["radius"])
	say("missing", yield(crowd.world("nowhere").digest(), "completed")["problem"]["code"])
	say("unknown", yield(crowd.create_world({"time_step": 0.1, "gravity": 9.8}), "completed").problem["errors"][0]["field"])
	# orders, a step, and what became of them in one message
	var speeds = []
	for step in range(1, 4):
		var stepped = yield(stream.step({
			"commands": [Commands.set_agents([0], {"preferred_velocity": Vector2(0, -0.25 * step)})],
			"expected_step": step - 1, "return": "agents", "fields": ["velocity"], "ids": [0],
		}), "completed")
		speeds.append([stepped["step"], stepped["agents"]["ids"], pairs(stepped["agents"]["velocity"])])
	say("loop", speeds)
	say("wrong", yield(stream.step({"expected_step": 0}), "completed")["problem"]["code"])
	# a world that goes ends the stream, and one that was never there is told as such
	stream.connect("closed", self, "_on_closed")
	yield(world.delete(), "completed")
	while ended == null:
		yield(get_tree(), "idle_frame")
	say("closed", ended)
	stream = crowd.world("nowhere").stream()
	say("error", yield(stream, "error")["code"])
	done()


func _on_closed(code, _reason):
	ended = code
