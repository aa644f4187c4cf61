"""The image without an engine: a base made by debootstrap, the Dockerfile built by buildah, its files laid out.

Everything lies in `.make/container`; the base is kept between runs. Needs Debian's packages debootstrap and buildah,
and root. Printed is what was done, without addresses and folders of this machine.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support.imports import ROOT

__all__ = ["WORK", "Image", "build_image", "missing", "say"]

WORK = ROOT / ".make" / "container"
SUITE = "bookworm"
BASE_TAG = "localhost/orca-crowd-base"
TAG = "localhost/orca-crowd"
# how this machine reaches the registries is lent to the build, and is in no layer
LENT = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf")
# lines of the build that say something
TOLD = re.compile(r"^(\[\d/\d\] STEP .*|\d+ kernels: .*|Successfully installed .*)$", re.MULTILINE)


@dataclass(frozen=True)
class Image:
    """What an engine would run: the files, and how the image says that they are run."""

    root: Path
    user: str
    environment: dict[str, str]
    entrypoint: list[str]
    command: list[str]
    healthcheck: list[str]
    stop_signal: str


def missing() -> str | None:
    """What this machine lacks for it, None where it lacks nothing."""
    if os.geteuid() != 0:
        return "needs root, for debootstrap and for mounting"
    tools = ("debootstrap", "buildah", "unshare", "setpriv", "chroot")
    lacking = [tool for tool in tools if shutil.which(tool) is None]
    return f"needs {', '.join(lacking)}: apt-get install debootstrap buildah" if lacking else None


def say(text: str) -> None:
    """A line of the log."""
    print(text, flush=True)


def build_image(target: str = "generic") -> Image:
    """Make the base unless it is there, build the image and lay out its files; RuntimeError with the end of the log."""
    WORK.mkdir(parents=True, exist_ok=True)
    base = WORK / "base"
    if not (base / "complete").exists():
        shutil.rmtree(base, ignore_errors=True)
        say(f"base: debootstrap --variant=minbase --include=python3,python3-venv {SUITE}")
        packages = "--include=python3,python3-venv,ca-certificates"
        _run("debootstrap", "--variant=minbase", packages, SUITE, str(base / "root"))
        shutil.rmtree(base / "root" / "var" / "cache" / "apt", ignore_errors=True)
        container = _buildah("from", "scratch").strip()
        _buildah("add", "--quiet", container, str(base / "root"), "/")
        _buildah("commit", "--quiet", "--rm", container, BASE_TAG)
        (base / "complete").touch()
    say(f"image: buildah bud --build-arg BASE={BASE_TAG} --build-arg KERNEL_TARGET={target} -f docker/Dockerfile .")
    lent = [option for path in LENT if os.path.exists(path) for option in ("--volume", f"{path}:{path}:ro")]
    arguments = ["--build-arg", f"BASE={BASE_TAG}", "--build-arg", f"KERNEL_TARGET={target}"]
    said = _buildah(
        *("bud", "--format", "docker", "--pull-never", "--layers=false"),
        *(*arguments, *lent, "--file", "docker/Dockerfile", "--tag", TAG, str(ROOT)),
    )
    for line in TOLD.findall(said):
        say(f"  {line}")
    return _laid_out()


def _laid_out() -> Image:
    root = WORK / "root"
    shutil.rmtree(root, ignore_errors=True)
    container = _buildah("from", "--pull-never", TAG).strip()
    try:
        _run("cp", "--archive", _buildah("mount", container).strip(), str(root))
    finally:
        _buildah("rm", container)
    config = json.loads(_buildah("inspect", "--type", "image", f"{TAG}:latest"))["Docker"]["config"]
    return Image(
        root=root,
        user=config["User"],
        environment=dict(entry.split("=", 1) for entry in config["Env"]),
        entrypoint=config["Entrypoint"],
        command=config["Cmd"],
        healthcheck=config["Healthcheck"]["Test"],
        stop_signal=config["StopSignal"],
    )


def _buildah(*arguments: str) -> str:
    storage = ["--storage-driver", "vfs", "--root", str(WORK / "storage"), "--runroot", str(WORK / "run")]
    return _run("buildah", *storage, *arguments)


def _run(*command: str) -> str:
    environment = {**os.environ, "BUILDAH_ISOLATION": "chroot"}
    done = subprocess.run(
        ["nice", *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=3600
    )
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {(done.stdout + done.stderr)[-4000:]}")
    return done.stdout
