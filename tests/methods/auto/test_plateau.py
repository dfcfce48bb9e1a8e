"""Plateaus: objectives whose values come in steps, of which only a few codes of many matter at each place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.arrays import Codes
from hedgerow.methods import CodeProblem, History, Reason
from hedgerow.methods.auto.plateau import CONTESTED, NOTHING, Plateau, can_move, has_many_codes, plateau_of
from hedgerow.methods.auto.plateau_trials import _PlateauTrials, on_plateau

N_LETTERS, LENGTH = 20, 14
# Letters by their distance from the first: both are wanted whole, wherever they are.
MOTIFS = (((0, 3), (2, 11), (3, 7), (5, 1)), ((0, 5), (1, 12), (4, 18), (6, 9)))
SPACE = hr.Space({"letter": hr.Vector(hr.Categorical(range(N_LETTERS)), LENGTH)})
RULES = [f"not contains(letter, [{a}, {(7 * a + 5) % N_LETTERS}])" for a in range(N_LETTERS)]
PROBLEM = CodeProblem(hr.FeasibleSet(SPACE, RULES))
NOTHING_OUT = np.zeros((0, LENGTH), np.int64)


def held(letters: Any) -> float:
    """Minus the product of how much of each motif there is somewhere: a few steps, and nothing between them."""
    value = 1.0
    for motif in MOTIFS:
        starts = range(LENGTH - motif[-1][0])
        value *= max(sum(letters[start + k] == letter for k, letter in motif) for start in starts) / len(motif)
    return -value


def row(*letters: int) -> Codes:
    return np.array([*letters, *[0] * (LENGTH - len(letters))], dtype=np.int64)


def all_needed(last: Codes, codes: Codes, slots: Codes) -> Plateau:
    """A plateau of which everything is known: these codes at these slots are needed."""
    n = codes.size
    every = np.arange(LENGTH)
    return Plateau(last, codes, [slots], np.ones(n, np.bool_), np.full(n, NOTHING), np.zeros(n, np.int64), every)


def begun(letters: Codes, needed: tuple[int, ...] = ()) -> Plateau:
    return Plateau.of_row(letters, np.arange(LENGTH), np.array(needed, dtype=np.int64))


@pytest.mark.parametrize("seed", range(3))
def test_both_motifs_are_found_where_single_changes_would_have_to_try_hundreds_of_letters(seed: int) -> None:
    result = hr.minimize(lambda p: held(p["letter"]), SPACE, RULES, budget=200, seed=seed)
    assert result.best_value == -1.0


def test_its_trials_say_why() -> None:
    optimizer = hr.Optimizer(SPACE, RULES, seed=0)
    reasons = set()
    for _ in range(60):
        suggestion = optimizer.suggest()
        reasons.add(suggestion.reason)
        optimizer.tell(suggestion.point, held(suggestion.point["letter"]))
    assert Reason.PLATEAU in reasons


def test_trials_on_sums_in_whole_numbers_follow_beliefs_though_many_tie() -> None:
    n_ties = n_on_plateau = 0
    space = hr.Space({"label": hr.Vector(hr.Categorical(range(10)), 20)})
    for seed in range(4):
        effects = 0.7 * np.random.default_rng(seed).normal(size=(20, 10))
        optimizer = hr.Optimizer(space, seed=seed)
        values: list[float] = []
        for _ in range(60):
            suggestion = optimizer.suggest()
            n_on_plateau += suggestion.reason == Reason.PLATEAU
            values.append(float(np.round(effects[range(20), suggestion.point["label"]].sum())))
            optimizer.tell(suggestion.point, values[-1])
        n_ties += sum(value == min(values[:k]) for k, value in enumerate(values) if k)
    assert n_ties >= 24
    # Where a tenth of ties is enough it is half of the 240.
    assert n_on_plateau < 60


def test_what_a_row_as_good_lacks_is_free_and_what_a_worse_one_lacks_alone_is_needed() -> None:
    plateau = begun(row(1, 2, 3, 4, 5))
    plateau.tied(row(9, 9, 3, 4, 5), SPACE)
    assert plateau.here.tolist() == list(range(2, LENGTH))
    plateau.failed(row(1, 2, 8, 8, 5))
    assert [pool.sum() for pool in plateau.pools] == [2]
    plateau.tied(row(1, 2, 8, 4, 5), SPACE)
    # Of the two that were lost together the one that may be lost alone leaves the other.
    assert plateau.pools == []
    assert plateau.here[plateau.is_needed].tolist() == [3]


def test_what_is_needed_stays_on_a_better_plateau_where_it_is_still_there() -> None:
    better = begun(row(1, 2, 3), needed=(0, 2)).begun_anew(row(1, 9, 9))
    assert np.flatnonzero(better.is_needed).tolist() == [0]


def test_one_code_that_serves_as_well_frees_nothing_that_is_needed_and_two_do() -> None:
    plateau = begun(row(1, 2, 3), needed=(0,))
    for code in (7, 7):
        plateau.tied(row(code, 2, 3), SPACE)
        assert plateau.instead[0] == 7
        assert plateau.codes.size == LENGTH
    plateau.tied(row(8, 2, 3), SPACE)
    assert plateau.here.tolist() == list(range(1, LENGTH))

    contested = begun(row(1, 2, 3), needed=(0,))
    contested.tied(row(7, 2, 3), SPACE)
    contested.failed(row(8, 2, 3))
    assert contested.instead[0] == CONTESTED
    contested.tied(row(9, 2, 3), SPACE)
    assert contested.codes.size == LENGTH
    assert begun(row(1)).instead[0] == NOTHING


def test_worse_rows_that_lack_nothing_bring_back_what_was_taken_for_free() -> None:
    plateau = begun(row(1, 2, 3), needed=(2,))
    plateau.tied(row(9, 2, 3), SPACE)
    again = plateau.failed(row(8, 2, 3)).failed(row(7, 2, 3))
    assert again is not plateau
    assert again.codes.tolist() == row(9, 2, 3).tolist()
    assert np.flatnonzero(again.is_needed).tolist() == [2]


def test_elements_that_are_all_found_a_step_away_have_moved() -> None:
    alone = all_needed(row(5, 6, 7, 8), row(5, 6, 7, 8)[:4], np.arange(4))
    alone.tied(np.array([9, 9, 9, 9, 9, 5, 6, 7, 8, 0, 0, 0, 0, 0]), SPACE)
    assert alone.here.tolist() == [5, 6, 7, 8]
    assert not alone.lacking(row(5, 6, 7, 8)[None, :]).any()


def test_values_without_steps_and_spaces_with_few_codes_have_no_plateau() -> None:
    rows = PROBLEM.feasible.draw(30, np.random.default_rng(0))
    assert plateau_of(SPACE, History(rows, np.arange(30.0), NOTHING_OUT), np.arange(LENGTH)) is None
    assert plateau_of(SPACE, History(rows, np.ones(30), NOTHING_OUT), np.arange(LENGTH)) is not None
    assert not has_many_codes(hr.Space({"bit": hr.Vector(bool, 200)}))
    assert not has_many_codes(hr.Space({"size": hr.Vector(hr.Integer(0, 19), 20)}))
    assert has_many_codes(SPACE)


@given(seed=st.integers(0, 10_000), n=st.integers(4, 60), n_out=st.integers(0, 4))
def test_trials_on_a_plateau_keep_the_rules_and_are_new_and_the_same_when_asked_again(
    seed: int, n: int, n_out: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = np.unique(PROBLEM.feasible.draw(n + n_out, rng), axis=0)
    rows = rows[rng.permutation(rows.shape[0])]
    values = np.round(rng.random(rows.shape[0] - n_out), 1)
    values[rng.random(values.size) < 0.1] = np.nan
    if not np.isfinite(values).any():
        return
    history = History(rows[: values.size], values, rows[values.size :])
    found = on_plateau(PROBLEM, history, np.random.default_rng(seed))
    again = on_plateau(PROBLEM, history, np.random.default_rng(seed))
    assert (found is None) == (again is None)
    if found is not None and again is not None:
        assert found.tolist() == again.tolist()
        assert PROBLEM.feasible.accepts(found[None, :])[0]
        assert not history.is_seen(found[None, :])[0]


def test_workers_at_once_are_given_different_trials() -> None:
    optimizer = hr.Optimizer(SPACE, RULES, seed=1)
    for _ in range(4):
        points = optimizer.ask(16)
        assert len({tuple(point["letter"]) for point in points}) == 16
        for point in points:
            optimizer.tell(point, held(point["letter"]))


def test_what_rows_as_good_lack_together_again_and_again_is_suspect_again() -> None:
    plateau = begun(row(1, 2, 3, 4), needed=(0, 1, 2))
    plateau.tied(row(9, 9, 3, 4), SPACE)
    assert np.flatnonzero(plateau.is_needed).tolist() == [0, 1, 2]
    plateau.tied(row(8, 8, 3, 4), SPACE)
    assert np.flatnonzero(plateau.is_needed).tolist() == [2]
    plateau.tied(row(7, 7, 3, 4), SPACE)
    assert plateau.here.tolist() == list(range(2, LENGTH))


def test_what_has_moved_together_moves_together_though_one_of_it_stands_there_by_chance() -> None:
    first = np.array([5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2])
    places = np.array([0, 1, 2, 3, 12, 13])
    codes = first[places]
    plateau = all_needed(first, codes, places)
    plateau.tied(np.array([0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0, 1, 2]), SPACE)
    assert plateau.here.tolist() == [4, 5, 6, 7, 12, 13]
    # The 8 is where it was at first, but it is with the others that it counts.
    plateau.tied(np.array([0, 0, 0, 8, 0, 0, 5, 6, 7, 8, 0, 0, 1, 2]), SPACE)
    assert plateau.here.tolist() == [6, 7, 8, 9, 12, 13]


@pytest.mark.parametrize("seed", range(30))
def test_an_element_is_lost_again_to_another_code_than_before(seed: int) -> None:
    rng = np.random.default_rng(seed)
    best = row(2, 11, 7, 1)
    plateau = all_needed(best, best[:4], np.arange(4))
    rows, values = [best], [-1.0]
    for _ in range(10):
        history = History(np.array(rows), np.array(values), NOTHING_OUT)
        found = _PlateauTrials(PROBLEM, history, plateau, rng)._without(2)
        assert found is not None
        rows.append(found)
        values.append(-0.5)
    assert np.unique(np.array(rows)[:, 2]).size == 11


def test_what_serves_as_well_is_what_stood_where_the_element_was_then() -> None:
    plateau = all_needed(row(5, 6, 7, 8), row(5, 6, 7, 8)[:4], np.arange(4))
    plateau.tied(np.array([9, 9, 9, 9, 9, 5, 6, 7, 8, 0, 0, 0, 0, 0]), SPACE)
    # Back where they were at first, with 11 instead of 5.
    plateau.tied(np.array([11, 6, 7, 8, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0]), SPACE)
    assert plateau.instead.tolist() == [11, NOTHING, NOTHING, NOTHING]
    assert plateau.last.tolist() == [9, 9, 9, 9, 9, 5, 6, 7, 8, 0, 0, 0, 0, 0]


def test_a_pool_of_which_everything_turns_out_to_be_free_is_gone() -> None:
    plateau = begun(row(1, 2, 3, 4, 5, 6))
    plateau.failed(row(9, 9, 3, 4, 5, 6))
    plateau.tied(row(8, 8, 8, 4, 5, 6), SPACE)
    assert plateau.pools == []


@pytest.mark.parametrize(
    ("variables", "rules"),
    [
        ({f"only{k}": hr.Categorical(["this"]) for k in range(12)}, []),
        ({"fixed": hr.Vector(hr.Categorical(range(20)), 6)}, [f"fixed[{k}] == 13" for k in range(6)]),
    ],
)
def test_slots_that_cannot_change_are_no_suspects(variables: dict[str, Any], rules: list[str]) -> None:
    space = hr.Space({"letter": SPACE.variables["letter"], **variables})
    problem = CodeProblem(hr.FeasibleSet(space, [*RULES, *rules]))
    assert problem.changing.tolist() == list(range(LENGTH))
    result = hr.minimize(lambda p: held(p["letter"]), space, [*RULES, *rules], budget=200, seed=1)
    assert result.best_value == -1.0


def test_where_rules_leave_no_row_without_a_half_the_other_half_or_one_is_lost() -> None:
    # Of the first seven none can be lost alone.
    rules = [*RULES, *(f"letter[{k}] == letter[{k + 1}]" for k in range(6))]
    problem = CodeProblem(hr.FeasibleSet(SPACE, rules))
    rng = np.random.default_rng(0)
    (best,) = problem.feasible.draw(1, rng)
    history = History(best[None, :], np.zeros(1), NOTHING_OUT)
    for seed in range(5):
        trials = _PlateauTrials(problem, history, begun(best), np.random.default_rng(seed))
        found = trials._bisected()
        assert found is not None
        assert problem.feasible.accepts(found[None, :]).all()


def test_trials_that_may_well_fail_are_left_to_the_beliefs() -> None:
    def fails(p: dict[str, Any]) -> float | None:
        return None if max(p["letter"][0], p["letter"][7], p["letter"][13]) >= 14 else held(p["letter"])

    optimizer = hr.Optimizer(SPACE, RULES, seed=0)
    n_failed = 0
    for _ in range(100):
        point = optimizer.ask()
        value = fails(point)
        n_failed += value is None
        optimizer.tell(point, value)
    assert n_failed < 20


def test_readings_of_one_point_do_not_tie() -> None:
    rows = PROBLEM.feasible.draw(20, np.random.default_rng(0)).repeat(3, axis=0)
    history = History(rows, np.arange(20.0, 0.0, -1.0).repeat(3), NOTHING_OUT)
    assert plateau_of(SPACE, history, np.arange(LENGTH)) is not None
    assert on_plateau(PROBLEM, history, np.random.default_rng(0)) is None


def test_long_vectors_of_many_letters_overflow_nowhere(recwarn: pytest.WarningsRecorder) -> None:
    space = hr.Space({"letter": hr.Vector(hr.Categorical(range(32)), 220)})
    assert can_move(space, np.arange(220))
    assert not can_move(space, np.arange(1))
    assert not recwarn.list


@pytest.mark.parametrize("factor", [2.0**-40, 2.0**660])
def test_magnitudes_of_values_change_no_trial(factor: float) -> None:
    def asked(scale: float) -> list[dict[str, Any]]:
        optimizer = hr.Optimizer(SPACE, RULES, seed=2)
        points = []
        for _ in range(80):
            points.append(optimizer.ask())
            optimizer.tell(points[-1], scale * held(points[-1]["letter"]))
        return points

    assert asked(1.0) == asked(factor)


def test_a_search_that_gives_up_leaves_the_trial_to_the_beliefs(monkeypatch: pytest.MonkeyPatch) -> None:
    def given_up(*_: Any) -> Any:
        raise hr.EffortExceeded("No further good points were found.")

    rows = PROBLEM.feasible.draw(30, np.random.default_rng(0))
    history = History(rows, np.ones(30), NOTHING_OUT)
    assert on_plateau(PROBLEM, history, np.random.default_rng(0)) is not None
    monkeypatch.setattr(type(PROBLEM.feasible), "best", given_up)
    assert on_plateau(PROBLEM, history, np.random.default_rng(0)) is None
