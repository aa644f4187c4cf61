"""Threads and asyncio have the same names, and everything public is named once."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import orca_crowd_client
from orca_crowd_client import AsyncClient, AsyncStream, AsyncWorld, Client, Stream, World, commands

README = Path(__file__).resolve().parents[3] / "clients" / "python" / "README.md"
TWINS = [(Client, AsyncClient), (World, AsyncWorld), (Stream, AsyncStream)]


def signatures(kind: type) -> dict[str, tuple[list[str], list[object], str]]:
    """Parameters, defaults and documentation of every public method."""
    found = {}
    for name, method in inspect.getmembers(kind, callable):
        if not name.startswith("_"):
            parameters = inspect.signature(method).parameters.values()
            shape = [f"{parameter.kind.name} {parameter.name}" for parameter in parameters]
            words = (method.__doc__ or "").replace("Async", "")
            found[name] = (shape, [parameter.default for parameter in parameters], words)
    return found


@pytest.mark.parametrize(("plain", "asynchronous"), TWINS)
def test_both_have_the_same_methods_arguments_and_words(plain: type, asynchronous: type) -> None:
    one, other = signatures(plain), signatures(asynchronous)
    assert one.keys() == other.keys()
    for name, (shape, defaults, words) in one.items():
        assert other[name][:2] == (shape, defaults), name
        assert words, f"{plain.__name__}.{name} has no documentation"
    assert inspect.signature(plain).parameters.keys() == inspect.signature(asynchronous).parameters.keys()


def test_public_names_exist_and_are_sorted() -> None:
    names = orca_crowd_client.__all__
    assert [name for name in names if not hasattr(orca_crowd_client, name)] == []
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("kind", [Client, World, Stream])
def test_the_readme_names_every_method(kind: type) -> None:
    text = README.read_text(encoding="utf-8")
    internal = {"call", "stream_url", "stream_headers", "close"}
    missing = [name for name in signatures(kind) if name not in internal and f"`{name}`" not in text]
    assert missing == []


def test_there_is_a_command_for_every_operation_of_the_protocol() -> None:
    operations = {
        "add_agents",
        "set_agents",
        "remove_agents",
        "add_obstacles",
        "set_obstacle",
        "remove_obstacle",
        "open_door",
        "close_door",
        "add_walkable",
        "set_walkable",
        "remove_walkable",
        "set_level_of_detail",
        "set_grid_map",
    }
    assert operations == {name for name in commands.__all__ if name[0].islower()}
