"""One router a resource; each turns a request into one call below and the result into an answer."""
