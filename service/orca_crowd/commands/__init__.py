"""What the command `orca-crowd` does, a module for each of its words."""
