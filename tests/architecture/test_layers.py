"""Who may import whom: the table of the design, held against the syntax trees of every source."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.support.imports import ROOT, Import, Module, find_cycle, imports_of, modules, parse

# from the top down; a module imports from the layers below its own, and from its own part
CORE_LAYERS: tuple[tuple[str, ...], ...] = (
    ("conformance",),
    ("simulation",),
    ("cooperative",),
    ("mapf", "guidance"),
    ("world",),
    ("explain", "surroundings", "snapshot"),
    ("reach", "notices", "caught"),
    ("guides",),
    ("witness",),
    ("solver", "population"),
    ("stage",),
    ("movement",),
    ("statics", "scratch", "yielding"),
    ("geometry", "formats", "state", "identifiers", "report", "digest"),
    ("columns",),
    ("options", "tree", "arrays", "agent_columns", "cooperation", "level_of_detail", "heading"),
    ("warmup",),
    ("kernels",),
    ("_jit", "errors"),
)
SERVICE_LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__",),
    ("commands",),
    ("sweeping",),
    ("solving",),
    ("bench", "running"),
    ("hosting",),
    ("app",),
    ("api", "streaming"),
    ("cluster",),
    ("worlds",),
    ("scenes", "engine", "journal", "keys"),
    ("protocol", "settings", "errors", "clock", "metrics", "logs", "tracing", "garbage"),
    ("processors",),
)

# what each outside library is kept to: prefixes of modules; everything not named here is open to the whole service
CONFINED: dict[str, tuple[str, ...]] = {
    "numba": ("orca_core._jit",),
    "llvmlite": ("orca_core._jit",),
    "shapely": ("orca_core.geometry", "orca_core.formats"),
    "fastapi": ("orca_crowd.app", "orca_crowd.api", "orca_crowd.streaming"),
    "starlette": ("orca_crowd.app", "orca_crowd.api", "orca_crowd.streaming"),
    "multiprocessing": ("orca_crowd.engine",),
    "ray": ("orca_crowd.engine",),
    "fsspec": ("orca_crowd.journal.store",),
    "opentelemetry": ("orca_crowd.tracing",),
}
# one injected clock in the server; the client has its own, and a command or a benchmark times what it ran
CLOCKS = ("orca_crowd.clock", "orca_crowd.commands", "orca_crowd.bench", "orca_crowd_client")
CORE_NEVER = frozenset(
    {
        *("orca_crowd", "orca_crowd_client", "fastapi", "starlette", "pydantic"),
        *("asyncio", "multiprocessing", "time", "random"),
    }
)
CORE_OUTSIDE = frozenset({"numpy", "numba", "llvmlite", "shapely"})
CLIENT_OUTSIDE = frozenset({"httpx", "websockets", "msgpack", "numpy"})

CORE = modules(ROOT / "orca_core", "orca_core")
SERVICE = modules(ROOT / "service" / "orca_crowd", "orca_crowd")
CLIENT = modules(ROOT / "clients" / "python" / "orca_crowd_client", "orca_crowd_client")
EVERYTHING = CORE + SERVICE + CLIENT
KNOWN = frozenset(module.name for module in EVERYTHING)


def part_of(name: str) -> str:
    """The part of its package that a module belongs to: `orca_core.kernels.step` is of `kernels`."""
    return name.split(".")[1] if "." in name else ""


def layer_of(part: str, layers: tuple[tuple[str, ...], ...]) -> int | None:
    """Number of the layer, from the top; None for a part that the table does not name."""
    return next((number for number, parts in enumerate(layers) if part in parts), None)


def upward(module: Module, imported: Import, layers: tuple[tuple[str, ...], ...]) -> str | None:
    """Say what is wrong with an import inside one package, or None."""
    here, there = part_of(module.name), part_of(imported.target)
    # the name of a type in an annotation binds nothing at run time: the World may be handed to what it uses
    if here == there or "" in (here, there) or imported.typing_only:
        return None
    own, other = layer_of(here, layers), layer_of(there, layers)
    if own is None or other is None:
        missing = here if own is None else there
        return f"{module.name}:{imported.line} {missing} is in no layer of the table"
    # parts that share a layer may use each other as long as no circle forms, which a test of its own looks for
    if other < own:
        return f"{module.name}:{imported.line} imports {imported.target}, which stands above it"
    return None


def outside(imported: Import) -> str | None:
    """Top-level name of an imported library that is neither Python's own nor ours."""
    top = imported.target.split(".")[0]
    return None if top in sys.stdlib_module_names or top in ("", "__future__") else top


@pytest.mark.parametrize(
    ("package", "members", "layers"),
    [("orca_core", CORE, CORE_LAYERS), ("orca_crowd", SERVICE, SERVICE_LAYERS)],
    ids=["orca_core", "orca_crowd"],
)
def test_imports_point_downwards(package: str, members: list[Module], layers: tuple[tuple[str, ...], ...]) -> None:
    assert members, f"no sources of {package} found"
    wrong = []
    for module in members:
        for imported in imports_of(module, KNOWN):
            if imported.target.split(".")[0] == package:
                fault = upward(module, imported, layers)
                if fault is not None:
                    wrong.append(fault)
    assert wrong == []


