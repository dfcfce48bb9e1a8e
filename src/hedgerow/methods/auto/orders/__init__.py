"""The default method on spaces with orders of items: a kernel of distances, searched by small changes."""
