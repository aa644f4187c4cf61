"""`python -m tests.support.exchanges --write` writes clients/conformance anew; without it, says what is stale."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.support.exchanges.answers import answers
from tests.support.exchanges.calls import calls
from tests.support.exchanges.exchange import dumps
from tests.support.exchanges.orders import orders, refused_orders
from tests.support.exchanges.streams import frames, streams
from tests.support.imports import ROOT

__all__ = ["FOLDER", "files"]

FOLDER = ROOT / "clients" / "conformance"


async def files() -> dict[str, str]:
    """Name of each file to its text."""
    made = {
        "to-server.json": [exchange.map() for exchange in (*orders(), *refused_orders())],
        "from-server.json": [exchange.map() for exchange in (*await answers(), *frames())],
        "rest.json": [exchange.map() for exchange in await calls()],
        "streams.json": streams(),
    }
    return {name: dumps(entries) for name, entries in made.items()}


def stale(made: dict[str, str]) -> list[Path]:
    """Files that are not there, or say something else."""
    paths = {FOLDER / name: text for name, text in made.items()}
    return [path for path, text in paths.items() if not path.exists() or path.read_text(encoding="utf-8") != text]


def main() -> int:
    """0 where everything is up to date or has been written."""
    made = asyncio.run(files())
    if "--write" in sys.argv[1:]:
        FOLDER.mkdir(exist_ok=True)
        for name, text in made.items():
            (FOLDER / name).write_text(text, encoding="utf-8")
        return 0
    for path in stale(made):
        print(f"{path.relative_to(ROOT)} is stale: python -m tests.support.exchanges --write", file=sys.stderr)
    return 1 if stale(made) else 0


if __name__ == "__main__":
    sys.exit(main())