def test_every_part_has_a_layer() -> None:
    homeless = [
        module.name
        for members, layers in ((CORE, CORE_LAYERS), (SERVICE, SERVICE_LAYERS))
        for module in members
        if part_of(module.name) and layer_of(part_of(module.name), layers) is None
    ]
    assert homeless == []


def test_no_circle_of_imports() -> None:
    graph = {
        module.name: {i.target for i in imports_of(module, KNOWN) if not i.typing_only} & KNOWN - {module.name}
        for module in EVERYTHING
    }
    assert find_cycle(graph) == []


def test_the_library_knows_neither_web_nor_clock_nor_chance() -> None:
    wrong = [
        f"{module.name}:{imported.line} imports {imported.target}"
        for module in CORE
        for imported in imports_of(module, KNOWN)
        if imported.target.split(".")[0] in CORE_NEVER
    ]
    assert wrong == []


def test_the_library_stands_on_numpy_numba_and_shapely_alone() -> None:
    used = {outside(imported) for module in CORE for imported in imports_of(module, KNOWN)}
    assert used <= CORE_OUTSIDE | {None, "orca_core"}


def test_libraries_stay_where_they_belong() -> None:
    wrong = []
    for module in EVERYTHING:
        for imported in imports_of(module, KNOWN):
            allowed = CONFINED.get(imported.target.split(".")[0])
            if allowed is not None and not any(module.name == at or module.name.startswith(at + ".") for at in allowed):
                wrong.append(f"{module.name}:{imported.line} imports {imported.target}, which belongs in {allowed}")
    assert wrong == []


def clock_readings(tree: ast.Module) -> list[int]:
    """Lines that take from the module `time` or `datetime` anything but a sleep."""
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in ("time", "datetime") and node.attr != "sleep":
                lines.append(node.lineno)
        elif isinstance(node, ast.ImportFrom) and node.module in ("time", "datetime"):
            if [alias.name for alias in node.names] != ["sleep"]:
                lines.append(node.lineno)
        elif isinstance(node, ast.Import) and any(alias.asname and alias.name == "time" for alias in node.names):
            lines.append(node.lineno)
    return lines


def test_one_clock_is_read() -> None:
    found = {
        module.name: clock_readings(parse(module))
        for module in EVERYTHING
        if not any(module.name == at or module.name.startswith(at + ".") for at in CLOCKS)
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_the_client_knows_only_the_wire() -> None:
    used = {outside(imported) for module in CLIENT for imported in imports_of(module, KNOWN)}
    assert used <= CLIENT_OUTSIDE | {None, "orca_crowd_client"}


def test_one_file_names_numba() -> None:
    naming = [
        module.name
        for module in EVERYTHING
        if any(imported.target.split(".")[0] in ("numba", "llvmlite") for imported in imports_of(module, KNOWN))
    ]
    assert naming == ["orca_core._jit"]


# The checks above say nothing unless they can fail: each kind of import, in a file written for the purpose.


def written(tmp_path: Path, text: str) -> Module:
    path = tmp_path / "state.py"
    path.write_text(text, encoding="utf-8")
    return Module("orca_core.state", path, package=False)


@pytest.mark.parametrize(
    "text",
    [
        "from orca_core.world import World",
        "from orca_core import world",
        "import orca_core.world",
        "from . import world",
        "from .world import World",
        "def later():\n    from orca_core.world import World",
        "import importlib\nimportlib.import_module('orca_core.world')",
    ],
)
def test_an_upward_import_is_found(tmp_path: Path, text: str) -> None:
    module = written(tmp_path, text)
    known = frozenset({"orca_core.world", "orca_core.state"})
    targets = [imported for imported in imports_of(module, known) if imported.target == "orca_core.world"]
    assert len(targets) == 1
    assert upward(module, targets[0], CORE_LAYERS) is not None


@pytest.mark.parametrize(
    "text",
    ["import time\ntime.monotonic()", "from time import time", "import time as t", "from datetime import datetime"],
)
def test_a_reading_of_another_clock_is_found(text: str) -> None:
    assert clock_readings(ast.parse(text)) != []
    assert clock_readings(ast.parse("import time\ntime.sleep(0)")) == []


def test_a_downward_import_is_not(tmp_path: Path) -> None:
    module = written(tmp_path, "from orca_core.errors import OrcaError")
    assert [upward(module, imported, CORE_LAYERS) for imported in imports_of(module, KNOWN)] == [None]


def test_an_annotation_is_not(tmp_path: Path) -> None:
    module = written(tmp_path, "if TYPE_CHECKING:\n    from orca_core.world import World")
    assert [upward(module, imported, CORE_LAYERS) for imported in imports_of(module, KNOWN)] == [None]


def test_a_circle_is_found() -> None:
    assert find_cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "b", "c", "a"]
