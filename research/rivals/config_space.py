"""A problem as a configuration space of ConfigSpace: parameters over codes, and forbidden clauses for the rules.

ConfigSpace draws points and throws away the forbidden ones, more at a time the more clauses there are: where few points
are allowed, or clauses are many, it would take forever or all memory. The space made here draws the same points,
uniform over what is allowed, from the feasible set itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.methods.problem import CodeProblem
from research.rivals.forbidden import Box
from research.rivals.packages import package


def config_space(problem: CodeProblem, boxes: Sequence[Box]) -> Any:
    """Return the space with one clause per box."""
    space = (_feasible_space() if boxes else package("ConfigSpace", "SMAC").ConfigurationSpace)()
    space.hedgerow_problem = problem
    # ConfigSpace wants a default that no clause forbids.
    default = problem.feasible.draw(1, np.random.default_rng(0))[0]
    parameters = {int(slot): _parameter(problem, int(slot), int(default[slot])) for slot in problem.active}
    space.add(list(parameters.values()))
    space.add([_clause(parameters, box) for box in boxes])
    return space


def configuration(space: Any, problem: CodeProblem, row: Codes) -> Any:
    """Return a row of codes as a configuration."""
    values = {problem.space.slots[int(slot)].name: int(row[slot]) for slot in problem.active}
    return package("ConfigSpace", "SMAC").Configuration(space, values=values)


def codes_of(config: Any, problem: CodeProblem) -> Codes:
    """Return a configuration as a row of codes."""
    row = np.zeros(len(problem.space.slots), dtype=np.int64)
    for slot in problem.active:
        row[slot] = int(config[problem.space.slots[int(slot)].name])
    return row


def _parameter(problem: CodeProblem, slot: int, default: int) -> Any:
    parameters = package("ConfigSpace", "SMAC")
    name, n_levels = problem.space.slots[slot].name, problem.space.sizes[slot]
    if problem.space.slots[slot].variable.is_ordered:
        return parameters.UniformIntegerHyperparameter(name, 0, n_levels - 1, default_value=default)
    return parameters.CategoricalHyperparameter(name, list(range(n_levels)), default_value=default)


def _clause(parameters: dict[int, Any], box: Box) -> Any:
    clauses = package("ConfigSpace", "SMAC")
    parts = [
        clauses.ForbiddenEqualsClause(parameters[slot], codes[0])
        if len(codes) == 1
        else clauses.ForbiddenInClause(parameters[slot], list(codes))
        for slot, codes in box.items()
    ]
    return parts[0] if len(parts) == 1 else clauses.ForbiddenAndConjunction(*parts)


@cache
def _feasible_space() -> Any:
    """Return the class of spaces that draw from the feasible set; it exists once ConfigSpace is loaded."""
    space = package("ConfigSpace", "SMAC")

    class FeasibleSpace(space.ConfigurationSpace):  # type: ignore[misc, name-defined]
        """A configuration space whose draws need no rejection."""

        hedgerow_problem: CodeProblem

        def sample_configuration(self, size: int | None = None) -> Any:
            """Return one configuration, or a list of them."""
            problem = self.hedgerow_problem
            rows = problem.feasible.draw(size or 1, np.random.default_rng(self.random.randint(2**31)))
            columns = {problem.space.slots[int(slot)].name: rows[:, slot] for slot in problem.active}
            vectors = np.stack([self[name].to_vector(columns[name]) for name in self], axis=1)
            drawn = [space.Configuration(self, vector=vector) for vector in vectors.astype(np.float64)]
            return drawn[0] if size is None else drawn

    return FeasibleSpace
