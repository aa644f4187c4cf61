"""What travels: codes, bodies, messages and frames. No sockets, no files, no clock."""
