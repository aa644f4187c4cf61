"""Files written: under another name until all of them are whole, so that nobody ever finds half of one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from orca_crowd.running.refusal import Unusable

__all__ = ["FilesWritten", "write_whole"]


def write_whole(file: Path, text: str) -> None:
    """Write a file of which nobody finds half; raises OSError."""
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="")
        os.replace(part, file)
    except OSError:
        part.unlink(missing_ok=True)
        raise


class FilesWritten:
    """Files that are open for writing; at the end all get their names, or after an exception none is left.

    Every one is opened at once, so that one that cannot be written is known before anything is computed.
    """

    def __init__(self, files: Iterable[tuple[str, Path | None]], inputs: Iterable[Path]) -> None:
        """Open them, each by the option it was given with; Unusable where one cannot be written or is two at once."""
        self._open: dict[Path, tuple[Path, IO[str]]] = {}
        taken = {_whole(file): "is read from" for file in inputs}
        try:
            for option, file in files:
                if file is not None:
                    self._begin(option, file, taken)
        except Unusable:
            self._give_up()
            raise

    def _begin(self, option: str, file: Path, taken: dict[Path, str]) -> None:
        if not file.parent.is_dir():
            raise Unusable(f"make the folder {file.parent} first, or choose another {option}")
        if file.is_dir():
            raise Unusable(f"choose another {option}: {file} is a folder")
        whole = _whole(file)
        if whole in taken:
            raise Unusable(f"choose another {option}: {file} {taken[whole]}")
        taken[whole] = f"is that of {option} already"
        # a device or a pipe has no second name and is written to as it is
        plain = whole.is_file() or not whole.exists()
        # by process too: two runs that write one file must not write one part of it
        part = whole.with_name(f"{whole.name}.{os.getpid()}.part") if plain else whole
        try:
            self._open[file] = (part, part.open("w", encoding="utf-8", newline=""))
        except OSError as error:
            raise Unusable(f"choose another {option}: {file}: {error.strerror}") from None

    def __enter__(self) -> FilesWritten:
        """Already open."""
        return self

    def __getitem__(self, file: Path) -> IO[str]:
        """The file of this name, to be written to."""
        return self._open[file][1]

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Give all of them their names, or take them away."""
        if kind is not None:
            self._give_up()
            return
        try:
            for _, stream in self._open.values():
                stream.close()
            for file, (part, _) in self._open.items():
                if part != _whole(file):
                    os.replace(part, _whole(file))
        except OSError:
            self._give_up()
            raise

    def _give_up(self) -> None:
        for file, (part, stream) in self._open.items():
            # a full disk is said of what wrote last, and not of closing it
            with suppress(OSError):
                stream.close()
            if part != _whole(file):
                part.unlink(missing_ok=True)


def _whole(file: Path) -> Path:
    return Path(os.path.realpath(file))
