"""What /metrics shows is what docs/operations.md lists, and every panel of the dashboard asks for one of them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any

import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from orca_crowd.app import create_app
from orca_crowd.settings import Settings
from tests.support.documents import table_rows
from tests.support.imports import ROOT

OPERATIONS = ROOT / "docs" / "operations.md"
DASHBOARD = ROOT / "docs" / "grafana" / "orca-crowd.json"
# what a histogram is asked for by
PARTS = ("_bucket", "_sum", "_count")


@pytest.fixture(scope="module")
def text() -> str:
    """/metrics of a server in which everything with a label has happened once."""
    services = create_app(Settings()).state.services
    metrics = services.metrics
    metrics.problems.labels("not-found").inc()
    metrics.requests.labels("GET", "200").inc()
    metrics.key_refused("wrong")
    metrics.stepped(1, 0.001, 100)
    return str(metrics.text(), "utf-8")


@pytest.fixture(scope="module")
def families(text: str) -> dict[str, Metric]:
    """By the name under which they are asked for, without the moments at which counters began."""
    found = {
        family.name + ("_total" if family.type == "counter" else ""): family
        for family in text_string_to_metric_families(text)
    }
    return {name: family for name, family in found.items() if not name.endswith("_created")}


def labels_of(family: Metric) -> set[str]:
    """Labels of a family, but for the bounds of its buckets."""
    return {label for sample in family.samples for label in sample.labels} - {"le"}


def test_every_metric_has_its_row_and_every_row_is_a_metric(families: dict[str, Metric]) -> None:
    rows = {
        name.strip("`"): (kind, labels, meaning) for name, kind, labels, meaning in table_rows(OPERATIONS, "Metrics")
    }
    assert set(rows) == set(families)
    for name, family in families.items():
        kind, labels, meaning = rows[name]
        assert (kind, meaning) == (family.type, family.documentation), name
        # without a sample the parser knows no label
        if family.samples:
            assert set(re.findall(r"`(\w+)`", labels)) == labels_of(family), name


def test_the_text_is_as_prometheus_wants_it(text: str) -> None:
    if shutil.which("promtool") is None:
        pytest.skip("needs promtool, of Debian's package prometheus")
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


def panels() -> list[dict[str, Any]]:
    """The panels of the dashboard that show something."""
    shown = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    return [panel for panel in shown if panel["type"] != "row"]


def asked(expression: str) -> set[str]:
    """The metrics that an expression names."""
    return set(re.findall(r"\b((?:orca_crowd|process)_\w+)", expression))


def test_every_panel_asks_for_metrics_that_are_there(families: dict[str, Metric]) -> None:
    known = set(families) | {
        name + part for name, family in families.items() if family.type == "histogram" for part in PARTS
    }
    assert len(panels()) > 15
    shown: set[str] = set()
    for panel in panels():
        for target in panel["targets"]:
            names = asked(target["expr"])
            assert names, (panel["title"], target["expr"])
            assert names <= known, (panel["title"], names - known)
            shown |= names
            by = re.search(r"sum by \(([^)]*)\)", target["expr"])
            family = families[next(name for name in names).removesuffix("_bucket")]
            if by is not None and family.samples:
                assert set(by.group(1).split(", ")) - {"le"} <= labels_of(family), target["expr"]
    # what happens to worlds, journals and clients is all on it
    unseen = {name for name in families if name.startswith("orca_crowd_")} - {
        re.sub(r"_(bucket|sum|count)$", "", name) for name in shown
    }
    # the last two are nothing without a cluster
    assert unseen == {
        *("orca_crowd_build_info", "orca_crowd_kept_steps"),
        *("orca_crowd_world_processes", "orca_crowd_worlds_found_again_total"),
    }


def test_the_places_of_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken
        assert max(x for x, _ in cells) < 24
        taken |= cells
