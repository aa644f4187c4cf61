extends Node

# What the scenarios share: saying what was seen, and waiting for frames.

const Commands = preload("res://addons/orca_crowd/commands.gd")

var crowd


# Print one line for the test.
func say(name, value):
	print("orca:", to_json({"name": name, "value": value}))


# The numbers of a column to the bit: 16 hexadecimal digits for each float64.
func bits(column):
	var buffer = StreamPeerBuffer.new()
	for row in column:
		for number in [row.x, row.y] if row is Vector2 else row if row is Array else [row]:
			buffer.put_double(number)
	return buffer.data_array.hex_encode()


# Whether a column is one of words or of true and false.
func are_words(column):
	return column.size() > 0 and typeof(column[0]) in [TYPE_STRING, TYPE_BOOL]


# Vectors as pairs, for JSON.
func pairs(column):
	var made = []
	for vector in column:
		made.append([vector.x, vector.y])
	return made


# What of a frame the tests look at.
func brief(frame):
	return {
		"step": frame["step"], "full": frame["full"], "since": frame["since"], "gap": frame["gap"],
		"ids": frame["ids"], "changed": frame["changed"], "entered": frame["entered"], "left": frame["left"],
		"position": pairs(frame["position"]),
	}


# Wait until the last frame of a stream is of this step or a later one.
func frame_of(stream, step):
	yield(get_tree(), "idle_frame")
	while stream.last_frame.empty() or stream.last_frame["step"] < step:
		yield(get_tree(), "idle_frame")
	return stream.last_frame


func done():
	say("done", true)
	get_tree().quit()
