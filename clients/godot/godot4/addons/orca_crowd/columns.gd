extends RefCounted

# Columns of agents: from what a game has to what travels, and back.
#
# On the wire a column of numbers is a bin of little-endian float64 (float32 where asked for), x0 y0 x1 y1 ... for
# vectors, and a column of ids is a bin of int64. Here ids are a PackedInt64Array and single numbers a
# PackedFloat64Array, with all bits. Vectors are a PackedVector2Array, whose numbers have 32 bits in the engine as it
# is shipped: whoever wants all 64 asks for `exact` and gets an Array of [x, y].

const VECTORS = ["position", "velocity", "preferred_velocity", "goal", "heading"]
const IDENTIFIERS = ["id", "ids", "entered", "left", "removed", "other", "based", "owned"]


# A column of ids for the wire, from an Array or a packed array of int; what is not plainly ids goes as it is, so that
# the server refuses it by item.
static func pack_ids(ids):
	var packed = PackedInt64Array()
	for id in ids:
		if typeof(id) != TYPE_INT:
			return ids
		packed.append(id)
	return packed.to_byte_array()


# The named columns of `count` agents for the wire; count -1: as many as the longest of them has rows. A single value
# stands for all agents: a number, null, or one vector of a field of vectors.
static func pack(columns, count = -1):
	if count < 0:
		count = 0 if columns.is_empty() else 1
		for name in columns:
			if not is_single(name, columns[name]):
				count = maxi(count, columns[name].size())
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
	if typeof(values) >= TYPE_PACKED_BYTE_ARRAY:
		return false
	if values is Array:
		# a field of vectors has pairs, so two bare numbers are one pair and not two rows
		return name in VECTORS and values.size() == 2 and _is_number(values[0]) and _is_number(values[1])
	return true


static func _is_number(value):
	return typeof(value) == TYPE_INT or typeof(value) == TYPE_FLOAT


# A column of numbers as a bin of float64; where it is not plainly one (a null that clears, a string) as it is.
static func _pack_numbers(name, values):
	var numbers = PackedFloat64Array()
	for value in values:
		if not name in VECTORS and _is_number(value):
			numbers.append(value)
		elif name in VECTORS and typeof(value) == TYPE_VECTOR2:
			numbers.append(value.x)
			numbers.append(value.y)
		elif name in VECTORS and is_single(name, value):
			numbers.append(value[0])
			numbers.append(value[1])
		else:
			return values
	return numbers.to_byte_array()


# A column of ids as a PackedInt64Array, from a bin or an Array.
static func read_ids(value):
	if value is PackedByteArray:
		return value.to_int64_array()
	return PackedInt64Array() if value == null else PackedInt64Array(value)


# A column of `count` agents; null where its bytes are no float64 or float32 for so many.
static func read(name, value, count, exact):
	if name in IDENTIFIERS:
		return read_ids(value)
	if not value is PackedByteArray:
		return value
	var width = 2 if name in VECTORS else 1
	if count == 0:
		return PackedFloat64Array() if width == 1 else pairs([], exact)
	var size = value.size() / (count * width)
	if (size != 4 and size != 8) or value.size() != count * width * size:
		return null
	if width == 2 and size == 4 and not exact:
		return _as_vectors(value, count)
	var numbers = read_numbers(value, size)
	return numbers if width == 1 else pairs(numbers, exact)


# The numbers of a bin: float64 (size 8), float32 (4), int16 (2) or int8 (1).
static func read_numbers(value, size):
	if size == 8:
		return value.to_float64_array()
	var numbers = PackedFloat64Array()
	numbers.resize(value.size() / size)
	match size:
		4:
			for i in range(numbers.size()):
				numbers[i] = value.decode_float(4 * i)
		2:
			for i in range(numbers.size()):
				numbers[i] = value.decode_s16(2 * i)
		1:
			for i in range(numbers.size()):
				numbers[i] = value.decode_s8(i)
	return numbers


# x0 y0 x1 y1 ... as a PackedVector2Array, or as an Array of [x, y] where it shall be exact.
static func pairs(numbers, exact):
	var made = [] if exact else PackedVector2Array()
	made.resize(numbers.size() / 2)
	for row in range(made.size()):
		var x = numbers[2 * row]
		var y = numbers[2 * row + 1]
		made[row] = [x, y] if exact else Vector2(x, y)
	return made


# float32 pairs as they are in memory: the engine reads them at once, behind the head that var_to_bytes would write.
static func _as_vectors(value, count):
	var head = StreamPeerBuffer.new()
	head.put_32(TYPE_PACKED_VECTOR2_ARRAY)
	head.put_32(count)
	var bytes = head.data_array
	bytes.append_array(value)
	return bytes_to_var(bytes)


# Read every column and every list of ids of an answer in place, and of the agents, events and results in it.
static func read_answer(body, exact):
	if not body is Dictionary:
		return body
	for name in body:
		if name in IDENTIFIERS and body[name] is PackedByteArray:
			body[name] = read_ids(body[name])
	for name in body:
		var value = body[name]
		if value is PackedByteArray and name in ["points", "waypoints"]:
			body[name] = pairs(read_numbers(value, 8), exact)
		elif value is PackedByteArray and body.has("ids"):
			body[name] = read(name, value, body["ids"].size(), exact)
		elif name in ["agents", "events", "results", "obstacles", "paths"]:
			for item in value if value is Array else [value]:
				read_answer(item, exact)
	return body
