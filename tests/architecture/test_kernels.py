"""Kernels are declared one way: in `orca_core/kernels`, with `@kernel`, signatures and the flags of `_jit.py`."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from orca_core import _jit
from tests.support.imports import ROOT, Module, imports_of, modules

KERNELS = modules(ROOT / "orca_core" / "kernels", "orca_core.kernels")
KNOWN = frozenset(module.name for module in KERNELS)

# whatever reassociates, contracts, ignores NaN, runs in threads or falls back to Python objects
FORBIDDEN_OPTIONS = ("fastmath", "parallel", "forceobj", "looplift", "debug", "boundscheck")

compiled_only = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"), reason="with the compiler off nothing is compiled"
)


def undeclared(tree: ast.Module) -> list[str]:
    """What a module of kernels holds beside functions declared with `@kernel` and a signature in plain text."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.Lambda | ast.AsyncFunctionDef):
            found.append(f"line {node.lineno}: a {type(node).__name__} among kernels")
        if isinstance(node, ast.FunctionDef):
            decorators = node.decorator_list
            if len(decorators) != 1 or not declares(decorators[0]):
                found.append(f"line {node.lineno}: {node.name} is not declared with @kernel(signature, …)")
    return found


def declares(decorator: ast.expr) -> bool:
    """Whether a decorator is `kernel("signature", …)`, perhaps with `inline`."""
    return (
        isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Name)
        and decorator.func.id == "kernel"
        and all(option.arg == "inline" for option in decorator.keywords)
        and len(decorator.args) > 0
        and all(isinstance(argument, ast.Constant) and isinstance(argument.value, str) for argument in decorator.args)
    )


def flaws(options: dict[str, object]) -> list[str]:
    """What is wrong with the options of a compiled kernel."""
    wrong = [f"{name}={options[name]!r}" for name in FORBIDDEN_OPTIONS if options.get(name)]
    if options.get("error_model") != "numpy":
        wrong.append("error_model is not numpy")
    if options.get("nogil") is not True:
        wrong.append("nogil is off")
    return wrong


@pytest.mark.parametrize("module", KERNELS, ids=lambda module: module.name)
def test_every_function_is_declared_with_its_signatures(module: Module) -> None:
    assert undeclared(ast.parse(module.path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("module", KERNELS, ids=lambda module: module.name)
def test_kernels_stand_on_numpy_math_and_other_kernels(module: Module) -> None:
    allowed = KNOWN | {"__future__", "math", "numpy", "orca_core._jit"}
    assert [imported for imported in imports_of(module, KNOWN) if imported.target not in allowed] == []


def test_kernels_take_nothing_from_jit_but_the_decorator_and_a_hint_that_decides_nothing() -> None:
    taken = {
        alias.name
        for module in KERNELS
        for node in ast.walk(ast.parse(module.path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "orca_core._jit"
        for alias in node.names
    }
    assert taken == {"kernel", "prefetch"}


def test_the_table_holds_every_kernel_once() -> None:
    written = set()
    for module in KERNELS:
        importlib.import_module(module.name)
        tree = ast.parse(module.path.read_text(encoding="utf-8"))
        stem = module.name.rpartition(".")[2]
        written |= {f"{stem}.{node.name}" for node in tree.body if isinstance(node, ast.FunctionDef)}
    # tests may declare kernels of their own, as controls; their modules are named test_…
    names = [name for name, _, _ in _jit.kernels() if not name.startswith("test_")]
    assert len(names) == len(set(names))
    assert set(names) == written


def test_the_warm_up_declares_every_kernel() -> None:
    # in a process of its own, where nothing else has imported a kernel
    command = "import orca_core.warmup; from orca_core._jit import kernels; print(*(name for name, _, _ in kernels()))"
    done = subprocess.run([sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {name for name, _, _ in _jit.kernels() if not name.startswith("test_")}


@compiled_only
def test_importing_compiles_nothing() -> None:
    # a server has to answer before its kernels are ready, and a library has to be quick to import
    command = "import orca_crowd.app; from orca_core._jit import *; print(compiled(), sum(signature_counts().values()))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "service")])}
    environment.pop("ORCA_CROWD_KERNEL_CACHE", None)
    done = subprocess.run([sys.executable, "-c", command], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "0"]


def test_nothing_outside_the_folder_declares_a_kernel() -> None:
    outside = [
        module.name
        for module in modules(ROOT / "orca_core", "orca_core") + modules(ROOT / "service" / "orca_crowd", "orca_crowd")
        if module.name not in KNOWN and module.name != "orca_core._jit"
        for node in ast.walk(ast.parse(module.path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "orca_core._jit"
        for alias in node.names
        if alias.name == "kernel"
    ]
    assert outside == []


@compiled_only
def test_flags_neither_reassociate_nor_contract_nor_thread() -> None:
    found = {name: flaws(dispatcher.targetoptions) for name, dispatcher, _ in _jit.kernels()}
    assert len(found) > 10
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@compiled_only
def test_each_kernel_has_exactly_its_declared_versions() -> None:
    assert _jit.signature_counts() == {name: len(signatures) for name, _, signatures in _jit.kernels()}


@compiled_only
def test_no_kernel_compiles_another_version() -> None:
    assert [name for name, dispatcher, _ in _jit.kernels() if dispatcher._can_compile] == []


# The checks above fail where they should.


@pytest.mark.parametrize(
    "text",
    [
        "def plain(x):\n    return x",
        "@kernel\ndef bare(x):\n    return x",
        "@kernel()\ndef without_signature(x):\n    return x",
        "@kernel(SIGNATURE)\ndef signature_elsewhere(x):\n    return x",
        "@njit('f8(f8)')\ndef other(x):\n    return x",
        "@kernel('f8(f8)')\ndef outer(x):\n    def inner(y):\n        return y\n    return inner(x)",
        "class Kernel:\n    pass",
        "square = lambda x: x * x",
    ],
)
def test_a_function_declared_another_way_is_found(text: str) -> None:
    assert undeclared(ast.parse(text)) != []


@pytest.mark.parametrize(
    "options",
    [
        {"error_model": "numpy", "nogil": True, "fastmath": True},
        {"error_model": "numpy", "nogil": True, "fastmath": {"contract"}},
        {"error_model": "numpy", "nogil": True, "parallel": True},
        {"error_model": "python", "nogil": True},
        {"nogil": True},
        {"error_model": "numpy"},
    ],
)
def test_a_bad_flag_is_found(options: dict[str, object]) -> None:
    assert flaws(options) != []


def test_the_cache_follows_every_byte_of_every_source(tmp_path: Path) -> None:
    # a copy of the package without anything compiled, since the digest reads the folder that its own file lies in
    copy = tmp_path / "orca_core"
    shutil.copytree(ROOT / "orca_core", copy, ignore=shutil.ignore_patterns("__pycache__"))
    spec = importlib.util.spec_from_file_location("copied_jit", copy / "_jit.py")
    assert spec is not None
    assert spec.loader is not None
    copied = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copied)
    digests = {copied.kernel_digest()}
    assert digests == {_jit.kernel_digest()}
    changed = [*sorted((copy / "kernels").rglob("*.py")), copy / "_jit.py"]
    for path in changed:
        path.write_bytes(path.read_bytes() + b"\n")
        digests.add(copied.kernel_digest())
    assert len(digests) == len(changed) + 1
