"""How often somebody may be wrong. Pure; told the time."""

from __future__ import annotations

from collections import OrderedDict

__all__ = ["FailedTries"]

# addresses that are remembered; the one that was wrong longest ago is forgotten first
REMEMBERED = 10_000


class FailedTries:
    """A bucket of tries an address, filled again at a steady rate; a right key costs none."""

    def __init__(self, *, tries: int, seconds: float) -> None:
        """`tries` at once, and as many again over `seconds`."""
        self._tries = tries
        self._rate = tries / seconds
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str, now: float) -> float:
        """Seconds until this address may try again; 0 where it may now."""
        spent = self._now(address, now)
        return max(0.0, (spent + 1.0 - self._tries) / self._rate) if spent + 1.0 > self._tries else 0.0

    def failed(self, address: str, now: float) -> None:
        """This address was wrong."""
        self._spent[address] = (self._now(address, now) + 1.0, now)
        self._spent.move_to_end(address)
        if len(self._spent) > REMEMBERED:
            self._spent.popitem(last=False)

    def _now(self, address: str, now: float) -> float:
        """Tries that are spent and not yet given back."""
        spent, since = self._spent.get(address, (0.0, now))
        return max(0.0, spent - (now - since) * self._rate)
