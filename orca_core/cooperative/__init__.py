"""Cooperative ORCA: a discrete plan tells agents who goes first where it is narrow, so that nobody blocks anybody."""
