"""Difference: two results of the same benchmark side by side, figure by figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from orca_crowd.bench.tables import Section, machine_lines, plain_number

__all__ = ["Incomparable", "compared", "read_result"]


class Incomparable(ValueError):
    """A file that is no result, or two that have nothing in common; the message says what to do."""


def read_result(file: Path) -> dict[str, Any]:
    """A result that was written with --json; raises Incomparable."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Incomparable(f"{file} cannot be read: {error.strerror}") from None
    except ValueError:
        raise Incomparable(f"{file} is no JSON; name a file that --json wrote") from None
    if not isinstance(found, dict) or not {"benchmark", "figures", "machine"} <= set(found):
        raise Incomparable(f"{file} is no result of `orca-crowd bench`, or one of an older version")
    return found


def compared(old: dict[str, Any], new: dict[str, Any]) -> tuple[Section, list[str]]:
    """The figures that both have, old, new and new / old, and what a reader has to know; raises Incomparable."""
    if old["benchmark"] != new["benchmark"]:
        raise Incomparable(f"the first is a result of {old['benchmark']}, the second of {new['benchmark']}")
    before = {figure["name"]: figure for figure in old["figures"]}
    rows = [["what", "unit", "old", "new", "new / old"]]
    for figure in new["figures"]:
        earlier = before.get(figure["name"])
        if earlier is None or earlier["unit"] != figure["unit"]:
            continue
        ratio = figure["median"] / earlier["median"] if earlier["median"] else None
        # outside each other's spread: not only one run differing from the next
        apart = figure["p10"] > earlier["p90"] or figure["p90"] < earlier["p10"]
        shown = "" if ratio is None else f"{ratio:.3f}" + (" *" if apart else "")
        rows.append(
            [figure["name"], figure["unit"], plain_number(earlier["median"]), plain_number(figure["median"]), shown]
        )
    if len(rows) == 1:
        raise Incomparable("the two have no figure in common: they are of other scenes or sizes")
    return Section(f"{new['benchmark']}, medians", rows), _remarks(old, new, before)


def _remarks(old: dict[str, Any], new: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """How far the two can be compared at all."""
    lines = ["* the spreads (10th to 90th percentile) do not touch; figures taken once have none"]
    # the version of the project itself is what is compared
    machines = [machine_lines(result["machine"])[:-1] for result in (old, new)]
    if machines[0] != machines[1]:
        lines.append(f"The machines differ: {'; '.join(machines[0])} and {'; '.join(machines[1])}.")
    elif old["benchmark"] != "start":
        lines.append(
            "A machine may change its speed by a third between two runs: only what is far beyond that is sure."
        )
    for key in ("engine", "workers"):
        if old.get(key) != new.get(key):
            lines.append(f"The old run had {key} {old.get(key)}, the new one {new.get(key)}.")
    now = {figure["name"] for figure in new["figures"]}
    for which, missing in (("old", set(before) - now), ("new", now - set(before))):
        if missing:
            lines.append(f"Only in the {which} one: {len(missing)} figures.")
    return lines
