"""`HedgerowSearchCV`: the search of scikit-learn's `RandomizedSearchCV`, inside rules, and learning from its scores.

Folds, scorers, refitting, parallel fits and `cv_results_` are scikit-learn's own; only the choice of candidates is
replaced. A candidate whose fits all fail is recorded as failed, with `error_score` in `cv_results_`, and the search
goes on; scikit-learn itself gives up where all fits of one batch fail.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from hedgerow.adapters.sklearn_space import Candidates, candidates_of
from hedgerow.errors import HedgerowError, SpaceExhausted
from hedgerow.methods.method import Method
from hedgerow.optimizer import Optimizer
from hedgerow.rules import RuleLike
from hedgerow.space import Space

try:
    from sklearn.model_selection._search import BaseSearchCV
    from sklearn.utils import check_random_state
except ImportError as error:  # pragma: no cover - where scikit-learn is not installed
    raise HedgerowError("HedgerowSearchCV needs scikit-learn: pip install 'hedgerow[sklearn]'.") from error

Params = dict[str, Any]

# As many candidates may fail, with no score ever, before the search gives up: then it is most likely the estimator.
MAX_FIRST_FAILURES = 5
# How scikit-learn's message begins where not one fit of a batch worked.
_ALL_FAILED = "fits failed"


class HedgerowSearchCV(BaseSearchCV):  # type: ignore[misc] # scikit-learn has no types
    """Search for the best parameters of an estimator by cross-validation, inside rules.

    A drop-in for `RandomizedSearchCV`: the same arguments, and the same attributes after `fit` (`best_estimator_`,
    `best_params_`, `best_score_`, `cv_results_`, ...).

    Parameters
    ----------
    estimator : estimator
        What is tuned.
    param_distributions : dict or Space
        A `Space`, or for each parameter a list of values, a distribution of `scipy.stats` or a variable such as
        `hr.Integer(1, 9)`. Values that are no numbers, text or booleans (None, tuples, estimators) are choices, which
        rules call by their text: `"max_depth != 'None'"`.
    rules : iterable or mapping of rules, optional
        What must hold between the parameters. A candidate that breaks a rule is never fitted.
    n_iter : int, optional
        How many candidates are tried; fewer where there are no more.
    batch_size : int, optional
        How many candidates are chosen at once, so that `n_jobs` has something to do. Choosing one by one learns most.
    method : str or Method, optional
        `"auto"`, another short name, or settings from `hedgerow.methods`.
    random_state : int, RandomState or None, optional
        Where random numbers begin; a number gives the same candidates again.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score
        As in `RandomizedSearchCV`. With several metrics `refit` names the one that is searched for.

    Attributes
    ----------
    optimizer_ : Optimizer
        What chose the candidates, with all observations; its points are in the terms of the rules.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from hedgerow.adapters.sklearn import HedgerowSearchCV
    >>> space = {"max_depth": [1, 2, 3, 4], "min_samples_leaf": [1, 2, 4, 8]}
    >>> search = HedgerowSearchCV(
    ...     DecisionTreeClassifier(random_state=0), space, rules=["max_depth * min_samples_leaf <= 8"], random_state=0
    ... )
    >>> search.fit(*load_iris(return_X_y=True)).best_params_["max_depth"] >= 2
    True
    """

    # Estimators are checked here and by the optimizer, with messages of this library.
    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012 - the form that scikit-learn reads
        **BaseSearchCV._parameter_constraints,
        **dict.fromkeys(
            ("param_distributions", "rules", "n_iter", "batch_size", "method", "random_state"), "no_validation"
        ),
    }

    def __init__(  # noqa: PLR0913 - one more than what it replaces
        self,
        estimator: Any,
        param_distributions: Mapping[str, Any] | Space,
        *,
        rules: Iterable[RuleLike] | Mapping[str, RuleLike] = (),
        n_iter: int = 10,
        batch_size: int = 1,
        method: str | Method = "auto",
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
    ) -> None:
        self.param_distributions = param_distributions
        self.rules = rules
        self.n_iter = n_iter
        self.batch_size = batch_size
        self.method = method
        self.random_state = random_state
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )

    def _run_search(self, evaluate_candidates: Callable[..., Any]) -> None:
        """Choose candidates until `n_iter` are tried; scikit-learn calls this between its preparations."""
        n_iter, batch_size = _count("n_iter", self.n_iter), _count("batch_size", self.batch_size)
        candidates = candidates_of(self.param_distributions)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self.optimizer_ = Optimizer(candidates.space, self.rules, method=self.method, seed=seed, direction="maximize")
        splits = _SameSplits(self._checked_cv_orig) if hasattr(self, "_checked_cv_orig") else None
        self._failed: dict[int, Params] = {}
        evaluated: list[dict[str, Any]] = []
        n_tried = 0
        while n_tried < n_iter:
            try:
                points = self.optimizer_.ask(min(batch_size, n_iter - n_tried))
            except SpaceExhausted:
                warnings.warn(
                    f"All {n_tried} feasible candidates were tried, which is less than n_iter={n_iter}.",
                    UserWarning,
                    stacklevel=2,
                )
                break
            scores = self._scores(evaluate_candidates, candidates, points, splits, n_tried, evaluated)
            for point, score in zip(points, scores, strict=True):
                self.optimizer_.tell(point, score if math.isfinite(score) else None)
            n_tried += len(points)
        # What failed after the last fit that worked is put in its place too; scikit-learn holds on to this object.
        results = evaluated[-1]
        results.update(self._format_results(*self._formatted))
        del self._failed, self._formatted

    def _scores(
        self,
        evaluate_candidates: Callable[..., Any],
        candidates: Candidates,
        points: list[dict[str, Any]],
        splits: _SameSplits | None,
        n_tried: int,
        evaluated: list[dict[str, Any]],
    ) -> list[float]:
        """Return the mean scores of a batch, NaN where all of its fits failed; all that is known goes to the list."""
        batch = [candidates.params(point) for point in points]
        try:
            results = evaluate_candidates(batch, cv=splits)
        except ValueError as error:
            n_failed = n_tried + len(batch)
            is_hopeless = len(self._failed) == n_tried and n_failed >= min(MAX_FIRST_FAILURES, self.n_iter)
            if _ALL_FAILED not in str(error) or is_hopeless:
                raise
            self._failed.update(enumerate(batch, start=n_tried))
            return [math.nan] * len(batch)
        evaluated[:] = [results]
        return [float(score) for score in results[self._score_key(results)][n_tried:]]

    def _score_key(self, results: Mapping[str, Any]) -> str:
        single = "mean_test_score"
        if single in results:
            return single
        named = f"mean_test_{self.refit}"
        if not isinstance(self.refit, str) or named not in results:
            metrics = [key.removeprefix("mean_test_") for key in results if key.startswith("mean_test_")]
            raise HedgerowError(
                f"With several metrics refit must name the one to search for, one of {', '.join(metrics)}; "
                f"but refit is {self.refit!r}."
            )
        return named

    def _format_results(
        self, candidate_params: list[Params], n_splits: int, out: list[dict[str, Any]], more_results: Any = None
    ) -> Any:
        """Put the candidates whose fits all failed where they belong, with `error_score` for each fold."""
        self._formatted = (candidate_params, n_splits, out, more_results)
        params, rows = list(candidate_params), list(out)
        for place, failed in sorted(self._failed.items()):
            params.insert(place, failed)
            rows[place * n_splits : place * n_splits] = [_failed_fold(out[0], self.error_score)] * n_splits
        return super()._format_results(params, n_splits, rows, more_results)


class _SameSplits:
    """The folds of the first call for all later ones: candidates are compared on the same data, as in one batch."""

    def __init__(self, cv: Any) -> None:
        self._cv = cv
        self._splits: list[Any] = []

    def split(self, *arguments: Any, **named: Any) -> list[Any]:
        """Return the folds."""
        if not self._splits:
            self._splits = list(self._cv.split(*arguments, **named))
        return self._splits


def _failed_fold(example: Mapping[str, Any], error_score: float) -> dict[str, Any]:
    """Return what scikit-learn records of a fold, for one where the fit failed."""
    fold = dict(example)
    for scores in {"test_scores", "train_scores"} & fold.keys():
        several = isinstance(example[scores], dict)
        fold[scores] = dict.fromkeys(example[scores], error_score) if several else error_score
    return {**fold, "fit_time": math.nan, "score_time": math.nan}


def _count(name: str, given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
        raise HedgerowError(f"{name} is a whole number of at least 1, but {given!r} was given.")
    return int(given)
