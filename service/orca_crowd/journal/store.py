"""A store of objects by its fsspec URL: whole objects are written, read, listed and removed, and nothing is appended.

What journals need beside that is to write an object only where there is none of its name, as one act: of two who do so
at the same time one is refused. It is `If-None-Match` of S3 and a hard link of a file system. Drivers that look first
and then write are refused, since two could find nothing at the same moment: known are those in SCHEMES.

The driver of a URL, with its connections, is one for the whole process, however many worlds write there.
"""

from __future__ import annotations

import functools
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from orca_crowd.journal.errors import BadStore, StoreAway

__all__ = ["SCHEMES", "Store"]

# and what brings the driver, None where fsspec has it
SCHEMES: Final = {"file": None, "local": None, "memory": None, "s3": "'orca-crowd[s3]'", "s3a": "'orca-crowd[s3]'"}
LOCAL: Final = frozenset({"file", "local"})
# connections of a driver: with the ten of its default worlds that share a process would wait for each other
CONNECTIONS: Final = 50
# tries of one request; more of them, as by default, would still wait for the next when the store has long been back
ATTEMPTS: Final = 3
# what S3 answers where there is an object of this name, and where somebody else is just writing one
THERE: Final = 412
UNDER_WAY: Final = 409
NO_BUCKET: Final = "NoSuchBucket"
# how often it is asked then
CONFLICTS: Final = 5


class Store:
    """Objects under a URL; their names are relative to it, with slashes. Calls block, and may come from any thread."""

    def __init__(self, url: str) -> None:
        """Nothing is asked yet; BadStore where the URL is none that can be used."""
        self.url = url
        scheme = url.partition("://")[0]
        if scheme not in SCHEMES:
            known = ", ".join(f"{name}://" for name in SCHEMES)
            raise BadStore(f"journals cannot be kept at {url}: known are {known}")
        try:
            self._system, root = _driver(url, os.getpid())
        except ImportError as error:
            wanted = SCHEMES[scheme] or "'orca-crowd[store]'"
            raise BadStore(f"journals cannot be kept at {url}: pip install {wanted} ({error})") from None
        except Exception as error:
            raise BadStore(f"journals cannot be kept at {url}: {error}") from None
        self._root = str(root).rstrip("/")
        if not self._root:
            raise BadStore(f"journals cannot be kept at {url}: name a bucket or a folder, as s3://bucket/worlds")
        self._local = scheme in LOCAL

    def check(self) -> None:
        """Return where objects can be written, read and removed; StoreAway otherwise, BadStore where one is replaced
        that must not be.
        """
        name = f"probe-{secrets.token_hex(8)}"
        try:
            # a driver that has tried the first one twice may say that it was there, and it was
            self.put_new(name, b"1")
            if self.put_new(name, b"2") or self.get(name) != b"1":
                raise BadStore(f"journals cannot be kept at {self.url}: it replaces what it is told not to replace")
        finally:
            with suppress(StoreAway):
                self.remove([name])

    def put_new(self, name: str, data: bytes) -> bool:
        """Write an object; False where there is one of this name, which stays as it is.

        StoreAway where it is not known whether it was written.
        """
        with self._asked():
            if self._local:
                return _link_new(Path(self._path(name)), data)
            conflicts = 0
            while True:
                try:
                    self._system.pipe_file(self._path(name), data, mode="create")
                    return True
                except FileExistsError:
                    return False
                except OSError as error:
                    # drivers know a refusal by words that not every store says
                    status, _ = _answer(error)
                    if status == THERE:
                        return False
                    conflicts += 1
                    if status != UNDER_WAY or conflicts == CONFLICTS:
                        raise

    def put(self, name: str, data: bytes) -> None:
        """Write an object, also in the place of another."""
        with self._asked():
            if self._local:
                _replace(Path(self._path(name)), data)
            else:
                self._system.pipe_file(self._path(name), data)

    def get(self, name: str) -> bytes | None:
        """An object; None where there is none."""
        with self._asked():
            try:
                return bytes(self._system.cat_file(self._path(name)))
            except FileNotFoundError as error:
                if _answer(error)[1] == NO_BUCKET:
                    # of that nothing follows for the objects that should be in it
                    raise
                return None

    def get_all(self, names: Sequence[str]) -> list[bytes | None]:
        """Many objects, as far as the driver can at the same time."""
        if not names:
            return []
        paths = [self._path(name) for name in names]
        with self._asked():
            found: dict[str, Any] = self._system.cat(paths, on_error="return")
        values = [found.get(path) for path in paths]
        for value in values:
            if isinstance(value, Exception) and (
                not isinstance(value, FileNotFoundError) or _answer(value)[1] == NO_BUCKET
            ):
                raise StoreAway(f"{self.url} cannot be read: {value}")
        return [bytes(value) if isinstance(value, bytes) else None for value in values]

    def has(self, name: str) -> bool:
        """Whether there is an object of this name, for small ones.

        They are read, since drivers look for a folder where an object is not: that is a request more, and a dear one.
        """
        return self.get(name) is not None

    def names(self, folder: str) -> list[str]:
        """The objects whose names begin with `folder/`, in the order of their names, without that."""
        path = self._path(folder) + "/"
        with self._asked():
            try:
                self._system.invalidate_cache()
                found = self._system.find(path)
            except FileNotFoundError:
                return []
        names = (str(each).removeprefix(path) for each in found)
        return sorted(name for name in names if not name.rpartition("/")[2].startswith("."))

    def remove(self, names: Sequence[str]) -> None:
        """Remove objects, where they are."""
        paths = [self._path(name) for name in names]
        with self._asked():
            try:
                if len(paths) > 1 and not self._local:
                    # many in one request, where the store has such
                    self._system.rm(paths)
                    return
            except FileNotFoundError:
                pass
            for path in paths:
                with suppress(FileNotFoundError):
                    self._system.rm_file(path)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """StoreAway for whatever a driver raises."""
        try:
            yield
        except Exception as error:
            raise StoreAway(f"{self.url} does not answer as it should: {type(error).__name__}: {error}") from error


