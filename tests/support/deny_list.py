"""Which operations a kernel may use, so that compiled, interpreted, x86-64 and arm64 give the same bits.

What IEEE 754 rounds correctly (+ - * / sqrt) and what is exact (%, //, floor, min, max, comparison) is the same
everywhere. Powers, hypot, trigonometry and logarithms come from a platform's library; sums of numpy are reassociated
differently by numpy and by the compiler; the order of sets is nobody's promise. So the names of `math` and `numpy` are
allow-lists, and the rest is named here. Nothing that allocates is on them either: a kernel writes on what it is given.
"""

from __future__ import annotations

import ast

__all__ = ["MATH", "NUMPY", "violations"]

# correctly rounded or exact
MATH = frozenset({"sqrt", "floor", "ceil", "trunc", "fabs", "copysign", "isnan", "isinf", "isfinite", "inf", "nan"})
NUMPY = frozenset(
    {
        *("sqrt", "floor", "ceil", "trunc", "fabs", "abs", "copysign", "isnan", "isinf", "isfinite", "inf", "nan"),
        *("float64", "int64", "int32", "uint64", "uint8", "bool_"),
    }
)
# built-in functions whose result depends on an order, a library or the machine
BUILTINS = frozenset(
    {
        *("pow", "sum", "round", "sorted", "divmod", "complex", "set", "frozenset", "dict", "hash", "id", "object"),
        *("print", "open", "input", "eval", "exec", "getattr", "setattr", "globals", "locals"),
    }
)
# methods of arrays that add up, multiply up, sort or allocate
METHODS = frozenset(
    {
        *("sum", "dot", "mean", "prod", "cumsum", "cumprod", "std", "var", "trace", "round"),
        *("sort", "argsort", "partition", "argpartition", "astype", "copy"),
    }
)
MODULES = frozenset({"math", "numpy"})


def violations(source: str) -> list[str]:
    """Every denied operation in the source, as `line 3: what`."""
    tree = ast.parse(source)
    names = _module_names(tree)
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        for what in _violations_of(node, names):
            found.append((getattr(node, "lineno", 0), what))
    return [f"line {line}: {what}" for line, what in sorted(found)]


def _module_names(tree: ast.Module) -> dict[str, str]:
    """Which local name stands for which of the two modules."""
    return {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name in MODULES
    }


def _violations_of(node: ast.AST, names: dict[str, str]) -> list[str]:
    """What is denied about one node by itself."""
    if isinstance(node, ast.BinOp | ast.AugAssign):
        if isinstance(node.op, ast.Pow):
            return ["a power (**)"]
        if isinstance(node.op, ast.MatMult):
            return ["a matrix product (@)"]
    if isinstance(node, ast.Set | ast.SetComp | ast.Dict | ast.DictComp):
        return ["a set or a dict"]
    if isinstance(node, ast.Constant) and isinstance(node.value, complex):
        return ["a complex number"]
    if isinstance(node, ast.Import):
        return [f"import of {alias.name}" for alias in node.names if alias.name not in MODULES]
    if isinstance(node, ast.ImportFrom):
        if node.module in MODULES or (node.module or "").startswith("numpy."):
            return [f"from {node.module} import …: write the module's name where it is used"]
        if node.module != "__future__" and not (node.module or "").startswith("orca_core."):
            return [f"import of {node.module}"]
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
        module = names[node.value.id]
        if node.attr not in (MATH if module == "math" else NUMPY):
            return [f"{module}.{node.attr}"]
        return []
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in BUILTINS:
            return [f"{node.func.id}()"]
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            return [f".{node.func.attr}()"]
    return []
