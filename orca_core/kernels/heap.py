"""A heap of numbered nodes by integer keys; of equal keys the node made first comes first."""

from orca_core._jit import kernel

__all__ = ["pop_node", "push_node"]


@kernel("void(i8[::1],i8[::1],i8,i8,i8)")
def push_node(keys, heap, size, key, node):
    """Put a node into the heap of `size` nodes; the smaller key first, then the node made first."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if keys[above] < key or (keys[above] == key and heap[above] < node):
            break
        keys[at] = keys[above]
        heap[at] = heap[above]
        at = above
    keys[at] = key
    heap[at] = node


@kernel("i8(i8[::1],i8[::1],i8)")
def pop_node(keys, heap, size):
    """Take the first node out of the heap of `size` nodes."""
    first = heap[0]
    size -= 1
    key = keys[size]
    node = heap[size]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        right = below + 1
        if right < size and (keys[right] < keys[below] or (keys[right] == keys[below] and heap[right] < heap[below])):
            below = right
        if key < keys[below] or (key == keys[below] and node < heap[below]):
            break
        keys[at] = keys[below]
        heap[at] = heap[below]
        at = below
    keys[at] = key
    heap[at] = node
    return first