@functools.lru_cache(maxsize=16)
def _driver(url: str, _process: int) -> tuple[Any, str]:
    """The driver of a URL, and the URL as it names it; ImportError where it is not installed.

    Not as fsspec keeps them, which is one for each thread that ever asked.
    """
    from fsspec.config import conf
    from fsspec.core import url_to_fs

    options: dict[str, Any] = {}
    if url.startswith(("s3:", "s3a:")):
        given = {**conf.get("s3", {}), **conf.get("s3a", {})}
        known = {
            "max_pool_connections": CONNECTIONS,
            "retries": {"mode": "standard", "total_max_attempts": ATTEMPTS},
        }
        # one piece after the other: otherwise the size of each object is asked for before it is read
        options = {"max_concurrency": 1, **given, "config_kwargs": {**known, **given.get("config_kwargs", {})}}
    # what is listed was written by others, so nothing of it is remembered
    system, root = url_to_fs(url, use_listings_cache=False, skip_instance_cache=True, **options)
    return system, str(root)


def _answer(error: BaseException | None) -> tuple[int, str]:
    """The status and the code that a store answered with, where what a driver has raised tells them; 0 and nothing."""
    while error is not None:
        answer = getattr(error, "response", None)
        if isinstance(answer, dict):
            status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            return int(status), str(answer.get("Error", {}).get("Code", ""))
        error = error.__cause__
    return 0, ""


def _link_new(path: Path, data: bytes) -> bool:
    """Whole under its name or not at all, and on the disk when this returns."""
    made = _written(path, data)
    try:
        os.link(made, path)
    except FileExistsError:
        return False
    finally:
        made.unlink()
    _sync(path.parent)
    return True


def _replace(path: Path, data: bytes) -> None:
    _written(path, data).replace(path)
    _sync(path.parent)


def _written(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f".{secrets.token_hex(8)}")
    with made.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return made


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
