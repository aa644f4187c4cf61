extends "res://tests/scenario.gd"

# The exchanges of clients/conformance that travel in MessagePack: every message is read, written again and read to the
# same, and sequences of frames are merged. What is right is for the test to say, to the bit.

const Columns = preload("res://addons/orca_crowd/columns.gd")
const MessagePack = preload("res://addons/orca_crowd/message_pack.gd")
const StreamState = preload("res://addons/orca_crowd/stream_state.gd")


func run():
	for file in ["to-server", "from-server"]:
		for entry in read_file(file):
			if entry.has("bytes"):
				var bytes = bytes_of(entry["bytes"])
				var value = MessagePack.unpack(bytes)["value"]
				var again = MessagePack.unpack(MessagePack.pack(value))["value"]
				# arrays and maps are compared by which they are, so by the bytes that the engine makes of them
				var alike = var2bytes(again).hex_encode() == var2bytes(value).hex_encode()
				say("read", [entry["name"], value["type"], alike])
	for entry in read_file("streams"):
		if entry["subprotocol"] == "orca-crowd.v1.msgpack":
			var state = StreamState.new({}, true)
			for message in entry["messages"]:
				var frame = state.frame(MessagePack.unpack(bytes_of(message["bytes"]))["value"])
				say("frame", [entry["name"], shown(frame)])
	done()


# A frame with ids as text and numbers to the bit; JSON in Godot holds neither.
func shown(frame):
	if frame is String:
		return frame
	var ids = []
	for id in frame["ids"]:
		ids.append(str(id))
	var columns = {}
	for name in frame:
		if not name in ["step", "time", "full", "since", "gap", "ids", "changed", "entered", "left"]:
			columns[name] = frame[name] if are_words(frame[name]) else bits(frame[name])
	return {"ids": ids, "columns": columns}


func read_file(name):
	var file = File.new()
	file.open(OS.get_environment("ORCA_CROWD_EXCHANGES") + "/" + name + ".json", File.READ)
	return parse_json(file.get_as_text())


func bytes_of(text):
	var bytes = PoolByteArray()
	for i in range(text.length() / 2):
		bytes.append(("0x" + text.substr(2 * i, 2)).hex_to_int())
	return bytes
