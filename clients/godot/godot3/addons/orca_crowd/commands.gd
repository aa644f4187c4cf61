extends Reference

# Commands by name, for World.commands, World.step and Stream.command: each is a Dictionary {op, ...} with the body of
# the REST call of the same name, and one written by hand does as well.


# Add agents: a Dictionary of columns, where a single value stands for all, or an Array of Dictionaries.
static func add_agents(agents):
	return {"op": "add_agents", "columns" if agents is Dictionary else "agents": agents}


# Change fields of agents; null clears a goal, a preferred velocity or a preferred speed.
static func set_agents(ids, columns):
	return {"op": "set_agents", "ids": ids, "columns": columns}


# Remove agents; their ids are never given again.
static func remove_agents(ids):
	return {"op": "remove_agents", "ids": ids}


# Add obstacles: {points, closed} each, or a bare list of points.
static func add_obstacles(obstacles):
	return {"op": "add_obstacles", "obstacles": obstacle_bodies(obstacles)}


static func set_obstacle(id, obstacle):
	return _with_id("set_obstacle", id, obstacle_bodies([obstacle])[0])


static func remove_obstacle(id):
	return {"op": "remove_obstacle", "id": id}


# Let obstacles stand open: they do not act until they are closed.
static func open_door(ids):
	return {"op": "open_door", "ids": ids}


static func close_door(ids):
	return {"op": "close_door", "ids": ids}


# Add walkable areas: {geometry, clearance, horizon, shrunk} each, or a bare GeoJSON geometry.
static func add_walkable(areas):
	return {"op": "add_walkable", "areas": area_bodies(areas)}


static func set_walkable(id, area):
	return _with_id("set_walkable", id, area_bodies([area])[0])


static func remove_walkable(id):
	return {"op": "remove_walkable", "id": id}


# Where detail matters: {distance, every?, neighbors?, points?, boxes?}, or null for everywhere.
static func set_grid_map(grid_map):
	return {"op": "set_grid_map", "grid_map": grid_map}


static func set_level_of_detail(level_of_detail):
	return {"op": "set_level_of_detail", "level_of_detail": level_of_detail}


static func obstacle_bodies(obstacles):
	var made = []
	for obstacle in obstacles:
		made.append(obstacle if obstacle is Dictionary else {"points": obstacle})
	return made


static func area_bodies(areas):
	var made = []
	for area in areas:
		made.append(area if not area is Dictionary or area.has("geometry") else {"geometry": area})
	return made


static func _with_id(op, id, body):
	var made = body.duplicate()
	made["op"] = op
	made["id"] = id
	return made
