"""What Ray is told before it is imported: a user without a home, and nothing that speaks to anybody."""

from __future__ import annotations

from pathlib import Path

from orca_crowd.engine.ray.environment import RAY_VARIABLES, prepare_environment
from orca_crowd.engine.ray.names import actor_name, other_place, world_of


def test_what_is_missing_is_set(tmp_path: Path) -> None:
    environment: dict[str, str] = {}
    prepare_environment(environment)
    assert {name: environment[name] for name in RAY_VARIABLES} == RAY_VARIABLES
    assert Path(environment["HOME"]).is_dir()
    own = {"HOME": str(tmp_path), "RAY_USAGE_STATS_ENABLED": "1", "RAY_AUTH_TOKEN": "t"}
    given = dict(own)
    prepare_environment(given)
    assert given.items() >= own.items()
    unusable = {"HOME": "/nonexistent"}
    prepare_environment(unusable)
    assert unusable["HOME"] == environment["HOME"]


def test_names_say_which_world_it_is() -> None:
    for place in ("a", "b"):
        assert world_of(actor_name("w.1", place)) == "w.1"
        assert other_place(other_place(place)) == place != other_place(place)
