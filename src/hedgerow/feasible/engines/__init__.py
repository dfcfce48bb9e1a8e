"""What answers for a feasible set: one diagram, or a solver beside it; the interface is `code_set.py`."""
