"""Multi-agent path finding on grid maps: discrete plans in which nobody is where another is."""
