"""API keys: who may do what, with which worlds, and until when."""
