"""Sweeping: many runs of `orca-crowd solve` over processes, kept one by one so that a sweep goes on where it ended.

A plan says which runs; a crew of workers makes them; a folder keeps them; a table and figures show them.
"""
