"""How workers that share nothing but a storage never try the same point, or take the same reading of one twice.

A trial writes down the point it is about to try, and then looks at what all others have written. Whoever sees its own
point with another trial steps back and takes another, except that of two trials which are both still claiming the
one with the smaller number waits for the other to step back. Two trials cannot both keep a point: the later one to
write looks after both have written, so it sees the other. This holds for every storage where a write that returned is
seen by every later read, and needs no lock, no clock and no worker to stay alive: stepping back is always safe.

Where points may be measured several times, what is claimed is a point together with which reading of it: the first that
no trial has, as far as the claiming trial can see. Two that want the same reading are told apart in the same way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import SpaceExhausted, StudyError
from hedgerow.methods.history import History
from hedgerow.optuna.trials import ClaimedRow, FinishedRow, RowKey, TrialRows


@dataclass(frozen=True)
class Claiming:
    """How long a trial waits for others to step back, and how often it tries again."""

    patience: float = 2.0  # seconds
    pause: float = 0.05
    max_rounds: int = 200


class _Verdict(Enum):
    MINE = 1
    TAKEN = 2
    CONTESTED = 3


def claim_row(
    number: int,
    seen: TrialRows,
    read: Callable[[], TrialRows],
    history: Callable[[TrialRows], History],
    suggest: Callable[[History], Codes],
    write: Callable[[Codes | None, int], None],
    settings: Claiming,
) -> tuple[Codes, TrialRows]:
    """Return a row that no other trial of the study has or will have, and the trials as they were then.

    `seen` is what is known of the trials before; everything that others did since is noticed when the row is claimed.
    """
    n_ahead = 0
    for _ in range(settings.max_rounds):
        row = _suggest_behind(n_ahead, history(seen), suggest)
        reading = seen.next_reading(row, without=number)
        write(row, reading)
        seen, is_kept = _verified(number, (row.tobytes(), reading), read, settings)
        if is_kept:
            return row, seen
        write(None, 0)
        seen = read()
        n_ahead = _n_ahead(number, seen)
    raise StudyError(
        f"Trial {number} found no point of its own in {settings.max_rounds} attempts: other workers took each of "
        "them first. Use fewer workers, or a storage that answers faster."
    )


def _suggest_behind(n_ahead: int, history: History, suggest: Callable[[History], Codes]) -> Codes:
    """Return what is left after others have made their choice.

    Trials that step back together know the same, and would suggest the same again, one round after the other. So each
    first makes the choices of those before it.
    """
    row = suggest(history)
    for _ in range(n_ahead):
        history = replace(history, pending=np.concatenate([history.pending, row[None, :]]))
        try:
            row = suggest(history)
        except SpaceExhausted:
            break
    return row


def _n_ahead(number: int, seen: TrialRows) -> int:
    """Return how many trials with a smaller number have stepped back and are claiming again."""
    return sum(other < number for other in seen.stepped_back)


def keeps_row(number: int, key: RowKey, with_row: Sequence[FinishedRow | ClaimedRow]) -> bool:
    """Return whether a trial that was created with its point may keep it, among all that have the row.

    Trials are created one after the other, so of two with the same point the later one sees the earlier one, and a
    later one that is still claiming steps back by itself.
    """
    others = [item for item in with_row if item.key == key and item.number != number]
    return not any(isinstance(item, FinishedRow) or item.number < number for item in others)


def _verified(number: int, key: RowKey, read: Callable[[], TrialRows], settings: Claiming) -> tuple[TrialRows, bool]:
    """Return the trials once it is settled whether a claim is kept, and whether it is."""
    deadline = time.monotonic() + settings.patience
    pause = settings.pause
    while True:
        seen = read()
        verdict = _judged(number, key, seen)
        if verdict is not _Verdict.CONTESTED or time.monotonic() > deadline:
            return seen, verdict is _Verdict.MINE
        # Looking costs the storage and the processor what the others need to step back.
        time.sleep(pause)
        pause *= 2


def _judged(number: int, key: RowKey, seen: TrialRows) -> _Verdict:
    same = [item for item in seen.with_row(key[0]) if item.key == key]
    rivals = [claim for claim in same if isinstance(claim, ClaimedRow) and claim.number != number]
    if any(isinstance(item, FinishedRow) for item in same):
        return _Verdict.TAKEN
    if not rivals:
        return _Verdict.MINE
    has_lost = any(rival.is_settled or rival.number < number for rival in rivals)
    return _Verdict.TAKEN if has_lost else _Verdict.CONTESTED
