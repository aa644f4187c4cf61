"""Running the files of an image as an engine would: own mounts and processes, nothing of the root writable, any user.

The network is the machine's. What the image says of its environment, entrypoint and command is what is run; HOME is set
for nobody, and /dev has the four devices that every engine gives.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.container.image import Image

__all__ = ["ANY_USER", "Room"]

ANY_USER = "12345:0"
# root and folders come as arguments; `-` stands for a folder that is not there
SCRIPT = r"""
set -e
user=$1 root=$2 data=$3 shown=$4 temporary=$5
shift 5
mount --bind "$root" "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o nosuid,noexec,size=64k,mode=755 tmpfs "$root/dev"
for device in 'null 3' 'zero 5' 'random 8' 'urandom 9'; do
    mknod -m 666 "$root/dev/${device% *}" c 1 "${device#* }"
done
test "$data" = - || mount --bind "$data" "$root/data"
test "$shown" = - || mount --bind -o ro "$shown" "$root/mnt"
if test "$temporary" != -; then
    mkdir "$root/dev/shm"
    mount -t tmpfs -o nosuid,nodev,noexec,mode=1777,size=1m tmpfs "$root/dev/shm"
    mount -t tmpfs -o nosuid,nodev,noexec,mode=1777,size=16m tmpfs "$root/tmp"
fi
mount -o remount,ro "$root/dev"
mount -o remount,bind,ro "$root"
unset PWD OLDPWD SHLVL
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"
"""


class Room:
    """An image and what a container of it is given."""

    def __init__(
        self,
        image: Image,
        *,
        user: str = ANY_USER,
        data: Path | None = None,
        shown: Path | None = None,
        temporary: bool = True,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`data` is the volume at /data, `shown` a folder to read at /mnt; `temporary`: tmpfs at /tmp and /dev/shm."""
        self.image = image
        self._environment = {**image.environment, **(environment or {})}
        folders = [str(data or "-"), str(shown or "-"), "yes" if temporary else "-"]
        names = ["unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "sh", "-c", SCRIPT, "sh"]
        self._prefix = [*names, user, str(image.root), *folders]

    def run(self, *command: str, timeout: float = 300.0) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [*self._prefix, *command],
            env=self._environment,
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )

    @contextmanager
    def server(self, log: Path, command: Sequence[str] | None = None) -> Iterator[Server]:
        """What the image runs by itself, or with another command, in the background; killed at the end of the block."""
        arguments = [*self.image.entrypoint, *(command or self.image.command)]
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*self._prefix, *arguments], env=self._environment, cwd="/", stdout=output, stderr=output
            )
        server = Server(process, log)
        try:
            yield server
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


class Server:
    """The first process of a container, seen from outside."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        """`process` is what made the namespaces; the first process inside is its only child."""
        self._process = process
        self._log = log

    @property
    def said(self) -> str:
        """Everything on stdout and stderr so far."""
        return self._log.read_text(encoding="utf-8")

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def first(self) -> int:
        """The process id, outside, of the first process inside."""
        deadline = time.monotonic() + 10.0
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        while time.monotonic() < deadline:
            found = children.read_text(encoding="ascii").split()
            if found:
                return int(found[0])
            time.sleep(0.02)
        raise AssertionError(f"no process was started: {self.said}")

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the first process inside."""
        os.kill(self.first(), number)

    def wait(self, timeout: float) -> int:
        """The exit code that the container ends with."""
        return self._process.wait(timeout)
