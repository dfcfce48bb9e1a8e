"""Measurements with options of their own, one module or folder each: `python -m research NAME`."""
