"""The loop in which the default is tuned: with a change and without it, on tasks to tune on, paired by seed."""
