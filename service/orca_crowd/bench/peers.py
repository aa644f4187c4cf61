"""Peers: the libraries of others that are measured beside ours, and why one of them is not.

They are fetched by `make bench` alone. One that is not there is left out with one line; one that cannot take a scene is
left out of that scene.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

from orca_crowd.bench.contenders import Contender
from orca_crowd.bench.peer_detour import DetourPeer
from orca_crowd.bench.peer_jupedsim import JuPedSimPeer
from orca_crowd.bench.peer_pyrvo import PyrvoPeer
from orca_crowd.bench.scenes import Scene

__all__ = ["Peer", "available", "peers"]


class Peer(Protocol):
    """A library that may be measured."""

    name: str

    def missing(self) -> str | None:
        """Why it cannot be measured here and what would bring it, None where it can."""

    def refuses(self, scene: Scene) -> str | None:
        """Why it cannot take a scene, None where it can."""

    def crowd(self, scene: Scene) -> Contender:
        """A fresh crowd of a scene; it may have a `close()`, and a `neighbours()` that tells its mean number used."""


def peers(detour: Path) -> list[Peer]:
    """Every peer there might be; `detour` is the folder into which npm has put recast-navigation."""
    return [PyrvoPeer(), JuPedSimPeer(), DetourPeer(detour)]


class Missable(Protocol):
    """Whatever may not be here."""

    def missing(self) -> str | None:
        """Why it is not, and what would bring it; None where it is."""


Candidate = TypeVar("Candidate", bound=Missable)


def available(candidates: list[Candidate]) -> tuple[list[Candidate], list[str]]:
    """Those that are here, and one line for each that is not."""
    lines = [(peer, peer.missing()) for peer in candidates]
    return [peer for peer, line in lines if line is None], [line for _, line in lines if line is not None]
