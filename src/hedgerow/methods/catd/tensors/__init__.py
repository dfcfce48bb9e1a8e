"""Low-rank tensors as batches of models: canonical polyadic, tensor ring and tensor train.

Each format describes how many numbers a model has and computes entries and gradients for any rows of codes; `prior`
says where models begin, `training` how they learn.
Importing this package loads Numba; `import hedgerow` does not import it.
"""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.methods.catd.tensors.cp import CanonicalPolyadic
from hedgerow.methods.catd.tensors.tensor_format import FormatName, TensorFormat
from hedgerow.methods.catd.tensors.tensor_ring import TensorRing
from hedgerow.methods.catd.tensors.tensor_train import TensorTrain

__all__ = [
    "FORMATS",
    "CanonicalPolyadic",
    "FormatName",
    "TensorFormat",
    "TensorRing",
    "TensorTrain",
    "tensor_format",
]

FORMATS: dict[FormatName, type[CanonicalPolyadic] | type[TensorRing] | type[TensorTrain]] = {
    "cp": CanonicalPolyadic,
    "tr": TensorRing,
    "tt": TensorTrain,
}


def tensor_format(name: FormatName, level_counts: Sequence[int], rank: int) -> TensorFormat:
    """Return the format with this short name for a space with these numbers of levels."""
    if name not in FORMATS:
        raise ValueError(f"There is no tensor format {name!r}. Choose one of {', '.join(FORMATS)}.")
    return FORMATS[name](tuple(int(count) for count in level_counts), rank)
