"""`HedgerowSearchCV`: what scikit-learn promises of a search, inside the rules."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
stats = pytest.importorskip("scipy.stats")

from sklearn.base import BaseEstimator, ClassifierMixin, clone  # noqa: E402
from sklearn.datasets import make_classification  # noqa: E402
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.model_selection import KFold, RandomizedSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import MinMaxScaler, StandardScaler  # noqa: E402
from sklearn.svm import SVC  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import hedgerow as hr  # noqa: E402
from hedgerow.adapters.sklearn import HedgerowSearchCV  # noqa: E402
from hedgerow.adapters.sklearn_space import candidates_of  # noqa: E402

X, Y = make_classification(n_samples=120, n_features=6, random_state=0)
TREE = {"max_depth": [1, 2, 3, 4, 5, 6], "min_samples_leaf": [1, 2, 4, 8, 16], "criterion": ["gini", "entropy"]}
# scikit-learn's list for `RandomizedSearchCV`.
EXCUSED = ("check_supervised_y_2d", "check_requires_y_none")
RULES = ["max_depth * min_samples_leaf <= 12", "criterion != 'gini' or max_depth >= 2"]


def search(**changes: Any) -> HedgerowSearchCV:
    tree = DecisionTreeClassifier(random_state=0)
    return HedgerowSearchCV(tree, TREE, **{"rules": RULES, "n_iter": 12, "random_state": 0, "cv": 3, **changes})


class Fails(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that cannot be fitted with some of its parameters."""

    def __init__(self, a: int = 0) -> None:
        self.a = a

    def fit(self, x: Any, y: Any) -> Fails:
        if self.a % 2:
            raise RuntimeError("odd")
        self.classes_ = np.unique(y)
        return self

    def predict(self, x: Any) -> Any:
        return np.where(x[:, 0] * 10 > self.a, 1, 0)


# The checks fit hundreds of times; how candidates are chosen is nothing to them.
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        HedgerowSearchCV(model, space, n_iter=2, random_state=0, cv=2, method="random", error_score="raise")
        for model, space in ((Ridge(), {"alpha": [0.1, 1.0]}), (LogisticRegression(), {"C": [0.1, 1.0]}))
    ],
    expected_failed_checks=lambda _: dict.fromkeys(EXCUSED, "scikit-learn excuses its own searches as well"),
)
def test_scikit_learns_own_checks(estimator: Any, check: Callable[[Any], object]) -> None:
    check(estimator)


def test_a_search_has_what_a_randomized_search_has() -> None:
    ours = search().fit(X, Y)
    theirs = RandomizedSearchCV(DecisionTreeClassifier(random_state=0), TREE, n_iter=12, random_state=0, cv=3).fit(X, Y)
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    assert all(len(column) == 12 for column in ours.cv_results_.values())
    assert {name for name in vars(theirs) if name.endswith("_")} <= set(vars(ours))
    assert ours.best_score_ == max(ours.cv_results_["mean_test_score"])
    assert ours.best_estimator_.get_params()["max_depth"] == ours.best_params_["max_depth"]
    assert ours.score(X, Y) == ours.best_estimator_.score(X, Y)


def test_every_candidate_keeps_the_rules_and_none_comes_twice() -> None:
    feasible = hr.FeasibleSet(hr.Space(TREE), RULES)
    for batch_size in (1, 5):
        params = search(batch_size=batch_size, n_iter=14).fit(X, Y).cv_results_["params"]
        assert len(params) == 14
        assert all(point in feasible for point in params)
        assert len({tuple(point.values()) for point in params}) == 14


def test_the_same_number_gives_the_same_candidates() -> None:
    first, again, other = (search(random_state=seed).fit(X, Y).cv_results_["params"] for seed in (3, 3, 4))
    assert first == again != other


def test_a_search_can_be_cloned_set_and_pickled() -> None:
    one = search(rules=tuple(RULES))
    copy = clone(one).set_params(n_iter=5, estimator__splitter="random")
    assert (one.n_iter, copy.n_iter, copy.rules) == (12, 5, tuple(RULES))
    fitted = copy.fit(X, Y)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))  # noqa: S301


def test_folds_are_the_same_for_all_candidates() -> None:
    same = {"max_depth": [3], "random_state": [0], "max_leaf_nodes": [1000, 1001, 1002]}
    found = HedgerowSearchCV(DecisionTreeClassifier(), same, n_iter=3, cv=KFold(3, shuffle=True)).fit(X, Y)
    assert len(set(found.cv_results_["mean_test_score"])) == 1


def test_a_candidate_that_cannot_be_fitted_is_recorded_and_the_search_goes_on() -> None:
    with pytest.warns(UserWarning, match="All 8 feasible candidates were tried"):
        found = HedgerowSearchCV(Fails(), {"a": list(range(8))}, n_iter=10, cv=3, random_state=0).fit(X, Y)
    tried = [params["a"] for params in found.cv_results_["params"]]
    scores = found.cv_results_["mean_test_score"]
    assert sorted(tried) == list(range(8))
    assert [math.isnan(score) for score in scores] == [bool(a % 2) for a in tried]
    assert found.best_params_["a"] % 2 == 0
    assert found.best_index_ == tried.index(found.best_params_["a"])
    assert sum(seen.failed for seen in found.optimizer_.observations) == 4


