"""More than one machine: worlds over a Ray cluster, the only part that imports `ray`, once it is asked to.

Worlds in processes of their own, as a front end sees them:

- environment.py: what Ray has to be told before it is imported
- actor.py: the actor that holds one world's process
- cluster.py: the cluster: actors made, found, asked and ended
- clerk.py, clerks.py: a process that speaks with it for a front end, since it dies with its node
- names.py: how the actors of worlds are called

A big world over several actors:

- spread.py: the engine; crew.py, shares.py: who computes which part
- helper.py, attending.py, link.py: an actor that computes ranges of agents, and the socket to it
- picture.py, telling.py: what a helper has to know of a world, and how it is told
- local.py: a cluster of one machine, for measurements
"""
