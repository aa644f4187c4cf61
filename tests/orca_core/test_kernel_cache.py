"""The kernel cache in real processes: what is in it is used wherever it lies, and nothing it lacks stops a start."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from orca_core import _jit
from tests.support.imports import ROOT

pytestmark = [
    pytest.mark.skipif(
        os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"), reason="with the compiler off nothing is compiled"
    ),
    pytest.mark.skipif(sys.platform == "win32", reason="permissions are another matter there"),
]

# root writes wherever it likes, unless this is taken from it
AS_OTHERS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A full folder, a copy of the one of the tests."""
    full = Path(os.environ[_jit.CACHE_VARIABLE]) / _jit._cache_key()[:32]
    kept = tmp_path / "cache"
    shutil.copytree(full, kept / full.name, ignore=lambda _, names: [name for name in names if name[0] == "."])
    return kept


def start(cache: Path, sources: Path = ROOT, **variables: str) -> tuple[int, int, list[str]]:
    """Compile in a process that may write only where it is allowed to: from the cache, anew, lines on stderr."""
    command = [sys.executable, "-m", "orca_core.warmup"]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("needs setpriv, or not to be root")
        command = [*AS_OTHERS, *command]
    environment = {**os.environ, _jit.CACHE_VARIABLE: str(cache), "PYTHONPATH": str(sources), **variables}
    done = subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    said = re.fullmatch(r"\d+ kernels: (\d+) from the cache, (\d+) compiled\n", done.stdout)
    assert said is not None, done.stdout
    return int(said[1]), int(said[2]), done.stderr.splitlines()


def lock_up(cache: Path, *, locked: bool = True) -> None:
    """Forbid everybody to write in a folder, or allow it again."""
    for folder in [cache, *(path for path in cache.rglob("*") if path.is_dir())]:
        folder.chmod(0o555 if locked else 0o755)


def entries(cache: Path, pattern: str) -> list[Path]:
    return sorted(cache.rglob(pattern))


def contents(cache: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in cache.rglob("*.nb?")}


def test_a_full_cache_that_cannot_be_written_is_used_without_a_word(cache: Path) -> None:
    before = contents(cache)
    lock_up(cache)
    try:
        from_cache, anew, said = start(cache)
    finally:
        lock_up(cache, locked=False)
    assert anew == 0
    assert from_cache > 40
    assert said == []
    assert contents(cache) == before


def test_what_a_cache_lacks_is_compiled_and_one_line_says_so(cache: Path) -> None:
    for path in entries(cache, "status.*"):
        path.unlink()
    before = contents(cache)
    lock_up(cache)
    try:
        from_cache, anew, said = start(cache)
    finally:
        lock_up(cache, locked=False)
    assert anew > 0
    (line,) = said
    assert re.fullmatch(
        rf"orca-crowd: no kernel cache: {anew} of {from_cache + anew} kernels are not in {cache}/\w+, "
        r"which cannot be written \(Permission denied\)",
        line,
    )
    assert contents(cache) == before


def test_a_cache_of_other_kernels_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    # the import alone decides it; compiling all of them would take long
    tmp_path.chmod(0o555)
    command = [*(AS_OTHERS if os.geteuid() == 0 else []), sys.executable, "-c", "import orca_core.warmup"]
    environment = {**os.environ, _jit.CACHE_VARIABLE: str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    finally:
        tmp_path.chmod(0o755)
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("orca-crowd: no kernel cache: ")
    assert line.endswith(" cannot be written (Permission denied)")


def test_damaged_entries_are_made_anew(cache: Path) -> None:
    # as after a disk that was full or a process that was killed in the middle
    code, index = entries(cache, "status.*.nbc")[0], entries(cache, "tree.*.nbi")[0]
    code.write_bytes(code.read_bytes()[:100])
    index.write_bytes(b"")
    _, anew, said = start(cache)
    assert anew >= 2
    assert said == []
    assert start(cache)[1] == 0


def test_neither_the_place_nor_the_time_of_a_source_matters(cache: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    shutil.copytree(ROOT / "orca_core", copy / "orca_core", ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*.py"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    assert start(cache, copy)[1:] == (0, [])


def test_every_kind_of_processor_has_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {_jit._cache_key()}
    for name in ("generic", "x86-64-v2", "x86-64-v3"):
        monkeypatch.setenv("NUMBA_CPU_NAME", name)
        keys.add(_jit._cache_key())
    assert len(keys) == 4


def test_what_several_processes_lack_at_once_is_compiled_by_one(cache: Path) -> None:
    lacking = {path for name in ("status.*", "tree.*") for path in entries(cache, name)}
    for path in lacking:
        path.unlink()
    command = [sys.executable, "-m", "orca_core.warmup"]
    environment = {**os.environ, _jit.CACHE_VARIABLE: str(cache), "PYTHONPATH": str(ROOT)}
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    anew = []
    for process in running:
        output, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        anew.append(int(output.split()[-2]))
    assert sorted(anew)[:-1] == [0, 0, 0]
    assert max(anew) == sum(path.suffix == ".nbc" for path in lacking)


@pytest.mark.parametrize(
    ("name", "value"), [("NUMBA_OPT", "1"), ("NUMBA_BOUNDSCHECK", "1"), ("NUMBA_CPU_FEATURES", "+avx2")]
)
def test_what_changes_the_machine_code_changes_the_folder(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _jit._cache_key()
    monkeypatch.setenv(name, value)
    assert _jit._cache_key() != before


def test_another_compiler_has_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _jit._cache_key()
    monkeypatch.setattr("numba.__version__", "0.0.1")
    assert _jit._cache_key() != before
