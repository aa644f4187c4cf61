"""Clearance: what a centre keeps from what stands, and how wide a gap is a passage. One rule for all who ask.

- `kept_clear`: the distance that a centre keeps from walls. The solver makes its half-planes with it, walkable areas
  are shrunk by it, and planners take it off on both sides of every wall.
- `narrowest_passage`: a gap between two things is a passage if and only if it is at least as wide as what is kept from
  both and MARGIN of that. In a gap of exactly two radii the solver leaves next to no velocity: agents stand in it for a
  minute and more. With the margin they pass, slowly; so a planner that keeps to it never sends anybody where steering
  will not go.
"""

from orca_core._jit import kernel

__all__ = ["MARGIN", "kept_clear", "narrowest_passage"]

# of what is kept from both sides of a gap; the share of a disc's width that a gap must be wider
MARGIN = 0.01


@kernel("f8(f8)")
def kept_clear(radius):
    """What the centre of a disc keeps from walls (m)."""
    return radius


@kernel("f8(f8,f8)")
def narrowest_passage(kept, other):
    """Width (m) of the narrowest gap that is a passage, between two things from which `kept` and `other` are kept."""
    return (kept + other) * (1.0 + MARGIN)
