"""A client's picture of a world, kept by the merging rule of the documentation and by nothing of the server's code."""

from __future__ import annotations

from typing import Any

import numpy as np

VECTORS = ("position", "velocity", "preferred_velocity", "goal")
OTHERS = ("radius", "max_speed", "preferred_speed", "max_neighbors", "status")
# what stands in a message beside the columns
BASED = ("position", "velocity")


class Mirror:
    """Values by id; `apply` takes a full or a frame in either subprotocol."""

    def __init__(self, precision: str = "float64") -> None:
        """Know nothing."""
        self.precision = precision
        self.step = -1
        self.time = -1.0
        self.values: dict[int, dict[str, Any]] = {}
        # the last list of all that was given, for messages that leave it out
        self.listed: list[int] = []
        self.keyframe: int | None = None
        self.base: dict[int, dict[str, np.ndarray]] = {}
        # scale of the message in which a value came last, by id and field
        self.scales: dict[int, dict[str, float]] = {}
        # how many rows the last message had
        self.rows = 0

    def apply(self, message: dict[str, Any]) -> None:
        """Follow one message; AssertionError where it is not of a kind that can be followed."""
        if message["type"] == "full":
            self.values, self.base, self.scales = {}, {}, {}
            entered = ids = ids_of(message["ids"])
            self.listed = ids
        else:
            assert message["since"] == self.step, "a gap"
            assert message["step"] > self.step
            for left in ids_of(message["left"]):
                self.values.pop(left, None)
                self.base.pop(left, None)
            entered = ids_of(message["entered"])
            for new in entered:
                self.values[new] = {}
            ids = ids_of(message["ids"]) if "ids" in message else self.listed
            if len(ids) == len(self.values):
                self.listed = ids
            assert set(entered) <= set(ids)
        self.step, self.time, self.rows = message["step"], message["time"], len(ids)
        if "ids" not in message:
            assert set(ids) == set(self.values), "a row for everybody who is known"
        self._take_base(message, ids)
        for identifier in ids:
            self.values.setdefault(identifier, {})
            self.scales.setdefault(identifier, {})
            assert message["type"] == "full" or identifier in self.values
        for name in (*VECTORS, *OTHERS):
            if name in message:
                for identifier, value in zip(ids, self._column(name, message, ids), strict=True):
                    self.values[identifier][name] = value

    def column(self, name: str, ids: list[int]) -> np.ndarray:
        """Values of a number column, in the order of `ids`."""
        return np.array([self.values[identifier][name] for identifier in ids], np.float64)

    def _take_base(self, message: dict[str, Any], ids: list[int]) -> None:
        if "keyframe" not in message:
            return
        based = ids_of(message.get("based", []))
        if message["keyframe"] != self.keyframe:
            self.keyframe, self.base = message["keyframe"], {}
            assert set(based) >= set(self.values) | set(ids), "a new keyframe brings the base of all"
        for name, column in message.get("base", {}).items():
            rows = np.frombuffer(column, "<f4") if isinstance(column, bytes) else np.array(column, np.float64)
            for identifier, value in zip(based, rows.reshape(-1, 2), strict=True):
                self.base.setdefault(identifier, {})[name] = value.astype(np.float64)

    def _column(self, name: str, message: dict[str, Any], ids: list[int]) -> list[Any]:
        data = message[name]
        if name in BASED and self.precision.startswith("int"):
            scale = message["scale"][name]
            assert np.frexp(scale)[0] == 0.5, "a power of two"
            numbers = (
                np.frombuffer(data, "<" + {"int16": "i2", "int8": "i1"}[self.precision])
                if isinstance(data, bytes)
                else np.array(data, np.int64)
            )
            limit = {"int16": 32767, "int8": 127}[self.precision]
            assert not len(numbers) or np.abs(numbers.astype(np.int64)).max() <= limit
            found = []
            for identifier, row in zip(ids, numbers.reshape(-1, 2), strict=True):
                self.scales[identifier][name] = scale
                found.append((self.base[identifier][name] + scale * row.astype(np.float64)).tolist())
            return found
        if not isinstance(data, bytes):
            return data if name == "status" else [[np.nan] * 2 if row is None else row for row in data]
        exact = self.precision == "float64"
        numbers = np.frombuffer(data, "<f8" if exact else "<f4").astype(np.float64)
        return numbers.reshape(-1, 2).tolist() if name in VECTORS else numbers.tolist()


def ids_of(value: Any) -> list[int]:
    """An id column of either subprotocol."""
    found: list[int] = value if isinstance(value, list) else np.frombuffer(value, "<i8").tolist()
    return found
