"""The protocol without I/O: calls to build and answers to read, and the state of a stream.

`call` says what a request and its answer are; `worlds`, `agents`, `geometry` and `stepping` build one `Call` for each
row of the protocol's table; `subscription` and `stream_state` do the same for the WebSocket. The sync and the async
client only move bytes, so whatever holds for one holds for the other.
"""
