"""Rows for tests."""

from research.harness.row import Row


def row(seed: int = 0, best: float = 1.0, first_round: int = 5, **changes: object) -> Row:
    """A finished run that found `best` in `first_round`."""
    given: dict[str, object] = {
        "task": "gap-a",
        "cell": "random",
        "seed": seed,
        "budget": 20,
        "measure": "run",
        "n_rounds": 20,
        "stopped": "budget",
        "improvements": ((1, 9.5), (first_round, best)),
        "invalid_rounds": (),
        "n_repeated": 0,
        "seconds": 2.0,
        "version": "0.1.0+abc",
        "machine": "a machine",
        "date": "2026-11-16",
        "series": {},
    }
    return Row(**{**given, **changes})  # type: ignore[arg-type]
