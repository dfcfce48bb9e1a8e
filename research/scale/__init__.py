"""Large spaces: regret, seconds per ask and memory from 10^10 points on: `python -m research scale --help`."""
