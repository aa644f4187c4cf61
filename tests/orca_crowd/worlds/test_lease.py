"""The right to step: one holder at a time, held longer, given back, and run out."""

from __future__ import annotations

import pytest

from orca_crowd.errors import ApiError
from orca_crowd.worlds.lease import Lease


def test_a_lease_has_one_holder_until_it_runs_out() -> None:
    lease = Lease()
    lease.check(None, 0.0)
    lease.check("anybody", 0.0)
    lease.take("me", 10.0, 0.0)
    lease.check("me", 5.0)
    for other in (None, "you", ""):
        with pytest.raises(ApiError) as refusal:
            lease.check(other, 9.999)
        assert refusal.value.code == "leased"
        assert refusal.value.more == {"holder": "me"}
    lease.check("you", 10.0)
    assert lease.holder(10.0) is None
    lease.take("you", 10.0, 10.0)
    with pytest.raises(ApiError):
        lease.take("me", 10.0, 11.0)


def test_a_lease_is_held_longer_and_given_back() -> None:
    lease = Lease()
    lease.take("me", 10.0, 0.0)
    lease.take("me", 10.0, 9.0)
    assert lease.holder(15.0) == "me"
    with pytest.raises(ApiError):
        lease.release("you", 15.0)
    lease.release("me", 15.0)
    lease.check("you", 15.0)
    lease.release("you", 15.0)
