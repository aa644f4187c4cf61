"""Each scope has everything of the one before."""

from __future__ import annotations

from orca_crowd.keys.scopes import EVERYTHING, SCOPES, Grant


def test_scopes_are_steps_of_a_ladder() -> None:
    allowed = {scope: [asked for asked in SCOPES if Grant(scope).allows(asked)] for scope in SCOPES}
    assert allowed == {
        "read": ["read"],
        "control": ["read", "control"],
        "admin": ["read", "control", "admin"],
    }


def test_a_bound_key_sees_its_worlds_alone() -> None:
    bound = Grant("admin", frozenset({"a"}))
    assert bound.sees("a")
    assert not bound.sees("b")
    assert EVERYTHING.sees("b")
