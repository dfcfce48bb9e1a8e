"""Small changes of an order: two items swapped, one moved elsewhere, a stretch turned around. Rows of positions."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Changes, Codes, Mask, Places


def swaps(row: Codes, allowed: Mask, before: Mask) -> Changes:
    """Return the swaps of two items, as changes of two slots, after which an order that keeps the rules keeps them."""
    n = row.size
    order = np.argsort(row)
    # By position: the first of what must come after the item there, and the last of what must come before it.
    sooner, later = before[np.ix_(order, order)], np.arange(n)
    first_after = np.where(sooner, later[None, :], n).min(axis=1)
    last_before = np.where(sooner.T, later[None, :], -1).max(axis=1)
    left, right = np.triu_indices(n, 1)
    kept = (first_after[left] > right) & (last_before[right] < left)
    kept &= allowed[order[left], right] & allowed[order[right], left]
    first, second = order[left[kept]], order[right[kept]]
    changes = np.stack([first, row[second], second, row[first]], axis=1)
    is_turned = first > second
    changes[is_turned] = changes[is_turned][:, [2, 3, 0, 1]]
    return changes


def moved(row: Codes) -> Codes:
    """Return every order that a swap, a move of one item or a turned stretch makes of an order, rules aside."""
    left, right = np.triu_indices(row.size, 1)
    # Of neighbors all kinds are a swap, and so is a stretch of three turned around.
    parts = []
    for kind, least in enumerate((1, 2, 2, 3)):
        far = right - left >= least
        parts.append(changed(row, np.full(int(far.sum()), kind), left[far], right[far]))
    return np.concatenate(parts)


# Swapped; the first moved behind the last; the last moved before the first; turned around.
N_KINDS = 4


def changed(row: Codes, kinds: Places, left: Places, right: Places) -> Codes:
    """Return the row after each change of what stands from position left to position right."""
    from hedgerow.feasible.orders.move_loops import write_changed  # noqa: PLC0415 - compiled, on demand

    rows = np.empty((kinds.size, row.size), dtype=np.int64)
    write_changed(np.ascontiguousarray(row), kinds, left, right, rows)
    return rows


def some_moved(row: Codes, n_moves: int, rng: Generator) -> Codes:
    """Return random changes of an order, rules aside: near ones as often as far ones."""
    n = row.size
    left = rng.integers(0, n - 1, size=n_moves)
    # Every length of the stretch has the same chance on a logarithmic scale.
    reach = np.floor(np.exp(rng.random(n_moves) * np.log(n))).astype(np.int64)
    right = np.minimum(left + np.maximum(reach, 1), n - 1)
    return changed(row, rng.integers(0, N_KINDS, size=n_moves), left, right)


def steps_of(before: Mask) -> tuple[Places, Places]:
    """Return the pairs of items that say all that `before`, which is transitive, says."""
    numbers = before.astype(np.float32)
    first, second = np.nonzero(before & ~((numbers @ numbers) > 0))
    return first, second


def keep(rows: Codes, allowed: Mask, steps: tuple[Places, Places]) -> Mask:
    """Return for each row, an order, whether it keeps the rules."""
    kept = np.ones(rows.shape[0], dtype=np.bool_)
    for item in np.flatnonzero(~allowed.all(axis=1)):
        kept &= allowed[item][rows[:, item]]
    first, second = steps
    for start in range(0, first.size, 512):
        some = slice(start, start + 512)
        kept &= (rows[:, first[some]] < rows[:, second[some]]).all(axis=1)
    return np.asarray(kept)


def are_orders(rows: Codes) -> Mask:
    """Return for each row whether it holds every position once."""
    return np.asarray((np.sort(rows, axis=1) == np.arange(rows.shape[1])).all(axis=1))
