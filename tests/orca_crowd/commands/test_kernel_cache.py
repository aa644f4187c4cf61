"""The folder in which commands keep compiled kernels: the user's own, unless somebody named one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orca_crowd.commands.kernel_cache import VARIABLE, use_kernel_cache


def test_it_is_in_the_user_s_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # set first, so that it is put back afterwards
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    use_kernel_cache()
    assert os.environ[VARIABLE] == str(tmp_path / "cache" / "orca-crowd" / "kernels")
    assert Path(os.environ[VARIABLE]).is_dir()
    # a path that is not whole counts as none
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    use_kernel_cache()
    assert os.environ[VARIABLE] == str(tmp_path / "home" / ".cache" / "orca-crowd" / "kernels")


@pytest.mark.parametrize("named", ["", "/somewhere"])
def test_what_somebody_said_stays(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv(VARIABLE, named)
    use_kernel_cache()
    assert os.environ[VARIABLE] == named


def test_where_there_can_be_none_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.delenv(VARIABLE)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    use_kernel_cache()
    assert VARIABLE not in os.environ
