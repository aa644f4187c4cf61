extends RefCounted

# One request that waits for its answer. An object for each, since a signal that many wait for must not be emitted again
# by whoever goes on because of it.

signal answered(answer)
