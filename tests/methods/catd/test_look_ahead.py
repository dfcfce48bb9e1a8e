"""Looking ahead against listing all completions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.typing import NDArray

from hedgerow import FeasibleSet, Integer, Space, Vector
from hedgerow.feasible.engines.diagram import DiagramSet
from hedgerow.methods import CATD, CandidateSettings, CodeProblem, History
from hedgerow.methods.catd.ensemble.ensemble import Ensemble
from hedgerow.methods.catd.ensemble.factorized import Factorized
from hedgerow.methods.catd.ensemble.infeasible import NoRows
from hedgerow.methods.catd.look_ahead import LookAhead
from hedgerow.methods.catd.tensors.tensor_format import FormatName

SPACE = Space({"x": Vector(Integer(0, 3), 5)})


def diagram_of(space: Space, rules: list[str]) -> DiagramSet:
    codes = FeasibleSet(space, rules).codes
    assert isinstance(codes, DiagramSet)
    return codes


FEASIBLE = diagram_of(SPACE, ["sum(x) == 7", "x[0] != x[4]"])
EVERYTHING = np.concatenate(list(FEASIBLE.batches()))


def lowest_mean(predictions: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(-predictions.mean(axis=1))


def fitted(form: FormatName, seed: int) -> Ensemble:
    surrogate = Factorized(form, 3, n_models=4)
    rows = FEASIBLE.draw(12, default_rng(seed))
    values = default_rng(seed).normal(size=12)
    return surrogate.fit(surrogate.prior(SPACE.sizes), rows, values, NoRows(), default_rng(seed))


@pytest.mark.parametrize("form", ["cp", "tt", "tr"])
def test_prefixes_are_rated_by_the_average_of_their_completions(form: FormatName) -> None:
    ensemble = fitted(form, 0)
    predictions = ensemble.predictions(EVERYTHING)
    rated: list[NDArray[np.float64]] = []

    def rate(found: NDArray[np.float64]) -> NDArray[np.float64]:
        rated.append(found)
        return np.zeros(found.shape[0])

    look_ahead = LookAhead(ensemble, FEASIBLE)
    look_ahead.beam(rate, 10**6)
    order = list(FEASIBLE.order)
    for n_fixed, found in enumerate(rated, start=1):
        prefixes, owner = np.unique(EVERYTHING[:, order[:n_fixed]], axis=0, return_inverse=True)
        averages = [predictions[owner == k].mean(axis=0) for k in range(prefixes.shape[0])]
        np.testing.assert_allclose(np.sort(found, axis=0), np.sort(averages, axis=0), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("form", ["cp", "tt", "tr"])
def test_a_beam_finds_feasible_rows_and_a_wide_one_the_best(form: FormatName) -> None:
    for seed in range(3):
        ensemble = fitted(form, seed)
        scores = lowest_mean(ensemble.predictions(EVERYTHING))
        narrow = LookAhead(ensemble, FEASIBLE).beam(lowest_mean, 4)
        assert FEASIBLE.accepts(narrow).all() and narrow.shape == (4, 5)
        wide = LookAhead(ensemble, FEASIBLE).beam(lowest_mean, 10**6)
        assert lowest_mean(ensemble.predictions(wide[:1]))[0] == pytest.approx(scores.max())
        assert lowest_mean(ensemble.predictions(narrow[:1]))[0] > np.quantile(scores, 0.9)


def test_trains_need_the_order_of_their_slots_and_cp_does_not() -> None:
    space = Space({"x": Vector(Integer(0, 9), 12)})
    crossed = diagram_of(space, [f"x[{k}] == x[{k + 6}]" for k in range(6)])
    assert crossed.order != tuple(range(12))
    surrogates = {form: Factorized(form, 2, n_models=2) for form in ("cp", "tt")}
    rows = crossed.draw(6, default_rng(0))
    values = default_rng(0).normal(size=6)
    for form, surrogate in surrogates.items():
        ensemble = surrogate.fit(surrogate.prior(space.sizes), rows, values, NoRows(), default_rng(0))
        assert LookAhead.is_possible(ensemble, crossed) == (form == "cp")
    found = LookAhead(
        surrogates["cp"].fit(surrogates["cp"].prior(space.sizes), rows, values, NoRows(), default_rng(0)), crossed
    ).beam(lowest_mean, 8)
    assert crossed.accepts(found).all()


def test_looking_ahead_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def beam(self: LookAhead, *_: object) -> None:
        raise AssertionError("It looked ahead.")

    monkeypatch.setattr(LookAhead, "beam", beam)
    # Too large to be listed, so that it is searched.
    problem = CodeProblem(FeasibleSet(SPACE, ["sum(x) == 7"]))
    rows = problem.listed(10_000)
    assert rows is not None
    history = History(rows[:3], np.arange(3.0), rows[:0])
    method = CATD(rank=2, n_models=2, max_epochs=2, candidates=CandidateSettings(max_listed=10))
    with pytest.raises(AssertionError, match="looked ahead"):
        method.start(problem).suggest(history, 0)
    found = replace(method, looks_ahead=False).start(problem).suggest(history, 0)
    assert problem.feasible.accepts(found.codes[None, :])[0]
