extends RefCounted

# What was refused or went wrong, as a Dictionary: a problem document (RFC 9457) {type, title, status, code, detail,
# errors: [{item, field, message}]}. What the server did not write itself has the status 0 and one of the codes here.

# the server was not reached, or the connection broke
const CONNECTION = "connection-failed"
# what came is not an answer or a message of the protocol
const PROTOCOL = "protocol"
# this side closed the stream
const CLOSED = "closed"


static func make(code, detail):
	return {
		"type": "urn:orca-crowd:problem:" + code, "title": code, "status": 0, "code": code, "detail": detail,
		"errors": [],
	}


# The problem of an answer with a status of 400 or more, whatever its body is.
static func of_answer(status, body):
	if body is Dictionary and body.has("code"):
		# JSON knows no integers in Godot
		body["status"] = int(body.get("status", status))
		for entry in body.get("errors", []):
			if entry is Dictionary and typeof(entry.get("item")) == TYPE_FLOAT:
				entry["item"] = int(entry["item"])
		return body
	var made = make(PROTOCOL, "HTTP %d without a problem document" % status)
	made["status"] = status
	return made
