"""Evaluations of objectives: commands and functions, in processes here or on a cluster; nothing of studies."""
