extends SceneTree

# Runs one scenario of scenarios/ against the server in ORCA_CROWD_URL and prints what it saw, one line of JSON each
# with the prefix "orca:"; what is right is for the test that starts it to say.

const Client = preload("res://addons/orca_crowd/client.gd")


func _initialize():
	var name = OS.get_environment("ORCA_CROWD_SCENARIO")
	var crowd = Client.new()
	crowd.url = OS.get_environment("ORCA_CROWD_URL")
	crowd.exact = OS.get_environment("ORCA_CROWD_EXACT") == "1"
	root.add_child(crowd)
	var scenario = load("res://tests/scenarios/%s.gd" % name).new()
	root.add_child(scenario)
	scenario.crowd = crowd
	scenario.run()
