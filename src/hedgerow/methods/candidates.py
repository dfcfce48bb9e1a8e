"""The last step of methods that score rows: the untried row with the highest score, in one pass or by search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Scores
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.landscape import Landscape, Score, ScoredRows
from hedgerow.search.maximize import SearchSettings, best_of, search
from hedgerow.search.suggestion import Reason, RowSuggestion


@dataclass(frozen=True)
class CandidateSettings:
    """How candidates are found.

    Parameters
    ----------
    max_listed : int, optional
        Feasible sets up to this size are listed, and every untried row is looked at; larger ones are searched.
    search : SearchSettings, optional
        How hard to search.
    n_drawn : int, optional
        With a number, only so many uniform draws are scored: the mini-batched acquisition of the paper's Appendix F.

    Examples
    --------
    >>> import hedgerow as hr
    >>> from hedgerow.methods import Auto, CandidateSettings
    >>> method = Auto(candidates=CandidateSettings(n_drawn=2))
    >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3, 4, 5, 6]}), method=method)
    >>> for x in (1, 3):
    ...     optimizer.tell({"x": x}, (x - 4) ** 2)
    >>> optimizer.suggest().is_exact
    False
    """

    max_listed: int = 30_000
    search: SearchSettings = field(default_factory=SearchSettings)
    n_drawn: int | None = None


# Draws from either side of a condition that a search begins with.
_BRANCH_DRAWS = 16


class Criterion(ABC):
    """What a method asks of a row, its score, and what it knows about where rows of high score may be.

    Only `score` has to be written. The others help where there are many rows, and have defaults that know nothing.

    Raises
    ------
    TypeError
        Where a class made from this one has no `score`.

    Examples
    --------
    >>> from hedgerow.methods import Criterion
    >>> class FewLevels(Criterion):
    ...     def score(self, rows):
    ...         return -rows.sum(axis=1).astype(float)
    >>> FewLevels().landscape() is None
    True
    """

    @abstractmethod
    def score(self, rows: Codes) -> Scores:
        """Return what each row is worth.

        Parameters
        ----------
        rows : array of int, shape (n, n_slots)
            Feasible rows.

        Returns
        -------
        array of float, shape (n,)
            A score for each; the higher the better, and -inf where nothing is to be gained.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow.methods import PlainCriterion
        >>> PlainCriterion(lambda rows: -rows.sum(axis=1).astype(float)).score(np.array([[0, 1], [2, 2]]))
        array([-1., -4.])
        """

    def landscape(self) -> Landscape | None:
        """Return what is cheaper to climb than the score, and leads a search where sets cannot be listed.

        Returns
        -------
        Landscape or None
            Heights of rows and of their small changes; None: the score itself is climbed.

        Examples
        --------
        >>> from hedgerow.methods import PlainCriterion
        >>> PlainCriterion(lambda rows: rows[:, 0].astype(float)).landscape() is None
        True
        """
        return None

    def effects(self) -> Sequence[NDArray[np.float64]] | None:
        """Return a score per slot and code, under whose sum the best rows start a search well.

        Returns
        -------
        sequence of arrays of float, or None
            An array for each slot, with a number for each code; None: a search starts elsewhere.

        Examples
        --------
        >>> from hedgerow.methods import PlainCriterion
        >>> PlainCriterion(lambda rows: rows[:, 0].astype(float)).effects() is None
        True
        """
        return None

    def guided(self) -> Codes | None:
        """Return feasible rows to start a search from.

        Returns
        -------
        array of int, shape (n, n_slots), or None
            The rows; None: a search starts elsewhere.

        Examples
        --------
        >>> from hedgerow.methods import PlainCriterion
        >>> PlainCriterion(lambda rows: rows[:, 0].astype(float)).guided() is None
        True
        """
        return None

    def shortlist(self, rows: Codes, places: NDArray[np.int64]) -> tuple[Codes, bool]:
        """Return which of the untried listed rows to score, and whether that is exact.

        Parameters
        ----------
        rows : array of int, shape (n, n_slots)
            The untried rows.
        places : array of int, shape (n,)
            Where each stands in the list of all feasible rows.

        Returns
        -------
        rows : array of int, shape (m, n_slots)
            Those to score; all of them by default.
        is_exact : bool
            Whether the row of highest score is surely among them.

        Examples
        --------
        >>> import numpy as np
        >>> from hedgerow.methods import PlainCriterion
        >>> criterion = PlainCriterion(lambda rows: rows[:, 0].astype(float))
        >>> criterion.shortlist(np.array([[0], [2]]), np.array([0, 2]))
        (array([[0],
               [2]]), True)
        """
        _ = places
        return rows, True


@dataclass(frozen=True, eq=False)
class PlainCriterion(Criterion):
    """A score and nothing else.

    Parameters
    ----------
    function : callable
        Takes rows, an array of shape (n, n_slots), and returns n numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow.methods import PlainCriterion
    >>> PlainCriterion(lambda rows: rows[:, 0] + 0.5).score(np.array([[1], [2]]))
    array([1.5, 2.5])
    """

    function: Score

    def score(self, rows: Codes) -> Scores:
        """Return what the function says."""
        return self.function(rows)


def best_candidate(
    problem: CodeProblem, history: History, criterion: Criterion, rng: Generator, settings: CandidateSettings
) -> RowSuggestion:
    """Return the untried row of highest score, of those that the settings let it look at.

    Parameters
    ----------
    problem : CodeProblem
        Where rows are taken from.
    history : History
        What has been tried.
    criterion : Criterion
        What a row is worth.
    rng : numpy.random.Generator
        Where random numbers come from; equal scores are drawn among.
    settings : CandidateSettings
        Whether to list the rows, to search, or to score draws.

    Returns
    -------
    RowSuggestion
        The row, with whether all rows were looked at; a draw where no untried row was met.

    Raises
    ------
    SpaceExhausted
        Where a draw is needed and nothing is left.
    ValueError
        Where all rows are listed and all have been tried; `problem.check_left` tells beforehand.

    Examples
    --------
    >>> import numpy as np, hedgerow as hr
    >>> from hedgerow.methods import CandidateSettings, CodeProblem, History, PlainCriterion, best_candidate
    >>> problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]}), ["x + y <= 4"]))
    >>> criterion = PlainCriterion(lambda rows: rows @ [2.0, 1.0])
    >>> rng = np.random.default_rng(0)
    >>> best = best_candidate(problem, History.empty(2), criterion, rng, CandidateSettings())
    >>> best.codes, best.is_exact
    (array([2, 0]), True)
    """
    if settings.n_drawn is not None:
        drawn = problem.feasible.draw(settings.n_drawn, rng)
        drawn = drawn[~history.is_seen(drawn)]
        if not drawn.shape[0]:
            return RowSuggestion(problem.draw_unseen(history, rng), False, Reason.NOTHING_FOUND)
        return RowSuggestion(best_of(drawn, criterion.score(drawn), rng), False, Reason.BEST_OF_DRAWS)
    listed = problem.listed(settings.max_listed)
    if listed is None:
        landscape = criterion.landscape()
        heights = landscape or ScoredRows(criterion.score)
        found = search(
            problem.feasible,
            heights,
            history.is_seen,
            history.best_first,
            rng,
            settings.search,
            sizes=problem.space.sizes,
            effects=criterion.effects(),
            guided=_with_branches(problem, heights, criterion.guided(), rng),
            final_score=criterion.score if landscape else None,
        )
        return found or RowSuggestion(problem.draw_unseen(history, rng), False, Reason.NOTHING_FOUND)
    places = np.flatnonzero(~problem.is_seen(history))
    rows, is_exact = criterion.shortlist(listed[places], places)
    reason = Reason.BEST_OF_ALL if is_exact else Reason.BEST_OF_SHORTLIST
    return RowSuggestion(best_of(rows, criterion.score(rows), rng), is_exact, reason)


def _with_branches(problem: CodeProblem, heights: Landscape, guided: Codes | None, rng: Generator) -> Codes | None:
    """Return rows to start from, with the highest of a few draws from either side of each condition."""
    if not problem.space.conditional or not problem.branches:
        return guided
    drawn = [branch.draw_up_to(_BRANCH_DRAWS, rng) for branch in problem.branches]
    scored = [(rows, heights.heights(rows)) for rows in drawn if rows.shape[0]]
    tops = sorted(((scores.max(), rows[scores.argmax()]) for rows, scores in scored), key=lambda top: -top[0])
    rows = [np.asarray(row)[None, :] for _, row in tops]
    return np.concatenate([*([] if guided is None else [guided[:1]]), *rows]) if rows else guided
