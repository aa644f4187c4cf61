"""Every block of code in the documentation works: Python runs, bash is read or run, JSON is JSON."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.documents import Block, blocks
from tests.support.live_server import child_environment, live_server

ADDRESS = "127.0.0.1:8000"
LONGEST_SECONDS = 60
# what the server refuses fails the block, which a reader's curl would only print
STRICT_CURL = 'curl() { command curl --fail-with-body "$@"; }\n'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with live_server(tmp_path_factory.mktemp("server")) as address:
        yield address


def run(command: list[str], text: str, server: str, folder: Path) -> None:
    """Run a block in an empty folder, with the live server in the place of the usual address."""
    done = subprocess.run(
        [*command, text.replace(ADDRESS, server)],
        cwd=folder,
        env=child_environment(),
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("block", [b for b in blocks("python") if b.runs], ids=lambda block: block.name)
def test_python_runs(block: Block, server: str, tmp_path: Path) -> None:
    run([sys.executable, "-c"], block.text, server, tmp_path)


@pytest.mark.parametrize("block", [b for b in blocks("python") if not b.runs], ids=lambda block: block.name)
def test_python_that_is_only_shown_can_be_read(block: Block) -> None:
    compile(block.text, block.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the blocks speak through curl")
@pytest.mark.parametrize("block", [b for b in blocks("bash") if b.runs], ids=lambda block: block.name)
def test_bash_runs(block: Block, server: str, tmp_path: Path) -> None:
    run(["bash", "-euo", "pipefail", "-c"], STRICT_CURL + block.text, server, tmp_path)


@pytest.mark.parametrize("block", blocks("bash", "sh"), ids=lambda block: block.name)
def test_bash_can_be_read(block: Block) -> None:
    done = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", blocks("json"), ids=lambda block: block.name)
def test_json_is_json(block: Block) -> None:
    json.loads(block.text)


@pytest.mark.parametrize("block", blocks("yaml"), ids=lambda block: block.name)
def test_yaml_is_yaml(block: Block) -> None:
    assert isinstance(yaml.safe_load(block.text), dict)


def test_every_block_names_a_language_that_is_checked() -> None:
    # TypeScript stands beside its client alone, whose own tests run every block
    known = ("python", "bash", "sh", "json", "yaml", "text", "console", "ts")
    everything = {block.name: block.language for block in blocks(*known, "", "js", "javascript", "toml")}
    assert {name: language for name, language in everything.items() if language not in known} == {}
