"""Tensors over real variables: cores linear between the nodes of a grid, trained and searched inside the rules."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.arrays import Codes
from hedgerow.methods import CATD, CodeProblem
from hedgerow.methods.catd import fit
from hedgerow.methods.catd.grids import Grids
from hedgerow.methods.catd.on_reals import GridLandscape
from hedgerow.methods.catd.tensors import tensor_format
from hedgerow.methods.catd.tensors.rows import PLACE_BITS
from hedgerow.methods.catd.tensors.tensor_format import Entries, Parameters
from hedgerow.space.encoding import encode
from tests.methods.catd.tensors.training_plain import entries_plain

FORMATS = ("cp", "tr", "tt")
COUNTS, ON_GRID = (4, 3, 5), (0, 2)
SPACE = hr.Space({"x": hr.Real(0, 1), "rate": hr.Real(1e-3, 10, log=True), "kind": ["a", "b"]})
RULES = ["x <= 0.6 or kind == 'a'", "x * rate <= 2"]


def measured(point: hr.Point) -> float:
    """A bowl whose lowest point, 0, keeps the rules."""
    return float((point["x"] - 0.3) ** 2 + 0.2 * (np.log10(point["rate"]) + 1) ** 2 + 0.1 * (point["kind"] == "b"))


def places(n: int) -> Codes:
    rng = np.random.default_rng(5)
    rows = np.stack([rng.integers(0, count, size=n) for count in COUNTS], axis=1)
    for slot in ON_GRID:
        rows[:, slot] = np.rint(rng.random(n) * (COUNTS[slot] - 1) * 2.0**PLACE_BITS)
    # The first node and the last, on the spot.
    rows[0, 0], rows[1, 0] = 0, (COUNTS[0] - 1) << PLACE_BITS
    return rows


def blended(name: str, parameters: Parameters, rows: Codes) -> Entries:
    """The same from the entries at all corners of the cell that a row lies in."""
    plain = tensor_format(name, COUNTS, 2)
    total = np.zeros((rows.shape[0], parameters.shape[1]))
    for corner in product((0, 1), repeat=len(ON_GRID)):
        codes, weight = rows.copy(), np.ones(rows.shape[0])
        for slot, above in zip(ON_GRID, corner, strict=True):
            node, part = rows[:, slot] >> PLACE_BITS, (rows[:, slot] % 2**PLACE_BITS) / 2.0**PLACE_BITS
            codes[:, slot] = np.minimum(node + above, COUNTS[slot] - 1)
            weight = weight * (part if above else 1 - part)
        total += weight[:, None] * entries_plain(plain, parameters, codes)
    return total


@pytest.mark.parametrize("name", FORMATS)
def test_entries_between_nodes_are_blends_of_those_at_the_corners(name: str) -> None:
    tensor = tensor_format(name, COUNTS, 2, ON_GRID)
    parameters = np.random.default_rng(1).standard_normal((tensor.n_parameters, 5))
    rows = places(30)
    np.testing.assert_allclose(tensor.entries(parameters, rows), blended(name, parameters, rows), atol=1e-9)


@pytest.mark.parametrize("name", FORMATS)
def test_slopes_between_nodes_agree_with_finite_differences(name: str) -> None:
    tensor = tensor_format(name, COUNTS, 2, ON_GRID)
    rng = np.random.default_rng(2)
    parameters, rows = rng.standard_normal((tensor.n_parameters, 2)), places(12)
    weights = rng.standard_normal((12, 2))
    slopes = np.empty_like(parameters)
    for i in range(tensor.n_parameters):
        up, down = parameters.copy(), parameters.copy()
        up[i] += 1e-6
        down[i] -= 1e-6
        apart = tensor.entries(up, rows) - tensor.entries(down, rows)
        slopes[i] = (apart * weights).sum(axis=0) / 2e-6
    np.testing.assert_allclose(tensor.gradient(parameters, rows, weights), slopes, atol=1e-6)


@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_a_real_told_at_its_nodes_is_learned_as_levels_are(penalty: float) -> None:
    levels = hr.Space({"x": hr.Real(0, 1, levels=5), "kind": ["a", "b", "c"]})
    reals = hr.Space({"x": hr.Real(0, 1), "kind": ["a", "b", "c"]})
    points = hr.FeasibleSet(levels).sample(9, seed=0)
    values = [p["x"] ** 2 + (p["kind"] == "b") for p in points]
    method = CATD("tt", 2, n_models=4, max_epochs=50, n_nodes=5, penalty=penalty)
    said = [fit(method, space, points, values).predictions(points) for space in (levels, reals)]
    np.testing.assert_allclose(said[0], said[1], rtol=1e-9)


def test_places_follow_the_scale_of_a_real_and_no_value_has_a_node_of_its_own() -> None:
    space = hr.Space({"kind": ["a", "b"], "rate": hr.Real(0.01, 1, log=True), "c": hr.Real(0, 2, when="kind == 'a'")})
    grids = Grids(space, 5)
    points = [{"kind": "a", "rate": 0.1, "c": 0.5}, {"kind": "b", "rate": 1.0}]
    rows = grids.rows(np.array([encode(space, point) for point in points]))
    assert grids.level_counts == (2, 5, 6)
    assert (rows / 2.0 ** np.array([0, PLACE_BITS, PLACE_BITS])).tolist() == [[0, 2.0, 1.0], [1, 4.0, 5.0]]


@pytest.mark.parametrize("name", FORMATS)
def test_a_penalty_lifts_what_breaks_rules_anywhere_in_the_box(name: str) -> None:
    feasible = hr.FeasibleSet(SPACE, RULES)
    points = feasible.sample(20, seed=1)
    values = [measured(p) for p in points]
    outside = feasible.sample_infeasible(200, seed=2)
    low = []
    for penalty in (0.0, 1.0):
        method = CATD(name, 2, penalty=penalty, tames_outliers=False, max_epochs=300)
        mean, _ = fit(method, SPACE, points, values, rules=RULES).predict(outside)
        low.append(float((mean < max(values)).mean()))
    assert low[1] < 0.5 * low[0]


@pytest.mark.parametrize("name", FORMATS)
def test_suggestions_stay_inside_and_find_the_bowl(name: str) -> None:
    optimizer = hr.Optimizer(SPACE, RULES, method=CATD(name, 2, n_models=6), seed=0)
    for _ in range(12):
        point = optimizer.ask()
        assert point in optimizer.feasible
        optimizer.tell(point, measured(point))
    assert optimizer.best is not None
    assert optimizer.best.value is not None
    assert optimizer.best.value < 0.02


def test_the_variant_that_may_break_rules_searches_the_whole_box() -> None:
    optimizer = hr.Optimizer(SPACE, RULES, method=CATD("tt", 2, n_models=4, restrict_to_rules=False), seed=0)
    for _ in range(12):
        point = optimizer.ask()
        optimizer.tell(point, -point["x"] - 0.1 * point["rate"])
    assert any(o.point not in optimizer.feasible for o in optimizer.observations)


def test_slopes_of_the_score_agree_with_differences_also_at_nodes_and_ends() -> None:
    problem = CodeProblem(hr.FeasibleSet(SPACE, RULES))
    scales = problem.feasible.rules.scales  # type: ignore[attr-defined]
    points = hr.FeasibleSet(SPACE, RULES).sample(8, seed=3)
    model = fit(CATD("tt", 2, n_models=4, n_nodes=5), SPACE, points, [measured(p) for p in points]).model
    landscape = GridLandscape(lambda rows: model.predict(rows)[0], scales, 5)
    row = scales.numbers(encode(SPACE, points[0])[None, :])[0]
    falling = landscape.falling(row)
    for units in ([0.1, 0.6], [0.0, 1.0], [0.25, 0.5], [1.0, 0.0]):
        at = np.array(units)
        _, slopes = falling(at)
        for k in range(2):
            # Toward the inside of the cell that the slope is of.
            sign = -1.0 if at[k] == 1.0 else 1.0
            moved = at.copy()
            moved[k] += sign * 1e-3
            assert slopes[k] == pytest.approx(sign * (falling(moved)[0] - falling(at)[0]) / 1e-3, rel=1e-3, abs=1e-6)


def test_rules_that_next_to_nothing_breaks_leave_nothing_to_learn() -> None:
    space = hr.Space({"x": hr.Real(0, 1), "y": hr.Real(0, 1)})
    result = hr.minimize(
        lambda p: p["x"], space, rules=["x + y <= 1.999999"], method=CATD("cp", 2, penalty=1.0), budget=4
    )
    assert result.best_value is not None


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (CATD("tt", 2, trainer="hsdp"), "trainer='hsdp' learns tables over levels.*Use trainer='pgrad'"),
        (CATD.as_programmed(), "dilutes_loss=True divides by the number of points.*no such number"),
        (CATD(penalty=1.0, batch_size=None), "no end to them: give a number"),
    ],
)
def test_settings_for_levels_alone_are_refused_before_any_trial(method: CATD, message: str) -> None:
    with pytest.raises(hr.HedgerowError, match=message):
        hr.Optimizer(SPACE, RULES, method=method)


def test_formats_are_chosen_among_on_reals_too() -> None:
    points = hr.FeasibleSet(SPACE, RULES).sample(9, seed=4)
    method = CATD("auto", 2, n_models=4, max_epochs=30)
    mean, spread = fit(method, SPACE, points, [measured(p) for p in points]).predict(points)
    assert np.isfinite(mean).all()
    assert (spread > 0).all()


def test_a_grid_has_two_nodes_at_least() -> None:
    with pytest.raises(hr.HedgerowError, match="at least 2 nodes, but n_nodes is 1"):
        CATD(n_nodes=1)
