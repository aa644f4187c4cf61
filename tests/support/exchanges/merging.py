"""The merging rule, written to be read: what a client knows after each message, agent by agent.

Takes the JSON form of messages. A client may do it in any other way that comes to the same.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Reader"]

NOT_COLUMNS = frozenset(
    {"type", "step", "time", "since", "ids", "entered", "left", "keyframe", "scale", "based", "base"}
)

Agent = dict[str, Any]


class Reader:
    """What one subscription knows: `agents` by id, and for int16 and int8 the `base` by id."""

    def __init__(self) -> None:
        """Know nobody."""
        self.agents: dict[int, Agent] = {}
        self.base: dict[int, dict[str, list[float]]] = {}
        self._keyframe: int | None = None
        self._listed: list[int] = []

    def take(self, message: dict[str, Any]) -> None:
        """Merge one `full` or `frame`."""
        if message["type"] == "full":
            self.agents = {}
        for identifier in message.get("left", []):
            self.agents.pop(identifier, None)
        # ids that are left out are those of the last list of everybody
        ids = message.get("ids", self._listed)
        self._learn_base(message)
        names = [name for name in message if name not in NOT_COLUMNS]
        for row, identifier in enumerate(ids):
            values = {name: message[name][row] for name in names}
            for name, scale in message.get("scale", {}).items():
                base = self.base[identifier][name]
                values[name] = [start + scale * number for start, number in zip(base, values[name], strict=True)]
            self.agents[identifier] = values
        if set(ids) == set(self.agents):
            self._listed = ids

    def _learn_base(self, message: dict[str, Any]) -> None:
        if message.get("keyframe") != self._keyframe:
            # a new keyframe brings a base for everybody
            self._keyframe, self.base = message.get("keyframe"), {}
        for row, identifier in enumerate(message.get("based", [])):
            self.base[identifier] = {name: column[row] for name, column in message["base"].items()}

    def rows(self) -> list[Agent]:
        """Everybody, by id."""
        return [{"id": identifier, **self.agents[identifier]} for identifier in sorted(self.agents)]
