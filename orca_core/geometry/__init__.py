"""Obstacles as two-sided segments and walkable areas as one-sided boundaries, checked and normalised."""
