"""The bar that the server shows while it compiles."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from orca_crowd.commands.serve import compiling


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_narrow_terminal_cuts_names_and_not_counts(width: int) -> None:
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=True, color_system=None)
    bar = compiling(console, shown=True)
    bar.add_task("compiling velocity_obstacle.support_form", total=270, completed=31)
    console.print(bar.get_renderable())
    (line,) = text.getvalue().splitlines()
    assert "31/270 0:00:00" in line
    assert line.startswith("orca-crowd: compil")
    assert ("support_form" in line) is (width == 200)
