"""Worlds over a Ray cluster: the only part that imports `ray`, and that only once it is asked to.

- environment.py: what Ray has to be told before it is imported
- actor.py: the actor that holds one world's process
- cluster.py: the cluster as a front end sees it
- names.py: how the actors of worlds are called
"""
