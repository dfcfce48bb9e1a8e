"""Problems whose functions are drawn from a seed, a family each; the number at the end of a name is the instance.

`research/tuning/split.toml` says which of them the default is tuned on and which are held out. Optima are found by
looking at every point, but for `scattered-60`, whose reference is the lowest of many descents.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from research.problems.drawn.bits import scattered, spins
from research.problems.drawn.labels import rounded
from research.problems.drawn.listed import forest, motif, network, options, tiles
from research.problems.problem import BenchmarkProblem

__all__ = ["FAMILIES", "PROBLEMS"]

_N_INSTANCES = 20

_MAKERS: dict[str, Callable[[int], BenchmarkProblem]] = {
    "scattered-20": partial(scattered, 20),
    "scattered-60": partial(scattered, 60),
    "spins-24": partial(spins, 24),
    "motif-8": motif,
    "tiles": tiles,
    "options": options,
    "rounded-20": partial(rounded, 20),
    "forest": forest,
    "network": network,
}
# One problem per seed, in turn.
FAMILIES: dict[str, tuple[str, ...]] = {
    family: tuple(f"{family}-{instance}" for instance in range(_N_INSTANCES)) for family in _MAKERS
}
PROBLEMS: dict[str, Callable[[], BenchmarkProblem]] = {
    f"{family}-{instance}": partial(make, instance)
    for family, make in _MAKERS.items()
    for instance in range(_N_INSTANCES)
}
