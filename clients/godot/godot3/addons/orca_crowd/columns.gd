extends Reference

# Columns of agents: from what a game has to what travels, and back.
#
# On the wire a column of numbers is a bin of little-endian float64 (float32 where asked for), x0 y0 x1 y1 ... for
# vectors, and a column of ids is a bin of int64. Here ids are an Array of int, since PoolIntArray has 32 bits, and
# single numbers an Array of float, which has 64. Vectors are a PoolVector2Array, whose numbers have 32: whoever wants
# all 64 asks for `exact` and gets an Array of [x, y].

const VECTORS = ["position", "velocity", "preferred_velocity", "goal", "heading"]
const IDENTIFIERS = ["id", "ids", "entered", "left", "removed", "other", "based", "owned"]


# A column of ids for the wire, from an Array or PoolIntArray of int; what is not plainly ids goes as it is, so that
# the server refuses it by item.
static func pack_ids(ids):
	var buffer = StreamPeerBuffer.new()
	for id in ids:
		if typeof(id) != TYPE_INT:
			return ids
		buffer.put_64(id)
	return buffer.data_array


# The named columns of `count` agents for the wire; count -1: as many as the longest of them has rows. A single value
# stands for all agents: a number, null, or one vector of a field of vectors.
static func pack(columns, count = -1):
	if count < 0:
		count = 0 if columns.empty() else 1
		for name in columns:
			if not is_single(name, columns[name]):
				count = int(max(count, columns[name].size()))
	var made = {}
	for name in columns:
		var values = columns[name]
		if is_single(name, values):
			var value = values
			values = []
			for _i in range(count):
				values.append(value)
		var key = "id" if name == "ids" else name
		made[key] = pack_ids(values) if key == "id" else _pack_numbers(name, values)
	return made


# Commands for the wire: columns and ids as bins.
static func pack_commands(commands):
	var made = []
	for command in commands:
		var packed = {}
		for name in command:
			if name == "columns" and command[name] is Dictionary:
				var ids = command.get("ids")
				packed[name] = pack(command[name], -1 if ids == null else ids.size())
			else:
				packed[name] = pack_ids(command[name]) if name == "ids" else command[name]
		made.append(packed)
	return made


static func is_single(name, values):
	match typeof(values):
		TYPE_RAW_ARRAY, TYPE_INT_ARRAY, TYPE_REAL_ARRAY, TYPE_STRING_ARRAY, TYPE_VECTOR2_ARRAY:
			return false
		TYPE_ARRAY:
			# a field of vectors has pairs, so two bare numbers are one pair and not two rows
			return name in VECTORS and values.size() == 2 and _is_number(values[0]) and _is_number(values[1])
	return true


static func _is_number(value):
	return typeof(value) == TYPE_INT or typeof(value) == TYPE_REAL


# A column of numbers as a bin of float64; where it is not plainly one (a null that clears, a string) as it is.
static func _pack_numbers(name, values):
	var buffer = StreamPeerBuffer.new()
	for value in values:
		if not name in VECTORS and _is_number(value):
			buffer.put_double(value)
		elif name in VECTORS and typeof(value) == TYPE_VECTOR2:
			buffer.put_double(value.x)
			buffer.put_double(value.y)
		elif name in VECTORS and typeof(value) == TYPE_ARRAY and value.size() == 2 \
				and _is_number(value[0]) and _is_number(value[1]):
			buffer.put_double(value[0])
			buffer.put_double(value[1])
		else:
			return values
	return buffer.data_array


# A column of ids as an Array of int, from a bin or an Array.
static func read_ids(value):
	if not value is PoolByteArray:
		return [] if value == null else value
	var buffer = StreamPeerBuffer.new()
	buffer.data_array = value
	var ids = []
	for _i in range(value.size() / 8):
		ids.append(buffer.get_64())
	return ids


# A column of `count` agents; null where its bytes are no float64 or float32 for so many.
static func read(name, value, count, exact):
	if name in IDENTIFIERS:
		return read_ids(value)
	if not value is PoolByteArray:
		return value
	var width = 2 if name in VECTORS else 1
	if count == 0:
		return [] if width == 1 or exact else PoolVector2Array()
	var size = value.size() / (count * width)
	if (size != 4 and size != 8) or value.size() != count * width * size:
		return null
	if width == 2 and size == 4 and not exact:
		return _as_vectors(value, count)
	var numbers = read_numbers(value, size)
	return numbers if width == 1 else pairs(numbers, exact)


# The numbers of a bin: float64 (size 8), float32 (4), int16 (2) or int8 (1).
static func read_numbers(value, size):
	var buffer = StreamPeerBuffer.new()
	buffer.data_array = value
	var numbers = []
	numbers.resize(value.size() / size)
	match size:
		8:
			for i in range(numbers.size()):
				numbers[i] = buffer.get_double()
		4:
			for i in range(numbers.size()):
				numbers[i] = buffer.get_float()
		2:
			for i in range(numbers.size()):
				numbers[i] = buffer.get_16()
		1:
			for i in range(numbers.size()):
				numbers[i] = buffer.get_8()
	return numbers


# x0 y0 x1 y1 ... as a PoolVector2Array, or as an Array of [x, y] where it shall be exact.
static func pairs(numbers, exact):
	var made = [] if exact else PoolVector2Array()
	made.resize(numbers.size() / 2)
	for row in range(made.size()):
		var x = numbers[2 * row]
		var y = numbers[2 * row + 1]
		made[row] = [x, y] if exact else Vector2(x, y)
	return made


# float32 pairs as they are in memory: the engine reads them at once, behind the head that var2bytes would write.
static func _as_vectors(value, count):
	var head = StreamPeerBuffer.new()
	head.put_32(TYPE_VECTOR2_ARRAY)
	head.put_32(count)
	var bytes = head.data_array
	bytes.append_array(value)
	return bytes2var(bytes)


# Read every column and every list of ids of an answer in place, and of the agents, events and results in it.
static func read_answer(body, exact):
	if not body is Dictionary:
		return body
	for name in body:
		if name in IDENTIFIERS and body[name] is PoolByteArray:
			body[name] = read_ids(body[name])
	for name in body:
		var value = body[name]
		if value is PoolByteArray and name in ["points", "waypoints"]:
			body[name] = pairs(read_numbers(value, 8), exact)
		elif value is PoolByteArray and body.get("ids") is Array:
			body[name] = read(name, value, body["ids"].size(), exact)
		elif name in ["agents", "events", "results", "obstacles", "paths"]:
			for item in value if value is Array else [value]:
				read_answer(item, exact)
	return body
