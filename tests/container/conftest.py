"""One image for all tests of this folder."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

import pytest

from tests.container.image import WORK, Image, build_image, missing


@pytest.fixture(scope="session")
def image() -> Image:
    """The image, built now."""
    lacking = missing()
    if lacking is not None:
        pytest.skip(lacking)
    return build_image()


@pytest.fixture
def volume(image: Image) -> Path:
    """An empty volume for a user of group 0."""
    folder = WORK / "volume"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    folder.chmod(0o770)
    return folder


@pytest.fixture
def port() -> int:
    """A port that nobody listens on: the network is shared."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
