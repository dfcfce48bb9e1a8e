"""How workers that share nothing but a storage never try the same point.

A trial writes down the point it is about to try, and then looks at what all others have written. Whoever sees its own
point with another trial steps back and chooses again, except that of two trials which are both still choosing the
one with the smaller number waits for the other to step back. Two trials cannot both keep a point: the later one to
write looks after both have written, so it sees the other. This holds for every storage where a write that returned is
seen by every later read, and needs no lock, no clock and no worker to stay alive: stepping back is always safe.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import SpaceExhausted, StudyError
from hedgerow.methods.history import History
from hedgerow.optuna.trials import Snapshot


@dataclass(frozen=True)
class Claiming:
    """How long a trial waits for others to step back, and how often it chooses again."""

    patience: float = 2.0  # seconds
    pause: float = 0.05
    max_rounds: int = 200


class _Verdict(Enum):
    MINE = 1
    TAKEN = 2
    CONTESTED = 3


def claim_row(
    number: int,
    read: Callable[[], Snapshot],
    history: Callable[[Snapshot], History],
    propose: Callable[[History], Codes],
    write: Callable[[Codes | None], None],
    settings: Claiming,
) -> Codes:
    """Return a row that no other trial of the study has or will have."""
    n_ahead = 0
    for _ in range(settings.max_rounds):
        row = _propose_behind(n_ahead, history(read()), propose)
        write(row)
        if _is_kept(number, row, read, settings):
            return row
        write(None)
        n_ahead = _n_ahead(number, read())
    raise StudyError(
        f"Trial {number} found no point of its own in {settings.max_rounds} attempts: other workers took each of "
        "them first. Use fewer workers, or a storage that answers faster."
    )


def _propose_behind(n_ahead: int, history: History, propose: Callable[[History], Codes]) -> Codes:
    """Return what is left after others have made their choice.

    Trials that step back together know the same, and would choose the same again, one round after the other. So each
    first makes the choices of those before it.
    """
    row = propose(history)
    for _ in range(n_ahead):
        history = replace(history, pending=np.concatenate([history.pending, row[None, :]]))
        try:
            row = propose(history)
        except SpaceExhausted:
            break
    return row


def _n_ahead(number: int, snapshot: Snapshot) -> int:
    """Return how many trials with a smaller number have stepped back and are choosing again."""
    return sum(other < number for other in snapshot.choosing)


def keeps_row(number: int, row: Codes, snapshot: Snapshot) -> bool:
    """Return whether a trial that was created with its point may keep it.

    Trials are created one after the other, so of two with the same point the later one sees the earlier one, and a
    later one that is still choosing steps back by itself.
    """
    key = row.tobytes()
    if any(told.row.tobytes() == key and told.number != number for told in snapshot.told):
        return False
    return not any(claim.number < number and claim.row.tobytes() == key for claim in snapshot.claimed)


def _is_kept(number: int, row: Codes, read: Callable[[], Snapshot], settings: Claiming) -> bool:
    deadline = time.monotonic() + settings.patience
    pause = settings.pause
    while (verdict := _look(number, row.tobytes(), read())) is _Verdict.CONTESTED:
        if time.monotonic() > deadline:
            return False
        # Looking costs the storage and the processor what the others need to step back.
        time.sleep(pause)
        pause *= 2
    return verdict is _Verdict.MINE


def _look(number: int, key: bytes, snapshot: Snapshot) -> _Verdict:
    if any(told.row.tobytes() == key for told in snapshot.told):
        return _Verdict.TAKEN
    rivals = [claim for claim in snapshot.claimed if claim.number != number and claim.row.tobytes() == key]
    if not rivals:
        return _Verdict.MINE
    has_lost = any(rival.is_settled or rival.number < number for rival in rivals)
    return _Verdict.TAKEN if has_lost else _Verdict.CONTESTED
