"""What is in the image, what it says of itself, and that its kernels are compiled and give the bits of the text."""

from __future__ import annotations

import json
import re
import stat

import pytest

from tests.container.image import Image, say
from tests.container.room import Room
from tests.support.imports import ROOT

pytestmark = [pytest.mark.container, pytest.mark.timeout(3600)]

HOME = "opt/orca-crowd"


def test_it_runs_without_a_shell_and_without_root(image: Image) -> None:
    assert image.user == "10001:0"
    assert image.entrypoint == [f"/{HOME}/bin/orca-crowd"]
    assert image.command == ["serve"]
    assert image.healthcheck[0] == "CMD"
    assert image.stop_signal == "SIGTERM"
    # the script is started by the interpreter itself
    first = (image.root / HOME / "bin" / "orca-crowd").read_text(encoding="utf-8").splitlines()[0]
    assert first == f"#!/{HOME}/bin/python"
    say(f"user {image.user}, entrypoint {image.entrypoint}, command {image.command}, healthcheck {image.healthcheck}")


def test_what_builds_has_stayed_behind(image: Image) -> None:
    installed = {path.name.split("-")[0] for path in image.root.glob(f"{HOME}/lib/python3*/site-packages/*.dist-info")}
    assert "orca_crowd" in installed
    assert installed & {"pip", "setuptools", "cyclonedx_bom"} == set()
    assert not (image.root / "source").exists()
    assert not (image.root / "wheels").exists()


def test_nobody_but_root_may_change_it(image: Image) -> None:
    open_to_others = [
        path
        for path in (image.root / HOME).rglob("*")
        if not path.is_symlink() and (path.stat().st_uid != 0 or path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    ]
    assert open_to_others == []
    data = (image.root / "data").stat()
    assert (data.st_uid, data.st_gid, stat.S_IMODE(data.st_mode)) == (10001, 0, 0o770)


def test_the_bill_of_materials_names_what_was_locked(image: Image) -> None:
    bill = json.loads((image.root / HOME / "sbom.cdx.json").read_text(encoding="utf-8"))
    named = {re.sub("[-_.]+", "-", part["name"].lower()): part["version"] for part in bill["components"]}
    locked = dict(re.findall(r"^([\w.-]+)==(\S+)(?! ; sys_platform == 'win32')", _requirements(), re.MULTILINE))
    # only for Windows
    locked.pop("colorama", None)
    assert {name: version for name, version in named.items() if name != "orca-crowd"} == locked
    assert bill["metadata"]["component"]["name"] == "orca-crowd"
    say(f"SBOM: {bill['bomFormat']} {bill['specVersion']}, {len(named)} components, as in requirements/serve.txt")


def test_a_start_compiles_nothing(image: Image) -> None:
    before = _kernels(image)
    assert len(before) > 100
    done = Room(image).run(f"/{HOME}/bin/python", "-m", "orca_core.warmup")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    found = re.fullmatch(r"(\d+) kernels: (\d+) from the cache, 0 compiled\n", done.stdout)
    assert found is not None, done.stdout
    assert found[1] == found[2]
    assert _kernels(image) == before
    say(f"start: {done.stdout.strip()}")


def test_other_times_of_files_do_not_matter(image: Image) -> None:
    # as after a builder that sets all times to one, or a registry that rounds them
    for path in (image.root / HOME / "lib").rglob("orca_core/**/*.py"):
        path.touch()
    done = Room(image).run(f"/{HOME}/bin/python", "-m", "orca_core.warmup")
    assert done.stdout.endswith("from the cache, 0 compiled\n")


def test_the_bits_are_those_of_the_text(image: Image) -> None:
    vectors = ROOT / "tests" / "orca_core" / "vectors"
    done = Room(image, shown=vectors).run(f"/{HOME}/bin/python", "-m", "orca_core.conformance", "/mnt", timeout=900)
    assert done.returncode == 0, done.stdout[-2000:]
    assert done.stdout.splitlines()[-1] == "2262 passed, 0 failed"
    say(f"conformance with machine code for {image.environment['NUMBA_CPU_NAME']!r}: {done.stdout.splitlines()[-1]}")


def _requirements() -> str:
    return (ROOT / "requirements" / "serve.txt").read_text(encoding="utf-8")


def _kernels(image: Image) -> dict[str, int]:
    """Every file of the kernel cache with its time."""
    folder = image.root / HOME / "kernels"
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
