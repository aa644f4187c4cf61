extends Reference

# The agents that a subscription knows: whole states and what changed in them, merged.
#
# A `frame` of the wire has a row for every agent whose values are others than at `since`; who is not in it is as
# before. Merged here every frame of the addon is complete, and whoever draws it need not know what travelled.

const Columns = preload("columns.gd")

var step = null
var ids = []
var columns = {}

# row by id
var _rows = {}
# whether the order of `ids` is the server's: a frame that leaves out its ids relies on that
var _listed = true
# the base of int16 and int8 by column and id, and the step of its keyframe
var _keyframe = null
var _bases = {}


# Take a `full` or a `frame`. Gives the ids of its rows, or a String that says what is wrong with it.
func take(message, full, exact):
	if not full:
		_remove(Columns.read_ids(message.get("left")))
	var named = ids
	if message.has("ids"):
		named = Columns.read_ids(message["ids"])
	elif step == null or not _listed:
		return "a frame leaves out ids that were never sent"
	var fresh = _read(message, named, exact)
	if fresh is String:
		return fresh
	# everybody is in it, so that it needs no state to build on; in the order that is here already there is least to do
	if not message.has("ids"):
		columns = fresh
		step = message["step"]
		return named
	var entering = 0
	for id in named:
		entering += 0 if _rows.has(id) else 1
	if full or named.size() == ids.size() + entering:
		_list(named)
		columns = fresh
		step = message["step"]
		return named
	if message["since"] != step:
		return "the frame of step %d builds on step %d, and the last that came is %s" % [
			message["step"], message["since"], str(step)]
	_merge(named, fresh)
	step = message["step"]
	return named


# The row of an agent in the columns, -1 where it is not known.
func row_of(id):
	return _rows.get(id, -1)


func _list(named):
	ids = named
	_rows = {}
	for row in range(ids.size()):
		_rows[ids[row]] = row
	_listed = true


func _remove(left):
	if left.empty():
		return
	var gone = {}
	for id in left:
		gone[id] = true
	var kept = []
	for row in range(ids.size()):
		if not gone.has(ids[row]):
			kept.append(row)
	var fewer = {}
	for name in columns:
		fewer[name] = _chosen(columns[name], kept)
	columns = fewer
	var listed = _listed
	_list(_chosen(ids, kept))
	_listed = listed


# Write the rows of `named` over those that are known; who is not known comes after all others.
func _merge(named, fresh):
	var longer = ids.duplicate()
	var targets = []
	for id in named:
		if not _rows.has(id):
			_rows[id] = longer.size()
			longer.append(id)
			_listed = false
		targets.append(_rows[id])
	ids = longer
	# new containers, since whoever took the frame before may hold the old ones
	var merged = {}
	for name in columns:
		var column = columns[name]
		if column is Array:
			column = column.duplicate()
		column.resize(ids.size())
		var values = fresh[name] if fresh.has(name) else []
		for place in range(values.size()):
			column[targets[place]] = values[place]
		merged[name] = column
	columns = merged


func _chosen(column, rows):
	var made = [] if column is Array else PoolVector2Array()
	made.resize(rows.size())
	for place in range(rows.size()):
		made[place] = column[rows[place]]
	return made


# The columns of a message, or a String that says what is wrong with them.
func _read(message, named, exact):
	var scales = message.get("scale")
	if scales == null:
		scales = {}
	if message.has("keyframe"):
		_learn(message)
	var made = {}
	for name in message:
		var value = message[name]
		if name in ["type", "keyframe"] or name in Columns.IDENTIFIERS or not (value is Array or value is PoolByteArray):
			continue
		var column
		if scales.has(name):
			column = _raised(name, value, named, scales[name], exact)
		else:
			column = Columns.read(name, value, named.size(), exact)
		if column is String:
			return column
		if column == null or column.size() != named.size():
			return "the column %s does not fit %d agents" % [name, named.size()]
		made[name] = column
	return made


# Keep the bases that a message brings; those of a new keyframe take the place of all before.
func _learn(message):
	if message["keyframe"] != _keyframe:
		_keyframe = message["keyframe"]
		_bases = {}
	var based = Columns.read_ids(message.get("based"))
	for name in message["base"] if not based.empty() else []:
		var numbers = Columns.read_numbers(message["base"][name], 4)
		var bases = _bases.get(name, {})
		for row in range(based.size()):
			bases[based[row]] = [numbers[2 * row], numbers[2 * row + 1]]
		_bases[name] = bases


# base + scale * integer for every row.
func _raised(name, value, named, scale, exact):
	if named.empty():
		return Columns.pairs([], exact)
	var integers = Columns.read_numbers(value, value.size() / (2 * named.size()))
	if integers.size() != 2 * named.size():
		return "the column %s does not fit %d agents" % [name, named.size()]
	var bases = _bases.get(name, {})
	var numbers = []
	numbers.resize(integers.size())
	for row in range(named.size()):
		if not bases.has(named[row]):
			return "no base of agent %d has come with keyframe %s" % [named[row], str(_keyframe)]
		var base = bases[named[row]]
		numbers[2 * row] = base[0] + scale * integers[2 * row]
		numbers[2 * row + 1] = base[1] + scale * integers[2 * row + 1]
	return Columns.pairs(numbers, exact)
