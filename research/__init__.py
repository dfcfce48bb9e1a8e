"""Measurements that anyone can repeat: `python -m research.NAME`."""
