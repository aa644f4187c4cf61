"""Worlds and what keeps them: sessions (pure), runners (one task a world), the registry of all."""
