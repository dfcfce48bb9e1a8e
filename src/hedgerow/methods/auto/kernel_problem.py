"""A problem as the kernel sees it: the slots that vary, the kernel over them, and the listed rows by their halves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Places
from hedgerow.feasible.changes import Literals
from hedgerow.methods.auto.kernel.derived import Coordinate, Derived
from hedgerow.methods.auto.kernel.described import DescribedCodes
from hedgerow.methods.auto.kernel.many_rows import ManyRows
from hedgerow.methods.auto.kernel.motifs import Motifs
from hedgerow.methods.auto.kernel.tensor_kernel import KernelPrior, TensorKernel
from hedgerow.methods.auto.kernel.view import View
from hedgerow.methods.auto.structure import counts, motifs, terms, windows
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
        """The plain way to see rows first, then with each kind of structure that there is, then with several."""
        space = self.codes.space
        kinds: dict[str, Sequence[Sequence[Coordinate]]] = {
            "windows": windows(space, self.active),
            "counts": counts(space, self.active),
            "terms": terms(space, self.codes.rules, self.active),
        }
        seen = motifs(space, self.active)
        names = [*(name for name, groups in kinds.items() if groups), *(["motifs"] if seen else [])]
        together = (some for n in range(1, len(names) + 1) for some in combinations(names, n))
        return [self.plain, *(self._view(some, kinds, seen if "motifs" in some else ()) for some in together)]

    def _view(
        self, names: Sequence[str], kinds: Mapping[str, Sequence[Sequence[Coordinate]]], seen: Sequence[Motifs]
    ) -> View:
        groups = [group for name in names for group in kinds.get(name, ())]
        derived = Derived.of(groups, self.active.size) if groups else None
        return View.of(names, self.kernel, derived, motifs=seen)

    @cached_property
    def many_rows(self) -> ManyRows:
        """The listed rows, active slots alone, by their halves."""
        return self.listed(self.plain)

    def listed(self, view: View) -> ManyRows:
        """Return the listed rows as a view sees them, by their halves."""
        if view not in self._listed:
            # Views that depend on observations are found anew after every fit of every outcome: the last ones are kept.
            found = [each for each in self._listed if each.is_found]
            if view.is_found and len(found) >= _MOST_FOUND:
                del self._listed[found[0]]
            self._listed[view] = view.listed(self.active_part(self.codes.all_listed))
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
