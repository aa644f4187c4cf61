"""Which pages may use this server: its own, and those that the operator names.

A browser says in `Origin` which page a request comes from, and lets every page send some requests anywhere, and open
any WebSocket: without this check a page from elsewhere could drive a server on its reader's own machine. Clients that
are no browsers send no `Origin`.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from orca_crowd.errors import ApiError
from orca_crowd.settings import Settings

__all__ = ["check_origin"]


def check_origin(headers: Mapping[str, str], settings: Settings) -> None:
    """403 for a page that is neither of this server nor of an allowed origin."""
    origin = headers.get("origin")
    if origin is None or origin in settings.allowed_origins:
        return
    # a proxy may speak https outside and http here, so only who is asked is compared
    if urlsplit(origin).netloc.lower() == headers.get("host", "").lower() != "":
        return
    raise ApiError(
        "forbidden", f"pages from {origin[:100]!r} may not use this server; the setting allowed_origins names who may"
    )
