"""The paper's method, whole: tensors, their training by gradient or by relaxation, and the choice of the next row.

`fit` trains a surrogate on data without an optimizer. `register_format` and `register_trainer` add tensor formats and
trainers under names that `CATD(format=..., trainer=...)` then takes. Everything is loaded at its first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hedgerow.methods.catd.ensemble.scaling import Scaling
    from hedgerow.methods.catd.fitted import Fitted, fit
    from hedgerow.methods.catd.method import CATD
    from hedgerow.methods.catd.tensors import (
        CanonicalPolyadic,
        TensorFormat,
        TensorRing,
        TensorTrain,
        register_format,
    )
    from hedgerow.methods.catd.trainers import register_trainer
    from hedgerow.methods.catd.training import Trained, Training

_LAZY = {
    "CATD": "hedgerow.methods.catd.method",
    "CanonicalPolyadic": "hedgerow.methods.catd.tensors",
    "Fitted": "hedgerow.methods.catd.fitted",
    "Scaling": "hedgerow.methods.catd.ensemble.scaling",
    "TensorFormat": "hedgerow.methods.catd.tensors",
    "TensorRing": "hedgerow.methods.catd.tensors",
    "TensorTrain": "hedgerow.methods.catd.tensors",
    "Trained": "hedgerow.methods.catd.training",
    "Training": "hedgerow.methods.catd.training",
    "fit": "hedgerow.methods.catd.fitted",
    "register_format": "hedgerow.methods.catd.tensors",
    "register_trainer": "hedgerow.methods.catd.trainers",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'hedgerow.methods.catd' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "CATD",
    "CanonicalPolyadic",
    "Fitted",
    "Scaling",
    "TensorFormat",
    "TensorRing",
    "TensorTrain",
    "Trained",
    "Training",
    "fit",
    "register_format",
    "register_trainer",
]
