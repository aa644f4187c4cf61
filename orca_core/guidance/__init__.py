"""Guidance: where the preferred velocity comes from. Plans know no clock: their budget is counted in expansions."""
