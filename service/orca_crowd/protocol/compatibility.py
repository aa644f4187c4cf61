"""Which clients the server still understands: each of ours says with every call and handshake which version it is.

A client whose version is older than what is listed here would misread an answer or send what is not taken any more; it
is told so before anything is changed. Clients of others say nothing, or names that are not listed, and are let in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from orca_crowd.errors import ApiError, Fault, InvalidRequest

__all__ = ["CLIENT_HEADER", "OLDEST_CLIENTS", "check_client"]

# a page cannot set it in the handshake of a WebSocket, so a missing one is no fault
CLIENT_HEADER: Final = "Orca-Crowd-Client"

# raised with each change of the wire that an older client would not survive
OLDEST_CLIENTS: Final[Mapping[str, str]] = dict.fromkeys(("godot3", "godot4", "python", "typescript"), "0.1.0")

FORM: Final = re.compile(r"([a-z][a-z0-9_-]{0,31})/(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:[-+.a-z][A-Za-z0-9.+-]{0,31})?")


def check_client(header: str | None) -> None:
    """Refuse a client that is too old with 400 `client-too-old`, and a header that says nothing with 422."""
    if header is None:
        return
    said = FORM.fullmatch(header)
    if said is None:
        raise InvalidRequest([Fault(None, CLIENT_HEADER, f"must be name/1.2.3, as python/0.1.0, not {header[:64]!r}")])
    name, *numbers = said.groups()
    oldest = OLDEST_CLIENTS.get(name)
    if oldest is not None and tuple(map(int, numbers)) < tuple(map(int, oldest.split("."))):
        raise ApiError(
            "client-too-old",
            f"the {name} client is taken from version {oldest} on, not {'.'.join(numbers)}: install a newer one",
        )
