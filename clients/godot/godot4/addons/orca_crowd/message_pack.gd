extends RefCounted

# MessagePack, as much of it as the wire uses. Every float travels as the 64 bits that
# GDScript has, and columns as blocks, which the engine reads at once.


# A value as bytes: null, bool, int, float, String, Array, Dictionary, PackedByteArray (a bin), Vector2 (a pair of
# floats) and the other packed arrays (arrays). Anything else is written as null, and says so in the log.
static func pack(value):
	var buffer = StreamPeerBuffer.new()
	buffer.big_endian = true
	_write(buffer, value)
	return buffer.data_array


# The value of bytes: {value} or, where they are not one whole value, {fault} with what was found.
static func unpack(bytes):
	var buffer = StreamPeerBuffer.new()
	buffer.big_endian = true
	buffer.data_array = bytes
	var fault = {}
	var value = _read(buffer, fault)
	if fault.is_empty() and buffer.get_available_bytes() > 0:
		fault["fault"] = "%d bytes follow the value" % buffer.get_available_bytes()
	return {"value": value} if fault.is_empty() else fault


static func _write(buffer, value):
	match typeof(value):
		TYPE_NIL:
			buffer.put_u8(0xc0)
		TYPE_BOOL:
			buffer.put_u8(0xc3 if value else 0xc2)
		TYPE_INT:
			_write_int(buffer, value)
		TYPE_FLOAT:
			buffer.put_u8(0xcb)
			buffer.put_double(value)
		TYPE_STRING, TYPE_STRING_NAME:
			value = String(value)
			var text = value.to_utf8_buffer()
			_write_size(buffer, text.size(), 0xa0, 31, 0xd9)
			buffer.put_data(text)
		TYPE_PACKED_BYTE_ARRAY:
			_write_size(buffer, value.size(), 0, -1, 0xc4)
			buffer.put_data(value)
		TYPE_VECTOR2:
			_write(buffer, [value.x, value.y])
		TYPE_DICTIONARY:
			_write_size(buffer, value.size(), 0x80, 15, 0xdd)
			for key in value:
				_write(buffer, key)
				_write(buffer, value[key])
		_:
			_write_array(buffer, value)


# An Array or a packed one of any kind.
static func _write_array(buffer, value):
	if typeof(value) < TYPE_ARRAY:
		push_error("orca_crowd: a value of this kind cannot travel: %s" % str(value))
		buffer.put_u8(0xc0)
		return
	_write_size(buffer, value.size(), 0x90, 15, 0xdb)
	for item in value:
		_write(buffer, item)


static func _write_int(buffer, value):
	if value >= 0 and value < 0x80:
		buffer.put_u8(value)
	elif value < 0 and value >= -0x20:
		buffer.put_8(value)
	else:
		buffer.put_u8(0xd3)
		buffer.put_64(value)


# The head of what has a length: in one byte up to `short_limit`, else `first` for 8 bits, where there is such a form
# (maps and arrays have none), and the next two for 16 and 32.
static func _write_size(buffer, size, short_form, short_limit, first):
	if size <= short_limit:
		buffer.put_u8(short_form | size)
	elif size < 0x100 and first < 0xdb:
		buffer.put_u8(first)
		buffer.put_u8(size)
	elif size < 0x10000:
		buffer.put_u8(first + 1)
		buffer.put_u16(size)
	else:
		buffer.put_u8(first + 2)
		buffer.put_u32(size)


static func _read(buffer, fault):
	if buffer.get_available_bytes() < 1:
		fault["fault"] = "the bytes end in the middle of a value"
		return null
	var head = buffer.get_u8()
	# what fits the first byte
	if head < 0x80:
		return head
	if head >= 0xe0:
		return head - 0x100
	if head < 0x90:
		return _read_map(buffer, head & 0x0f, fault)
	if head < 0xa0:
		return _read_array(buffer, head & 0x0f, fault)
	if head < 0xc0:
		return _read_text(buffer, head & 0x1f, fault)
	# what needs more
	match head:
		0xc0:
			return null
		0xc2:
			return false
		0xc3:
			return true
		0xc4, 0xc5, 0xc6:
			return _read_bytes(buffer, _read_size(buffer, head - 0xc4, fault), fault)
		0xd9, 0xda, 0xdb:
			return _read_text(buffer, _read_size(buffer, head - 0xd9, fault), fault)
		0xdc, 0xdd:
			return _read_array(buffer, _read_size(buffer, head - 0xdb, fault), fault)
		0xde, 0xdf:
			return _read_map(buffer, _read_size(buffer, head - 0xdd, fault), fault)
	return _read_number(buffer, head, fault)


static func _read_number(buffer, head, fault):
	var sizes = {
		0xca: 4, 0xcb: 8, 0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8, 0xd0: 1, 0xd1: 2, 0xd2: 4, 0xd3: 8,
	}
	if not sizes.has(head):
		fault["fault"] = "0x%x begins no value of the wire" % head
		return null
	if buffer.get_available_bytes() < sizes[head]:
		fault["fault"] = "the bytes end in the middle of a number"
		return null
	match head:
		0xca:
			return buffer.get_float()
		0xcb:
			return buffer.get_double()
		0xcc:
			return buffer.get_u8()
		0xcd:
			return buffer.get_u16()
		0xce:
			return buffer.get_u32()
		0xd0:
			return buffer.get_8()
		0xd1:
			return buffer.get_16()
		0xd2:
			return buffer.get_32()
	# ids and counts end at 2^53, so a sign is never misread
	return buffer.get_64()


static func _read_size(buffer, form, fault):
	var width = [1, 2, 4][form]
	if buffer.get_available_bytes() < width:
		fault["fault"] = "the bytes end in the middle of a length"
		return 0
	match width:
		1:
			return buffer.get_u8()
		2:
			return buffer.get_u16()
	return buffer.get_u32()


static func _read_bytes(buffer, size, fault):
	if buffer.get_available_bytes() < size:
		fault["fault"] = "%d bytes are announced and %d there" % [size, buffer.get_available_bytes()]
		return PackedByteArray()
	return buffer.get_data(size)[1] if size > 0 else PackedByteArray()


static func _read_text(buffer, size, fault):
	return _read_bytes(buffer, size, fault).get_string_from_utf8()


static func _read_array(buffer, size, fault):
	var made = []
	for _i in range(size):
		made.append(_read(buffer, fault))
		if not fault.is_empty():
			break
	return made


static func _read_map(buffer, size, fault):
	var made = {}
	for _i in range(size):
		var key = _read(buffer, fault)
		made[key] = _read(buffer, fault)
		if not fault.is_empty():
			break
	return made
