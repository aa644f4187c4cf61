"""Every source: of a size one can walk through, with a docstring, nothing left open, nothing of elsewhere."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

from tests.support.imports import ROOT

MOST_LINES = 400
FOLDERS = ("orca_core", "service", "clients", "tests", "docs", ".ci", "docker")
SOURCE_SUFFIXES = frozenset({".py", ".ts", ".js", ".gd", ".css", ".html"})
TEXT_SUFFIXES = SOURCE_SUFFIXES | {".md", ".toml", ".yml", ".yaml", ".txt", ""}
# made by tools, or brought along as they are
NOT_OURS = frozenset({"__pycache__", "node_modules", "build", "dist", "generated", "conformance", "maps", "data"})

# written in two pieces each, so that this file does not find itself
OPEN_ENDS = tuple(re.compile(rf"\b{first}{second}\b") for first, second in (("TO", "DO"), ("FIX", "ME"), ("XX", "X")))
ELSEWHERE = tuple(
    re.compile(first + second, re.IGNORECASE)
    for first, second in (
        (r"/wor", r"k/(main|shared)"),
        (r"/tmp/", r"brief"),
        (r"\bcases", r"\.md\b"),
        (r"\bshared/", r"(cases|spec|data|design|api|style|conformance)"),
        (r"\bissue ", r"#?\d"),
        (r"\bhelper ", r"(session|agent)"),
        (r"\bAI ", r"(session|agent|assistant)\b"),
    )
)


def ours(suffixes: frozenset[str]) -> list[Path]:
    """Every file of the project with one of the suffixes, in its folders and at the top."""
    found = [path for path in ROOT.iterdir() if path.is_file() and path.suffix in suffixes and path.name != ".git"]
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            parts = path.relative_to(ROOT).parts
            generated = any(part in NOT_OURS or part.endswith(".egg-info") for part in parts)
            if path.is_file() and path.suffix in suffixes and not generated:
                found.append(path)
    return sorted(found)


def shown(path: Path) -> str:
    """The path as one would write it from the top."""
    return path.relative_to(ROOT).as_posix()


SOURCES = ours(SOURCE_SUFFIXES)
TEXTS = ours(TEXT_SUFFIXES)
PYTHON = [path for path in SOURCES if path.suffix == ".py"]


def open_ends(text: str) -> list[str]:
    """Marks of work put off."""
    return [match.group() for pattern in OPEN_ENDS for match in pattern.finditer(text)]


def foreign_words(text: str) -> list[str]:
    """Words about how or where the project was written instead of what it is."""
    return [match.group() for pattern in ELSEWHERE for match in pattern.finditer(text)]


def test_the_walk_finds_the_project() -> None:
    names = {shown(path) for path in TEXTS}
    assert {"orca_core/_jit.py", "service/orca_crowd/settings.py", "Makefile", "pyproject.toml", ".ci/run"} <= names


def test_no_source_is_longer_than_one_can_walk_through() -> None:
    lengths = {shown(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}


def test_every_package_is_named_in_the_distribution() -> None:
    # an editable install finds them by itself, a wheel holds only what is named
    for project, folders in (
        (ROOT, {"orca_core": ROOT / "orca_core", "orca_crowd": ROOT / "service" / "orca_crowd"}),
        (ROOT / "clients" / "python", {"orca_crowd_client": ROOT / "clients" / "python" / "orca_crowd_client"}),
    ):
        settings = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
        held = {
            ".".join((name, *path.parent.relative_to(folder).parts))
            for name, folder in folders.items()
            for path in folder.rglob("*.py")
        }
        # a package may also hold files alone, such as the viewer's
        assert held <= set(settings["packages"]), project


def test_every_module_says_what_it_is() -> None:
    silent = [
        shown(path)
        for path in PYTHON
        if path.stat().st_size > 0 and ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) is None
    ]
    assert silent == []


def test_nothing_is_put_off() -> None:
    found = {shown(path): open_ends(path.read_text(encoding="utf-8")) for path in TEXTS}
    assert {path: marks for path, marks in found.items() if marks} == {}


def test_the_project_speaks_of_itself_alone() -> None:
    found = {shown(path): foreign_words(path.read_text(encoding="utf-8")) for path in TEXTS}
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize("text", ["# TO" + "DO: later", "FIX" + "ME", "an XX" + "X here"])
def test_a_mark_of_work_put_off_is_found(text: str) -> None:
    assert open_ends(text) != []


@pytest.mark.parametrize("text", ["see /wor" + "k/main", "as issue " + "12 says", "case 3 of cases" + ".md"])
def test_a_word_of_elsewhere_is_found(text: str) -> None:
    assert foreign_words(text) != []
