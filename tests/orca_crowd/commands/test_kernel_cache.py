"""The folder in which commands keep compiled kernels: the user's own, unless somebody named one."""

from __future__ import annotations

import os
import tempfile
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


@pytest.fixture
def homeless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user whose home cannot hold a cache; where his folder among the temporary ones is to be."""
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.delenv(VARIABLE)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"orca-crowd-{os.getuid()}"


def test_without_a_home_it_is_a_temporary_folder_of_one_s_own(homeless: Path) -> None:
    for _ in range(2):
        use_kernel_cache()
        assert os.environ.pop(VARIABLE) == str(homeless / "kernels")
    assert homeless.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_can_write_to_is_not_used(homeless: Path, tmp_path: Path) -> None:
    # what is in it is run
    homeless.mkdir(mode=0o700)
    homeless.chmod(0o777)
    use_kernel_cache()
    assert VARIABLE not in os.environ
    homeless.rmdir()
    (tmp_path / "of-somebody").mkdir()
    homeless.symlink_to(tmp_path / "of-somebody")
    use_kernel_cache()
    assert VARIABLE not in os.environ


def test_where_there_can_be_none_there_is_none(homeless: Path) -> None:
    homeless.write_text("")
    use_kernel_cache()
    assert VARIABLE not in os.environ
