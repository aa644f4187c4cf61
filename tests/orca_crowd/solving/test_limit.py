"""The limit of time: by the clock between iterations and steps, and again where it struck before, without a clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from orca_core.cooperative.config import Config
from orca_core.cooperative.variants import Variant
from orca_crowd.clock import ManualClock
from orca_crowd.running.refusal import Unusable
from orca_crowd.solving.execution import Execution
from orca_crowd.solving.limit import Limit, parse_struck
from orca_crowd.solving.outcome import ITERATION, STEP, TIME_LIMIT, Outcome, Struck
from orca_crowd.solving.row import CLOCK_COLUMNS, values_of
from orca_crowd.solving.task import read_task
from tests.orca_crowd.solving.rooms import write_map, write_scenario


class Ticking(ManualClock):
    """A clock that goes on by a second whenever it is read."""

    def now(self) -> float:
        """One more."""
        self.advance(1.0)
        return super().now()


def run(folder: Path, variant: Variant, seconds: float, again: Struck | None = None, iterations: int = 0) -> Outcome:
    config = Config(time_limit=seconds, max_iterations=iterations, step_max=5000)
    task = read_task(write_map(folder), write_scenario(folder), 4)
    return Execution(task, config, variant, Ticking(), again=again).run()


def figures(outcome: Outcome) -> dict[str, object]:
    return {name: value for name, value in values_of(outcome).items() if name not in CLOCK_COLUMNS}


def test_it_strikes_at_the_first_question_after_its_time() -> None:
    clock = ManualClock()
    limit = Limit(clock, 10.0)
    assert not limit.planning_over()
    clock.advance(9.5)
    assert [limit.planning_over(), limit.moving_over(), limit.moving_over()] == [False, False, False]
    clock.advance(0.5)
    assert limit.moving_over()
    assert str(limit.struck) == "step 2"
    # and stays over
    assert limit.planning_over()
    assert str(limit.struck) == "step 2"


def test_a_run_that_was_struck_is_made_again_without_a_clock(tmp_path: Path) -> None:
    struck = run(tmp_path, Variant.ORCA, 60.0)
    assert struck.ended == TIME_LIMIT
    assert struck.struck is not None
    assert struck.struck.where == STEP
    assert struck.struck.number == struck.steps
    assert 0 < struck.struck.number < 30
    again = run(tmp_path, Variant.ORCA, 1e9, parse_struck(str(struck.struck)))
    assert (again.ended, again.steps, again.struck) == (struck.ended, struck.steps, struck.struck)
    assert figures(again) == figures(struck)
    assert run(tmp_path, Variant.ORCA, 1e9).ended == "solved"


def test_planning_that_was_struck_is_made_again_too(tmp_path: Path) -> None:
    struck = run(tmp_path, Variant.CORCA, 12.0, iterations=1000)
    assert (struck.ended, struck.steps) == (TIME_LIMIT, None)
    assert struck.struck is not None
    assert struck.struck.where == ITERATION
    assert 0 < struck.struck.number < 15
    again = run(tmp_path, Variant.CORCA, 1e9, struck.struck, iterations=1000)
    assert figures(again) == figures(struck)
    assert figures(again)["success_rate"] == 0.0


@pytest.mark.parametrize("text", ["", "812", "step", "step -1", "step 1.5", "steps 3", "iteration 1 2"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(Unusable, match="use --struck 'iteration N' or 'step N'"):
        parse_struck(text)