def test_an_error_score_stands_for_fits_that_fail() -> None:
    space = {"a": list(range(6))}
    found = HedgerowSearchCV(Fails(), space, n_iter=6, cv=3, random_state=0, error_score=-1.0).fit(X, Y)
    by_value = dict(
        zip((p["a"] for p in found.cv_results_["params"]), found.cv_results_["mean_test_score"], strict=True)
    )
    assert all((by_value[a] == -1.0) == bool(a % 2) for a in range(6))
    with pytest.raises(RuntimeError, match="odd"):
        HedgerowSearchCV(Fails(), {"a": [1]}, cv=3, error_score="raise").fit(X, Y)


def test_a_search_in_which_nothing_ever_works_ends_early() -> None:
    n_fits = []

    class Counted(Fails):
        def fit(self, x: Any, y: Any) -> Fails:
            n_fits.append(1)
            raise RuntimeError("never")

    with pytest.raises(ValueError, match="fits failed"):
        HedgerowSearchCV(Counted(), {"a": list(range(50))}, n_iter=50, cv=2).fit(X, Y)
    assert len(n_fits) == 10


def test_several_metrics_need_one_that_is_searched_for() -> None:
    scoring = ["accuracy", "neg_log_loss"]
    found = search(scoring=scoring, refit="neg_log_loss").fit(X, Y)
    assert found.best_score_ == max(found.cv_results_["mean_test_neg_log_loss"])
    assert "mean_test_accuracy" in found.cv_results_
    with pytest.raises(hr.HedgerowError, match="refit must name the one to search for, one of accuracy, neg_log_loss"):
        search(scoring=scoring, refit=False).fit(X, Y)


def test_without_refit_there_is_a_best_but_no_estimator() -> None:
    found = search(refit=False).fit(X, Y)
    assert found.best_params_ == found.cv_results_["params"][found.best_index_]
    assert not hasattr(found, "best_estimator_")


def test_choices_may_be_none_tuples_and_estimators() -> None:
    pipeline = make_pipeline(StandardScaler(), SVC())
    space = {"standardscaler": [StandardScaler(), MinMaxScaler(), None], "svc__C": stats.loguniform(0.01, 100)}
    rules = ["standardscaler != 'None' or svc__C <= 1"]
    found = HedgerowSearchCV(pipeline, space, rules=rules, n_iter=12, random_state=0, cv=3).fit(X, Y)
    params = found.cv_results_["params"]
    assert all(p["standardscaler"] is not None or p["svc__C"] <= 1 for p in params)
    assert {type(p["standardscaler"]) for p in params} <= {StandardScaler, MinMaxScaler, type(None)}
    sizes = {"hidden_layer_sizes": [(5,), (5, 5)]}
    assert candidates_of(sizes).params({"hidden_layer_sizes": "(5, 5)"}) == {"hidden_layer_sizes": (5, 5)}


def test_distributions_become_levels() -> None:
    space = candidates_of(
        {
            "u": stats.uniform(1, 2),
            "log": stats.loguniform(1e-3, 1e1),
            "n": stats.randint(2, 7),
            "poisson": stats.poisson(3),
            "normal": stats.norm(0, 1),
            "flag": [True, False],
            "array": np.array([1, 4, 2]),
            "mixed": [None, 3, 5],
            "given": hr.Integer(1, 3),
        }
    ).space
    assert space.variables["u"] == hr.Real(1, 3, 101)
    assert space.variables["log"] == hr.Real(1e-3, 10, 101, log=True)
    assert space.variables["n"] == hr.Integer(2, 6)
    assert space.variables["poisson"] == hr.Integer(0, 10)
    normal = space.slots[4].variable.values
    assert len(normal) == 101
    assert abs(float(normal[50])) < 1e-12
    assert space.slots[5].variable.values == (False, True)
    assert space.slots[6].variable.values == (1, 2, 4)
    assert space.slots[7].variable.values == ("None", 3, 5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_iter": 0}, "n_iter is a whole number of at least 1, but 0 was given"),
        ({"batch_size": 1.5}, "batch_size is a whole number"),
        ({"param_distributions": [{"max_depth": [1]}]}, "In place of a list of dicts, give one dict, and rules"),
        ({"param_distributions": {"max_depth": []}}, "Parameter 'max_depth': .* empty"),
        ({"rules": ["max_dept > 1"]}, "did you mean 'max_depth'"),
        ({"rules": ["max_depth > 9"]}, "No point satisfies"),
    ],
)
def test_a_mistake_is_told_before_anything_is_fitted(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(hr.HedgerowError, match=message):
        search().set_params(**changes).fit(X, Y)


def test_the_space_may_be_one_of_hedgerow() -> None:
    space = hr.Space({"max_depth": hr.Integer(1, 8), "splitter": ["best", "random"]})
    found = HedgerowSearchCV(
        DecisionTreeClassifier(random_state=0), space, rules=[lambda max_depth: max_depth != 3], n_iter=10, cv=3
    ).fit(X, Y)
    assert all(params["max_depth"] != 3 for params in found.cv_results_["params"])
