"""Problems of published suites without measured data, written from their papers; the number at the end is the instance.

The suite of COMBO (Oh, Tomczak, Gavves, Welling, NeurIPS 2019) and of BOCS (Baptista, Poloczek, ICML 2018):
contamination control, pest control, weighted MaxSAT, sparsification of Ising models. Low autocorrelation binary
sequences, and Ehrlich functions (Stanton and others, 2024). Chains of stages are ours. Instances are drawn here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from research.problems.problem import BenchmarkProblem
from research.problems.suites.chain import chain
from research.problems.suites.contamination import contamination
from research.problems.suites.ehrlich import SHAPES, ehrlich
from research.problems.suites.labs import labs
from research.problems.suites.max_sat import max_sat
from research.problems.suites.pest_control import pest_control
from research.problems.suites.sparsification import sparsification

__all__ = ["FAMILIES", "PROBLEMS"]

_N_INSTANCES = 20

_MAKERS: dict[str, Callable[[int], BenchmarkProblem]] = {
    "chain-24": chain,
    "contamination": contamination,
    "pest-control": pest_control,
    "max-sat-28": partial(max_sat, 28),
    "max-sat-60": partial(max_sat, 60),
    "labs-50": partial(labs, 50),
    "sparsification": sparsification,
    **{f"ehrlich-{name}": partial(ehrlich, name) for name in SHAPES},
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
