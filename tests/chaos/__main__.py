"""`python -m tests.chaos --seconds 600`: the long run, with what it came to."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.chaos.cluster import run_on_a_cluster
from tests.chaos.run import Plan, run


def main() -> int:
    """Run, tell, and be 1 where something was wrong."""
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="how long servers and workers are killed")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of all that is drawn at random")
    parser.add_argument("--cluster", action="store_true", help="worlds on a cluster: processes, nodes, front ends die")
    parser.add_argument("--world-processes", type=int, default=2, help="with --cluster: shared processes, 0 for own")
    chosen = parser.parse_args()
    plan = Plan(chosen.seconds, chosen.seed)
    print(f"{plan.seconds:g} s, seed {plan.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="orca-crowd-chaos-") as folder:
        if chosen.cluster:
            outcome = run_on_a_cluster(plan, Path(folder), chosen.world_processes)
        else:
            outcome = run(plan, Path(folder))
    for name, number in sorted(outcome.counted.items()):
        print(f"{number:9,}  {name}")
    for line in outcome.lines:
        print(line)
    if not outcome.full and not chosen.cluster:
        print("the disk was not filled: mounting a small file system needs root")
    print(f"the first server held {outcome.first}")
    print(f"the last server held {outcome.last}")
    for fault in outcome.faults:
        print(f"FAULT {fault}", file=sys.stderr)
    print("failed" if outcome.faults else "everything that was acknowledged is there, and nothing else is")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
