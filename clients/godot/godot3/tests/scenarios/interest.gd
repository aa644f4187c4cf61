extends "res://tests/scenario.gd"

# Frames with the changed rows alone, areas of interest, and integers beside a keyframe.


func run():
	var world = yield(crowd.create_world({"id": "seen", "time_step": 1.0}), "completed")
	# one walks along x, the others stand
	yield(world.add_agents({
		"id": [10, 20, 30], "position": [Vector2(0, 0), Vector2(0, 20), Vector2(40, 0)], "max_speed": [2, 0, 0],
		"preferred_velocity": [Vector2(2, 0), Vector2(0, 0), Vector2(0, 0)],
	}), "completed")
	var changed = world.stream({"delivery": "every"})
	var all = world.stream({"delivery": "every", "rows": "all", "every": 2})
	var circle = world.stream({
		"delivery": "every", "interest": {"kind": "circle", "center": Vector2(6, 0), "radius": 3.0},
	})
	var around = world.stream({"delivery": "every", "interest": {"kind": "around", "id": 10, "radius": 31.0}})
	var small = world.stream({"delivery": "every", "precision": "int16", "fields": ["position", "radius"]})
	var streams = [changed, all, circle, around, small]
	for stream in streams:
		yield(frame_of(stream, 0), "completed")
	var seen = []
	for step in range(1, 7):
		yield(world.step(), "completed")
		var frames = []
		for stream in [changed, circle, around, small]:
			frames.append(brief(yield(frame_of(stream, step), "completed")))
		seen.append(frames)
	say("seen", seen)
	say("all", brief(yield(frame_of(all, 6), "completed")))
	say("radius", small.last_frame["radius"])
	for stream in streams:
		stream.close()
	done()
