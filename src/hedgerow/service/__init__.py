"""A study over HTTP: `hedgerow serve FILE --http HOST:PORT`, and a client for workers."""
