"""Kernels: scalars and arrays in, preallocated output, integer status out. Only numpy and math; nothing is
allocated per agent.
"""
