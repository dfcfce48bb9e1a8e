"""The page of the constants: each with its value, and what its group is worth where that was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence

from research.sensitivity.constants import GROUPS, DefaultConstant, Group
from research.sensitivity.runs import BUDGET
from research.sensitivity.summary import ConstantEffect
from research.sensitivity.tasks import KINDS

# Fewer pairs say nothing.
LEAST_PAIRS = 12
_HEAD = f"""# Constants of the default

The numbers that steer `method="auto"`, by groups that act together. `python -m research sensitivity` halves and
doubles each group (centers of priors, which are logarithms, are moved by the deviation of their prior) on
{len(KINDS)} kinds of generated problems with rules, none of which was used to choose a constant, {BUDGET} trials
each; what is compared has the same problem and the same seed. Effects are means of paired differences from the
default with their standard errors: in the trials until the optimum, and in the regret after the last trial, in
standard deviations of the function. Plus is worse. Effects above two standard errors are set in bold; of forty
that do nothing two would be. Rows of 18 November 2026, two shared cores, Python 3.11. `python -m research
sensitivity --page` writes this page from the rows that are there (`docs/results/sensitivity.csv`).

Limits of cost that act beyond 250 observations only (`max_fitted`, `max_conditioned`, `many`, `_MAX_OUTCOMES`) and
guards of rounding (`_TIE`, `_LEAST_LEFT`, the floor of the noise, the box of the parameters) are plain choices and
were not measured.

| group | constants | half | double |
|---|---|---|---|
"""


def page(effects: Sequence[ConstantEffect]) -> str:
    """Return the page."""
    by_name = {effect.variant: effect for effect in effects}
    return _HEAD + "".join(_line(group, by_name) for group in GROUPS)


def _line(group: Group, effects: dict[str, ConstantEffect]) -> str:
    constants = "; ".join(_constant(constant) for constant in group.constants)
    cells = [_cell(effects.get(f"{group.name}, {direction}")) for direction in ("half", "double")]
    return f"| {group.name} | {constants} | {cells[0]} | {cells[1]} |\n"


def _constant(constant: DefaultConstant) -> str:
    value = constant.default()
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"`{constant.name}` {text}"


def _cell(effect: ConstantEffect | None) -> str:
    if effect is None:
        return "not measured yet"
    trials = f"{100 * math.expm1(effect.trials):+.0f} ± {100 * effect.trials_error:.0f} % trials"
    if effect.n_pairs < LEAST_PAIRS:
        return f"{trials} ({effect.n_pairs} pairs, too few to tell)"
    mark = "**" if effect.matters else ""
    return f"{mark}{trials}, {effect.regret:+.3f} ± {effect.regret_error:.3f} regret{mark} ({effect.n_pairs} pairs)"
