"""The journal of a world: one SQLite file that brings it back, replays it, and shows its past."""
