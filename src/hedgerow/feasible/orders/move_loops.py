"""Small changes of an order in compiled loops: searches make thousands of them for one suggestion."""

from __future__ import annotations

from hedgerow.arrays import Codes, Places
from hedgerow.compiled import compiled


@compiled
def write_changed(row: Codes, kinds: Places, left: Places, right: Places, rows: Codes) -> None:
    """Write the row after each change; kinds are those of `moves.changed`."""
    for place in range(kinds.size):
        kind, first, last = kinds[place], left[place], right[place]
        for item in range(row.size):
            at = row[item]
            if first <= at <= last:
                if kind == 0:
                    at = last if at == first else first if at == last else at
                elif kind == 1:
                    at = last if at == first else at - 1
                elif kind == 2:
                    at = first if at == last else at + 1
                else:
                    at = first + last - at
            rows[place, item] = at
