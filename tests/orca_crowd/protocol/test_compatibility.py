"""Which clients are let in: by version, number by number, and never by a guess."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

from orca_crowd.errors import ApiError, InvalidRequest
from orca_crowd.protocol import compatibility
from orca_crowd.protocol.compatibility import OLDEST_CLIENTS, check_client
from orca_crowd_client.transport import CLIENT
from tests.support.imports import ROOT


@pytest.fixture
def raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that takes the Python client from 0.9.10 on."""
    monkeypatch.setattr(compatibility, "OLDEST_CLIENTS", {"python": "0.9.10"})


@pytest.mark.usefixtures("raised")
@pytest.mark.parametrize(
    "header", [None, "python/0.9.10", "python/0.10.0", "python/1.0.0", "python/0.9.11rc1", "lua/0.0.1"]
)
def test_let_in(header: str | None) -> None:
    check_client(header)


@pytest.mark.usefixtures("raised")
@pytest.mark.parametrize("header", ["python/0.9.9", "python/0.9.9+local", "python/0.8.99", "python/0.0.0"])
def test_too_old(header: str) -> None:
    with pytest.raises(ApiError, match=r"python client is taken from version 0\.9\.10 on, not 0\.[089]\.") as refusal:
        check_client(header)
    assert (refusal.value.code, refusal.value.status) == ("client-too-old", 400)


@pytest.mark.parametrize(
    "header",
    ["", "python", "python/", "python/1", "python/1.2", "Python/1.2.3", "python/1.2.3.4 x", "python/-1.2.3", "a" * 99],
)
def test_a_header_that_says_nothing(header: str) -> None:
    with pytest.raises(InvalidRequest, match="must be name"):
        check_client(header)


ADDONS = [ROOT / "clients" / "godot" / name / "addons" / "orca_crowd" for name in ("godot3", "godot4")]


def test_our_clients_say_the_version_that_they_have_and_are_let_in() -> None:
    project = tomllib.loads((ROOT / "clients" / "python" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"python/{project['version']}" == CLIENT
    package = json.loads((ROOT / "clients" / "typescript" / "package.json").read_text(encoding="utf-8"))
    source = (ROOT / "clients" / "typescript" / "src" / "call.ts").read_text(encoding="utf-8")
    said = re.search(r'CLIENT = "(.*)"', source)
    assert said is not None
    assert f"typescript/{package['version']}" == said[1]
    godot = [
        re.search(r'"Orca-Crowd-Client: (.*)"', (folder / "request.gd").read_text(encoding="utf-8"))
        for folder in ADDONS
    ]
    versions = [re.search(r'version="(.*)"', (folder / "plugin.cfg").read_text(encoding="utf-8")) for folder in ADDONS]
    sent = [found[1] for found in godot if found is not None]
    assert sent == [f"godot{n}/{found[1]}" for n, found in zip((3, 4), versions, strict=True) if found is not None]
    for header in (CLIENT, said[1], *sent):
        check_client(header)
        assert header.split("/")[0] in OLDEST_CLIENTS
