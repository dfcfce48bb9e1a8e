"""Evaluations of objectives: commands and functions, in processes of this machine or on a cluster; nothing of studies."""
