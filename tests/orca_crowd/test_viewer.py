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


@pytest.fixture
def app() -> FastAPI:
    return create_app(Settings())


async def test_page_and_its_files_are_served_with_a_strict_policy(app: FastAPI) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://viewer") as client:
        page = await client.get("/")
        assert page.status_code == 200
        assert page.headers["content-type"].startswith("text/html")
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert {source for part in policy.split("; ") for source in part.split()[1:]} == {"'none'", "'self'"}
        linked = re.findall(r'(?:href|src)="\./([^"]+)"', page.text)
        assert {"app.js", "style.css", "icon.svg"} == set(linked)
        for name in [*linked, "notices.txt"]:
            answer = await client.get(f"/{name}")
            assert answer.status_code == 200, name
            assert answer.text == VIEWER.joinpath(name).read_text()


def test_nothing_stands_in_line_or_comes_from_elsewhere() -> None:
    page = VIEWER.joinpath("index.html").read_text()
    assert not re.search(r"<style|style=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    for entry in VIEWER.iterdir():
        if entry.name.endswith((".html", ".js", ".css")):
            # the name of SVG is an address, and the client has one for whoever names none; the page does
            named = set(re.findall(r"https?://([\w.:-]+)", entry.read_text()))
            assert named <= {"www.w3.org", "127.0.0.1:8000"}, entry.name
