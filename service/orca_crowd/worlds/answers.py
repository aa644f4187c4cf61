"""Answers remembered by key, so that a request that is sent again has one effect and the same answer. Pure."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from orca_crowd.errors import ApiError
from orca_crowd.protocol.bodies import size_of

__all__ = ["AnswerMemory"]


class AnswerMemory:
    """The last answers of one world. Bounded in number and in bytes; the oldest are forgotten first.

    Refusals are not remembered: they changed nothing, so the same request may be tried again.
    """

    def __init__(self, *, count: int, size: int) -> None:
        """Keep at most `count` answers of together at most about `size` bytes, but always the newest."""
        self._count = count
        self._size = size
        self._held: OrderedDict[str, tuple[bytes, dict[str, Any], int]] = OrderedDict()
        self._bytes = 0

    def find(self, key: str | None, digest: bytes) -> dict[str, Any] | None:
        """The answer to the same request; None where the key is new; 409 where it came with another body."""
        if key is None or key not in self._held:
            return None
        known, answer, _ = self._held[key]
        if known != digest:
            raise ApiError("key-reused", f"key {key!r} was used before in this world with another body")
        return answer

    def keep(self, key: str | None, digest: bytes, answer: dict[str, Any]) -> None:
        """Remember an answer; nothing happens without a key."""
        if key is None:
            return
        size = size_of(answer)
        self._held[key] = (digest, answer, size)
        self._bytes += size
        while len(self._held) > 1 and (len(self._held) > self._count or self._bytes > self._size):
            _, (_, _, freed) = self._held.popitem(last=False)
            self._bytes -= freed

    def kept(self) -> list[tuple[str, bytes, dict[str, Any]]]:
        """All answers with their keys and the digests of their requests, the oldest first."""
        return [(key, digest, answer) for key, (digest, answer, _) in self._held.items()]
