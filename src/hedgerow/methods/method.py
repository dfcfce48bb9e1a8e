"""What every method offers: frozen settings that start a run, and a run that suggests rows.

A method of your own is any object that fits `Method`; nothing has to be inherited. `hedgerow.methods` exports all that
its interface is made of, and `hedgerow.testing` says whether it keeps the promises written here.
"""

from __future__ import annotations

from typing import Protocol

from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import RowSuggestion


class MethodRun(Protocol):
    """A method at work on one problem; what it remembers can be rebuilt from the history.

    Examples
    --------
    >>> import hedgerow as hr
    >>> from hedgerow.methods import CodeProblem, History, Random
    >>> run = Random().start(CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3]}), ["x == 2"])))
    >>> run.suggest(History.empty(1), seed=0).codes
    array([1])
    """

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return a feasible row that has neither been told nor is pending.

        The answer depends on the problem, the settings, the history and the seed alone. The histories of one run
        continue each other: told rows are only added at the end. There is at least one such row whenever this is
        called, if the rules could be compiled whole.

        Parameters
        ----------
        history : History
            What has been tried.
        seed : int
            Where random numbers begin.

        Returns
        -------
        RowSuggestion
            The row, whether it is the exact maximum of the method's score, and why it was chosen.

        Raises
        ------
        SpaceExhausted
            Where every feasible row has been tried.
        EffortExceeded
            Where neither a row nor a proof that none is left was found, which happens with rules outside the diagram
            alone.

        Examples
        --------
        >>> import hedgerow as hr
        >>> from hedgerow.methods import CodeProblem, History, Random
        >>> run = Random().start(CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3]}))))
        >>> print(run.suggest(History.empty(1), seed=0).reason)
        Drawn at random, as this method always does.
        """


class Method(Protocol):
    """Settings of a method, a frozen value.

    A method may have a truth value `knows_outcomes`. With it, it is also given problems whose `goals` have several
    objectives, limits or repeats="auto", and histories with `outcomes`; others are given one number per trial.

    Examples
    --------
    >>> import hedgerow as hr
    >>> from hedgerow.methods import RowSuggestion
    >>> class InOrderRun:
    ...     def __init__(self, problem):
    ...         self.rows = problem.listed(1000)
    ...     def suggest(self, history, seed):
    ...         return RowSuggestion(self.rows[~history.is_seen(self.rows)][0], False, "It is the first that is left.")
    >>> class InOrder:
    ...     may_break_rules = False
    ...     def start(self, problem):
    ...         return InOrderRun(problem)
    >>> hr.Optimizer(hr.Space({"x": [1, 2, 3]}), ["x != 1"], method=InOrder()).ask()
    {'x': 2}
    """

    @property
    def may_break_rules(self) -> bool:
        """Whether it may suggest rows that break rules, or that have been told; of those here the paper's variants do.

        Its suggestions are not checked.
        """

    def start(self, problem: CodeProblem) -> MethodRun:
        """Return the method at work on a problem.

        Parameters
        ----------
        problem : CodeProblem
            The feasible set, and what trials are judged by.

        Returns
        -------
        MethodRun
            What suggests rows for this problem; it has seen no history yet.

        Raises
        ------
        HedgerowError
            Where the method cannot work on this problem, so that it is known before any trial.

        Examples
        --------
        >>> import hedgerow as hr
        >>> from hedgerow.methods import Auto, CodeProblem, History
        >>> run = Auto().start(CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3]}))))
        >>> print(run.suggest(History.empty(1), seed=0).reason)
        Drawn at random: there is too little to learn from yet.
        """
