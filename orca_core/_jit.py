"""The only file that names numba: one decorator, its flags, and the cache folder by source digest.

Kernels are declared with their signature and compiled from that table, never from the arguments of a call, so that a
wrong
dtype or a strided array is a TypeError and not a second, silently different, version. Import stays cheap: nothing is
compiled before `compile_all()`.

The disk cache is off unless the environment variable `ORCA_CROWD_KERNEL_CACHE` names a folder. Numba's own cache
goes stale when
a callee in another file changes and can crash when two processes fill it, hence a sub-folder named by the sha256 of
every kernel source, the compiler's version and its flags, filled under a lock. If the folder cannot be used there is
no cache, and one warning line on stderr says so.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite import ir
from numba.core import cgutils as untyped_building
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array as untyped_array

__all__ = [
    "CACHE_VARIABLE",
    "compile_all",
    "compiled",
    "kernel",
    "kernel_digest",
    "kernels",
    "prefetch",
    "signature_counts",
]

# numba fills this module from the environment when it is imported, which type checkers cannot see
settings: Any = numba.config
building: Any = untyped_building
make_array: Any = untyped_array

CACHE_VARIABLE = "ORCA_CROWD_KERNEL_CACHE"

# no fastmath (it reassociates and contracts), no parallel (aborts under two threads), numpy's error model (nothing
# raises inside; every denominator is guarded), nogil so that an event loop in the same process goes on
# no reference counts (_nrt): kernels allocate nothing and the caller holds every array; counting at each call between
# kernels, two atomic operations an array, took a tenth of a step
FLAGS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "fastmath": False, "_nrt": False}

_table: list[tuple[str, Any, tuple[str, ...]]] = []
_compiled = False


def kernel_digest() -> str:
    """Digest of the kernels' sources (sha256, hex): two servers that show the same compute the same bits."""
    digest = hashlib.sha256()
    for source in [*sorted((Path(__file__).parent / "kernels").glob("*.py")), Path(__file__)]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()


def _cache_key() -> str:
    """Digest of everything that decides the machine code: kernel sources, compiler versions and flags (sha256, hex)."""
    parts = [kernel_digest(), numba.__version__, llvmlite.__version__, sys.version, repr(sorted(FLAGS.items()))]
    parts += [
        f"{name}={os.environ.get(name, '')}"
        for name in ("NUMBA_OPT", "NUMBA_BOUNDSCHECK", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _prepare_cache() -> Path | None:
    """Return the folder for this digest if one was asked for and can be written, else None."""
    asked = os.environ.get(CACHE_VARIABLE, "")
    if not asked or settings.DISABLE_JIT:
        return None
    folder = Path(asked) / _cache_key()[:32]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        print(f"orca-crowd: no kernel cache: {folder} cannot be written ({error.strerror})", file=sys.stderr)  # noqa: T201
        return None
    settings.CACHE_DIR = str(folder)
    return folder


_cache = _prepare_cache()


def kernel(*signatures: str, inline: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a kernel with the signatures it may be called with, in numba's notation (`"f8(f8,f8[::1])"`).

    `inline` makes it part of its callers: an array is seven words, and handing over a dozen of them costs more than
    the work
    of a small kernel.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        dispatcher = numba.njit(cache=_cache is not None, forceinline=inline, **FLAGS)(function)
        _table.append((f"{function.__module__.rpartition('.')[2]}.{function.__name__}", dispatcher, signatures))
        return dispatcher  # type: ignore[no-any-return]

    return declare


@intrinsic
def _fetch(typing: Any, array: Any, row: Any) -> Any:
    """Ask for the cache line in which `array[row]` begins, for reading and writing; reads nothing, decides nothing."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind, whole = signature.args[0], make_array(signature.args[0])(context, builder, values[0])
        indices = [values[1]] + [context.get_constant(types.intp, 0)] * (kind.ndim - 1)
        where = building.get_item_pointer(context, builder, kind, whole, indices, wraparound=False)
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        hint = building.get_or_insert_function(
            builder.module, ir.FunctionType(ir.VoidType(), [byte, word, word, word]), "llvm.prefetch.p0"
        )
        builder.call(hint, [builder.bitcast(where, byte), word(1), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, row), generate


def _ignore(array: Any, row: int) -> None:
    """Nothing: interpreted, a hint to the caches costs more than it saves."""


# `prefetch(array, row)`: where agents near in space are anywhere in index order every row is a cache line that no
# machine foresees, and a hint some rows ahead takes a quarter off a step of 100,000 agents. It reads and decides
# nothing, so a row that is not there does no harm
prefetch: Any = _ignore if settings.DISABLE_JIT else _fetch


@contextmanager
def _cache_lock() -> Iterator[None]:
    """Hold the cache for one process at a time while it may be filled; readers of a full cache do not wait long."""
    if _cache is None:
        yield
        return
    try:
        import fcntl
    except (
        ImportError
    ):  # pragma: no cover - a platform without it fills the cache unlocked, one process at a time by use
        yield
        return
    with (_cache / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def compile_all(progress: Callable[[int, int, str], None] | None = None) -> None:
    """Compile every declared kernel for its signatures and forbid any other; a second call does nothing.

    `progress(done, total, name)` is called before each kernel and once at the end with `done == total`.
    """
    global _compiled
    if not _compiled and not settings.DISABLE_JIT:
        with _cache_lock():
            for done, (name, dispatcher, signatures) in enumerate(_table):
                if progress is not None:
                    progress(done, len(_table), name)
                for signature in signatures:
                    dispatcher.compile(signature)
                dispatcher.disable_compile()
    _compiled = True
    if progress is not None:
        progress(len(_table), len(_table), "")


def compiled() -> bool:
    """Whether every kernel of this process is ready (true at once where compilation is switched off)."""
    return _compiled


def kernels() -> list[tuple[str, Any, tuple[str, ...]]]:
    """The table of (name, function, signatures) in order of declaration; callees come before their callers."""
    return list(_table)


def signature_counts() -> dict[str, int]:
    """How many versions of each kernel exist; constant once `compile_all` has run."""
    return {name: len(getattr(dispatcher, "signatures", ())) for name, dispatcher, _ in _table}
