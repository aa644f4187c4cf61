"""A process of worlds in a cluster: the same server as on one machine, for front ends and nobody else."""
