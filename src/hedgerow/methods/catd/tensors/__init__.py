"""Low-rank tensors as batches of models: canonical polyadic, tensor ring and tensor train.

Each format describes how many numbers a model has and computes entries and gradients for any rows of codes; `prior`
says where models begin, `training` how they learn.
Importing this package loads Numba; `import hedgerow` does not import it.
"""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.errors import HedgerowError
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
    "register_format",
    "tensor_format",
]

FORMATS: dict[str, type[TensorFormat]] = {
    "cp": CanonicalPolyadic,
    "tr": TensorRing,
    "tt": TensorTrain,
}


def register_format(name: str, kind: type[TensorFormat]) -> None:
    """Let `CATD(format=name)` use a format: a frozen data class of (level_counts, rank) derived from `TensorFormat`.

    A name that is taken is refused.
    """
    if name in FORMATS or name == "auto":
        raise HedgerowError(f"There is a tensor format {name!r} already; choose another name.")
    FORMATS[name] = kind


def tensor_format(name: str, level_counts: Sequence[int], rank: int, grids: Sequence[int] = ()) -> TensorFormat:
    """Return the format with this short name for a space with these numbers of levels, in slots on `grids` of nodes."""
    if name not in FORMATS:
        raise ValueError(f"There is no tensor format {name!r}. Choose one of {', '.join(FORMATS)}.")
    counts = tuple(int(count) for count in level_counts)
    return FORMATS[name](counts, rank, tuple(grids)) if grids else FORMATS[name](counts, rank)
