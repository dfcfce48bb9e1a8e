"""Large spaces: regret, seconds per ask and memory from 10^10 points on: `python -m benchmarks.scale --help`."""
