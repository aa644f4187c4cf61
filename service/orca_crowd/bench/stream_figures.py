"""What a result of the stream benchmark comes down to: figures with medians and 99th percentiles, and the bars."""

from __future__ import annotations

from typing import Any

from orca_crowd.bench.bars import bar
from orca_crowd.bench.compare import spread
from orca_crowd.bench.figures import figure
from orca_crowd.bench.stream_loop import ENGINE, HERE, POST, SOCKET

__all__ = ["NAMES", "stream_bars", "stream_figures"]

# milliseconds that a tick over the socket may take beyond the bare step, by number of agents
MORE = {1_000: 1.5, 10_000: 3.0}
# the audience that the age of frames and missed steps are about
AUDIENCE = (2_000, 30.0, 100)
AGE_MILLISECONDS = 50.0
IDLE_KIBIBYTES = 40.0
ENCODED = 10_000
ENCODE_MICROSECONDS = 100.0
# share of SUMO's tick, by number of agents
PEER = 1_000
PEER_SHARE = 0.05
# how the ways of taking a tick are called
NAMES = {
    SOCKET: "a tick over the socket",
    POST: "a tick over POST steps",
    HERE: "the bare step in the client's thread",
    ENGINE: "the bare step through an engine",
}


def stream_figures(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Medians with their spread, and the 99th percentile of what has a tail."""
    found = []

    def tailed(name: str, unit: str, factor: float, values: dict[str, Any]) -> None:
        found.append(figure(name, unit, {key: values[key] * factor for key in ("median", "p10", "p90")}))
        found.append(figure(f"{name}, 99th percentile", unit, [values["p99"] * factor]))

    for entry in result["loops"]:
        size = f"{entry['agents']:,} agents"
        for way, name in NAMES.items():
            tailed(f"{size}: {name}", "ms", 1e3, entry["ways"][way])
        for way in (SOCKET, POST):
            tailed(f"{size}: beyond the bare step, {way}", "ms", 1e3, entry["more"][way])
    live = result["watched"]
    if live is not None:
        name = f"{live['agents']:,} agents at {live['rate']:g} Hz to {live['subscribers']}"
        tailed(f"{name}: age of a frame", "ms", 1e3, live["age"])
        for what, unit, value in (
            ("oldest frame", "ms", live["age"]["max"] * 1e3),
            ("beginning of the clock known to within", "ms", live["uncertain"] * 1e3),
            ("steps given up by the world", "steps", live["given_up"]),
            ("steps missed by all subscribers together", "steps", live["missed"]),
            ("frames read", "frames", live["frames"]),
            ("of a core, taken by all subscribers together", "%", live["busy"] * 100.0),
        ):
            found.append(figure(f"{name}: {what}", unit, [value]))
    idle = result["idle"]
    if idle is not None:
        name = f"a subscriber at rest, {idle['subscribers']:,} of them, {idle['agents']:,} agents"
        found.append(figure(name, "KiB", [idle["bytes"] / 1024.0]))
    encode = result["encode"]
    if encode is not None:
        tailed(f"a full frame of {encode['agents']:,} agents, float32, encoded", "µs", 1e6, encode)
    peer = result["peer"]
    if peer is not None:
        size = f"{peer['agents']:,}"
        for key, what in (
            ("ours", f"beside SUMO, ours: {size} agents steered and seen"),
            ("steer", f"SUMO: {size} persons steered and seen"),
            ("steer_on_one_core", "SUMO: the same, both ends on one core"),
            ("watch", f"SUMO: {size} persons seen alone"),
        ):
            found.append(figure(what, "ms", [seconds * 1e3 for seconds in peer[key]]))
        found.append(figure(f"ours to SUMO, {size} steered and seen", "ratio", shares(peer, "steer")))
        on_one_core = shares(peer, "steer_on_one_core")
        found.append(figure("ours to SUMO, both ends of SUMO on one core", "ratio", on_one_core))
    return found


def shares(peer: dict[str, Any], tick: str) -> list[float]:
    """Our tick over SUMO's of that kind, of each pair of blocks side by side."""
    return [ours / theirs for ours, theirs in zip(peer["ours"], peer[tick], strict=True)]


def stream_bars(result: dict[str, Any]) -> list[dict[str, Any]]:
    """What the project holds itself to, as far as the result has it."""
    found = []
    for entry in result["loops"]:
        if entry["agents"] in MORE:
            more, limit = entry["more"][SOCKET], MORE[entry["agents"]]
            for name, key in (("median", "median"), ("99th percentile", "p99")):
                what = f"a tick of {entry['agents']:,} agents beyond the bare step, {name}"
                found.append(bar(what, more[key] * 1e3, limit, "ms"))
    live = result["watched"]
    if live is not None and (live["agents"], live["rate"], live["subscribers"]) == AUDIENCE:
        found.append(bar("age of a frame, 99th percentile", live["age"]["p99"] * 1e3, AGE_MILLISECONDS, "ms"))
        found.append(bar("steps given up or missed", live["given_up"] + live["missed"], 0.0, "steps"))
    if result["idle"] is not None:
        found.append(bar("a subscriber at rest", result["idle"]["bytes"] / 1024.0, IDLE_KIBIBYTES, "KiB"))
    encode = result["encode"]
    if encode is not None and encode["agents"] == ENCODED:
        found.append(bar(f"a frame of {ENCODED:,} agents", encode["median"] * 1e6, ENCODE_MICROSECONDS, "µs"))
    peer = result["peer"]
    if peer is not None and peer["agents"] == PEER:
        share = spread(shares(peer, "steer"))["median"]
        found.append(bar(f"a tick of {PEER:,} agents, share of SUMO's time", share, PEER_SHARE, ""))
    return found
