"""A spectator: who is near the middle of a world, as they come and go, over every connection that breaks.

python watcher.py http://127.0.0.1:8000 plaza
"""

from __future__ import annotations

import asyncio
import sys

from orca_crowd_client import AsyncClient, Frame, WorldGone


async def watch(url: str, world: str) -> None:
    """Print each change until the world is deleted."""
    middle = {"kind": "circle", "center": (0, 0), "radius": 5}
    async with AsyncClient(url) as client, client.world(world).stream(precision="float32", interest=middle) as stream:
        async for item in stream:
            if not isinstance(item, Frame):
                print(f"step {item.step}: {item.kind} {list(item.ids)}")
            elif item.full or len(item.entered) or len(item.left):
                came, went = item.entered.tolist(), item.left.tolist()
                print(f"step {item.step}: {len(item)} in the middle, {came} came, {went} went")


async def main(url: str, world: str) -> None:
    """Watch, and say when there is nothing more to see."""
    try:
        await watch(url, world)
    except WorldGone as end:
        print(end)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
