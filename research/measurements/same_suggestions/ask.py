"""Ask and tell on every problem, with every seed, and print a digest of each point asked, as JSON.

It is run with the source to be looked at on the path, in a process of its own: `compare.py` does so.
"""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import hedgerow as hr
from research.measurements.same_suggestions.cases import AskedCase, cases

N_ASKS = 25
N_SEEDS = 3
# The default is looked at on every problem, others on some; seconds grow with what they train.
_METHODS: dict[str, Callable[[], Any]] = {
    "auto": lambda: "auto",
    "catd": lambda: "catd",
    "catd-chosen": lambda: hr.methods.CATD(format="auto", rank=None),
    "catd-hsdp": lambda: hr.methods.CATD(rank=2, trainer="hsdp"),
    "catd-penalty": lambda: hr.methods.CATD("tr", 2, penalty=1.0),
    "catd-programmed": lambda: hr.methods.CATD.as_programmed("cp"),
    "catd-published": hr.methods.CATD.as_published,
    "random": lambda: "random",
}
_SOME = {
    "catd": ("listed-numbers", "searched-mixed", "dna-vector", "failures", "left-pending", "outside-the-diagram"),
    "catd-chosen": ("listed-ordinals",),
    "catd-hsdp": ("exhausted",),
    "catd-penalty": ("listed-labels", "searched-integers"),
    "catd-programmed": ("listed-ordinals",),
    "catd-published": ("listed-numbers", "told-first"),
    "random": ("listed-numbers", "searched-switches", "outside-the-diagram", "exhausted"),
}
# Asks of these: training takes its time. All but the default and `random` are asked with one seed.
_FEWER = {"catd-chosen": 10, "catd-hsdp": 6, "catd-programmed": 15, "catd-published": 8}


def runs() -> Iterator[tuple[str, AskedCase]]:
    """Yield the methods with the problems that each is asked on."""
    for method in _METHODS:
        for case in cases():
            if method == "auto" or case.name in _SOME[method]:
                yield method, case


def asked(case: AskedCase, method: str, seed: int) -> list[Mapping[str, Any]]:
    """Return the points that were asked, in order; fewer where the set is exhausted."""
    optimizer = hr.Optimizer(
        case.space,
        case.rules,
        method=_METHODS[method](),
        seed=seed,
        direction=case.direction,
        node_budget=case.node_budget,
    )
    for point in case.told_first:
        optimizer.tell(point, case.objective(point))
    points: list[Mapping[str, Any]] = []
    while len(points) < _FEWER.get(method, N_ASKS):
        try:
            together = [optimizer.ask()] if case.n_at_once == 1 else optimizer.ask(case.n_at_once)
        except hr.SpaceExhausted:
            break
        points.extend(together)
        # Told in the other order than asked, as workers would.
        for point in reversed(together[case.n_left_pending :]):
            optimizer.tell(point, case.objective(point))
    return points


def digest(points: Sequence[Mapping[str, Any]]) -> str:
    """Return a short digest of points in their order."""
    return hashlib.sha256(json.dumps(points, sort_keys=True, default=list).encode()).hexdigest()[:12]


def main(n_seeds: int) -> None:
    """Print a line of JSON for every method, problem and seed."""
    warnings.simplefilter("ignore", hr.RuleWarning)
    for method, case in runs():
        for seed in range(n_seeds if method in ("auto", "random") else 1):
            points = asked(case, method, seed)
            facts = {
                "method": method,
                "problem": case.name,
                "seed": seed,
                "all": digest(points),
                "each": [digest([point]) for point in points],
            }
            print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
