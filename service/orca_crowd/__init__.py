"""orca-crowd, the server: worlds of agents over REST and WebSocket. Nothing happens at import."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

__all__ = ["__version__"]

try:
    __version__ = version("orca-crowd")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"
