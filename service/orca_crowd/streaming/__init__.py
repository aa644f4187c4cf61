"""The stream: one socket a client, one hub a world, each frame encoded once for all who asked for the same."""
