"""Compiles every kernel afresh and reads the machine code: for this machine, and for others from the same LLVM code.

Run as a program (`python -m tests.support.machine_code`) it prints one JSON object of findings, since compiling needs
a process without the disk cache: numba shows no code for a kernel that it loaded from disk.

`--few` and `--all` take the code as numba hands it to LLVM (`NUMBA_OPT=0`), run LLVM's own -O3 pipeline for this
machine and for a few or all others, and read the assembly, which is what numba does on such a machine. `--made` reads
what numba itself has made for this machine, which needs every kernel compiled once more.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = [
    "FEW_TARGETS",
    "TARGETS",
    "Target",
    "assembly_for",
    "fused_instructions",
    "inexact_calls",
    "loose_flags",
    "optimised_for",
    "this_machine",
    "versions",
]


@dataclass(frozen=True)
class Target:
    """A machine to emit assembly for; `fused` matches its fused and approximate instructions.

    `features` are what it has beside those of its kind, in LLVM's notation.
    """

    triple: str
    cpu: str
    fused: re.Pattern[str]
    features: str = ""

    @property
    def name(self) -> str:
        """What it is called in a report."""
        return f"{self.triple.partition('-')[0]} {self.cpu}"


# vfmadd231sd, vfnmsub…, vfmaddsub…, and the approximate reciprocals that reassociation would bring
X86_FUSED = re.compile(r"\b(v?fn?m(?:add|sub)\w*|v?rcp\w+|v?rsqrt\w+)\b")
# fmadd, fnmsub, fmla (NEON), fmad, fnmls, fmsb (SVE), fcmla, and the approximate frecpe, frsqrte
ARM_FUSED = re.compile(r"\b(fn?m(?:add|sub|la|ls|ad|sb)\w*|fcmla|frecp[esx]|frsqrt[es])\b")

# each has fused instructions, so that it would use them if it might; generic arm64 has them since its first version
TARGETS = (
    Target("x86_64-unknown-linux-gnu", "x86-64-v3", X86_FUSED),
    Target("x86_64-unknown-linux-gnu", "x86-64-v4", X86_FUSED),
    Target("aarch64-unknown-linux-gnu", "generic", ARM_FUSED),
    Target("aarch64-unknown-linux-gnu", "neoverse-n1", ARM_FUSED),
    Target("aarch64-unknown-linux-gnu", "neoverse-v1", ARM_FUSED),
    Target("arm64-apple-macosx", "apple-m1", ARM_FUSED),
)

# one of each kind, for a run that is to be short: what LLVM may fuse does not depend on the processor any further
FEW_TARGETS = (TARGETS[0], TARGETS[2])

# functions to a float that are exact or correctly rounded on every machine, or unpack an argument of Python
EXACT_CALLS = re.compile(
    r"(llvm\.)?(sqrt|floor|ceil|trunc|fabs|copysign|m(in|ax)(num|imum))(\.[vf]\w+)?|PyFloat_AsDouble"
)


def fused_instructions(assembly: str, pattern: re.Pattern[str]) -> list[str]:
    """Fused and approximate instructions in the assembly, and calls of the library's `fma`."""
    found = set()
    for line in assembly.splitlines():
        text = line.split("#")[0].split("//")[0].strip()
        if not text or text.startswith((".", ";")) or text.endswith(":"):
            continue
        found.update(pattern.findall(text.split(None, 1)[0]))
        if re.search(r"\b(callq?|bl|jmp|b)\s+_?fmaf?\b", text):
            found.add("call of fma")
    return sorted(found)


def loose_flags(code: str) -> list[str]:
    """Permissions in LLVM code to contract, reassociate or approximate, and its own fused operations."""
    operation = re.compile(r"= (?:tail |notail )?(?:f(?:add|sub|mul|div|rem|neg|cmp)|call|select|phi) ([a-z ]*)")
    loose = {"fast", "contract", "reassoc", "arcp", "afn", "nnan", "ninf", "nsz"}
    found = set()
    for match in operation.finditer(code):
        found.update(set(match.group(1).split()) & loose)
    found.update(re.findall(r"@(llvm\.fma\.\w+|llvm\.fmuladd\.\w+|llvm\.vector\.reduce\.f\w+)", code))
    return sorted(found)


def inexact_calls(code: str) -> list[str]:
    """Functions from float to float declared in LLVM code that a platform's library answers in its own way."""
    declared = re.findall(r"^declare [^\n]*\b(?:double|float|<[^>]*double>) @([\w.]+)\(", code, re.MULTILINE)
    return sorted({name for name in declared if not EXACT_CALLS.fullmatch(name)})


def this_machine() -> Target:
    """This one, with all that it has."""
    import llvmlite.binding as llvm

    pattern = ARM_FUSED if platform.machine() in ("aarch64", "arm64") else X86_FUSED
    features = llvm.get_host_cpu_features().flatten()
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), pattern, features)


def optimised_for(code: str, target: Target) -> tuple[str, str]:
    """LLVM code after LLVM's -O3 pipeline for a machine, and the assembly of it."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    found = llvm.Target.from_triple(target.triple)
    machine = found.create_target_machine(cpu=target.cpu, features=target.features, opt=3, reloc="pic")
    # the code says for which machine it was made; what is left is the same for all
    code = re.sub(r"^target (triple|datalayout) = .*$", "", code, flags=re.MULTILINE)
    module = llvm.parse_assembly(code)
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = True
    tuning.slp_vectorization = True
    tuning.loop_unrolling = True
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    return str(module), str(machine.emit_assembly(module))


def assembly_for(code: str, target: Target) -> str:
    """Assembly of LLVM code for a machine, through LLVM's -O3 pipeline for that machine."""
    return optimised_for(code, target)[1]


