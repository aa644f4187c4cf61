"""Shares against the rules as they are written down, over random pairs; and what any two shares have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orca_core.kernels import responsibility as rules
from orca_core.state import AgentState
from orca_core.yielding import MANNERS, REASONS, terms_and_bonds
from tests.oracles.yielding import NEUTRAL, Agent, meet, sees, share

AGENTS = st.fixed_dictionaries(
    {
        "weight": st.sampled_from([0.0, 1.0, 0.2, 0.8]) | st.floats(0.0, 1e9),
        "priority": st.sampled_from([0, 0, 1]) | st.integers(-(10**9), 10**9),
        "locked": st.sampled_from([0, 0, 0, 1]),
        "avoidance": st.sampled_from([1, 1, 1, 0]),
        "layer": st.sampled_from([1, 1, 2]) | st.integers(0, 2**32 - 1),
        "mask": st.sampled_from([1, 2**32 - 1]) | st.integers(0, 2**32 - 1),
        "elevation": st.sampled_from([0.0, 1.0]) | st.floats(-1e9, 1e9),
        "height": st.sampled_from([0.0, 1.0]) | st.floats(0.0, 1e9),
        "group": st.sampled_from([0, 1, 2**53 - 1]),
        "group_mode": st.sampled_from([0, 1, 2]),
    }
)


def pair_of(first: Agent, second: Agent) -> tuple[tuple[float, str], tuple[float, str]]:
    """Share and reason of the first against the second, and of the second against the first."""
    state = AgentState()
    state.append(3)
    for row, agent in enumerate((first, second)):
        for name, value in agent.items():
            state.put(name, slice(row, row + 1), value)
    # a third one, so that two neutral agents are among others as well
    state.put("locked", slice(2, 3), 1)
    terms, bonds = terms_and_bonds(state)
    found = [rules.responsibility(terms, bonds, *pair) for pair in ((0, 1), (1, 0))]
    (mine, why), (theirs, because) = found
    return (mine, REASONS[why]), (theirs, REASONS[because])


@given(AGENTS, AGENTS)
def test_shares_are_those_of_the_rules(first: Agent, second: Agent) -> None:
    (mine, _), (theirs, _) = pair_of(first, second)
    assert mine == share(first, second)
    assert theirs == share(second, first)


@given(AGENTS, AGENTS)
def test_two_shares_are_one_whenever_somebody_yields(first: Agent, second: Agent) -> None:
    (mine, why), (theirs, because) = pair_of(first, second)
    assert mine + theirs == pytest.approx(1.0, abs=2.0**-52) or (mine, theirs) == (0.0, 0.0)
    if (mine, theirs) == (0.0, 0.0):
        # nobody yields only where they do not meet or see, or where neither of them ever would
        assert not sees(first, second) or why in ("locked", "weight")
        assert not sees(second, first) or because in ("locked", "weight")
    if not meet(first, second):
        assert why == because in ("avoidance", "height", "group")


@given(AGENTS, AGENTS)
def test_the_same_pair_has_the_same_shares_from_either_side(first: Agent, second: Agent) -> None:
    assert pair_of(first, second) == pair_of(second, first)[::-1]


@given(st.floats(5e-324, 1e9))
def test_equal_weights_are_exactly_one_half(weight: float) -> None:
    agent = {**NEUTRAL, "weight": weight}
    assert pair_of(agent, agent) == ((0.5, "weight"), (0.5, "weight"))


@pytest.mark.parametrize(
    ("weights", "shares"),
    [((0.0, 1.0), (0.0, 1.0)), ((1.0, 0.0), (1.0, 0.0)), ((0.0, 0.0), (0.0, 0.0)), ((0.2, 0.8), (0.2, 0.8))],
)
def test_weights_divide(weights: tuple[float, float], shares: tuple[float, float]) -> None:
    (mine, _), (theirs, _) = pair_of({**NEUTRAL, "weight": weights[0]}, {**NEUTRAL, "weight": weights[1]})
    assert (mine, theirs) == shares


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({"priority": 1}, ((0.0, "priority"), (1.0, "priority"))),
        ({"locked": 1}, ((0.0, "locked"), (1.0, "locked"))),
        # the other has layer 1 and sees every layer
        ({"mask": 2}, ((0.0, "mask"), (1.0, "one-sided"))),
        ({"layer": 0}, ((1.0, "one-sided"), (0.0, "mask"))),
        ({"avoidance": 0}, ((0.0, "avoidance"), (0.0, "avoidance"))),
        ({"elevation": 0.1}, ((0.0, "height"), (0.0, "height"))),
        # locked comes before whom one does not see, that before priority, and priority before weight
        ({"locked": 1, "mask": 0, "priority": -1}, ((0.0, "mask"), (1.0, "locked"))),
        ({"layer": 0, "priority": 9}, ((1.0, "one-sided"), (0.0, "mask"))),
        ({"priority": -9, "weight": 0.0}, ((1.0, "priority"), (0.0, "priority"))),
    ],
)
def test_the_first_rule_that_applies_decides(
    changes: Agent, wanted: tuple[tuple[float, str], tuple[float, str]]
) -> None:
    assert pair_of({**NEUTRAL, **changes}, NEUTRAL) == wanted


def test_the_reasons_are_in_the_order_of_their_numbers() -> None:
    numbers = [
        *(rules.BY_WEIGHT, rules.BY_PRIORITY, rules.BY_LOCK, rules.BY_ONE_SIDED),
        *(rules.BY_AVOIDANCE, rules.BY_HEIGHT, rules.BY_GROUP, rules.BY_MASK),
    ]
    assert numbers == list(range(len(REASONS)))
    assert set(MANNERS) == set(NEUTRAL)
