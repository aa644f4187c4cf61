extends RefCounted

# A stream over all its connections, without the socket: what a connection begins with, what comes, what is waited for.

const Columns = preload("columns.gd")
const KnownAgents = preload("known_agents.gd")

# after these close codes the same subscription is worth another try; 4001 comes back with a gap
const CODES_TO_RECONNECT = [1001, 1006, 1011, 1012, 1013, 4001]

# members of `subscribe`, or null where nothing is watched
var subscription = null
# the name that this stream is registered with, or null
var controller = null
# whether this connection has given more than a greeting, so that trying again is worth while
var progress = false
var known = KnownAgents.new()

var _exact
# requests without an answer by key
var _requests = {}
var _last_step = null
var _reconnected = false
# whether frames are not wanted for now
var _paused = false
# subscriptions that no `full` has answered yet: while there are any, another connection cannot go on
var _fulls_due = 0


func _init(subscribed, exact):
	subscription = subscribed
	_exact = exact


# ---- to the server


# What a new connection begins with: who this is, what it watches, and every request without an answer.
func opening():
	progress = false
	_reconnected = _last_step != null
	var messages = []
	if controller != null:
		messages.append({"type": "register", "controller": controller})
	if subscription != null and not _paused:
		messages.append(_watching())
		_fulls_due = 0 if messages[-1]["type"] == "resume" else 1
	return messages + _requests.values()


# Take another subscription; the first frame of it is full. Gives the message.
func subscribe(subscribed):
	subscription = subscribed
	_paused = false
	_fulls_due += 1
	return _watching()


# See no more frames until `resume` or another subscription.
func unsubscribe():
	_paused = true
	return {"type": "unsubscribe"}


# Go on with the subscription after the last frame that came.
func resume():
	_paused = false
	if subscription == null:
		return subscribe({})
	return _watching()


func request(message):
	_requests[message["key"]] = message
	return message


# Forget a request that was answered; false where nobody waits for it.
func answered(key):
	return _requests.erase(key)


# Write `resume` where this stream knows a state that frames can build on, else `subscribe`.
func _watching():
	var message = subscription.duplicate()
	var begun = _fulls_due == 0 and known.step != null
	message["type"] = "resume" if begun else "subscribe"
	# named always, since that is what promises a `got`
	if not message.has("window"):
		message["window"] = 3
	# float64 is rounded to what a Vector2 holds here or there: the same numbers in half of the bytes
	if not _exact and not message.has("precision"):
		message["precision"] = "float32"
	if begun:
		message["after_step"] = known.step
	return message


# ---- from the server


# Read a `full` or `frame`: a complete frame, or a String that says what is wrong with it.
func frame(message):
	var full = message["type"] == "full"
	var changed = known.take(message, full, _exact)
	if changed is String:
		return changed
	var since = null if full else message["since"]
	var made = {
		"step": message["step"],
		"time": message["time"],
		"full": full,
		"since": since,
		"gap": _is_gap(message["step"], since),
		"ids": known.ids,
		"changed": changed,
		"entered": Columns.read_ids(message.get("entered")),
		"left": Columns.read_ids(message.get("left")),
	}
	for name in known.columns:
		made[name] = known.columns[name]
	_last_step = message["step"]
	_reconnected = false
	if full:
		_fulls_due = int(max(0, _fulls_due - 1))
	return made


# Whether a frame of this step is to be acknowledged with `got`: only `latest` counts them.
func gives_credit():
	return subscription != null and subscription.get("delivery", "latest") == "latest"


# Whether steps that the subscription covers lie between the frame before and this one. A full frame after a new
# connection always comes after a gap: what the world did in between is not known.
func _is_gap(step, since):
	if _last_step == null:
		return false
	if _reconnected and since == null:
		return true
	var every = 1 if subscription == null else subscription.get("every", 1)
	var before = _last_step if since == null else since
	return before != _last_step or int(step / every) - int(before / every) > 1
