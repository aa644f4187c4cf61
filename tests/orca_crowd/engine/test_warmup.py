"""Compiling at the start: what fails is told of, unless the server ends anyway."""

from __future__ import annotations

import logging

import pytest

from orca_crowd.engine.warmup import Warmup
from orca_crowd.errors import ApiError


def fail() -> None:
    """As workers do whose server of forks was ended with everybody else."""
    raise OSError("no worker could be started")


@pytest.mark.parametrize("ending", [False, True])
def test_who_cannot_be_started_is_told_of_while_the_server_goes_on(
    ending: bool, caplog: pytest.LogCaptureFixture
) -> None:
    warmup = Warmup(others=fail)
    if ending:
        warmup.give_up()
    with caplog.at_level(logging.ERROR, "orca_crowd"):
        warmup.start()
        warmup.join(60.0)
    assert ("no worker could be started" in caplog.text) is not ending
    with pytest.raises(ApiError, match="could not be compiled"):
        warmup.check()
