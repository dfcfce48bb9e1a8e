"""A problem as methods see it: the feasible set as rows of codes, and what trials are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.errors import SpaceExhausted
from hedgerow.feasible.code_set import CodeSet
from hedgerow.feasible.feasible_set import FeasibleSet
from hedgerow.feasible.to_tensor import IndicatorTrain
from hedgerow.methods.earlier import EarlierTrials
from hedgerow.methods.history import History
from hedgerow.outcomes.goals import Goals
from hedgerow.rules import BoundRule
from hedgerow.space.space import Space

# Draws before what is left is looked for; fewer where each of them is a solver's search.
_MAX_DRAWS = 200
_FEW_DRAWS = 4
# Conditions whose two sides are looked at apart.
_MAX_CONDITIONS = 16


class CodeProblem:
    """The feasible set with what methods derive from it once.

    Parameters
    ----------
    feasible_set : FeasibleSet
        The space and its rules.
    part : CodeSet, optional
        The rows of it that may be suggested, where some values are fixed; all by default.
    goals : Goals, optional
        Objectives, limits and repeats; one objective by default.
    earlier : sequence of EarlierTrials, optional
        Trials of related problems, for methods that learn from them.

    Attributes
    ----------
    feasible : CodeSet
        The rows that may be suggested.
    goals : Goals
        What trials are judged by.
    earlier : tuple of EarlierTrials
        Trials of related problems.

    Examples
    --------
    >>> import hedgerow as hr
    >>> from hedgerow.methods import CodeProblem
    >>> space = hr.Space({"x": [1, 2, 3], "y": ["a", "b"]})
    >>> problem = CodeProblem(hr.FeasibleSet(space, ["x == 2 or y == 'a'"]))
    >>> problem.feasible.count, problem.space.sizes
    (4, (3, 2))
    """

    def __init__(
        self,
        feasible_set: FeasibleSet,
        part: CodeSet | None = None,
        goals: Goals | None = None,
        earlier: Sequence[EarlierTrials] = (),
    ) -> None:
        self._set = feasible_set
        self.earlier = tuple(earlier)
        self.feasible: CodeSet = feasible_set.codes if part is None else part
        self.goals = Goals() if goals is None else goals
        self._listed: Codes | None = None
        # The readings, by their number, with which a run ends: there what is known is confirmed. None where no end is
        # known.
        self.ending: range | None = None

    def within(self, part: CodeSet) -> CodeProblem:
        """Return the problem of some of these rows.

        Parameters
        ----------
        part : CodeSet
            The rows that may be suggested.

        Returns
        -------
        CodeProblem
            The same space, rules and goals.

        Examples
        --------
        >>> import numpy as np, hedgerow as hr
        >>> from hedgerow.methods import CodeProblem
        >>> problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3]})))
        >>> problem.within(problem.feasible.restricted([np.array([True, False, True])])).feasible.count
        2
        """
        other = CodeProblem(self._set, part, self.goals, self.earlier)
        other.ending = self.ending
        return other

    def is_ending(self, history: History) -> bool:
        """Return whether the next reading is one of the last of a run.

        Parameters
        ----------
        history : History
            What has been tried.

        Returns
        -------
        bool
            False where nobody said when the run ends.

        Examples
        --------
        >>> import hedgerow as hr
        >>> from hedgerow.methods import CodeProblem, History
        >>> CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3]}))).is_ending(History.empty(1))
        False
        """
        return self.ending is not None and history.n_told + history.pending.shape[0] in self.ending

    @property
    def space(self) -> Space:
        """The space, for level counts."""
        return self._set.space

    @property
    def rules(self) -> tuple[BoundRule, ...]:
        """The rules, for methods that hand them to a solver."""
        return self._set.rules

    @cached_property
    def active(self) -> NDArray[np.int64]:
        """The slots with more than one level."""
        return np.flatnonzero(np.array(self._set.space.sizes) > 1)

    @cached_property
    def changing(self) -> NDArray[np.int64]:
        """The slots in which feasible rows differ; where these cannot be counted, those with more than one level."""
        if not self.feasible.is_exact:
            return self.active
        return np.flatnonzero([sum(count > 0 for count in counts) > 1 for counts in self.feasible.usage()])

    @cached_property
    def branches(self) -> list[CodeSet]:
        """The rows with and without each variable that has a condition, one pair for each condition.

        No small change leads from one side to the other where several variables come or go, and uniform draws hardly
        ever meet the side that has few rows.
        """
        space = self._set.space
        firsts = {variable.when: space.first_slot[name] for name, variable in space.variables.items() if variable.when}
        found: list[CodeSet] = []
        for slot in list(firsts.values())[:_MAX_CONDITIONS]:
            allowed = [np.ones(size, dtype=np.bool_) for size in space.sizes]
            allowed[slot][-1] = False
            found.append(self.feasible.restricted(allowed))
            allowed[slot] = ~allowed[slot]
            found.append(self.feasible.restricted(allowed))
        return [branch for branch in found if not branch.is_empty]

    def listed(self, limit: int) -> Codes | None:
        """Return all feasible rows when there are at most `limit`, else None.

        Parameters
        ----------
        limit : int
            How many rows may be listed.

        Returns
        -------
        array of int, shape (n, n_slots), or None
            The rows, the same array each time; None where there are more, or rules are outside the diagram.

        Examples
        --------
        >>> import hedgerow as hr
        >>> from hedgerow.methods import CodeProblem
        >>> problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3]}), ["x != 2"]))
        >>> problem.listed(10)
        array([[0],
               [2]])
        >>> problem.listed(1) is None
        True
        """
        if not self.feasible.is_exact or self.feasible.count > limit:
            return None
        if self._listed is None:
            self._listed = np.concatenate(list(self.feasible.batches()))
        return self._listed

    def indicator_train(self) -> IndicatorTrain:
        """Return the feasible set as a tensor train.

        Returns
        -------
        IndicatorTrain
            1 at feasible rows, 0 elsewhere; of the whole set where only a part of it may be suggested.

        Raises
        ------
        EffortExceeded
            Where rules are outside the diagram, or the cores would be too large.

        Examples
        --------
        >>> import hedgerow as hr
        >>> from hedgerow.methods import CodeProblem
        >>> problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": hr.Vector([0, 1], 4)}), ["sum(x) == 2"]))
        >>> problem.indicator_train().ranks
        (2, 3, 2)
        """
        return self._set.tensor_train()

    @property
    def all_listed(self) -> Codes:
        """The rows that `listed` gave."""
        assert self._listed is not None
        return self._listed

    def is_seen(self, history: History) -> NDArray[np.bool_]:
        """Return for each listed row whether it has been tried.

        Parameters
        ----------
        history : History
            What has been tried.

        Returns
        -------
        array of bool, shape (n,)
            One for each row that `listed` gave, in its order.

        Raises
        ------
        AssertionError
            Where `listed` has not given the rows before.

        Examples
        --------
        >>> import numpy as np, hedgerow as hr
        >>> from hedgerow.methods import CodeProblem, History
        >>> problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3]})))
        >>> rows = problem.listed(10)
        >>> problem.is_seen(History(rows[:1], np.array([0.5]), rows[2:]))
        array([ True, False,  True])
        """
        assert self._listed is not None
        place = self._places
        seen = np.zeros(self._listed.shape[0], dtype=np.bool_)
        seen[[place[row] for row in history.seen if row in place]] = True
        return seen

    @cached_property
    def _places(self) -> dict[bytes, int]:
        assert self._listed is not None
        return {row.tobytes(): place for place, row in enumerate(np.ascontiguousarray(self._listed))}

    def check_left(self, history: History) -> None:
        """Raise when every feasible row has been told or is pending; where rules are outside the diagram, do nothing.

        Parameters
        ----------
        history : History
            What has been tried.

        Raises
        ------
        SpaceExhausted
            Where nothing is left to ask.

        Examples
        --------
        >>> import numpy as np, hedgerow as hr
        >>> from hedgerow.methods import CodeProblem, History
        >>> problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3]}), ["x == 2"]))
        >>> problem.check_left(History(np.array([[1]]), np.array([0.5]), np.zeros((0, 1), dtype=int)))
        Traceback (most recent call last):
        hedgerow.errors.SpaceExhausted: All 1 feasible points have been tried; nothing is left to ask.
        """
        if not self.feasible.is_exact or len(history.seen) < self.feasible.count:
            return
        n_told, n_pending = self._n_tried(history)
        if n_told + n_pending >= self.feasible.count:
            raise _exhausted(n_told, n_pending)

    def _n_tried(self, history: History) -> tuple[int, int]:
        """Return how many feasible rows have been told, and how many others are pending."""
        told = {row.tobytes() for row in history.codes[self.feasible.accepts(history.codes)]}
        pending = {row.tobytes() for row in history.pending[self.feasible.accepts(history.pending)]}
        return len(told), len(pending - told)

    def is_exhausted(self, history: History) -> bool:
        """Return whether every feasible row has been told or is pending, as far as that is known.

        Parameters
        ----------
        history : History
            What has been tried.

        Returns
        -------
        bool
            False where rules are outside the diagram.

        Examples
        --------
        >>> import hedgerow as hr
        >>> from hedgerow.methods import CodeProblem, History
        >>> CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3]}))).is_exhausted(History.empty(1))
        False
        """
        if not self.feasible.is_exact or len(history.seen) < self.feasible.count:
            return False
        return sum(self._n_tried(history)) >= self.feasible.count

    def draw_unseen(self, history: History, rng: Generator) -> Codes:
        """Return a draw among the feasible rows that have not been tried, uniform where the set's draws are.

        Parameters
        ----------
        history : History
            What has been tried.
        rng : numpy.random.Generator
            Where random numbers come from.

        Returns
        -------
        array of int, shape (n_slots,)
            A row.

        Raises
        ------
        SpaceExhausted
            Where it is proven that none is left, whatever holds the rules.
        EffortExceeded
            Where neither a row nor a proof was found, which happens with rules outside the diagram alone.

        Examples
        --------
        >>> import numpy as np, hedgerow as hr
        >>> from hedgerow.methods import CodeProblem, History
        >>> problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3]}), ["x != 2"]))
        >>> history = History(np.array([[0]]), np.array([0.5]), np.zeros((0, 1), dtype=int))
        >>> problem.draw_unseen(history, np.random.default_rng(0))
        array([2])
        """
        for _ in range(_MAX_DRAWS if self.feasible.sampling == "uniform" else _FEW_DRAWS):
            row = self.feasible.draw(1, rng)
            if not history.is_seen(row)[0]:
                return np.asarray(row[0])
        untried = self.feasible.untried(np.concatenate([history.codes, history.pending]), rng)
        if untried is None:
            raise _exhausted(*self._n_tried(history))
        return untried


def _exhausted(n_told: int, n_pending: int) -> SpaceExhausted:
    waiting = f" ({n_pending:,} of them still pending)" if n_pending else ""
    return SpaceExhausted(
        f"All {n_told + n_pending:,} feasible points have been tried{waiting}; nothing is left to ask."
    )
