"""The paper's method: its settings, and the variant that may break rules."""

import pytest

import hedgerow as hr
from hedgerow.methods import CATD

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


def test_it_finds_the_middle_of_a_bowl() -> None:
    result = hr.minimize(
        lambda point: point["x"] ** 2 + point["y"] ** 2,
        SPACE,
        rules=RULES,
        budget=20,
        method=CATD("cp", 3, n_models=6),
    )
    assert result.best_value == 0
