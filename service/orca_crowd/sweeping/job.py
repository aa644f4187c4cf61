"""Job: one run of a sweep."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from orca_core.cooperative.variants import Variant

__all__ = ["Job"]


@dataclass(frozen=True)
class Job:
    """So many agents of a scenario on a map, by one variant; `time_limit` in s, None for that of the configuration."""

    map_file: Path
    scenario_file: Path
    agents: int
    variant: Variant
    time_limit: float | None = None

    @property
    def name(self) -> str:
        """Of its files, below the folder of the map."""
        return f"{self.map_file.stem}/{self.scenario_file.stem}-k{self.agents}-{self.variant}"

    @property
    def kind(self) -> str:
        """The scenario without its number: scenarios that differ in that alone are instances of one kind."""
        return re.sub(r"[-_]?[0-9]+$", "", self.scenario_file.stem) or self.scenario_file.stem
