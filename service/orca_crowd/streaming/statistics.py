"""What the streams of one server count; /metrics shows it."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["StreamStatistics"]


@dataclass
class StreamStatistics:
    """Counts of one server's streams since its start, and what is open or kept now."""

    sockets: int = 0
    subscribers: int = 0
    frames_encoded: int = 0
    fulls_encoded: int = 0
    frames_sent: int = 0
    frames_replaced: int = 0
    resumed: int = 0
    messages_refused: int = 0
    handshakes_refused: dict[str, int] = field(default_factory=dict)
    kept_steps: int = 0
    kept_bytes: int = 0
    closed: dict[int, int] = field(default_factory=dict)

    def count_close(self, code: int) -> None:
        """One more socket that the server closed with `code`."""
        self.closed[code] = self.closed.get(code, 0) + 1
