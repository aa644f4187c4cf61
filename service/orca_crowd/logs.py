"""What the server says of itself, a line an event: for people, or as JSON for whoever collects logs.

Every line has a time, a level, the logger and a message, and the ids of the request and the world that it is about,
where there are any: both travel in context variables, so that whoever logs has nothing to pass on.

Keys never get into the log. Nobody logs one; and should one be part of a message, a path or an error all the same, it
is taken out of the finished line, where nothing gets by.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
from contextvars import ContextVar
from typing import Any, Final, Literal

from orca_crowd.clock import day_time

__all__ = ["configure", "identifier", "request_id", "without_keys", "world_id"]

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
world_id: ContextVar[str | None] = ContextVar("world_id", default=None)

_WELL_FORMED: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
# the three shapes in which a key can come in: itself, right or nearly; behind Bearer; and as a subprotocol
_KEYS: Final = (
    (re.compile(r"\borca_([0-9A-Za-z]{1,8})_[0-9A-Za-z_-]{24,}"), r"orca_\1_…"),
    (re.compile(r"\b(bearer|basic)(:?\s+)[^\s'\",}]+", re.IGNORECASE), r"\1\2…"),
    (re.compile(r"(orca-crowd\.key\.)[^\s'\",}]+"), r"\1…"),
)
# what every record has, so that whatever is beyond was given by who logged it
_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def identifier(given: str | None) -> str:
    """The id of a request: the one it brings where that is well-formed, else a new one."""
    return given if given is not None and _WELL_FORMED.fullmatch(given) else secrets.token_hex(8)


def without_keys(text: str) -> str:
    """A text in which whatever looks like a key is left out."""
    for pattern, instead in _KEYS:
        text = pattern.sub(instead, text)
    return text


class ConsoleLines(logging.Formatter):
    """For people: time, level, logger, message, and the ids in brackets."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and the traceback below it where there is one."""
        ids = {"request": request_id.get(), "world": world_id.get()}
        told = " ".join(f"{name}={value}" for name, value in ids.items() if value is not None)
        line = f"{day_time(record.created)} {record.levelname.lower()} {record.name}: {record.getMessage()}"
        if told:
            line += f" [{told}]"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return without_keys(line)


class JsonLines(logging.Formatter):
    """For machines: an object a line; what was given as `extra` stands beside the message."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line: dict[str, Any] = {
            "time": day_time(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if (request := request_id.get()) is not None:
            line["request"] = request
        if (world := world_id.get()) is not None:
            line["world"] = world
        line |= {name: value for name, value in vars(record).items() if name not in _STANDARD and name[0] != "_"}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return without_keys(json.dumps(line, ensure_ascii=False, default=str))


def configure(form: Literal["console", "json"], level: str) -> None:
    """Send the log of this process to stderr: ours from `level` on, warnings of the libraries below."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else ConsoleLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # libraries log headers and messages at `debug`, so their level is not ours to lower
    root.setLevel(logging.WARNING)
    logging.getLogger("orca_crowd").setLevel(level.upper())
