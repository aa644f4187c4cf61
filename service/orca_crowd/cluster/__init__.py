"""Front ends: servers that hold no world, and pass what is asked of one on to the process that does.

- directory.py: which process has a world; asks for one where none has it
- upstream.py: that process, as it is called over HTTP
- epochs.py: the newest life of each world, so that an older one is not believed
- front.py: all of it, as the routes use it
- metrics.py: what all processes count, as one
"""
