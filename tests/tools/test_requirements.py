"""The requirements with hashes: each names everything that its purpose needs, at the versions of constraints.txt."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.imports import ROOT

FILES = sorted((ROOT / "requirements").glob("*.txt"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CLIENT: dict[str, Any] = tomllib.loads((ROOT / "clients" / "python" / "pyproject.toml").read_text(encoding="utf-8"))
OURS = {"orca-crowd", "orca-crowd-client"}


def entries(path: Path) -> dict[str, tuple[Requirement, list[str]]]:
    """Every requirement of a file with its hashes, by name."""
    found = {}
    joined = path.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in joined.splitlines():
        if line.strip() and not line.startswith("#"):
            text, *hashes = re.split(r"\s+--hash=", line.strip())
            requirement = Requirement(text)
            found[canonicalize_name(requirement.name)] = (requirement, hashes)
    return found


def pins() -> dict[str, str]:
    """The versions of constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return {
        canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines) if version
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_entry_is_exact_and_has_its_hashes(path: Path) -> None:
    found = entries(path)
    assert found
    for name, (requirement, hashes) in found.items():
        assert re.fullmatch(r"==[0-9][^,*]*", str(requirement.specifier)), name
        assert hashes, name
        assert [each for each in hashes if not re.fullmatch(r"sha256:[0-9a-f]{64}", each)] == [], name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_versions_are_those_of_the_constraints(path: Path) -> None:
    pinned = pins()
    # pip brings itself up to date where somebody needs it, and pip freeze leaves it out
    wrong = {
        name: str(requirement.specifier)
        for name, (requirement, _) in entries(path).items()
        if name != "pip" and pinned.get(name) != str(requirement.specifier)[2:]
    }
    assert wrong == {}, "make hashes writes them anew"


@pytest.mark.parametrize(
    ("stem", "wanted"),
    [
        ("serve", PROJECT["project"]["dependencies"]),
        (
            "ray",
            [
                *PROJECT["project"]["dependencies"],
                *PROJECT["project"]["optional-dependencies"]["ray"],
                *PROJECT["project"]["optional-dependencies"]["s3"],
            ],
        ),
        (
            "test",
            [
                *PROJECT["project"]["dependencies"],
                *PROJECT["project"]["optional-dependencies"]["dev"],
                *CLIENT["project"]["dependencies"],
            ],
        ),
        ("build", PROJECT["dependency-groups"]["build"]),
        ("image", [each for each in PROJECT["dependency-groups"]["image"] if isinstance(each, str)]),
        ("audit", PROJECT["dependency-groups"]["audit"]),
    ],
)
def test_what_is_declared_is_there_and_new_enough(stem: str, wanted: list[str]) -> None:
    found = entries(ROOT / "requirements" / f"{stem}.txt")
    for text in wanted:
        declared = Requirement(text)
        locked, _ = found[canonicalize_name(declared.name)]
        assert declared.specifier.contains(str(locked.specifier)[2:]), f"{text}: make hashes writes it anew"


@pytest.mark.parametrize("stem", ["serve", "ray", "test"])
def test_what_is_needed_in_turn_is_there_too(stem: str) -> None:
    found = entries(ROOT / "requirements" / f"{stem}.txt")
    lacking = set()
    for name, (locked, _) in found.items():
        if locked.marker is not None and not locked.marker.evaluate():
            continue
        for text in requires(name) or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                lacking |= {canonicalize_name(needed.name)} - found.keys()
    assert lacking - OURS == set()


def test_what_serves_is_not_what_builds() -> None:
    serving = entries(ROOT / "requirements" / "serve.txt").keys()
    assert serving & {"pip", "setuptools", "wheel", "cyclonedx-bom", "pytest"} == set()
