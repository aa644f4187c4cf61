"""The package works on a machine without numpy, and brings neither the compiler nor the server's models along."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

CLIENT = Path(__file__).resolve().parents[3] / "clients" / "python"

# an importer that fails for the blocked packages, as a machine does that has them not
BLOCK = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
"""


def run(script: str, blocked: tuple[str, ...]) -> str:
    """Run a script in a fresh interpreter with these packages blocked; what it prints."""
    text = BLOCK.format(blocked=set(blocked)) + textwrap.dedent(script)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", text],
        capture_output=True,
        text=True,
        cwd=CLIENT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_without_numpy_columns_are_lists() -> None:
    printed = run(
        """
        import struct
        import httpx, msgpack
        from orca_crowd_client import Client

        def answer(request):
            asked = msgpack.unpackb(request.content) if request.content else None
            if asked is not None:
                assert asked["columns"]["position"] == struct.pack("<4d", 1, 2, 3, -0.0), asked
                body = {"ids": struct.pack("<2q", 0, 1), "step": 0, "warnings": []}
            else:
                body = {"step": 3, "time": 0.3, "ids": struct.pack("<2q", 0, 1),
                        "position": struct.pack("<4d", 1, 2, 3, -0.0), "radius": struct.pack("<2d", 0.5, 0.25),
                        "status": ["moving", "arrived"]}
            return httpx.Response(200, content=msgpack.packb(body), headers={"Content-Type": "application/msgpack"})

        with Client(transport=httpx.MockTransport(answer)) as client:
            world = client.world("w")
            print(world.add_agents(position=[(1, 2), (3, -0.0)]).ids)
            agents = world.agents(fields=["position", "radius", "status"])
            print(agents.position, agents.radius, agents.status)
        assert "numpy" not in sys.modules
        """,
        ("numpy",),
    )
    assert printed.splitlines() == [
        "array('q', [0, 1])",
        "[(1.0, 2.0), (3.0, -0.0)] array('d', [0.5, 0.25]) ['moving', 'arrived']",
    ]


def test_neither_the_compiler_nor_the_models_are_imported() -> None:
    unwanted = ("numba", "llvmlite", "pydantic", "pydantic_core", "fastapi", "shapely", "orca_core", "orca_crowd")
    printed = run(
        f"""
        import orca_crowd_client
        print(sorted(set(sys.modules) & set({unwanted!r})))
        """,
        (),
    )
    assert printed == "[]"
    # and it does not merely try them and go on
    run("import orca_crowd_client", unwanted)


def test_numpy_is_used_where_it_is_installed() -> None:
    printed = run(
        """
        from orca_crowd_client import columns
        print(type(columns.read_column("radius", bytes(16), 2)).__name__)
        """,
        (),
    )
    assert printed == "ndarray"
