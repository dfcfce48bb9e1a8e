"""The default method on spaces with reals: the same beliefs over coordinates, searched along gradients and rules."""
