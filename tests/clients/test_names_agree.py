"""The same things have the same names in every client, in each language's own case."""

from __future__ import annotations

import re

import pytest

from orca_crowd_client import Client, Stream, World, commands, errors
from tests.support.imports import ROOT

SOURCES = ROOT / "clients" / "typescript" / "src"
METHOD = re.compile(r"^  (?:async )?\*?(\w+)(?:<[^>]*>)?\(", re.MULTILINE)

# another name for the same, kept for who used it
OLDER = {"load_map", "release"}
# how a client is made of its parts, and what belongs to a language
INSIDE = {
    Client: {"call", "close", "stream_url", "stream_headers"},
    World: set(),
    Stream: {"hello"},
}
TYPESCRIPT_ALONE = {
    Client: {"constructor", "call"},
    World: {"constructor"},
    # listeners, and connecting by itself: what `with` does in Python
    Stream: {"constructor", "on", "open"},
}


def camel(name: str) -> str:
    """The name in camelCase."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def methods(kind: type) -> set[str]:
    """Public methods of a class of the TypeScript client."""
    text = (SOURCES / f"{kind.__name__.lower()}.ts").read_text(encoding="utf-8")
    body = text[text.index(f"export class {kind.__name__}") :]
    return {name for name in METHOD.findall(body) if name not in ("if", "for", "while", "return", "switch")}


@pytest.mark.parametrize("kind", [Client, World, Stream])
def test_python_and_typescript_have_the_same_methods(kind: type) -> None:
    public = {name for name in vars(kind) if not name.startswith("_")} - INSIDE[kind] - OLDER
    assert methods(kind) - TYPESCRIPT_ALONE[kind] == {camel(name) for name in public}


def test_commands_have_the_same_names() -> None:
    text = (SOURCES / "commands.ts").read_text(encoding="utf-8")
    found = set(re.findall(r"^export function (\w+)\(.*\): Command", text, re.MULTILINE))
    assert found == {camel(name) for name in commands.__all__ if name[0].islower()}


def test_errors_have_the_same_names() -> None:
    text = (SOURCES / "errors.ts").read_text(encoding="utf-8")
    found = set(re.findall(r"^export class (\w+)", text, re.MULTILINE))
    python = {name for name in errors.__all__ if isinstance(getattr(errors, name), type)}
    # one fault of a problem document is a class of its own there and an interface here
    assert found == python - {"Problem"}
