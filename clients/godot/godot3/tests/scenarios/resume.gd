extends "res://tests/scenario.gd"

# A connection that is cut: the stream makes another, registers again, resumes, and what was asked has one effect.
# The test cuts where a line says so, between this side and the server.

var frames = []


func run():
	var world = yield(crowd.create_world({"id": "cut", "time_step": 0.1}), "completed")
	yield(world.add_agents({"position": [Vector2(0, 0), Vector2(9, 0)], "goal": [Vector2(50, 0), Vector2(9, 9)]}), "completed")
	var stream = world.stream({"delivery": "every"})
	stream.connect("full", self, "_on_frame")
	stream.connect("frame", self, "_on_frame")
	yield(stream.register("npc"), "completed")
	yield(world.step({"count": 3}), "completed")
	yield(frame_of(stream, 3), "completed")
	say("cut", true)
	yield(stream, "opened")
	say("again", true)
	# the test has stepped in between
	yield(frame_of(stream, 8), "completed")
	say("owns", yield(stream.own([0]), "completed")["results"])
	say("cut", true)
	say("asked", yield(stream.step(), "completed")["step"])
	yield(frame_of(stream, 9), "completed")
	say("frames", frames)
	say("position", bits(yield(world.agents(), "completed")["position"]))
	say("last", bits(stream.last_frame["position"]))
	stream.close()
	done()


func _on_frame(frame):
	frames.append([frame["step"], frame["full"], frame["since"], frame["gap"]])
