"""Solving: what the command `orca-crowd solve` reads and writes around a run of `orca_core.cooperative`.

A configuration, a task (a map and the first agents of a scenario), the row of figures, the trace, and the page that
plays it. Nothing here moves an agent.
"""
