"""`HedgerowSearch`: a search algorithm for Ray Tune, inside rules.

Ray Tune schedules, runs and stops trials; this suggests their configurations. Every one satisfies every rule, and none
comes twice. A trial that ends in an error, or without the metric, is told as failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hedgerow.errors import HedgerowError, SpaceExhausted
from hedgerow.methods.method import Method
from hedgerow.optimizer import Optimizer
from hedgerow.rules import RuleLike
from hedgerow.space import Categorical, Integer, Levels, Point, Real, Space, Variable

try:
    from ray.tune.search import Searcher
    from ray.tune.search.sample import Categorical as RayCategorical
    from ray.tune.search.sample import Domain, Float, LogUniform, Quantized
    from ray.tune.search.sample import Integer as RayInteger
except ImportError as error:  # pragma: no cover - where Ray Tune is not installed
    raise HedgerowError("HedgerowSearch needs Ray Tune: pip install 'hedgerow[ray]'.") from error

# A continuous range becomes this many levels.
N_LEVELS = 101


class HedgerowSearch(Searcher):  # type: ignore[misc] # Ray has no types
    """Suggests configurations for Ray Tune: `tune.TuneConfig(search_alg=HedgerowSearch(...), num_samples=50)`.

    Parameters
    ----------
    space : Space or dict, optional
        A `Space`, or a dict of Ray Tune's distributions (`tune.choice`, `tune.uniform`, `tune.randint`, ...) and of
        variables such as `hr.Integer(1, 9)`; without one, the `param_space` of the tuner.
    rules : iterable or mapping of rules, optional
        What must hold between the variables.
    metric, mode : str, optional
        What is optimized, "min" or "max"; by default those of the tuner.
    seed : int, optional
        Where random numbers begin.
    method : str or Method, optional
        `"auto"`, another short name, or settings from `hedgerow.methods`.
    """

    _metric: str | None
    _mode: str | None

    def __init__(
        self,
        space: Space | Mapping[str, Any] | None = None,
        rules: Iterable[RuleLike] | Mapping[str, RuleLike] = (),
        *,
        metric: str | None = None,
        mode: str | None = None,
        seed: int = 0,
        method: str | Method = "auto",
    ) -> None:
        super().__init__(metric=metric, mode=mode)
        self._space = space_of(space) if space is not None else None
        self._rules = dict(rules) if isinstance(rules, Mapping) else list(rules)
        self._seed, self._method = seed, method
        self._optimizer: Optimizer | None = None
        self._points: dict[str, Point] = {}
        self._constants: dict[str, Any] = {}
        self._prepare()

    @property
    def optimizer(self) -> Optimizer | None:
        """What suggests, with all observations; None before the space and the mode are known."""
        return self._optimizer

    def set_search_properties(self, metric: str | None, mode: str | None, config: Mapping[str, Any], **_: Any) -> bool:
        """Take what the tuner says where nothing was said before; Ray Tune calls this."""
        if self._optimizer is not None:
            return False
        self._metric = metric or self._metric
        self._mode = mode or self._mode
        if self._space is None and config:
            varying = {name: value for name, value in config.items() if isinstance(value, Domain | Variable)}
            self._constants = {name: value for name, value in config.items() if name not in varying}
            self._space = space_of(varying)
        self._prepare()
        return self._optimizer is not None

    def suggest(self, trial_id: str) -> Any:
        """Return the configuration of a trial; Ray Tune stops asking when there is none left."""
        if self._optimizer is None:
            raise HedgerowError("Ray Tune has not said what varies or what is optimized: give space, metric and mode.")
        try:
            point = self._optimizer.ask()
        except SpaceExhausted:
            return Searcher.FINISHED
        self._points[trial_id] = point
        return {**self._constants, **point}

    def on_trial_complete(self, trial_id: str, result: Mapping[str, Any] | None = None, error: bool = False) -> None:
        """Learn what a trial gave."""
        point = self._points.pop(trial_id, None)
        if point is None or self._optimizer is None:
            return
        value = None if error or result is None else result.get(self._metric or "")
        self._optimizer.tell(point, value)

    def save(self, checkpoint_path: str) -> None:
        """Write what is known, for an experiment that is restored later."""
        if self._optimizer is None:
            raise HedgerowError("There is nothing to save before the first trial.")
        self._optimizer.save(checkpoint_path)
        waiting = "\n".join(self._points)
        Path(f"{checkpoint_path}.trials").write_text(waiting, encoding="utf-8")

    def restore(self, checkpoint_path: str) -> None:
        """Go on with what was written; trials that ran then are run again by Ray Tune under their old names."""
        self._optimizer = Optimizer.load(checkpoint_path)
        names = Path(f"{checkpoint_path}.trials").read_text(encoding="utf-8").split("\n")
        self._points = dict(zip(names, self._optimizer.pending, strict=False))

    def _prepare(self) -> None:
        if self._space is None or self._mode is None or self._metric is None:
            return
        direction = {"min": "minimize", "max": "maximize"}[self._mode]
        self._optimizer = Optimizer(
            self._space,
            self._rules,
            method=self._method,
            seed=self._seed,
            direction=direction,  # type: ignore[arg-type]
        )


def space_of(given: Space | Mapping[str, Any]) -> Space:
    """Return a space; the distributions of Ray Tune become variables."""
    if isinstance(given, Space):
        return given
    return Space({name: _variable(name, domain) for name, domain in given.items()})


def _variable(name: str, domain: Any) -> Any:
    if not isinstance(domain, Domain):
        return domain
    sampler = domain.get_sampler()
    step = sampler.q if isinstance(sampler, Quantized) else None
    inner = sampler.get_sampler() if isinstance(sampler, Quantized) else sampler
    log = isinstance(inner, LogUniform)
    if isinstance(domain, RayCategorical):
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in domain.categories)
        return list(domain.categories) if numbers else Categorical(domain.categories)
    if isinstance(domain, RayInteger):
        # The upper end is left out, except of quantized ranges.
        return Integer(domain.lower, domain.upper if step else domain.upper - 1, int(step or 1))
    if isinstance(domain, Float) and domain.lower is not None and abs(domain.lower) != float("inf"):
        if step:
            n = round((domain.upper - domain.lower) / step)
            return Levels([float(f"{domain.lower + i * step:.12g}") for i in range(n + 1)])
        return Real(domain.lower, domain.upper, N_LEVELS, log=log)
    raise HedgerowError(f"'{name}' is {domain!r}, which has no end. Give hr.Real(low, high, levels).")
