"""The page at `/`: it is whole, it loads nothing from elsewhere, and it may not."""

from __future__ import annotations

import re
from importlib.resources import files

import httpx
import pytest
from fastapi import FastAPI

from orca_crowd.app import create_app
from orca_crowd.settings import Settings

VIEWER = files("orca_crowd").joinpath("viewer")
SCRIPTS = sorted(entry.name for entry in VIEWER.iterdir() if entry.name.endswith(".js"))


@pytest.fixture
def app() -> FastAPI:
    return create_app(Settings())


async def test_page_and_its_files_are_served_with_a_strict_policy(app: FastAPI) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://viewer") as client:
        page = await client.get("/")
        assert page.status_code == 200
        assert page.headers["content-type"].startswith("text/html")
        assert "default-src 'self'" in page.headers["content-security-policy"]
        assert "unsafe" not in page.headers["content-security-policy"]
        linked = re.findall(r'(?:href|src)="([^"]+)"', page.text)
        assert {"app.js", "style.css", "icon.svg"} == set(linked)
        for name in [*linked, *SCRIPTS]:
            answer = await client.get(f"/{name}")
            assert answer.status_code == 200, name
            assert answer.text == VIEWER.joinpath(name).read_text()


def test_nothing_stands_in_line_or_comes_from_elsewhere() -> None:
    page = VIEWER.joinpath("index.html").read_text()
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    for entry in VIEWER.iterdir():
        if entry.name.endswith((".html", ".js", ".css")):
            assert not re.search(r"https?://(?!www\.w3\.org)", entry.read_text()), entry.name


def test_every_element_that_the_scripts_name_is_on_the_page() -> None:
    page = VIEWER.joinpath("index.html").read_text()
    present = set(re.findall(r'id="([^"]+)"', page))
    script = VIEWER.joinpath("app.js").read_text()
    named = set(re.findall(r'\$\("([a-z-]+)"\)', script))
    statuses = set(re.findall(r"[a-z]+(?:-[a-z]+)?", re.search(r"counts = \{([^}]*)\}", script).group(1)))  # type: ignore[union-attr]
    assert named <= present
    assert {f"count-{status}" for status in statuses} <= present
    assert len(named) > 10


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_module_that_is_imported_is_there(name: str) -> None:
    for imported in re.findall(r'from "\./([^"]+)"', VIEWER.joinpath(name).read_text()):
        assert imported in SCRIPTS
