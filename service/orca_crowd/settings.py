"""One settings object: every limit with a safe default, each also as an environment variable `ORCA_CROWD_<NAME>`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from orca_crowd.processors import available_processors

__all__ = ["LIMITS", "Settings"]


class Settings(BaseSettings):
    """What the operator may choose. The defaults suit one trusted user on one machine."""

    model_config = SettingsConfigDict(env_prefix="ORCA_CROWD_", extra="forbid", frozen=True)

    # where it listens
    host: str = Field(
        "127.0.0.1", description="Address to listen on; only loopback is accepted while there are no keys."
    )
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 takes any free one.")
    engine: Literal["processes", "inline", "ray"] = Field(
        "processes",
        description="Who computes the steps: `processes`, `inline`, in threads of the server, or `ray`, a process for "
        "each world on the machines of a cluster.",
    )
    workers: int = Field(
        default_factory=available_processors,
        ge=1,
        le=256,
        description="Workers that compute steps; the bits do not depend on it.",
    )
    split_agents: int = Field(1500, ge=1, description="From how many agents on a world is divided among all workers.")
    small_agents: int = Field(
        256, ge=0, description="Below how many agents a world is stepped in a thread of the server."
    )
    worker_seconds: float = Field(
        30.0, gt=0.0, le=3600.0, description="Time for a worker's answer; without it the worker is replaced."
    )
    helpers: int = Field(
        4, ge=1, le=64, description="Threads that decode, read and encode, so that no step delays them."
    )
    planners: int = Field(
        2, ge=1, le=64, description="Threads that plan ways, those of one world in one of them, and make flow fields."
    )
    data: str = Field(
        "",
        description="Folder that keeps worlds and keys between starts; left empty, one of the user's for this port, "
        "and none with port 0; `none` keeps nothing. With engine `ray` also a store, by its fsspec URL.",
    )
    keys: Path | None = Field(None, description="File of API keys; left out, `keys.sqlite` in the folder of `data`.")
    restart: Literal["running", "paused"] = Field(
        "running",
        description="What becomes of the clock of a realtime world that is brought back: as it was, or manual.",
    )
    digest_steps: int = Field(100, ge=1, description="Steps between two digests in a journal.")
    snapshot_seconds: float = Field(
        2.0,
        gt=0,
        le=600,
        description="Computing time after which a journal gets a new snapshot: a replay takes it again.",
    )
    journal_bytes: int = Field(
        2**30, ge=2**20, description="Bytes of one journal; beyond, the older half of its past is forgotten."
    )
    kernel_cache: Path | None = Field(
        None,
        description="Folder that keeps compiled kernels between starts; left out, `~/.cache/orca-crowd/kernels`, or "
        "one among the temporary folders.",
    )

    log_format: Literal["console", "json"] = Field(
        "console", description="What a line of the log is: `console`, for people, or `json`, an object a line."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least that is logged; `debug` has a line for every request."
    )

    # worlds on a cluster
    ray_address: str = Field(
        "auto",
        description="With engine `ray`: the cluster, as `host:port` of its head; `auto` is the one of this node.",
    )
    ray_namespace: str = Field(
        "orca-crowd", description="With engine `ray`: namespace of the worlds; front ends of one share them."
    )
    world_processes: int = Field(
        0,
        ge=0,
        le=10_000,
        description="With engine `ray`: how many processes all worlds share; 0 gives each world one of its own. The "
        "same for all front ends of a namespace.",
    )
    world_processors: float = Field(
        0.1,
        ge=0,
        le=1024,
        description="With engine `ray`: processors that a process of worlds asks of a node, for its placement.",
    )
    world_memory: int = Field(
        268_435_456, ge=0, description="With engine `ray`: bytes of memory that a process of worlds asks of a node."
    )
    placement: Literal["pack", "spread"] = Field(
        "spread", description="With engine `ray`: fill one node after another (`pack`), or use all alike (`spread`)."
    )
    spread_actors: int = Field(
        4,
        ge=1,
        le=256,
        description="With engine `ray`: over how many actors a big world is divided, its own included; each of the "
        "others asks for a processor, and until there is one the world does its part.",
    )
    spread_agents: int = Field(
        50_000, ge=1, description="With engine `ray`: from how many agents on a world is divided over several actors."
    )
    return_seconds: float = Field(
        30.0, gt=0, le=600, description="With engine `ray`: how long a request waits for a world that comes back."
    )
    unreachable_seconds: float = Field(
        5.0, gt=0, le=600, description="With engine `ray`: silence after which the process of a world is given up."
    )

    # who comes in
    failed_tries: int = Field(10, ge=1, description="Wrong keys that one address may send in a minute.")
    requests_per_second: float = Field(
        5000.0, gt=0, description="Requests and messages a second for one key, on average; twice as many at once."
    )
    allowed_origins: list[str] = Field(
        [], description="Origins of pages that may use this server beside its own, as `https://game.example`."
    )

    # what clients can grow
    worlds: int = Field(1000, ge=1, description="Worlds at once.")
    agents_per_world: int = Field(200_000, ge=1, description="Agents in one world.")
    edges_per_world: int = Field(100_000, ge=1, description="Segments of all obstacles of one world.")
    vertices_per_world: int = Field(100_000, ge=1, description="Vertices of all walkable areas of one world.")
    distinct_radii: int = Field(
        32, ge=1, description="Different radii in a world with walkable areas; each costs one shrunk area."
    )
    map_cells: int = Field(4_194_304, ge=1, description="Cells of an uploaded grid map.")
    body_bytes: int = Field(33_554_432, ge=1024, description="Bytes of a request body.")
    message_bytes: int = Field(16_777_216, ge=1024, description="Bytes of a WebSocket message from a client.")
    sockets: int = Field(1000, ge=1, description="WebSocket connections at once.")
    frame_queue: int = Field(
        256, ge=1, description="State frames that wait for one socket with delivery `every`; one more closes it."
    )
    kept_steps: int = Field(
        200, ge=1, description="Steps of a watched world that are kept, for changed rows and for clients who come back."
    )
    kept_bytes: int = Field(
        33_554_432, ge=0, description="Bytes of the steps that are kept of one world; the newest is kept in any case."
    )
    keyframe_steps: int = Field(
        32, ge=1, description="Steps after which the keyframe of the precisions int16 and int8 is renewed."
    )
    deflate: bool = Field(
        False, description="Compress WebSocket messages (permessage-deflate); 45 KiB for each client that asks for it."
    )
    reply_queue: int = Field(1024, ge=1, description="Replies and events that wait for one socket; one more closes it.")
    command_queue: int = Field(
        1024, ge=1, description="Commands, steps and reads that wait for one world; one more answers 429."
    )
    controllers_per_world: int = Field(64, ge=1, description="Controllers registered in one world at once.")
    commands_per_request: int = Field(10_000, ge=1, description="Commands in one batch.")
    steps_per_request: int = Field(100_000, ge=1, description="Steps asked for in one request.")
    paths_per_request: int = Field(100, ge=1, description="Paths asked for in one request.")
    plan_expansions: int = Field(
        50_000, ge=1, description="Budget of the paths of one request together, in expansions; a second or two."
    )
    events_per_answer: int = Field(
        10_000, ge=1, description="Events told in one answer; how many were left out is said."
    )
    errors_per_answer: int = Field(100, ge=1, description="Faults listed in one refusal; the total is said.")
    remembered_answers: int = Field(
        1024, ge=1, description="Answers remembered by key in one world, the oldest forgotten first."
    )
    remembered_bytes: int = Field(
        16_777_216, ge=1024, description="Bytes of the answers remembered by key in one world."
    )

    # time, in seconds
    catch_up_steps: int = Field(5, ge=1, le=100, description="Steps a late realtime world makes up in a row.")
    rate_limit: float = Field(1000.0, gt=0, description="Highest rate of a realtime world, in steps a second.")
    barrier_seconds: float = Field(3600.0, gt=0, description="Longest timeout of the clock `barrier`.")
    slice_seconds: float = Field(
        0.02, gt=0, le=1, description="How long a world steps before others of its queue get a turn."
    )
    heartbeat_seconds: float = Field(20.0, gt=0, le=25, description="Time between two heartbeats on a socket.")
    resume_seconds: float = Field(
        30.0, ge=0, description="How long the steps of a world are kept on after its last watcher has left."
    )
    ping_seconds: float = Field(20.0, gt=0, description="Time between two pings of a WebSocket connection.")
    pong_seconds: float = Field(20.0, gt=0, description="Time for the answer to a ping; without it the client is gone.")
    lease_seconds: float = Field(3600.0, gt=0, description="Longest time to live of a lease.")
    drain_seconds: float = Field(
        6.0, gt=0, le=60, description="How long a stopping server waits for running work and open connections."
    )

    @property
    def folder(self) -> Path | None:
        """The folder of `data`, None where nothing is kept."""
        if self.data == "none" or self.store is not None or (not self.data and self.port == 0):
            return None
        if self.data:
            return Path(self.data)
        base = os.environ.get("XDG_DATA_HOME")
        try:
            home = Path(base) if base and Path(base).is_absolute() else Path("~/.local/share").expanduser()
        except RuntimeError:
            # a user without a home, as under an arbitrary uid in a container
            return None
        return home / "orca-crowd" / str(self.port)

    @property
    def store(self) -> str | None:
        """The URL of `data`, None where that is a folder."""
        return self.data if "://" in self.data else None

    @property
    def durabilities(self) -> tuple[str, ...]:
        """What a world may ask for, the default first."""
        if self.store is not None:
            # what is in a store survives every machine
            return ("power", "none")
        if self.folder is None:
            return ("none",)
        # what the death of a process leaves is lost with its machine
        return ("power", "process", "none") if self.engine == "ray" else ("process", "power", "none")

    @property
    def key_file(self) -> Path | None:
        """The file of keys, None where there can be none."""
        return self.keys or (self.folder / "keys.sqlite" if self.folder is not None else None)


# what GET /v1/info and the first message of a socket tell of the limits
LIMITS = (
    "worlds",
    "agents_per_world",
    "edges_per_world",
    "vertices_per_world",
    "distinct_radii",
    "map_cells",
    "body_bytes",
    "message_bytes",
    "sockets",
    "frame_queue",
    "kept_steps",
    "keyframe_steps",
    "reply_queue",
    "command_queue",
    "controllers_per_world",
    "commands_per_request",
    "steps_per_request",
    "paths_per_request",
    "plan_expansions",
    "events_per_answer",
    "errors_per_answer",
    "remembered_answers",
    "catch_up_steps",
    "rate_limit",
    "barrier_seconds",
    "heartbeat_seconds",
    "resume_seconds",
    "lease_seconds",
)
