"""Every kernel with its signature, compiled before the first step instead of in it.

`python -m orca_core.warmup` fills the folder that `ORCA_CROWD_KERNEL_CACHE` names, for the processors that
`NUMBA_CPU_NAME` names, and says how many kernels came from it and how many were compiled.
"""

from __future__ import annotations

# importing a kernel module declares its kernels; the order is that of their dependence
import orca_core.kernels.apart
import orca_core.kernels.area
import orca_core.kernels.blocking
import orca_core.kernels.bodies
import orca_core.kernels.boundary
import orca_core.kernels.breadth_first
import orca_core.kernels.candidates
import orca_core.kernels.caught
import orca_core.kernels.cells
import orca_core.kernels.clearance
import orca_core.kernels.constraints
import orca_core.kernels.cooperate
import orca_core.kernels.corners
import orca_core.kernels.density
import orca_core.kernels.detail
import orca_core.kernels.detour
import orca_core.kernels.drifting
import orca_core.kernels.eligible
import orca_core.kernels.flow_field
import orca_core.kernels.flow_grid
import orca_core.kernels.flow_narrow
import orca_core.kernels.flow_repair
import orca_core.kernels.flow_sight
import orca_core.kernels.flow_steer
import orca_core.kernels.focal
import orca_core.kernels.follow
import orca_core.kernels.frame
import orca_core.kernels.gates
import orca_core.kernels.grid_sight
import orca_core.kernels.grid_walls
import orca_core.kernels.half_planes
import orca_core.kernels.heap
import orca_core.kernels.heed
import orca_core.kernels.horizons
import orca_core.kernels.inheritance
import orca_core.kernels.interval_search
import orca_core.kernels.linear_program
import orca_core.kernels.locked
import orca_core.kernels.mesh_tiles
import orca_core.kernels.narrow
import orca_core.kernels.nearest
import orca_core.kernels.neighbours
import orca_core.kernels.occupancy
import orca_core.kernels.orientation
import orca_core.kernels.overlap
import orca_core.kernels.pieces
import orca_core.kernels.preferred
import orca_core.kernels.pulling
import orca_core.kernels.ranking
import orca_core.kernels.reachable
import orca_core.kernels.responsibility
import orca_core.kernels.right_of_way
import orca_core.kernels.safe_intervals
import orca_core.kernels.settling
import orca_core.kernels.shares
import orca_core.kernels.sight
import orca_core.kernels.stalling
import orca_core.kernels.status
import orca_core.kernels.step
import orca_core.kernels.storeys
import orca_core.kernels.sub_plans
import orca_core.kernels.surface
import orca_core.kernels.symmetry
import orca_core.kernels.tally
import orca_core.kernels.together
import orca_core.kernels.touched
import orca_core.kernels.tree
import orca_core.kernels.turning
import orca_core.kernels.velocity_obstacle
import orca_core.kernels.visits
import orca_core.kernels.waiting
import orca_core.kernels.walls  # noqa: F401
from orca_core._jit import cache_counts, compile_all, compiled, kernel_digest

__all__ = ["cache_counts", "compile_all", "compiled", "kernel_digest", "summary"]


def summary() -> str:
    """How the kernels of this process came to be, in words."""
    from_cache, anew = cache_counts()
    return f"{from_cache + anew} kernels: {from_cache} from the cache, {anew} compiled"


if __name__ == "__main__":
    compile_all()
    print(summary())  # noqa: T201
