"""Who computes a step: one small interface, the same bits behind every implementation."""
