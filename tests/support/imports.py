"""Reads who imports whom out of the syntax trees, without importing anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Import", "Module", "find_cycle", "imports_of", "modules", "parse"]

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name, where it stands, and whether it is the `__init__` of a package."""

    name: str
    path: Path
    package: bool


@dataclass(frozen=True)
class Import:
    """One imported module: its full dotted name (as deep as it is a module), its line, if for a checker only."""

    target: str
    line: int
    typing_only: bool = False


def modules(folder: Path, package: str) -> list[Module]:
    """Every module of `package`, whose sources lie in `folder`."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        found.append(Module(".".join((package, *(parts[:-1] if is_package else parts))), path, is_package))
    return found


def parse(module: Module) -> ast.Module:
    """Syntax tree of a module."""
    return ast.parse(module.path.read_text(encoding="utf-8"), str(module.path))


def imports_of(module: Module, known: frozenset[str] = frozenset()) -> Iterator[Import]:
    """Every import of the module, inside functions and under TYPE_CHECKING too (which are marked).

    `from package import name` counts as `package.name` where that is a module among `known`, else as `package`.
    """
    tree = parse(module)
    typing_only = {id(inner) for node in ast.walk(tree) if _asks_type_checking(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        only = id(node) in typing_only
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, only)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, node)
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield Import(full if full in known else base, node.lineno, only)
        elif isinstance(node, ast.Call) and _is_dynamic_import(node.func) and node.args:
            argument = node.args[0]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield Import(argument.value, node.lineno, only)


def _asks_type_checking(node: ast.AST) -> bool:
    """Whether a statement is `if TYPE_CHECKING:` without an else."""
    if not isinstance(node, ast.If) or node.orelse:
        return False
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    """Resolve the dots of a relative import."""
    if node.level == 0:
        return node.module or ""
    parts = module.name.split(".")
    parts = parts[: len(parts) - node.level + (1 if module.package else 0)]
    return ".".join([*parts, node.module] if node.module else parts)


def _is_dynamic_import(function: ast.expr) -> bool:
    """Whether a call is `__import__(…)` or `importlib.import_module(…)`."""
    if isinstance(function, ast.Name):
        return function.id in ("__import__", "import_module")
    return isinstance(function, ast.Attribute) and function.attr == "import_module"


def find_cycle(graph: dict[str, set[str]]) -> list[str]:
    """A cycle of the graph as a list that ends where it began, or an empty list."""
    done: set[str] = set()

    def visit(node: str, trail: list[str]) -> list[str]:
        if node in trail:
            return [*trail[trail.index(node) :], node]
        if node in done:
            return []
        for target in sorted(graph.get(node, ())):
            found = visit(target, [*trail, node])
            if found:
                return found
        done.add(node)
        return []

    for start in sorted(graph):
        found = visit(start, [])
        if found:
            return found
    return []
