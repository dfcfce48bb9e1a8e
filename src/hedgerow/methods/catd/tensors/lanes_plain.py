"""The same as `lanes_vector` on plain numbers: four lanes are a tuple, and the compiler does with it what it can.

`load`, `store`, `splat`, `where_positive` and `any_positive` give the same bits as vectors do, and so do `add` and
`multiply` on their own. Where products and sums meet, the compiler may round once instead of twice, in either form and
not always at the same place, so what is trained agrees within rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.compiled import compiled, inlined

# Numbers in a register; machines with shorter ones use two.
N_LANES = 4

Lanes = Any  # four doubles; exists in compiled code only
Block = NDArray[np.float64]  # (n, N_LANES)


@inlined
def load(block: Block, row: int) -> Lanes:
    """Return a row of a block."""
    return block[row, 0], block[row, 1], block[row, 2], block[row, 3]


@inlined
def store(block: Block, row: int, lanes: Lanes) -> None:
    """Write a row of a block."""
    block[row, 0], block[row, 1], block[row, 2], block[row, 3] = lanes


@inlined
def splat(number: float) -> Lanes:
    """Return one number in all lanes."""
    return number, number, number, number


@inlined
def multiply(a: Lanes, b: Lanes) -> Lanes:
    """Return a * b."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]


@inlined
def multiply_add(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """Return a * b + c."""
    return a[0] * b[0] + c[0], a[1] * b[1] + c[1], a[2] * b[2] + c[2], a[3] * b[3] + c[3]


@inlined
def add(a: Lanes, b: Lanes) -> Lanes:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]


@inlined
def _if_positive(a: float, b: float) -> float:
    return b if a > 0.0 else 0.0


@inlined
def where_positive(a: Lanes, b: Lanes) -> Lanes:
    """Return b in lanes where a is above zero, and zero in the others."""
    return _if_positive(a[0], b[0]), _if_positive(a[1], b[1]), _if_positive(a[2], b[2]), _if_positive(a[3], b[3])


@inlined
def any_positive(a: Lanes) -> bool:
    """Return whether any lane is above zero."""
    return bool(a[0] > 0.0 or a[1] > 0.0 or a[2] > 0.0 or a[3] > 0.0)


@compiled
def trial(block: Block) -> bool:
    """Use every operation once, on a (3, 4) block whose last row is written."""
    a, b = load(block, 0), load(block, 1)
    total = add(where_positive(a, b), multiply(a, splat(0.5)))
    store(block, 2, multiply_add(a, b, total))
    return any_positive(b)
