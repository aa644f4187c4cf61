"""Cooperative ORCA: agents take turns where it is narrow, by a plan for all, so that nobody blocks anybody."""
