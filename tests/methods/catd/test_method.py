"""The paper's method: its settings, and the variant that may break rules."""

from dataclasses import replace

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.methods import CATD
from hedgerow.methods.candidates import CandidateSettings
from hedgerow.methods.catd.hsdp import TableModel
from hedgerow.methods.catd.hsdp.solver import load_cvxpy
from hedgerow.methods.catd.method import FormatName
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.space import Point
from research.problems import get_problem

SPACE = hr.Space({"x": hr.Integer(-3, 3), "y": hr.Integer(-3, 3)})
RULES = ["x ** 2 + y ** 2 <= 9"]


@pytest.mark.parametrize("setting", [{"format": "cpd"}, {"trainer": "adam"}, {"acquisition": "pi"}, {"rank": 0}])
def test_unknown_settings_are_refused(setting: dict[str, object]) -> None:
    with pytest.raises(hr.HedgerowError, match=r"CATD has no|at least 1"):
        CATD(**setting)  # type: ignore[arg-type]


def test_the_published_variant_may_break_rules_and_the_default_does_not() -> None:
    def suggestions(restrict: bool) -> list[bool]:
        method = CATD("tt", 2, n_models=3, max_epochs=30, penalty=0.0, restrict_to_rules=restrict)
        optimizer = hr.Optimizer(SPACE, RULES, method=method)
        for _ in range(20):
            point = optimizer.ask()
            # The objective lures to the corner that the rule forbids.
            optimizer.tell(point, -float(point["x"] + point["y"]))
        return [observation.point in optimizer.feasible for observation in optimizer.observations]

    assert all(suggestions(restrict=True))
    assert not all(suggestions(restrict=False))


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


def test_where_rules_are_not_doubted_hardly_any_suggestion_breaks_one() -> None:
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
            method = replace(CATD.as_programmed("tr", 2), candidates=CandidateSettings(max_listed=limit))
            optimizer = hr.Optimizer(space, ["sum(x) % 2 == 0"], method=method, seed=seed)
            for n in range(6):
                point = optimizer.ask()
                optimizer.tell(point, float(n * n % 5) if point in optimizer.feasible else 9.0)
            chosen.append([seen.point for seen in optimizer.observations])
        assert chosen[0] == chosen[1]


def test_only_the_rows_drawn_are_scored_where_their_number_is_given() -> None:
    # Appendix F of the paper: the next point comes from uniform draws of the whole space, however small that is.
    space = hr.Space({"x": hr.Vector(hr.Integer(0, 9), 2)})
    problem = CodeProblem(hr.FeasibleSet(space, ["sum(x) <= 9"]))
    history = History(np.array([[0, 0], [4, 4]]), np.array([1.0, 0.0]), np.zeros((0, 2), np.int64))
    method = CATD.as_programmed("cp", 2)
    few = replace(method, candidates=CandidateSettings(n_drawn=2))
    chosen = {few.start(problem).suggest(history, seed).codes.tobytes() for seed in range(12)}
    suggestion = few.start(problem).suggest(history, 0)
    assert not suggestion.is_exact
    assert len(chosen) >= 6
    assert method.start(problem).suggest(history, 0).is_exact


class TestHsdp:
    @pytest.fixture(autouse=True)
    def _needs_cvxpy(self) -> None:
        try:
            load_cvxpy()
        except hr.HedgerowError:
            pytest.skip("CVXPY is not installed")

    @staticmethod
    def points(method: CATD, seed: int, budget: int = 5) -> list[Point]:
        problem = get_problem("ackley-3")
        assert problem.objective is not None
        optimizer = hr.Optimizer(problem.space, problem.rules, method=method, seed=seed)
        for _ in range(budget):
            point = optimizer.ask()
            optimizer.tell(point, problem.objective(point))
        return [observation.point for observation in optimizer.observations]

    @pytest.mark.parametrize("penalty", [0.0, 1.0])
    def test_inside_the_rules_it_finds_the_optimum_of_ackley_3(self, penalty: float) -> None:
        points = self.points(CATD(rank=2, trainer="hsdp", penalty=penalty), seed=1)
        assert {"x": [0, 0]} in points

    def test_with_the_rules_learned_no_suggestion_breaks_them(self) -> None:
        # Nothing restricts the published variant, but entries at infeasible cells are at least tau.
        problem = get_problem("ackley-3")
        feasible = hr.FeasibleSet(problem.space, problem.rules)
        for seed in range(3):
            assert all(point in feasible for point in self.points(CATD.as_published(rank=2, trainer="hsdp"), seed))

    def test_the_same_seed_gives_the_same_points(self) -> None:
        method = CATD.as_published(rank=2, penalty=0.0, trainer="hsdp")
        assert self.points(method, seed=4) == self.points(method, seed=4)

    def test_a_new_run_goes_on_as_the_old_one(self) -> None:
        space = hr.Space({"x": hr.Integer(1, 3), "y": hr.Integer(1, 4)})
        problem = CodeProblem(hr.FeasibleSet(space, ["x + y <= 6"]))
        codes = np.array([[1, 3], [1, 2], [0, 1]])
        history = History(codes, np.array([0.0, 5.0, 5.0]), np.zeros((0, 2), np.int64))
        method = CATD(rank=2, trainer="hsdp", penalty=1.0)
        used = method.start(problem)
        for n in (1, 2):
            used.suggest(History(codes[:n], history.values[:n], history.pending), 7)
        fresh = method.start(problem)
        np.testing.assert_array_equal(used.suggest(history, 7).codes, fresh.suggest(history, 7).codes)
        assert isinstance(fresh.model, TableModel)
        assert fresh.model.report.loss >= fresh.model.report.lower_bound

    @pytest.mark.parametrize("setting", [{"format": "cp"}, {"acquisition": "ei"}, {"acquisition": "gaussian-ei"}])
    def test_what_needs_an_ensemble_or_another_format_is_refused(self, setting: dict[str, object]) -> None:
        with pytest.raises(hr.HedgerowError, match="one tensor train"):
            CATD(trainer="hsdp", **setting)  # type: ignore[arg-type]

    @pytest.mark.parametrize(("sizes", "message"), [((3, 3, 3), "two variables"), ((40, 40), "40 x 40")])
    def test_spaces_out_of_reach_are_refused_at_the_start(self, sizes: tuple[int, ...], message: str) -> None:
        space = hr.Space({f"x{k}": hr.Integer(1, size) for k, size in enumerate(sizes)})
        with pytest.raises(hr.HedgerowError, match=message):
            CATD(trainer="hsdp").start(CodeProblem(hr.FeasibleSet(space)))

    def test_as_published_uses_the_mean_of_one_model(self) -> None:
        method = CATD.as_published(rank=2, trainer="hsdp")
        assert (method.trainer, method.acquisition, method.may_break_rules) == ("hsdp", "mean", True)
