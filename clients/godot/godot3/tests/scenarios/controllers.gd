extends "res://tests/scenario.gd"

# Two controllers of one world: ownership, a barrier, and one that takes the name of the other.

var problems = []


func run():
	var world = yield(crowd.create_world({
		"id": "shared", "time_step": 0.1, "clock": {"mode": "barrier", "timeout": 30.0},
	}), "completed")
	yield(world.add_agents({"position": [Vector2(0, 0), Vector2(9, 0)]}), "completed")
	var blue = world.stream(null)
	var red = world.stream(null)
	say("unregistered", yield(blue.own([0]), "completed")["problem"]["code"])
	say("registered", yield(blue.register("blue"), "completed")["results"])
	yield(red.register("red"), "completed")
	say("owned", yield(blue.own([0]), "completed")["results"])
	# an order for somebody else's agent is refused, over REST too
	var order = Commands.set_agents([0], {"preferred_velocity": Vector2(1, 0)})
	say("refused", yield(red.command([order]), "completed")["problem"]["code"])
	say("rest", yield(world.commands([order]), "completed")["problem"]["code"])
	world.controller = "blue"
	say("ours", yield(world.commands([order]), "completed").has("sequence"))
	# a step happens when both are ready
	var waiting = blue.ready({"for_step": 1, "return": "agents", "fields": ["velocity"]})
	say("wrong", yield(red.ready({"for_step": 5}), "completed")["problem"]["code"])
	var stepped = yield(red.ready({
		"commands": [Commands.set_agents([1], {"preferred_velocity": Vector2(0, 1)})],
	}), "completed")
	say("red", stepped["step"])
	say("blue", waiting.is_valid())
	yield(get_tree().create_timer(0.3), "timeout")
	say("answered", [waiting.is_valid(), pairs(yield(world.agents(), "completed")["velocity"])])
	say("disowned", yield(blue.disown([0]), "completed")["results"])
	# a newer socket takes the name over
	red.connect("error", self, "_on_error")
	var other = world.stream(null)
	yield(other.register("red"), "completed")
	while problems.empty():
		yield(get_tree(), "idle_frame")
	say("replaced", problems)
	say("left", yield(other.unregister(), "completed").has("problem"))
	done()


func _on_error(problem):
	problems.append(problem["code"])
