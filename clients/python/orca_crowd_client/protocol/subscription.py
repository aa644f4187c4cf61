"""What a stream asks to see. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from orca_crowd_client.columns import plain

__all__ = ["Delivery", "StreamPrecision", "StreamedRows", "Subscription"]

Delivery: TypeAlias = Literal["latest", "every"]
StreamPrecision: TypeAlias = Literal["float64", "float32", "int16", "int8"]
StreamedRows: TypeAlias = Literal["changed", "all"]


@dataclass(frozen=True)
class Subscription:
    """One subscription; a new one on the same socket takes its place.

    `fields` None takes the server's: position and velocity. `every` n takes the steps divisible by n. With `delivery`
    `latest` a frame that a slow reader has not taken is replaced by a newer one, and at most `window` frames are on
    their way; with `every` none is left out, and a reader who falls too far behind is closed with 4001. `interest`
    None is all agents, else the wire's own map: `{"kind": "circle", "center": (0, 0), "radius": 10}`. `rows` `changed`
    lets only those agents travel whose values have changed, `all` every one in every frame.
    """

    fields: Sequence[str] | None = None
    precision: StreamPrecision = "float64"
    every: int = 1
    delivery: Delivery = "latest"
    interest: Mapping[str, Any] | None = None
    window: int = 3
    rows: StreamedRows = "changed"

    @property
    def item_size(self) -> int:
        """Bytes of one number in a frame; beside positions and velocities in integers stand float32."""
        return 8 if self.precision == "float64" else 4

    @property
    def gives_credit(self) -> bool:
        """Whether frames are acknowledged with `got`: only `latest` counts them."""
        return self.delivery == "latest"

    def message(self, after_step: int | None = None) -> dict[str, Any]:
        """Write the `subscribe` message, or with a step the `resume`.

        `window` is always named, since that is what promises a `got`; so are all others in a `resume`, since a new
        socket knows of no subscription.
        """
        made: dict[str, Any] = (
            {"type": "subscribe"} if after_step is None else {"type": "resume", "after_step": after_step}
        )
        made |= {"precision": self.precision, "every": self.every}
        made |= {"delivery": self.delivery, "window": self.window}
        if self.rows != "changed":
            made["rows"] = self.rows
        if self.fields is not None:
            made["fields"] = list(self.fields)
        if self.interest is not None:
            made["interest"] = plain(self.interest)
        return made
