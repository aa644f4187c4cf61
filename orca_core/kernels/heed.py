"""Heed: whether one agent has to reckon with another that is near: it avoids it, and no wall stands between them."""

from orca_core._jit import kernel
from orca_core.kernels.responsibility import responsibility
from orca_core.kernels.tree import query_box
from orca_core.kernels.walls import walls_block

__all__ = ["heeds"]


@kernel("b1(i8,i8,f8[:,::1],f8[:,::1],i8[:,::1],f8[:,::1],f8[:,::1],i8,i8[::1],f8[:,::1],i8[::1],i8[::1],f8[::1])")
def heeds(own, other, position, terms, bonds, screens, nodes, leaves, order, boxes, stack, found, work):
    """Whether the agent at row `own` has any share in avoiding the one at row `other`, and sees it.

    `terms` and `bonds` are those of the responsibility kernel by index, without rows where everybody shares by halves;
    `screens` (m, 4) of a x, a y, b x, b y with its box tree is what stands between agents, `found` has room for all.
    With two columns more, from where to where each stands, only those count that stand where both agents do; `terms`
    must have rows then.
    """
    if terms.shape[0] > 0:
        share, _ = responsibility(terms, bonds, own, other)
        if not share > 0.0:
            return False
    if screens.shape[0] == 0:
        return True
    px = position[own, 0]
    py = position[own, 1]
    qx = position[other, 0]
    qy = position[other, 1]
    count = query_box(
        nodes, leaves, order, boxes, screens.shape[0], min(px, qx), min(py, qy), max(px, qx), max(py, qy), stack, found
    )
    if screens.shape[1] > 4:
        low = max(terms[own, 1], terms[other, 1])
        high = min(terms[own, 2], terms[other, 2])
        near = count
        count = 0
        for f in range(near):
            if screens[found[f], 4] <= high and low <= screens[found[f], 5]:
                found[count] = found[f]
                count += 1
    return count == 0 or not walls_block(px, py, qx, qy, screens, found, count, work)
