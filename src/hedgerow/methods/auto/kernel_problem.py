"""A problem as the kernel sees it: the slots that vary, the kernel over them, and the listed rows by their halves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Places
from hedgerow.feasible.changes import Literals
from hedgerow.methods.auto.kernel.derived import Coordinate, Derived
from hedgerow.methods.auto.kernel.described import DescribedCodes
from hedgerow.methods.auto.kernel.many_rows import ManyRows
from hedgerow.methods.auto.kernel.tensor_kernel import KernelPrior, TensorKernel
from hedgerow.methods.auto.kernel.view import View
from hedgerow.methods.auto.structure import counts, terms, windows
from hedgerow.methods.problem import CodeProblem
from hedgerow.space import Categorical

# Of so many views that were found in observations the listed rows are kept: one of each outcome, where these are few.
_MOST_FOUND = 4


class KernelProblem:
    """What the kernel derives from a problem once; `codes` is the problem itself."""

    def __init__(self, problem: CodeProblem, prior: KernelPrior = KernelPrior()) -> None:  # noqa: B008 (frozen)
        self.codes = problem
        self._prior = prior
        self._listed: dict[View, ManyRows] = {}

    @property
    def active(self) -> NDArray[np.int64]:
        """The slots with more than one level, which are the kernel's."""
        return self.codes.active

    @cached_property
    def kernel(self) -> TensorKernel:
        """The tensor kernel over the active slots."""
        slots = [self.codes.space.slots[int(k)] for k in self.active]
        return TensorKernel.of(
            [len(slot.variable.values) for slot in slots],
            [slot.variable.is_ordered for slot in slots],
            self._prior,
            [slot.is_conditional for slot in slots],
            {
                place: DescribedCodes.of(slot.variable.descriptors, slot.is_conditional)
                for place, slot in enumerate(slots)
                if isinstance(slot.variable, Categorical) and slot.variable.descriptors
            },
        )

    @cached_property
    def plain(self) -> View:
        """Rows by their slots alone."""
        return View((), self.kernel)

    @cached_property
    def views(self) -> list[View]:
        """The plain way to see rows first, then with each kind of structure that there is, then with all of them."""
        space = self.codes.space
        kinds = {
            "windows": windows(space, self.active),
            "counts": counts(space, self.active),
            "terms": terms(space, self.codes.rules, self.active),
        }
        found = {name: groups for name, groups in kinds.items() if groups}
        views = [self.plain, *(self._view({name: groups}) for name, groups in found.items())]
        return [*views, self._view(found)] if len(found) > 1 else views

    def _view(self, kinds: Mapping[str, Sequence[Sequence[Coordinate]]]) -> View:
        groups = [group for groups in kinds.values() for group in groups]
        return View.of(tuple(kinds), self.kernel, Derived.of(groups, self.active.size))

    @cached_property
    def many_rows(self) -> ManyRows:
        """The listed rows, active slots alone, by their halves."""
        return self.listed(self.plain)

    def listed(self, view: View) -> ManyRows:
        """Return the listed rows as a view sees them, by their halves."""
        if view not in self._listed:
            rows = view.rows(self.active_part(self.codes.all_listed))
            order = None if view.derived is None else view.derived.order
            # Views that depend on observations are found anew after every fit of every outcome: the last ones are kept.
            found = [each for each in self._listed if each.is_found]
            if view.is_found and len(found) >= _MOST_FOUND:
                del self._listed[found[0]]
            self._listed[view] = ManyRows.of(rows, order)
        return self._listed[view]

    def active_part(self, rows: Codes) -> Codes:
        """Return rows with the active slots alone, in the kernel's codes."""
        return np.ascontiguousarray(self.kernel.codes_of(rows[:, self.active]))

    def places_of(self, literals: Literals) -> tuple[Places, Codes]:
        """Return the kernel's slot and code of each literal."""
        # Literals are of slots with several codes, and these are the kernel's.
        slots = np.searchsorted(self.active, literals.slots)
        if not self.kernel.recoded:
            return slots, literals.codes
        codes = literals.codes.copy()
        for slot in self.kernel.recoded:
            codes[slots == slot] = self.kernel.codes_in(slot, codes[slots == slot])
        return slots, codes
