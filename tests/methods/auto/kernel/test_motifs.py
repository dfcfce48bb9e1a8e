"""Motifs: the sets that rows are seen as, their differences, and what they tell beliefs."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray

import hedgerow as hr
from hedgerow.arrays import Codes
from hedgerow.methods import Auto, CodeProblem
from hedgerow.methods.auto.belief import BeliefSettings, fit_beliefs
from hedgerow.methods.auto.kernel.fit import negative_log_evidence
from hedgerow.methods.auto.kernel.motifs import Motifs
from hedgerow.methods.auto.kernel.motifs_loops import motif_differences, multiply_by_motifs
from hedgerow.methods.auto.kernel.pairs import Pairs
from hedgerow.methods.auto.kernel.process import KernelFactor, KernelSurrogate
from hedgerow.methods.auto.kernel.view import View
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.auto.structure import motifs
from hedgerow.methods.history import History

LENGTH = 10
# A pairs with T, C with G.
PARTNERS = (3, 2, 1, 0)


def plain_sets(rows: Codes, kind: Motifs) -> list[set[tuple[int, ...]]]:
    """Return the motifs of each row as tuples of codes, on either strand where codes have partners."""
    sets = []
    for row in rows[:, list(kind.slots)].tolist():
        found = {tuple(row[k : k + kind.width]) for k in range(len(row) - kind.width + 1)}
        if kind.partners:
            found = {min(one, tuple(kind.partners[code] for code in one[::-1]), key=lambda m: m[::-1]) for one in found}
        sets.append(found)
    return sets


def motif_view(kernel_problem: KernelProblem) -> View:
    return next(view for view in kernel_problem.views if view.kinds == ("motifs",))


@pytest.fixture(scope="module")
def problem() -> CodeProblem:
    space = hr.Space({"x": hr.Integer(1, 4), "dna": hr.Vector(list("ACGT"), LENGTH), "kind": hr.Vector(list("abc"), 8)})
    return CodeProblem(hr.FeasibleSet(space, ["count(dna == 'A') <= 4", "x <= 3 or kind[0] == 'a'"]))


def test_vectors_of_labels_have_motifs_of_two_widths_and_dna_is_read_on_both_strands(problem: CodeProblem) -> None:
    found = motifs(problem.space, problem.active)
    dna, kind = tuple(range(1, LENGTH + 1)), tuple(range(LENGTH + 1, LENGTH + 9))
    assert [(each.slots, each.width, each.partners) for each in found] == [
        (dna, 3, PARTNERS),
        (dna, 3, ()),
        (kind, 2, ()),
        (kind, 3, ()),
    ]


@pytest.mark.parametrize("letters", ["TGCA", "acgt", "UACG"])
def test_bases_pair_whatever_their_order_and_case(letters: str) -> None:
    space = hr.Space({"rna": hr.Vector(list(letters), LENGTH)})
    partners = motifs(space, np.arange(LENGTH))[0].partners
    assert sorted(letters[k].upper() + letters[partner].upper() for k, partner in enumerate(partners)) == sorted(
        ["AU", "UA", "CG", "GC"] if "U" in letters else ["AT", "TA", "CG", "GC"]
    )


@pytest.mark.parametrize(
    "variable",
    [
        hr.Vector(bool, 12),
        hr.Vector(hr.Integer(0, 3), 12),
        hr.Vector(list("abcd"), 7),
        hr.Vector(list("abcd"), 501),
    ],
)
def test_flags_numbers_and_short_or_very_long_vectors_have_none(variable: hr.Vector) -> None:
    space = hr.Space({"x": variable})
    assert motifs(space, np.arange(len(space.slots))) == []


def test_rows_differ_by_the_motifs_that_one_of_them_has_alone(problem: CodeProblem) -> None:
    rows = problem.feasible.draw(30, np.random.default_rng(0))
    kernel_problem = KernelProblem(problem)
    view = motif_view(kernel_problem)
    seen = view.kernel.motifs
    assert seen is not None
    for kind, found in zip(seen.kinds, seen.differences(view.rows(rows)), strict=True):
        sets = plain_sets(rows, kind)
        assert found.tolist() == [[len(a ^ b) for b in sets] for a in sets]
        assert found.max() < kind.n_differences


def test_columns_of_rows_with_the_same_motifs_are_the_same() -> None:
    kind = Motifs((0, 1, 2, 3, 4), 3, 2)
    columns = kind.columns(np.array([[0, 0, 1, 0, 0], [1, 0, 0, 0, 1], [0, 1, 0, 0, 0]]))
    # Once around the same circle, from three places.
    assert columns.tolist() == [[0, 1, 3, 9]] * 3


def test_of_few_rows_beside_many_and_the_other_way_round_products_are_the_same() -> None:
    kind = Motifs(tuple(range(12)), 8, 3)
    rows = np.random.default_rng(6).integers(0, 8, (40, 12))
    columns = kind.columns(rows)
    table = np.linspace(1.0, 0.1, kind.n_differences)
    expected = table[motif_differences(columns, columns, kind.n_motifs)]
    # The flags of few rows are cheaper than those of many: 2 * 10 < 512.
    for few in (1, 2):
        products = np.ones((few, 40))
        multiply_by_motifs(products, columns[:few], columns, kind.n_motifs, table)
        np.testing.assert_array_equal(products, expected[:few])


def test_long_lists_of_long_vectors_take_little_memory() -> None:
    kind = Motifs(tuple(range(400)), 3, 7)
    rows = np.random.default_rng(7).integers(0, 3, (2_000, 400))
    tracemalloc.start()
    kind.columns(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A few arrays of rows and windows; all pairs of windows would be 300 MB.
    assert peak < 60e6


def test_products_multiply_by_the_tables_at_these_differences(problem: CodeProblem) -> None:
    rng = np.random.default_rng(1)
    rows = problem.feasible.draw(25, rng)
    view = motif_view(KernelProblem(problem))
    kernel = view.kernel
    assert kernel.motifs is not None
    tables = kernel.tables(kernel.center + 0.3 * rng.normal(size=kernel.center.size))
    expected = np.ones((25, 25))
    for slot in range(kernel.n_columns):
        expected *= tables[slot][np.abs(rows[:, None, slot] - rows[None, :, slot])]
    for table, kind in zip(tables[kernel.n_columns :], kernel.motifs.kinds, strict=True):
        sets = plain_sets(rows, kind)
        expected *= np.array([[table[len(a ^ b)] for b in sets] for a in sets])
    seen = view.rows(rows)
    np.testing.assert_allclose(kernel.own_products(seen, tables), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel.products(seen[:7], seen, tables), expected[:7], rtol=1e-12)
    np.testing.assert_allclose(Pairs.of(kernel, seen).products(tables), expected, rtol=1e-12)
    # A covariance: no combination of rows has a negative variance.
    assert np.linalg.eigvalsh(expected).min() > -1e-9


def test_the_slope_of_the_evidence_is_that_of_the_evidence(problem: CodeProblem) -> None:
    rng = np.random.default_rng(2)
    view = motif_view(KernelProblem(problem))
    pairs = Pairs.of(view.kernel, view.rows(problem.feasible.draw(25, rng)))
    parameters, targets = view.kernel.center + 0.3 * rng.normal(size=view.kernel.center.size), rng.normal(size=25)
    steps = 1e-5 * np.eye(parameters.size)
    slopes = [
        (
            negative_log_evidence(pairs, parameters + step, targets)[0]
            - negative_log_evidence(pairs, parameters - step, targets)[0]
        )
        / 2e-5
        for step in steps
    ]
    np.testing.assert_allclose(negative_log_evidence(pairs, parameters, targets)[1], slopes, atol=1e-6)


def test_lists_are_predicted_as_their_rows_are(problem: CodeProblem) -> None:
    space = hr.Space({"dna": hr.Vector(list("ACGT"), 8)})
    listed = CodeProblem(hr.FeasibleSet(space, ["count(dna == 'A') >= 3", "dna[0] == 'C'"]))
    kernel_problem = KernelProblem(listed)
    listed.listed(10_000)
    active = kernel_problem.active_part(listed.all_listed)
    for view in kernel_problem.views:
        if "motifs" not in view.kinds:
            continue
        factor = KernelFactor.of(view.kernel, view.kernel.center, view.rows(active[::29]))
        model = KernelSurrogate.condition(factor, np.arange(factor.codes.shape[0], dtype=float))
        mean, sd = model.predict(view.rows(active))
        np.testing.assert_allclose(model.predict_mean(kernel_problem.listed(view)), mean, atol=1e-9)
        bound_mean, bound = model.bound(kernel_problem.listed(view), 12)
        np.testing.assert_allclose(bound_mean, mean, atol=1e-9)
        assert (bound >= sd - 1e-9).all()


def bound_anywhere(rows: Codes) -> NDArray[np.float64]:
    """Return how well hidden motifs bind, the best of all places counting, on either strand."""
    energies = np.random.default_rng(3).normal(size=(4, 4))
    strands = (rows, 3 - rows[:, ::-1])
    places = [energies[np.arange(4), strand[:, k : k + 4]].sum(axis=1) for strand in strands for k in range(LENGTH - 3)]
    return np.asarray(-np.stack(places).max(axis=0))


def test_evidence_and_predictions_are_better_where_position_does_not_matter() -> None:
    problem = CodeProblem(hr.FeasibleSet(hr.Space({"dna": hr.Vector(list("ACGT"), LENGTH)})))
    kernel_problem = KernelProblem(problem)
    rng = np.random.default_rng(4)
    rows, others = problem.feasible.draw(120, rng), problem.feasible.draw(400, rng)
    values = bound_anywhere(rows)
    fit = fit_beliefs(BeliefSettings(), kernel_problem.kernel, rows, values, rng, views=kernel_problem.views[1:])
    modes = {belief.view.kinds if belief.view else (): belief for belief in fit.beliefs if belief.is_mode}
    # Each kind under the transform that suits it: the last one kept of a kind is enough to rank kinds.
    assert max(fit.beliefs, key=lambda belief: belief.log_weight).view is not None
    assert "motifs" in max(modes, key=lambda kinds: modes[kinds].log_weight)
    targets = (values - values.mean()) / values.std()
    correlation = {}
    for belief in (fit.beliefs[0], max(fit.beliefs, key=lambda belief: belief.log_weight)):
        seen = (lambda of: of) if belief.view is None else belief.view.rows
        factor = KernelFactor.of(belief.kernel, belief.parameters, seen(rows))
        mean = KernelSurrogate.condition(factor, targets).means(seen(others))
        correlation[belief.view is None] = np.corrcoef(mean, bound_anywhere(others))[0, 1]
    assert correlation[False] > correlation[True] + 0.1


def test_suggestions_that_see_motifs_are_feasible_and_the_same_again(problem: CodeProblem) -> None:
    rows = problem.feasible.draw(40, np.random.default_rng(5))
    history = History(rows, bound_anywhere(rows[:, 1 : LENGTH + 1]), rows[:0])
    first, again = (Auto().start(problem).suggest(history, 7).codes for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert problem.feasible.accepts(first[None, :]).all()