def kernels_compiled() -> dict[str, Any]:
    """Import every kernel and compile it here, by name (callees before callers)."""
    import importlib
    import pkgutil

    from orca_core import _jit, kernels

    for found in pkgutil.iter_modules(kernels.__path__, kernels.__name__ + "."):
        importlib.import_module(found.name)
    _jit.compile_all()
    return {name: dispatcher for name, dispatcher, _ in _jit.kernels()}


def versions(dispatcher: Any) -> Iterator[tuple[str, str, str]]:
    """(name in the machine code, LLVM code, assembly for this machine) of each compiled version of a kernel."""
    for signature in dispatcher.signatures:
        symbol = dispatcher.overloads[signature].fndesc.mangled_name
        yield symbol, dispatcher.inspect_llvm(signature), dispatcher.inspect_asm(signature)


def read_what_was_made() -> dict[str, Any]:
    """What numba made for this machine: kernels read, and by kind of finding which kernel has what."""
    pattern = this_machine().fused
    report: dict[str, Any] = {"kernels": 0, "fused": {}, "flags": {}, "calls": {}}
    for name, dispatcher in kernels_compiled().items():
        for symbol, code, assembly in versions(dispatcher):
            # a kernel from the disk cache has no code to show, and would pass unread
            if symbol not in code or symbol not in assembly:
                raise RuntimeError(f"there is no machine code of {name} to read")
            report["kernels"] += 1
            report["fused"].setdefault(name, []).extend(fused_instructions(assembly, pattern))
            report["flags"].setdefault(name, []).extend(loose_flags(code))
            report["calls"].setdefault(name, []).extend(inexact_calls(code))
    return _without_empty(report)


def read_for_machines(others: tuple[Target, ...]) -> dict[str, Any]:
    """What is found for this machine ("this", in LLVM code too) and for others, by the name of each.

    Multiplications are counted to show that there was arithmetic to read. `scene` is what a scene comes to with kernels
    that were not optimised, since here they are compiled so.
    """
    from tests.determinism.scene import everything

    compiled = [version for dispatcher in kernels_compiled().values() for version in versions(dispatcher)]
    for symbol, code, _ in compiled:
        if symbol not in code:
            raise RuntimeError(f"there is no code of {symbol} to read")
    # the code of a kernel holds that of every kernel it calls, so the outermost ones are all there is to read
    outermost = [
        code
        for symbol, code, _ in compiled
        if not any(other != symbol and _defines(text, symbol) for other, text, _ in compiled)
    ]
    # permissions before LLVM acts upon them, and calls, which it may make of others
    flags = {flag for _, code, _ in compiled for flag in loose_flags(code)}
    calls: set[str] = set()
    report: dict[str, Any] = {"kernels": len(compiled), "read": len(outermost), "fused": {}, "multiplications": {}}
    for name, target in {"this": this_machine(), **{target.name: target for target in others}}.items():
        found, count = set(), 0
        for code in outermost:
            optimised, assembly = optimised_for(code, target)
            found.update(fused_instructions(assembly, target.fused))
            count += len(re.findall(r"^\s+(?:fmul|v?mulsd|v?mulpd)\b", assembly, re.MULTILINE))
            if name == "this":
                flags.update(loose_flags(optimised))
                calls.update(inexact_calls(optimised))
        report["fused"][name] = sorted(found)
        report["multiplications"][name] = count
    report["contracted"], report["plain"] = control(contract=True), control(contract=False)
    return {**_without_empty(report), "flags": sorted(flags), "calls": sorted(calls), "scene": everything()}


def product_and_sum(a, b):  # type: ignore[no-untyped-def]
    """The control: what a compiler would love to fuse, as scalars and in a loop."""
    total = a[0] * b[0] + 1.0
    for i in range(a.size):
        b[i] = a[i] * b[i] + a[i]
    return total


def control(contract: bool) -> dict[str, Any]:
    """What the same reading finds in a kernel that may be contracted, or the same kernel that may not."""
    import numba

    flags: dict[str, Any] = {"fastmath": {"contract"}} if contract else {}
    compiled = numba.njit("f8(f8[::1],f8[::1])", **flags)(product_and_sum)
    code = compiled.inspect_llvm(compiled.signatures[0])
    fused = {target.name: fused_instructions(assembly_for(code, target), target.fused) for target in TARGETS}
    return {"flags": loose_flags(code), "fused": fused}


def _defines(code: str, symbol: str) -> bool:
    """Whether LLVM code holds the body of a function."""
    return re.search(r"^define [^\n]*@\"?" + re.escape(symbol) + r"\"?\(", code, re.MULTILINE) is not None


def _without_empty(report: dict[str, Any]) -> dict[str, Any]:
    """Leave only the findings that found something."""
    return {
        key: {name: found for name, found in value.items() if found} if isinstance(value, dict) else value
        for key, value in report.items()
    }


if __name__ == "__main__":
    # numba reads its environment at import, which comes after this
    os.environ.pop("ORCA_CROWD_KERNEL_CACHE", None)
    os.environ["NUMBA_OPT"] = {"--made": "3", "--few": "0", "--all": "0"}[sys.argv[1]]
    targets = TARGETS if sys.argv[1] == "--all" else FEW_TARGETS
    print(json.dumps(read_what_was_made() if sys.argv[1] == "--made" else read_for_machines(targets)))
