"""Benchmark problems by name: `get_problem("pressure-vessel")`. Each is built when asked for, not before.

Some need measured data; `data_dir`, or the variable HEDGEROW_DATA, says where it lies.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from hedgerow.errors import HedgerowError
from hedgerow.wording import suggestion
from research.problems import ackley, diabetes, feature_models, gap, gpu_kernels, ising, warcraft
from research.problems.dna import dna_100
from research.problems.drawn import PROBLEMS as DRAWN
from research.problems.formulation import formulation
from research.problems.nas import nas_sss, nas_tss
from research.problems.pressure_vessel import pressure_vessel
from research.problems.problem import BenchmarkProblem, Objective, Published
from research.problems.product_line import product_line_200
from research.problems.suites import PROBLEMS as SUITES
from research.problems.tf_bind import tf_bind

__all__ = ["BenchmarkProblem", "Objective", "Published", "get_problem", "problem_names"]

DataDir = str | Path | None

_GENERATED: dict[str, Callable[[], BenchmarkProblem]] = {
    **{name: partial(ackley.ackley, name) for name in ackley.NAMES},
    "pressure-vessel": pressure_vessel,
    **{name: partial(warcraft.warcraft, name) for name in warcraft.NAMES},
    **{name: partial(diabetes.diabetes, name) for name in diabetes.NAMES},
    **{name: partial(gap.gap, name) for name in gap.NAMES},
    **{name: partial(ising.ising, name) for name in ising.NAMES},
    "formulation": formulation,
    "dna-100": dna_100,
    "product-line-200": product_line_200,
}
# Further releases of HSQLDB, of the 19 that were measured.
_RELEASES = ("2.2.6", "2.3.2")
_MEASURED: dict[str, Callable[[DataDir], BenchmarkProblem]] = {
    "nas-tss": nas_tss,
    "nas-sss": nas_sss,
    "tf-bind": tf_bind,
    **{name: partial(gpu_kernels.gpu_kernel, name) for name in gpu_kernels.NAMES},
    "convolution_milo_A6000": partial(gpu_kernels.gpu_kernel, "convolution_milo", device="A6000"),
    **{name: partial(feature_models.feature_model, name) for name in feature_models.NAMES},
    **{f"hsqldb-{release}": partial(feature_models.feature_model, "hsqldb", release=release) for release in _RELEASES},
}
_SHORT_NAMES = {"diabetes": "diabetes-0"}


def problem_names() -> tuple[str, ...]:
    """Return the names of all problems but those of families, which `suites` and `drawn` list."""
    return (*_GENERATED, *_MEASURED)


def get_problem(name: str, data_dir: DataDir = None) -> BenchmarkProblem:
    """Return a problem by name; `data_dir` is the folder of measured data, for the problems that need it."""
    full_name = _SHORT_NAMES.get(name, name)
    if full_name in _GENERATED:
        return _GENERATED[full_name]()
    families = {**SUITES, **DRAWN}
    if full_name in families:
        return families[full_name]()
    if full_name in _MEASURED:
        return _MEASURED[full_name](data_dir)
    raise HedgerowError(
        f"There is no problem '{name}' among the {len(problem_names())} that problem_names() lists"
        f"{suggestion(name, [*_SHORT_NAMES, *problem_names()]) or '.'}"
    )
