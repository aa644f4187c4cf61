"""The tables of docs/cooperative.md: every key with its default, every column in its order, every variant and state."""

from __future__ import annotations

from dataclasses import asdict

import yaml

from orca_core.cooperative.config import Config
from orca_core.cooperative.guide import STATES
from orca_core.cooperative.variants import Variant
from orca_crowd.solving.row import COLUMNS
from tests.support.documents import table_rows
from tests.support.imports import ROOT

COOPERATIVE = ROOT / "docs" / "cooperative.md"


def test_every_key_has_its_row_and_default() -> None:
    rows = {name.strip("`"): default for name, default, _ in table_rows(COOPERATIVE, "Configuration")}
    assert {name: yaml.safe_load(default) for name, default in rows.items()} == asdict(Config())
    assert list(rows) == list(asdict(Config()))


def test_every_column_has_its_row() -> None:
    assert [name.strip("`") for name, _ in table_rows(COOPERATIVE, "The row")] == list(COLUMNS)


def test_every_variant_and_state_has_its_row() -> None:
    rows = table_rows(COOPERATIVE, "Cooperative ORCA")
    written = {Variant(name.strip("`")): (turns, fallback) for name, turns, fallback, _ in rows}
    said = {True: "yes", False: "no"}
    assert written == {
        one: ("the plan alone" if one is Variant.LNS_ONLY else said[one.guided], said[one.repairs]) for one in Variant
    }
    states = table_rows(COOPERATIVE, "A page that plays it")
    assert [name.strip("`") for name, _ in states] == list(STATES)
