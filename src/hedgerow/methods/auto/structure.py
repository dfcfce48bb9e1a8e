"""What a space and its rules say about structure: neighbors and motifs in vectors, counts of values, terms of rules.

Each kind gives coordinates that a kernel may see besides the slots; whether they matter is for evidence to say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby, product

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Places
from hedgerow.errors import RuleError
from hedgerow.expressions import Absolute, Arithmetic, Choice, Expression, Fold, Negative, Opaque, Slot
from hedgerow.methods.auto.kernel.derived import Coordinate, count_of, looked_up, window
from hedgerow.methods.auto.kernel.motifs import Motifs
from hedgerow.rules import BoundRule
from hedgerow.rules.evaluate import evaluate
from hedgerow.rules.resolve import slots_of
from hedgerow.space.space import SlotInfo, Space

# Shorter vectors have no neighbors to speak of: the product over all slots sees their windows as well.
_LEAST_LENGTH = 8
_WIDTHS = (2, 3)
# Of fewer slots alike the product over all slots sees as much as counts.
_LEAST_ALIKE = 3
# Of more, tables of counts take more memory and time than everything else (3,000 options: 650 MB instead of 415).
_MOST_ALIKE = 500
# A window has at most so many contents: what more of them do is not learned in some hundred trials. A value is counted
# where slots have at most so many.
_MAX_CONTENTS = 64
_MAX_COUNTED = 6
# More motifs than this take more memory and time than they are worth: which of 30,000 rows has which is looked up.
_MAX_MOTIFS = 2**12
# Which base pairs with which.
_BASE_PAIRS = ({"A": "T", "T": "A", "C": "G", "G": "C"}, {"A": "U", "U": "A", "C": "G", "G": "C"})
# A term is looked up for at most so many combinations of levels, all terms together for so many.
_MAX_COMBINATIONS = 20_000
_MAX_LOOKED_UP = 60_000
_MAX_TERMS = 8
# Terms are told apart in so many steps.
_MAX_STEPS = 40


def windows(space: Space, active: Places) -> list[list[Coordinate]]:
    """Return the windows of neighboring components of long vectors, a group for each width."""
    found = [
        [
            window(slots[k : k + width], size)
            for slots, size in _vectors(space, active)
            if size**width <= _MAX_CONTENTS
            for k in range(len(slots) - width + 1)
        ]
        for width in _WIDTHS
    ]
    return [group for group in found if group]


def motifs(space: Space, active: Places) -> list[Motifs]:
    """Return the motifs of long vectors of labels, of the two least widths of which there are as many as windows.

    Of DNA and RNA those of the wider one are seen twice, as they stand and on either strand: what binds to one strand
    binds to the other. Components that are on or off, or numbers, are different things as a rule, and what stands in
    several of them means nothing elsewhere.
    """
    found: list[Motifs] = []
    for slots, size in _vectors(space, active):
        variable = space.slots[int(active[slots[0]])].variable
        if variable.is_ordered or size == 2 or len(slots) > _MOST_ALIKE:
            continue
        widths = [n for n in range(1, len(slots)) if len(slots) - n + 1 <= size**n <= _MAX_MOTIFS][:2]
        partners = _partners(space.slots[int(active[slots[0]])].levels)
        if partners and widths:
            widths = widths[-1:]
            found.append(Motifs(tuple(slots), size, widths[-1], partners))
        found += [Motifs(tuple(slots), size, width) for width in widths]
    return found


def _partners(levels: Sequence[object]) -> tuple[int, ...]:
    """Return the code of the base that pairs with each, where levels are those of DNA or RNA."""
    bases = [str(level).upper() for level in levels]
    for pairs in _BASE_PAIRS:
        if sorted(bases) == sorted(pairs):
            return tuple(bases.index(pairs[base]) for base in bases)
    return ()


def counts(space: Space, active: Places) -> list[list[Coordinate]]:
    """Return how many components of a vector, or of variables alike, have each value, one group."""
    found = [
        count_of(slots, size, code)
        for slots, size in _alike(space, active)
        # Of two values one count says all.
        for code in range(1 if size == 2 else 0, size)
    ]
    return [found] if found else []


def terms(space: Space, rules: Sequence[BoundRule], active: Places) -> list[list[Coordinate]]:
    """Return the arithmetic terms of rules that read several slots, one group."""
    found: list[Coordinate] = []
    known: set[bytes] = set()
    n_looked_up = 0
    for term in _terms(rules):
        slots = [int(slot) for slot in slots_of(term)]
        infos = [space.slots[slot] for slot in slots]
        n_combinations = math.prod(info.n_levels for info in infos)
        if len(slots) < 2 or n_combinations > _MAX_COMBINATIONS or not all(map(_is_plain, infos)):
            continue
        if not set(slots) <= set(active.tolist()) or n_looked_up + n_combinations > _MAX_LOOKED_UP:
            continue
        n_looked_up += n_combinations
        codes = _ranks(_values(term, slots, infos, len(space.slots)))
        if codes is None or (mark := repr(slots).encode() + codes.tobytes()) in known:
            continue
        known.add(mark)
        places = np.searchsorted(active, slots).tolist()
        found.append(looked_up(places, [info.n_levels for info in infos], codes))
        if len(found) == _MAX_TERMS:
            break
    return [found] if found else []


def _vectors(space: Space, active: Places) -> Iterator[tuple[list[int], int]]:
    """Yield the places among active slots of each long vector, and how many codes a component has."""
    slots = [(place, space.slots[int(slot)]) for place, slot in enumerate(active)]
    for _, group in groupby(slots, key=lambda pair: pair[1].owner):
        members = list(group)
        if len(members) >= _LEAST_LENGTH and all(info.index is not None and _is_plain(info) for _, info in members):
            yield [place for place, _ in members], members[0][1].n_levels


def _alike(space: Space, active: Places) -> Iterator[tuple[list[int], int]]:
    """Yield the places among active slots of each vector, or of variables with the same levels, and how many these are.

    A cell of six operations is one to its designer, whether they are six variables or a vector.
    """
    groups: dict[object, list[int]] = {}
    for place, slot in enumerate(active):
        info = space.slots[int(slot)]
        if info.n_levels <= _MAX_COUNTED and _is_plain(info):
            alike = info.owner if info.index is not None else (info.variable.is_ordered, *map(repr, info.levels))
            groups.setdefault(alike, []).append(place)
    for places in groups.values():
        if _LEAST_ALIKE <= len(places) <= _MOST_ALIKE:
            yield places, space.slots[int(active[places[0]])].n_levels


def _is_plain(info: SlotInfo) -> bool:
    """Whether the kernel's codes of a slot are those of the space."""
    return not info.is_conditional and not info.variable.is_continuous and not getattr(info.variable, "descriptors", ())


