"""A problem as the kernel sees it: the slots that vary, the kernel over them, and the listed rows by their halves."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Places
from hedgerow.feasible.changes import Literals
from hedgerow.methods.auto.kernel.described import DescribedCodes
from hedgerow.methods.auto.kernel.many_rows import ManyRows
from hedgerow.methods.auto.kernel.tensor_kernel import KernelPrior, TensorKernel
from hedgerow.methods.problem import CodeProblem
from hedgerow.space import Categorical


class KernelProblem:
    """What the kernel derives from a problem once; `codes` is the problem itself."""

    def __init__(self, problem: CodeProblem, prior: KernelPrior = KernelPrior()) -> None:  # noqa: B008 (frozen)
        self.codes = problem
        self._prior = prior

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
    def many_rows(self) -> ManyRows:
        """The listed rows, active slots alone, by their halves."""
        return ManyRows.of(self.active_part(self.codes.all_listed))

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
