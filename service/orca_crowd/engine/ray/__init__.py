"""More than one machine: worlds as actors of a Ray cluster, and a big world over several of them."""
