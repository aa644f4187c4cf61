"""A map file sent to a running server."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import httpx

__all__ = ["KINDS", "Refused", "upload"]

# what a map may become
KINDS = ("walkable", "obstacles", "grid")
# where the key is: an argument would be seen by everybody who lists processes
KEY_VARIABLE = "ORCA_CROWD_API_KEY"

TYPES = {".map": "text/plain", ".geojson": "application/geo+json", ".json": "application/geo+json"}
SECONDS = 300.0


class Refused(Exception):
    """The upload did not happen; `exit_code` 2 where the input is wrong, 1 where something else is."""

    def __init__(self, message: str, exit_code: int) -> None:
        """Keep both."""
        super().__init__(message)
        self.exit_code = exit_code


def upload(file: Path, world: str, kind: str, cell_size: float | None, url: str) -> str:
    """Send the file; one line that says what came of it, or Refused."""
    media = TYPES.get(file.suffix.lower())
    if media is None:
        raise Refused(f"name the file .map, .geojson or .json, not {file.name}", 2)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise Refused(f"choose a file that can be read: {file}: {error.strerror}", 2) from None
    query: dict[str, str] = {"as": kind}
    if cell_size is not None:
        query["cell_size"] = repr(cell_size)
    headers = {"content-type": media, "accept": "application/json"}
    if key := os.environ.get(KEY_VARIABLE, "").strip():
        if not (key.isascii() and key.isprintable()):
            raise Refused(f"set {KEY_VARIABLE} to a key as orca-crowd keys create prints it", 2)
        headers["authorization"] = f"Bearer {key}"
    try:
        response = httpx.post(
            f"{url.rstrip('/')}/v1/worlds/{quote(world, safe='')}/map",
            params=query,
            content=data,
            headers=headers,
            timeout=SECONDS,
        )
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Refused(f"start the server or give its --url: {url} does not answer ({error})", 1) from None
    if response.status_code != 201:
        raise _refusal(file, response)
    answer = response.json()
    warned = "".join(f"\nwarning: {warning['message']}" for warning in answer["warnings"])
    made = {"walkable": f"{len(answer['ids'])} areas in", "obstacles": f"{len(answer['ids'])} obstacles in"}
    return f"{file.name}: {made.get(kind, 'the grid map of')} world {world}{warned}"


def _refusal(file: Path, response: httpx.Response) -> Refused:
    """What the server said, its first fault in full."""
    try:
        problem = response.json()
        detail = str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        detail = f"HTTP {response.status_code}"
    if response.status_code in (401, 403):
        return Refused(f"set {KEY_VARIABLE} to a key that may control this world: {detail}", 2)
    return Refused(f"mend {file.name} or the request: {detail}", 2 if response.status_code < 500 else 1)
