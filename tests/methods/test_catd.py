"""The paper's method: its settings, and the variant that may break rules."""

from dataclasses import replace

import pytest

import hedgerow as hr
from hedgerow.methods import CATD
from hedgerow.methods.catd import FormatName
from hedgerow.methods.propose import Proposing

SPACE = hr.Space({"x": hr.Integer(-3, 3), "y": hr.Integer(-3, 3)})
RULES = ["x ** 2 + y ** 2 <= 9"]


@pytest.mark.parametrize("setting", [{"format": "cpd"}, {"trainer": "adam"}, {"acquisition": "pi"}, {"rank": 0}])
def test_unknown_settings_are_refused(setting: dict[str, object]) -> None:
    with pytest.raises(hr.HedgerowError, match=r"CATD has no|at least 1"):
        CATD(**setting)  # type: ignore[arg-type]


def test_the_published_variant_may_break_rules_and_the_default_does_not() -> None:
    def proposals(restrict: bool) -> list[bool]:
        method = CATD("tt", 2, n_models=3, max_epochs=30, penalty=0.0, restrict_to_rules=restrict)
        optimizer = hr.Optimizer(SPACE, RULES, method=method)
        for _ in range(20):
            point = optimizer.ask()
            # The objective lures to the corner that the rule forbids.
            optimizer.tell(point, -float(point["x"] + point["y"]))
        return [observation.point in optimizer.feasible for observation in optimizer.observations]

    assert all(proposals(restrict=True))
    assert not all(proposals(restrict=False))


def test_as_published_has_the_numbers_of_the_paper() -> None:
    method = CATD.as_published("cp", 4)
    assert (method.format, method.rank, method.n_models, method.penalty) == ("cp", 4, 10, 1.0)
    assert (method.loss_target, method.max_epochs, method.acquisition) == (0.1, 1000, "ei")
    assert (method.anchor, method.smoothness, method.tames_outliers) == (0.0, None, False)
    assert method.may_break_rules
    assert CATD.as_published("tt", 3, penalty=0.0).penalty == 0.0


@pytest.mark.parametrize("format_name", ["cp", "tr", "tt"])
def test_it_finds_the_middle_of_a_bowl(format_name: FormatName) -> None:
    result = hr.minimize(
        lambda point: point["x"] ** 2 + point["y"] ** 2,
        SPACE,
        rules=RULES,
        budget=20,
        method=CATD(format_name, 2),
    )
    assert result.best_value == 0


def test_where_rules_are_not_doubted_hardly_any_proposal_breaks_one() -> None:
    space = hr.Space({"x": hr.Vector(hr.Integer(0, 6), 2)})
    n_broken = {}
    for doubts in (True, False):
        method = replace(CATD.as_programmed("cp", 2), doubts_rules=doubts)
        optimizer = hr.Optimizer(space, ["sum(x) <= 4"], method=method, seed=1)
        for _ in range(14):
            point = optimizer.ask()
            optimizer.tell(point, float(point["x"][0] - point["x"][1]) if point in optimizer.feasible else 9.0)
        n_broken[doubts] = sum(seen.point not in optimizer.feasible for seen in optimizer.observations)
    assert n_broken[False] <= 1
    assert n_broken[True] > n_broken[False]


def test_looking_through_the_mean_chooses_as_from_all_rows() -> None:
    space = hr.Space({"x": hr.Vector(hr.Integer(0, 4), 3)})
    for seed in range(4):
        chosen = []
        for limit in (2**19, 124):
            # Above the limit nothing is looked through; the search that follows sees all of so small a space.
            method = replace(CATD.as_programmed("tr", 2), proposing=Proposing(max_listed=limit))
            optimizer = hr.Optimizer(space, ["sum(x) % 2 == 0"], method=method, seed=seed)
            for n in range(6):
                point = optimizer.ask()
                optimizer.tell(point, float(n * n % 5) if point in optimizer.feasible else 9.0)
            chosen.append([seen.point for seen in optimizer.observations])
        assert chosen[0] == chosen[1]
