"""Coordinates computed from rows: their codes, the kernel over them, and what a change of a row does to predictions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.arrays import Codes
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.methods import Auto, CodeProblem
from hedgerow.methods.auto.belief import BeliefSettings, fit_beliefs
from hedgerow.methods.auto.kernel.process import KernelFactor, KernelSurrogate
from hedgerow.methods.auto.kernel.view import View
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.history import History

LETTERS, LENGTH = "ACGT", 9


@pytest.fixture(scope="module")
def problem() -> CodeProblem:
    space = hr.Space(
        {
            "dna": hr.Vector(list(LETTERS), LENGTH),
            "x": hr.Integer(1, 6),
            "one": ["fixed"],
            "y": hr.Integer(1, 5),
            "on": hr.Vector(bool, 8),
        }
    )
    return CodeProblem(hr.FeasibleSet(space, ["x * y <= 20", "count(on) <= 6"]))


@pytest.fixture(scope="module")
def kernel_problem(problem: CodeProblem) -> KernelProblem:
    return KernelProblem(problem)


def view_of(kernel_problem: KernelProblem, kind: str) -> View:
    return next(view for view in kernel_problem.views if view.kinds == (kind,))


def coordinates(kernel_problem: KernelProblem, kind: str, rows: Codes) -> Codes:
    view = view_of(kernel_problem, kind)
    assert view.derived is not None
    return view.rows(kernel_problem.active_part(rows))[:, view.derived.n_slots :]


def test_kinds_of_structure_come_after_the_slots_alone_and_before_several_kinds_together(
    kernel_problem: KernelProblem,
) -> None:
    kinds = [view.kinds for view in kernel_problem.views]
    names = ("windows", "counts", "terms", "motifs")
    assert kinds == [some for n in range(5) for some in combinations(names, n)]


def test_kinds_are_tried_together_where_each_of_them_is_better_than_none(problem: CodeProblem) -> None:
    kernel_problem = KernelProblem(problem)
    rng = np.random.default_rng(6)
    rows = problem.feasible.draw(120, rng)
    dna, area = rows[:, :LENGTH], (rows[:, LENGTH] + 1) * (rows[:, LENGTH + 2] + 1)
    energies = rng.normal(size=(3, 4))
    bound = [energies[np.arange(3), dna[:, k : k + 3]].sum(axis=1) for k in range(LENGTH - 2)]
    values = np.abs(area - 11) / 5 - np.max(bound, axis=0)
    active = kernel_problem.active_part(rows)
    fit = fit_beliefs(BeliefSettings(), kernel_problem.kernel, active, values, rng, views=kernel_problem.views[1:])
    seen = {() if belief.view is None else belief.view.kinds for belief in fit.beliefs}
    assert any({"terms", "motifs"} <= set(kinds) for kinds in seen)
    # Position does not matter.
    assert not any("windows" in kinds for kinds in seen)


def test_windows_are_equal_where_the_letters_are(problem: CodeProblem, kernel_problem: KernelProblem) -> None:
    rows = problem.feasible.draw(40, np.random.default_rng(0))
    found = coordinates(kernel_problem, "windows", rows)
    vectors = (rows[:, :LENGTH], rows[:, -8:])
    expected = [
        part[:, k : k + width] for width in (2, 3) for part in vectors for k in range(part.shape[1] - width + 1)
    ]
    assert found.shape[1] == len(expected)
    for column, letters in zip(found.T, expected, strict=True):
        same = (letters[:, None, :] == letters[None, :, :]).all(axis=2)
        np.testing.assert_array_equal(column[:, None] == column[None, :], same)


def test_counts_are_counts(problem: CodeProblem, kernel_problem: KernelProblem) -> None:
    rows = problem.feasible.draw(40, np.random.default_rng(1))
    dna, on = rows[:, :LENGTH], rows[:, -8:]
    expected = [*((dna == code).sum(axis=1) for code in range(4)), (on == 1).sum(axis=1)]
    np.testing.assert_array_equal(coordinates(kernel_problem, "counts", rows).T, expected)


def test_variables_alike_are_counted_as_components_of_a_vector_are() -> None:
    kinds = ["none", "skip", "pool"]
    spaces = [
        hr.Space({"cell": hr.Vector(kinds, 4), "x": hr.Integer(1, 6)}),
        hr.Space({**{f"op{k}": kinds for k in range(4)}, "x": hr.Integer(1, 6)}),
    ]
    found = []
    for space in spaces:
        problem = CodeProblem(hr.FeasibleSet(space))
        rows = problem.feasible.draw(30, np.random.default_rng(5))
        found.append(coordinates(KernelProblem(problem), "counts", rows))
        np.testing.assert_array_equal(found[-1].T, [(rows[:, :4] == code).sum(axis=1) for code in range(3)])
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize(
    "variables",
    [
        {"a": ["x", "y", "z"], "b": ["x", "y", "z"], "c": ["x", "y"]},
        {"long": hr.Vector(hr.Integer(0, 9), 5)},
        {"a": hr.Integer(0, 2), "b": hr.Integer(1, 3), "c": ["0", "1", "2"]},
        # Tables of so many would take more memory than everything else.
        {f"on{k}": [False, True] for k in range(501)},
    ],
)
def test_few_slots_alike_very_many_and_many_values_are_not_counted(variables: dict[str, object]) -> None:
    kernel_problem = KernelProblem(CodeProblem(hr.FeasibleSet(hr.Space(variables))))
    assert [view.kinds for view in kernel_problem.views] == [()]


def test_terms_rank_what_rules_compute(problem: CodeProblem, kernel_problem: KernelProblem) -> None:
    rows = problem.feasible.draw(60, np.random.default_rng(2))
    values = (rows[:, LENGTH] + 1) * (rows[:, LENGTH + 2] + 1)
    (ranks,) = coordinates(kernel_problem, "terms", rows).T
    np.testing.assert_array_equal(ranks[:, None] < ranks[None, :], values[:, None] < values[None, :])


def test_changes_of_a_row_are_predicted_as_rows_are(problem: CodeProblem, kernel_problem: KernelProblem) -> None:
    rng = np.random.default_rng(3)
    rows = problem.feasible.draw(20, rng)
    literals = Literals.all_of(problem.space.sizes)
    slots, codes = kernel_problem.places_of(literals)
    active = kernel_problem.active_part(rows)
    for view in kernel_problem.views:
        parameters = view.kernel.center + 0.3 * rng.normal(size=view.kernel.center.size)
        factor = KernelFactor.of(view.kernel, parameters, view.rows(active))
        model = KernelSurrogate.condition(factor, rng.normal(size=20))
        near = view.near(model, active[0], slots, codes)
        for n_slots in (1, 2):
            changes = problem.feasible.changes(rows[0], n_slots, literals)[:200]
            first, second = literals.of(changes)
            mean, sd = model.predict(view.rows(kernel_problem.active_part(changed_rows(rows[0], changes))))
            np.testing.assert_allclose(near.means(first, second), mean, atol=1e-9)
            np.testing.assert_allclose(near.deviations(first, second), sd, atol=1e-9)
            assert (near.bounds(first, second) >= sd - 1e-9).all()


def test_listed_rows_by_halves_are_the_rows() -> None:
    space = hr.Space({"dna": hr.Vector(list("AC"), 8)})
    problem = CodeProblem(hr.FeasibleSet(space, ["count(dna == 'A') <= 5"]))
    kernel_problem = KernelProblem(problem)
    problem.listed(1000)
    view = view_of(kernel_problem, "windows")
    active = kernel_problem.active_part(problem.all_listed)
    factor = KernelFactor.of(view.kernel, view.kernel.center, view.rows(active[::9]))
    model = KernelSurrogate.condition(factor, np.arange(factor.codes.shape[0], dtype=float))
    np.testing.assert_allclose(
        model.predict_mean(kernel_problem.listed(view)), model.predict(view.rows(active))[0], atol=1e-9
    )


def test_evidence_tells_a_chain_of_neighbors_from_a_sum() -> None:
    space = hr.Space({"on": hr.Vector(bool, 16)})
    problem = CodeProblem(hr.FeasibleSet(space))
    kernel_problem = KernelProblem(problem)
    rng = np.random.default_rng(4)
    rows = problem.feasible.draw(120, rng)
    tables = rng.normal(size=(14, 8))
    numbers = 4 * rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]
    of_neighbors = tables[np.arange(14), numbers].sum(axis=1)
    additive = rows @ rng.normal(size=16)
    active = kernel_problem.active_part(rows)

    def kinds(values: np.ndarray) -> dict[tuple[str, ...], float]:
        fit = fit_beliefs(BeliefSettings(), kernel_problem.kernel, active, values, rng, views=kernel_problem.views[1:])
        return {
            () if belief.view is None else belief.view.kinds: belief.log_weight
            for belief in fit.beliefs
            if belief.is_mode
        }

    chain, plain = kinds(of_neighbors), kinds(additive)
    assert max(chain, key=chain.__getitem__) == ("windows",)
    assert chain[()] < -10
    assert plain[()] > -1.0


def test_suggestions_with_structure_are_feasible_and_the_same_again(problem: CodeProblem) -> None:
    rng = np.random.default_rng(5)
    rows = problem.feasible.draw(14, rng)

    history = History(rows, rng.normal(size=14), rows[:0])
    first, again = (Auto().start(problem).suggest(history, 7).codes for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert problem.feasible.accepts(first[None, :]).all()


def test_terms_without_a_number_and_functions_of_others_do_no_harm() -> None:
    space = hr.Space({"x": hr.Integer(0, 400), "y": hr.Integer(0, 3), "z": hr.Integer(0, 3)})
    calls: list[int] = []

    def rare(y: int, z: int) -> bool:
        calls.append(1)
        return y + z < 6

    problem = CodeProblem(hr.FeasibleSet(space, ["10 ** (x * y) != 10", "z == 0 or y / z <= 2", rare]))
    n_calls = len(calls)
    kernel_problem = KernelProblem(problem)
    assert [view.kinds for view in kernel_problem.views] == [(), ("terms",)]
    assert len(calls) == n_calls
