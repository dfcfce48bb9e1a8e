"""Floats as whole numbers: the place of a float among all floats, counted from zero.

Places are ordered as the floats are, neighbors differ by 1, and both zeros have place 0. So a row of 64-bit codes holds
a real value exactly, and whatever compares, stores or hashes rows need not know of it. The place after the last float,
that of infinity, stands for no value: what a real with a condition has where it is inactive.
"""

from __future__ import annotations

import struct

import numpy as np

from hedgerow.arrays import Codes, Matrix

_SIGN = -(2**63)
_REST = 2**63 - 1
# The place of infinity, which is no value of any variable.
NO_PLACE = 0x7FF0_0000_0000_0000


def place_of(value: float) -> int:
    """Return the place of a float.

    >>> place_of(0.0), place_of(5e-324), place_of(-5e-324), float_at(place_of(0.1))
    (0, 1, -1, 0.1)
    """
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -(bits & _REST)


def float_at(place: int) -> float:
    """Return the float at a place."""
    bits = place if place >= 0 else -place + _SIGN
    value: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return value


def places_of(values: Matrix) -> Codes:
    """Return the places of floats in an array."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.int64)
    return np.where(bits >= 0, bits, -(bits & _REST))


def floats_at(places: Codes) -> Matrix:
    """Return the floats at places in an array."""
    bits = np.where(places >= 0, places, (-places) | np.int64(_SIGN))
    return np.ascontiguousarray(bits).view(np.float64)
