@tool
extends EditorPlugin

# Enabling the plugin makes a client for the whole game, under the name OrcaCrowd.


func enable_plugin():
	add_autoload_singleton("OrcaCrowd", "res://addons/orca_crowd/client.gd")


func disable_plugin():
	remove_autoload_singleton("OrcaCrowd")
