"""The only file that names numba: one decorator, its flags, and the cache folder by source digest.

Kernels are declared with their signature and compiled from that table, never from the arguments of a call, so that a
wrong
dtype or a strided array is a TypeError and not a second, silently different, version. Import stays cheap: nothing is
compiled before `compile_all()`.

The disk cache is off unless the environment variable `ORCA_CROWD_KERNEL_CACHE` names a folder. Numba's own cache
goes stale when a callee in another file changes, wants to write wherever it reads, and can crash when two processes
fill it, hence a sub-folder named by the sha256 of every kernel source, the compiler's version and its flags, filled
under a lock. Neither times nor places of files decide whether an entry is good, so a folder that was filled when an
image was built is good in every container. One that cannot be written is read all the same; whatever it does not hold
is compiled, and one warning line on stderr says so. `NUMBA_CPU_NAME` says which processors the machine code is for.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite
import numba
from llvmlite import ir
from numba.core import caching as numba_caching
from numba.core import cgutils as untyped_building
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array as untyped_array

__all__ = [
    "CACHE_VARIABLE",
    "cache_counts",
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
# partly typed, and by no version of numba the same
caching: Any = numba_caching

CACHE_VARIABLE = "ORCA_CROWD_KERNEL_CACHE"

# no fastmath (it reassociates and contracts), no parallel (aborts under two threads), numpy's error model (nothing
# raises inside; every denominator is guarded), nogil so that an event loop in the same process goes on
# no reference counts (_nrt): kernels allocate nothing and the caller holds every array; counting at each call between
# kernels, two atomic operations an array, took a tenth of a step
FLAGS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "fastmath": False, "_nrt": False}

_table: list[tuple[str, Any, tuple[str, ...]]] = []
# how many of the table are compiled
_compiled = 0


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


class _Folder(NamedTuple):
    """Where machine code is kept; `refusal` says why it cannot be written, None where it can."""

    path: Path
    refusal: str | None


def _prepare_cache() -> _Folder | None:
    """Return the folder for this digest if one was asked for and is of any use, else None."""
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
        refusal = error.strerror or type(error).__name__
        if os.access(folder, os.R_OK | os.X_OK):
            return _Folder(folder, refusal)
        _warn(f"no kernel cache: {folder} cannot be written ({refusal})")
        return None
    return _Folder(folder, None)


def _warn(text: str) -> None:
    """One line for the operator: not again from each worker that was started by a process which has said it."""
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        return
    print(f"orca-crowd: {text}", file=sys.stderr)  # noqa: T201


_cache = _prepare_cache()


@functools.cache
def _stamp(file: str) -> str:
    """Digest of a source file (sha256, hex): kernels of tests are not in the folder's name."""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


class _Place(caching._CacheLocator):  # type: ignore[misc]
    """Where the entries of one function lie. Numba's own places go by the time and the folder of its source file."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._line = function.__code__.co_firstlineno
        self._py_file = file

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Place:
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        assert _cache is not None
        return str(_cache.path)

    def get_source_stamp(self) -> str:
        return _stamp(self._py_file)

    def get_disambiguator(self) -> str:
        return str(self._line)

    def ensure_cache_path(self) -> None:
        """Numba would try to write here; whether one can has been tried once for all."""


class _Entries(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Place,)


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, in our folder, written only where that can be written."""

    _impl_class = _Entries

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            # damaged, by a disk that was full or a process that was killed: as good as not there, and out of the way
            if _cache is not None and _cache.refusal is None:
                with suppress(OSError):
                    self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        global _cache
        if _cache is None or _cache.refusal is not None:
            return
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _cache = _Folder(_cache.path, error.strerror or type(error).__name__)


def kernel(*signatures: str, inline: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a kernel with the signatures it may be called with, in numba's notation (`"f8(f8,f8[::1])"`).

    `inline` makes it part of its callers: an array is seven words, and handing over a dozen of them costs more than
    the work
    of a small kernel.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        dispatcher = numba.njit(forceinline=inline, **FLAGS)(function)
        if _cache is not None:
            dispatcher._cache = _Cache(function)
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
    if _cache is None or _cache.refusal is not None:
        yield
        return
    try:
        import fcntl
    except (
        ImportError
    ):  # pragma: no cover - a platform without it fills the cache unlocked, one process at a time by use
        yield
        return
    with (_cache.path / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def compile_all(progress: Callable[[int, int, str], None] | None = None) -> None:
    """Compile every declared kernel for its signatures and forbid any other; a second call does nothing more, except
    for kernels declared since: those of a planner are when it is imported, which may be after the first world.

    `progress(done, total, name)` is called before each kernel and once at the end with `done == total`.
    """
    global _compiled
    if _compiled < len(_table) and not settings.DISABLE_JIT:
        with _cache_lock():
            for done, (name, dispatcher, signatures) in enumerate(_table[_compiled:], _compiled):
                if progress is not None:
                    progress(done, len(_table), name)
                for signature in signatures:
                    dispatcher.compile(signature)
                dispatcher.disable_compile()
        from_cache, anew = cache_counts()
        if anew and _cache is not None and _cache.refusal is not None:
            _warn(
                f"no kernel cache: {anew} of {from_cache + anew} kernels are not in {_cache.path}, "
                f"which cannot be written ({_cache.refusal})"
            )
    _compiled = len(_table)
    if progress is not None:
        progress(len(_table), len(_table), "")


def compiled() -> bool:
    """Whether every kernel of this process is ready (true at once where compilation is switched off)."""
    return _compiled == len(_table)


def kernels() -> list[tuple[str, Any, tuple[str, ...]]]:
    """The table of (name, function, signatures) in order of declaration; callees come before their callers."""
    return list(_table)


def signature_counts() -> dict[str, int]:
    """How many versions of each kernel exist; constant once `compile_all` has run."""
    return {name: len(getattr(dispatcher, "signatures", ())) for name, dispatcher, _ in _table}


def cache_counts() -> tuple[int, int]:
    """How many versions of kernels came from the cache and how many were compiled, in this process so far."""
    hits = sum(sum(dispatcher._cache_hits.values()) for _, dispatcher, _ in _table if _cache is not None)
    made = sum(len(getattr(dispatcher, "signatures", ())) for _, dispatcher, _ in _table)
    return hits, made - hits
