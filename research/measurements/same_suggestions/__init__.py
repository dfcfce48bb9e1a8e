"""Whether two versions of the source suggest the same points."""
