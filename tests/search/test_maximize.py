"""The search maximizer against brute force."""

import numpy as np
from numpy.typing import NDArray

import hedgerow as hr
from hedgerow.search.landscape import ScoredRows
from hedgerow.search.maximize import SearchSettings, best_of, search

Codes = NDArray[np.int64]
Scores = NDArray[np.float64]

SPACES = [
    (hr.Space({"x": hr.Vector(hr.Integer(0, 3), 5)}), ["sum(x) == 7"]),
    (hr.Space({"x": hr.Vector(["a", "b", "c"], 6)}), ["count(x == 'a') == 2", "count(x == 'b') <= 3"]),
    (hr.Space({"x": hr.Vector(hr.Integer(1, 6), 4)}), ["all_different(x)"]),
    (hr.Space({"x": hr.Integer(0, 30), "y": hr.Integer(0, 30)}), ["x * y <= 200", "(x + y) % 3 != 0"]),
]


def test_search_nearly_always_reaches_nearly_the_best() -> None:
    settings = SearchSettings(n_draws=24, n_good=3)
    reached = []
    for index in range(40):
        space, rules = SPACES[index % len(SPACES)]
        feasible = hr.FeasibleSet(space, rules).codes
        everything = np.concatenate(list(feasible.batches()))
        rng = np.random.default_rng(index)
        tables = [rng.normal(size=size) for size in space.sizes]
        pairs = [rng.normal(size=(a, b)) for a, b in zip(space.sizes, space.sizes[1:], strict=False)]

        def score(rows: Codes, tables: list[Scores] = tables, pairs: list[Scores] = pairs) -> Scores:
            total = sum(table[rows[:, k]] for k, table in enumerate(tables))
            return np.asarray(total + sum(pair[rows[:, k], rows[:, k + 1]] for k, pair in enumerate(pairs)))

        values = score(everything)
        seen = {everything[values.argmax()].tobytes()}

        def is_seen(rows: Codes, seen: set[bytes] = seen) -> NDArray[np.bool_]:
            return np.array([row.tobytes() in seen for row in np.ascontiguousarray(rows)], dtype=bool)

        found = search(feasible, ScoredRows(score), is_seen, everything[:2], rng, settings, sizes=space.sizes)
        assert found is not None
        assert feasible.accepts(found.codes[None, :])[0]
        assert not is_seen(found.codes[None, :])[0]
        second_best = np.sort(values)[-2]
        reached.append(score(found.codes[None, :])[0] >= second_best - 0.01 * abs(second_best))
    assert np.mean(reached) >= 0.95


def test_the_best_of_all_is_drawn_among_ties() -> None:
    rows = np.arange(6).reshape(6, 1)
    scores = np.array([0.0, 2.0, 1.0, 2.0, 2.0, -np.inf])
    drawn = {int(best_of(rows, scores, np.random.default_rng(seed))[0]) for seed in range(40)}
    assert drawn == {1, 3, 4}


def test_search_finds_an_unseen_row_where_nothing_is_to_be_gained() -> None:
    space, rules = SPACES[0]
    feasible = hr.FeasibleSet(space, rules).codes
    good = feasible.draw(2, np.random.default_rng(0))

    def is_seen(rows: Codes) -> NDArray[np.bool_]:
        return np.array([(row == good).all(axis=1).any() for row in rows], dtype=bool)

    for low in (-np.inf, 0.0):

        def score(rows: Codes, low: float = low) -> Scores:
            return np.where(rows[:, 0] == 0, -np.inf, low)

        found = search(
            feasible,
            ScoredRows(score),
            is_seen,
            good,
            np.random.default_rng(1),
            SearchSettings(n_draws=8, n_good=2),
            sizes=space.sizes,
        )
        assert found is not None
        assert feasible.accepts(found.codes[None, :])[0]
        assert not is_seen(found.codes[None, :])[0]
