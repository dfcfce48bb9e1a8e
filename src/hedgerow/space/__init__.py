"""What may vary: variables, the spaces they span, and the encoding of points as integer codes."""

from hedgerow.arrays import Codes
from hedgerow.space.domains import Vector
from hedgerow.space.encoding import Point, decode, encode, encode_many
from hedgerow.space.labels import Boolean, Categorical, Ordinal
from hedgerow.space.numeric import Integer, Levels, Real
from hedgerow.space.permutation import Permutation
from hedgerow.space.shares import Shares
from hedgerow.space.space import Space
from hedgerow.space.variable import Variable

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