def _terms(rules: Sequence[BoundRule]) -> Iterator[Expression]:
    """Yield the arithmetic of all rules, outer terms first."""
    queue: list[Expression] = [rule.expression for rule in rules if not rule.is_of_space]
    while queue:
        node = queue.pop(0)
        if _is_arithmetic(node) and not _calls_functions(node):
            yield node
        queue.extend(child for child in node.children if not isinstance(child, Slot))


def _calls_functions(node: Expression) -> bool:
    """Whether a part of it is somebody's function, which is called for the sake of rules alone."""
    return isinstance(node, Opaque) or any(map(_calls_functions, node.children))


def _is_arithmetic(node: Expression) -> bool:
    if isinstance(node, Fold):
        return node.operator not in ("and", "or", "count")
    return isinstance(node, Arithmetic | Absolute | Negative | Choice)


def _values(term: Expression, slots: Sequence[int], infos: Sequence[SlotInfo], n_slots: int) -> list[float | None]:
    values: list[object] = [None] * n_slots
    found: list[float | None] = []
    for levels in product(*(info.levels for info in infos)):
        for slot, level in zip(slots, levels, strict=True):
            values[slot] = level
        try:
            number = evaluate(term, values)  # type: ignore[arg-type]
            found.append(float(number) if isinstance(number, int | float) and math.isfinite(number) else None)
        except (ArithmeticError, RuleError):
            # A division by zero, or a number too large to be computed or to be a float.
            found.append(None)
    return found


def _ranks(values: Sequence[float | None]) -> NDArray[np.int64] | None:
    """Return the step of each value, or None where there are fewer than three; what has no value is on the lowest."""
    numbers = np.array([np.nan if value is None else value for value in values])
    known = np.unique(numbers[np.isfinite(numbers)])
    if known.size < 3:
        return None
    steps = np.searchsorted(known, np.where(np.isfinite(numbers), numbers, known[0]))
    if known.size > _MAX_STEPS:
        # Steps of equally many combinations.
        order = np.argsort(np.argsort(steps, kind="stable"), kind="stable")
        by_value = np.bincount(steps, order) / np.bincount(steps)
        _, steps = np.unique((by_value * _MAX_STEPS / steps.size).astype(np.int64)[steps], return_inverse=True)
    return np.asarray(steps, dtype=np.int64)
