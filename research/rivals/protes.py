"""PROTES: batches drawn from a tensor train that is moved toward the best rows of each batch (Batsheva et al. 2023).

The package `protes` runs a loop of its own around an objective. Here its sampling and its likelihood, with Adam as in
that loop, are driven by the history instead; a test compares the batches with those of the package. A batch is drawn
when the one before it has been told, so the k-th batch depends on all earlier ones alone. The trial before the
first batch is one uniform feasible draw, as for all methods; the train does not learn from it.

As `-u` the train begins at random with a given rank. As `-c` it begins as the indicator of the feasible set, whose
cores and ranks are those of the diagram, as the authors begin theirs (they fill up to the rank with zeros, which never
change): the first batch is then uniform over the feasible set. Later ones may break rules, because gradient steps
leave the zeros of the train. As in the package, repeated draws are not replaced: each is a trial.

Failed trials count as worst, and a batch of failures teaches nothing. JAX computes in 64 bits, switched on for these
calls only. JAX, Optax and the package are loaded here, at the first need, and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import Reason, RowSuggestion
from research.rivals.history_prefix import HistoryPrefix
from research.rivals.packages import package

# Keeps the random numbers of JAX apart from those of other draws.
_STREAM = 2**43


@dataclass(frozen=True)
class PROTES:
    """Sizes of a batch and of its best part, gradient steps per batch, and the rank of a train that begins at random.

    The defaults of batch, top and rank are the paper's, the others the package's.
    """

    knows_rules: bool = False
    n_batch: int = 100
    n_top: int = 10
    rank: int = 4
    n_steps: int = 1
    learning_rate: float = 0.05

    def __post_init__(self) -> None:
        if min(self.n_batch, self.n_top, self.rank, self.n_steps) < 1:
            raise HedgerowError(
                f"n_batch, n_top, rank and n_steps are at least 1, but are {self.n_batch}, {self.n_top}, {self.rank} "
                f"and {self.n_steps}."
            )

    @property
    def may_break_rules(self) -> bool:
        """Always: also a train that begins at the feasible set may leave it."""
        return True

    def start(self, problem: CodeProblem) -> ProtesRun:
        """Return PROTES at work on a problem."""
        return ProtesRun(self, problem)


@dataclass(frozen=True, eq=False)
class _Batch:
    """The train after some batches, Adam's state, JAX's key, and the rows that the train draws next."""

    cores: list[Any]
    moments: Any
    key: Any
    draw_key: Any
    rows: NDArray[np.int64]


class ProtesRun:
    """Keeps the latest batch, which depends on the told batches before it."""

    def __init__(self, settings: PROTES, problem: CodeProblem) -> None:
        package("protes", "PROTES")
        self._settings = settings
        self._problem = problem
        self._order: tuple[int, ...] = tuple(range(len(problem.space.slots)))
        self._indicator: tuple[NDArray[np.float64], ...] | None = None
        if settings.knows_rules:
            train = problem.indicator_train()
            self._order, self._indicator = train.order, train.cores
        self._kept: tuple[HistoryPrefix, _Batch] | None = None

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return the next row of the batch, or a uniform feasible draw as the first trial."""
        place = history.n_told + history.pending.shape[0] - 1
        if history.n_told == 0:
            rng = np.random.default_rng([seed, 0, history.pending.shape[0]])
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        n_batch = self._settings.n_batch
        n_done = (history.n_told - 1) // n_batch
        with package("jax.experimental", "PROTES").enable_x64():
            batch = self._batch(history, seed, n_done)
            rows = self._rows(batch, (place - n_done * n_batch) // n_batch)
        codes = np.empty(len(self._order), dtype=np.int64)
        codes[list(self._order)] = rows[place % n_batch]
        return RowSuggestion(codes, is_exact=False)

    @property
    def cores(self) -> list[NDArray[np.float64]]:
        """The train that drew the latest batch, in the order of its levels."""
        return [] if self._kept is None else [np.asarray(core) for core in self._kept[1].cores]

    def _batch(self, history: History, seed: int, n_done: int) -> _Batch:
        """Return the batch after `n_done` told ones, from the last one kept or from the start."""
        n_batch = self._settings.n_batch
        if self._kept is not None and self._kept[0].begins(history, seed):
            told, batch = self._kept
            first = (told.n - 1) // n_batch
        else:
            batch, first = self._first_batch(seed), 0
        for index in range(first, n_done):
            part = slice(1 + index * n_batch, 1 + (index + 1) * n_batch)
            batch = self._following(batch, history.codes[part], history.values[part])
        n_used = 1 + n_done * n_batch
        self._kept = (HistoryPrefix(seed, history.codes[:n_used].copy(), history.values[:n_used].copy()), batch)
        return batch

    def _first_batch(self, seed: int) -> _Batch:
        jax, jnp = package("jax", "PROTES"), package("jax.numpy", "PROTES")
        key = jax.random.PRNGKey(jax_seed(seed))
        if self._indicator is None:
            key, initial = jax.random.split(key)
            sizes = [self._problem.space.sizes[slot] for slot in self._order]
            cores = list(_parts()._generate_initial(sizes, self._settings.rank, initial))
        else:
            cores = [jnp.array(core) for core in self._indicator]
        return self._drawn(cores, _adam(self._settings.learning_rate).init(cores), key)

    def _following(self, batch: _Batch, codes: Codes, values: NDArray[np.float64]) -> _Batch:
        """Return the batch after a told one: steps toward its best rows, then new draws."""
        cores, moments = batch.cores, batch.moments
        best = np.argsort(np.where(np.isfinite(values), values, np.inf), kind="stable")
        best = best[np.isfinite(values[best])][: self._settings.n_top]
        if best.size:
            rows = codes[best][:, list(self._order)].astype(np.int32)
            step = _step(self._settings.learning_rate)
            for _ in range(self._settings.n_steps):
                moments, cores = step(moments, cores, rows)
        if not all(bool(np.isfinite(core).all()) for core in cores):
            # A told row that the train thinks impossible has no gradient: nothing is learnt from its batch.
            cores, moments = batch.cores, batch.moments
        return self._drawn(cores, moments, batch.key)

    def _drawn(self, cores: list[Any], moments: Any, key: Any) -> _Batch:
        jax = package("jax", "PROTES")
        key, draw_key = jax.random.split(key)
        rows = _draw()(cores, jax.random.split(draw_key, self._settings.n_batch))
        return _Batch(cores, moments, key, draw_key, np.asarray(rows, dtype=np.int64))

    def _rows(self, batch: _Batch, n_beyond: int) -> NDArray[np.int64]:
        """Return the batch, or where pending trials reach beyond it, further draws from the same train."""
        if n_beyond == 0:
            return batch.rows
        random = package("jax.random", "PROTES")
        key = random.fold_in(batch.draw_key, n_beyond)
        return np.asarray(_draw()(batch.cores, random.split(key, self._settings.n_batch)), dtype=np.int64)


def jax_seed(seed: int) -> int:
    """Return the seed of the package's random numbers for a seed of any size."""
    return int(np.random.default_rng([seed, _STREAM]).integers(2**31))


def _parts() -> Any:
    """The module of the package that allows different numbers of levels, and two variables."""
    return package("protes.protes_general", "PROTES")


def _adam(learning_rate: float) -> Any:
    return package("optax", "PROTES").adam(learning_rate)


# Compiled once per process and shapes, and not once per run.
@cache
def _draw() -> Any:
    """Return what draws one row of codes per key."""
    jax = package("jax", "PROTES")
    return jax.jit(jax.vmap(_parts()._sample, (None, 0)))


@cache
def _step(learning_rate: float) -> Any:
    """Return one step of Adam that makes given rows likelier."""
    jax, jnp = package("jax", "PROTES"), package("jax.numpy", "PROTES")
    likelihood = jax.vmap(_parts()._likelihood, (None, 0))
    adam = _adam(learning_rate)

    def step(moments: Any, cores: list[Any], rows: Any) -> tuple[Any, list[Any]]:
        slopes = jax.grad(lambda train: jnp.mean(-likelihood(train, rows)))(cores)
        updates, moments = adam.update(slopes, moments)
        return moments, [core + update for core, update in zip(cores, updates, strict=True)]

    return jax.jit(step)
