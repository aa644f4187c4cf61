extends "res://tests/scenario.gd"

# Frames of a stream, beside what a read gives; who changed, entered and left; events; float32 and integers.

var events = []


func run():
	var world = yield(crowd.create_world({"id": "watched", "time_step": 0.1}), "completed")
	yield(world.add_agents({
		"position": [Vector2(-5, 0), Vector2(5, 0.1), Vector2(30, 30)],
		"goal": [Vector2(5, 0), Vector2(-5, 0), Vector2(30, 30)],
	}), "completed")
	var stream = world.stream({"delivery": "every", "fields": ["position", "velocity", "status"]})
	stream.connect("event", self, "_on_event")
	yield(stream, "full")
	say("greeting", [stream.greeting["world"], stream.greeting["time_step"]])
	say("full", [stream.last_frame["step"], stream.last_frame["full"], stream.last_frame["ids"]])
	# many steps, so that more frames come than a window holds
	yield(world.step({"count": 20}), "completed")
	var frame = yield(frame_of(stream, 20), "completed")
	var read = yield(world.agents(), "completed")
	say("moved", [
		frame["step"], frame["gap"], frame["ids"], frame["changed"].size(), bits(frame["position"]), bits(read["position"]),
		bits(frame["velocity"]), bits(read["velocity"]), frame["status"],
	])
	say("row", [stream.row_of(2), stream.row_of(77)])
	# who comes and goes
	var fresh = yield(world.add_agents({"position": Vector2(50, 50)}), "completed")["ids"][0]
	yield(world.remove_agents([1]), "completed")
	yield(world.step(), "completed")
	frame = yield(frame_of(stream, 21), "completed")
	say("came", [frame["ids"], frame["entered"], frame["left"], fresh])
	say("events", events)
	# another subscription on the same socket
	stream.subscribe({"fields": ["radius"], "every": 2})
	yield(stream, "full")
	say("radius", stream.last_frame["radius"])
	stream.unsubscribe()
	stream.ping("there")
	say("pong", yield(stream, "pong")["data"])
	# what was missed comes after all
	yield(world.step({"count": 4}), "completed")
	stream.resume()
	frame = yield(frame_of(stream, 24), "completed")
	say("resumed", [frame["step"], frame["full"], frame["since"]])
	stream.close()
	yield(get_tree(), "idle_frame")
	say("ended", yield(stream.step(), "completed")["problem"]["code"])
	# `latest`, the default, at the pace of a realtime world; without credit it would stop after a window
	world = yield(crowd.create_world({"time_step": 0.01, "clock": {"mode": "realtime", "rate": 100}}), "completed")
	yield(world.add_agents({"position": Vector2(0, 0), "goal": Vector2(1000, 0)}), "completed")
	stream = world.stream()
	var seen = []
	while seen.size() < 12:
		seen.append(yield(stream, "frame")["step"])
	say("credit", seen)
	stream.close()
	yield(world.delete(), "completed")
	done()


func _on_event(event):
	events.append([event["kind"], event["ids"]])
