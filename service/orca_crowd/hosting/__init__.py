"""The process of one world in a cluster: the same server as on one machine, for front ends and nobody else."""
