"""NN+MILP: a ReLU network as surrogate and exact minimization of its prediction by mixed-integer programming.

After Papalexopoulos et al. (2022), "Constrained discrete black-box optimization using mixed-integer programming", with
the settings of the CA-TD paper: one hidden layer of 16 units over one-hot inputs, trained on for 1000 epochs in every
round, the lowest prediction among all points that have not been tried. `NNMILP()` is its variant -c, with the rules as
constraints of the solver and one random start; `NNMILP.unaware()` is -u, without rules and with 50 random starts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.errors import EffortExceeded, HedgerowError
from hedgerow.feasible import FeasibleSet
from hedgerow.methods.candidates import CandidateSettings, PlainCriterion, best_candidate
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.threads import one_thread
from hedgerow.search.suggestion import Reason, RowSuggestion
from hedgerow.wording import ending
from research.rivals.nn_milp.acquisition import lowest_prediction
from research.rivals.nn_milp.network import Network
from research.rivals.nn_milp.program import Limits, load_solver
from research.rivals.nn_milp.rule_constraints import RuleRows, rule_rows

_SOLVERS = ("milp", "list")
# Keeps the random numbers of the network apart from those of suggestions.
_NETWORK_STREAM = 2**42


@dataclass(frozen=True)
class NNMILP:
    """Settings of NN+MILP.

    carries_weights goes on training the network of the round before, as the CA-TD paper's experiments do; otherwise
    every round begins with new random weights, whose chance explores.
    solver "milp" solves the program; "list" predicts every row of the set, which finds the same minimum where the set
    can be listed (up to max_listed rows). max_nodes bounds the branches of one solution and time_limit the seconds of
    one suggestion; where they run out, a search inside the set answers instead, and the suggestion is not marked as
    exact. max_rounds is how often a solution that breaks a rule without an exact linear form is cut off before the same
    happens.
    """

    respect_rules: bool = True
    n_start: int = 1
    n_epochs: int = 1000
    n_hidden: int = 16
    learning_rate: float = 0.01
    carries_weights: bool = True
    solver: Literal["milp", "list"] = "milp"
    max_nodes: int = 20_000
    time_limit: float = 60.0
    max_rounds: int = 30
    max_listed: int = 1_000_000
    fallback: CandidateSettings = field(default_factory=CandidateSettings)

    @classmethod
    def unaware(cls) -> NNMILP:
        """Return the variant -u of the paper."""
        return cls(respect_rules=False, n_start=50)

    def __post_init__(self) -> None:
        if self.solver not in _SOLVERS:
            raise HedgerowError(f"NNMILP has no solver {self.solver!r}{ending(str(self.solver), _SOLVERS)}")
        for name in ("n_start", "n_epochs", "n_hidden", "max_nodes", "max_rounds"):
            if getattr(self, name) < 1:
                raise HedgerowError(f"{name} must be at least 1, but is {getattr(self, name)}.")
        if not (self.time_limit > 0 and self.learning_rate > 0):
            raise HedgerowError(
                f"time_limit and learning_rate must be above 0, but are {self.time_limit} and {self.learning_rate}."
            )

    @property
    def may_break_rules(self) -> bool:
        """Whether suggestions know nothing of the rules."""
        return not self.respect_rules

    def start(self, problem: CodeProblem) -> NnMilpRun:
        """Return the method at work on a problem."""
        return NnMilpRun(self, problem)


class NnMilpRun:
    """Suggests rows. Training goes on from round to round; the last network is kept, and rebuilt by replaying."""

    def __init__(self, settings: NNMILP, problem: CodeProblem) -> None:
        self._settings = settings
        self._problem = problem
        self._suggestions = problem if settings.respect_rules else CodeProblem(FeasibleSet(problem.space))
        self._trained: _Trained | None = None
        if settings.solver == "milp":
            load_solver()
        elif self._suggestions.listed(settings.max_listed) is None:
            raise EffortExceeded(
                f"NNMILP with solver='list' predicts every row, and there are more than max_listed="
                f"{settings.max_listed:,}. Use solver='milp'."
            )

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return the untried row of lowest prediction, or a random one at the beginning."""
        self._suggestions.check_left(history)
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        if history.n_told == 0 or not history.is_measured.any():
            # The first point satisfies the rules in every variant, as in the paper.
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        if history.n_told < self._settings.n_start:
            return RowSuggestion(self._suggestions.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        with one_thread():
            network = self._network(history, seed)
            if self._settings.solver == "milp":
                row = self._solved(network, history)
                if row is not None:
                    return RowSuggestion(row, True, Reason.BEST_OF_ALL)
            found = best_candidate(
                self._suggestions, history, PlainCriterion(lambda rows: -network.predict(rows)), rng, self._candidates
            )
        return found if self._settings.solver == "list" else RowSuggestion(found.codes, False, Reason.BEST_FOUND)

    @property
    def _candidates(self) -> CandidateSettings:
        """How to find a row without the solver."""
        if self._settings.solver == "list":
            return CandidateSettings(max_listed=self._settings.max_listed)
        return self._settings.fallback

    @cached_property
    def _rules(self) -> RuleRows:
        return rule_rows(self._problem.space, self._suggestions.rules)

    def _solved(self, network: Network, history: History) -> Codes | None:
        seen = np.concatenate([history.codes, history.pending])

        def is_allowed(row: Codes) -> bool:
            return bool(self._suggestions.feasible.accepts(row[None, :])[0]) and row.tobytes() not in history.seen

        limits = Limits(self._settings.max_nodes, self._settings.time_limit)
        return lowest_prediction(network, self._rules, seen, is_allowed, limits, self._settings.max_rounds)

    def _network(self, history: History, seed: int) -> Network:
        """Train on one observation more at a time, from the last network or from the first of them."""
        measured = history.is_measured
        codes, values = history.codes[measured], history.values[measured]
        n_first = max(1, int(measured[: self._settings.n_start].sum()))
        if not self._settings.carries_weights:
            return self._longer(self._random([seed, _NETWORK_STREAM, values.size]), codes, values)
        if self._trained is not None and self._trained.began(seed, n_first, codes, values):
            n_trained, network = self._trained.values.size, self._trained.network
        else:
            n_trained, network = n_first - 1, self._random([seed, _NETWORK_STREAM])
        for n in range(n_trained + 1, values.size + 1):
            network = self._longer(network, codes[:n], values[:n])
        self._trained = _Trained(seed, n_first, codes, values, network)
        return network

    def _random(self, seed: list[int]) -> Network:
        return Network.random(self._problem.space.sizes, self._settings.n_hidden, np.random.default_rng(seed))

    def _longer(self, network: Network, codes: Codes, values: NDArray[np.float64]) -> Network:
        return network.trained(codes, values, self._settings.n_epochs, self._settings.learning_rate)


@dataclass(frozen=True, eq=False)
class _Trained:
    """A network with everything that it depends on."""

    seed: int
    n_first: int
    codes: Codes
    values: NDArray[np.float64]
    network: Network

    def began(self, seed: int, n_first: int, codes: Codes, values: NDArray[np.float64]) -> bool:
        """Return whether training on these observations goes through this network."""
        n = self.values.size
        return (
            (self.seed, self.n_first) == (seed, n_first)
            and np.array_equal(self.codes, codes[:n])
            and np.array_equal(self.values, values[:n])
        )
