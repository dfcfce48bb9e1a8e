"""What may vary: variables, the spaces they span, and the encoding of points as integer codes."""

from hedgerow.arrays import Codes
from hedgerow.space.encoding import Point, decode, encode, encode_many
from hedgerow.space.permutation import Permutation
from hedgerow.space.shares import Shares
from hedgerow.space.space import Space
from hedgerow.space.variables import Boolean, Categorical, Integer, Levels, Ordinal, Real, Variable, Vector

__all__ = [
    "Boolean",
    "Categorical",
    "Codes",
    "Integer",
    "Levels",
    "Ordinal",
    "Permutation",
    "Point",
    "Real",
    "Shares",
    "Space",
    "Variable",
    "Vector",
    "decode",
    "encode",
    "encode_many",
]
