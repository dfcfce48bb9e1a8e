"""The effect of a change: the mean paired difference from the default, with its standard error.

Pairs share task and seed. Positive means worse than the default: more trials to the optimum, as a logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from research.sensitivity.constants import DEFAULT
from research.sensitivity.runs import SensitivityRow


@dataclass(frozen=True)
class ConstantEffect:
    """What a variant does to the trials until the optimum, to the regret, and to the processor time."""

    variant: str
    n_pairs: int
    trials: float  # the mean difference of logarithms
    trials_error: float
    regret: float
    regret_error: float
    time_ratio: float

    @property
    def matters(self) -> bool:
        """Whether either difference is more than two standard errors."""
        return abs(self.trials) > 2 * self.trials_error or abs(self.regret) > 2 * self.regret_error


def effects(rows: Sequence[SensitivityRow]) -> list[ConstantEffect]:
    """Return the effect of every variant that has pairs, in the order in which they first occur."""
    default = {(row.task, row.seed): row for row in rows if row.variant == DEFAULT.name}
    names = dict.fromkeys(row.variant for row in rows if row.variant != DEFAULT.name)
    found = []
    for name in names:
        pairs = [
            (row, default[row.task, row.seed])
            for row in rows
            if row.variant == name and (row.task, row.seed) in default
        ]
        if len(pairs) > 1:
            found.append(_effect(name, pairs))
    return found


def _effect(name: str, pairs: Sequence[tuple[SensitivityRow, SensitivityRow]]) -> ConstantEffect:
    trials = np.array([one.log_trials - other.log_trials for one, other in pairs])
    regret = np.array([one.regret - other.regret for one, other in pairs])
    seconds = np.array([[one.seconds, other.seconds] for one, other in pairs]).sum(axis=0)
    return ConstantEffect(
        name, len(pairs), *_mean_and_error(trials), *_mean_and_error(regret), float(seconds[0] / max(seconds[1], 1e-9))
    )


def _mean_and_error(differences: NDArray[np.float64]) -> tuple[float, float]:
    return float(differences.mean()), float(differences.std(ddof=1) / math.sqrt(differences.size))


def table(found: Sequence[ConstantEffect]) -> str:
    """Return the effects as a table of a page; a change that matters is set in bold."""
    lines = ["| change | pairs | trials to the optimum | regret, deviations | time |", "|---|---|---|---|---|"]
    for effect in found:
        mark = "**" if effect.matters else ""
        trials = f"{100 * math.expm1(effect.trials):+.0f} % ± {100 * effect.trials_error:.0f}"
        regret = f"{effect.regret:+.3f} ± {effect.regret_error:.3f}"
        lines.append(
            f"| {mark}{effect.variant}{mark} | {effect.n_pairs} | {trials} | {regret} | x{effect.time_ratio:.2f} |"
        )
    return "\n".join(lines)
