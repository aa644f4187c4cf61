"""What the server offers, read off the server itself: routes, settings, codes, messages, commands and their options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from orca_crowd.__main__ import app as command
from orca_crowd.app import create_app
from orca_crowd.settings import Settings

__all__ = ["command_options", "environment_names", "path_template", "routes"]


def routes() -> set[tuple[str, str]]:
    """(method, path) of every route, with `{}` for each parameter; files of the viewer but its page are left out."""
    found = set()
    for route in _walk(create_app(Settings()).routes):
        path = path_template(route.path)
        hidden = getattr(route, "include_in_schema", True) is False
        if hidden and path not in ("/", "/openapi.json"):
            continue
        # a WebSocket begins as a GET
        for method in getattr(route, "methods", None) or {"GET"}:
            if method != "HEAD":
                found.add((method, path))
    return found


def _walk(members: list[Any]) -> Iterator[Any]:
    """Routes, those of included routers too, which some versions of the framework keep folded."""
    for member in members:
        inner = getattr(member, "original_router", None)
        if inner is not None:
            yield from _walk(inner.routes)
        else:
            yield member


def path_template(path: str) -> str:
    """The path with every parameter written `{}`."""
    return re.sub(r"\{[^}]*\}", "{}", path)


def environment_names() -> set[str]:
    """The environment variable of every setting."""
    return {f"ORCA_CROWD_{name.upper()}" for name in Settings.model_fields}


def command_options() -> dict[str, set[str]]:
    """Options of every command: `orca-crowd` itself, `orca-crowd serve` and its like, and the commands below those."""
    members: dict[str, Any] = {"orca-crowd": typer.main.get_command(command)}
    groups = ["orca-crowd"]
    while groups:
        name = groups.pop()
        for inner_name, inner in members[name].commands.items():
            members[f"{name} {inner_name}"] = inner
            if hasattr(inner, "commands"):
                groups.append(f"{name} {inner_name}")
    return {
        name: {
            option
            for parameter in member.params
            for option in (*parameter.opts, *parameter.secondary_opts)
            if option.startswith("--")
        }
        for name, member in members.items()
    }
