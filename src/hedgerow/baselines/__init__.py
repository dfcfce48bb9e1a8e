"""Honest rivals, each a method like any other: what the default is measured against."""

from hedgerow.baselines.anywhere import Anywhere
from hedgerow.baselines.botorch_list import BotorchList
from hedgerow.baselines.evolution import Evolution
from hedgerow.baselines.gaussian_process import GaussianProcess
from hedgerow.baselines.local_search import LocalSearch
from hedgerow.baselines.nn_milp import NNMILP
from hedgerow.baselines.protes import PROTES
from hedgerow.baselines.smac import SMAC
from hedgerow.baselines.tpe import TPE

__all__ = [
    "NNMILP",
    "PROTES",
    "SMAC",
    "TPE",
    "Anywhere",
    "BotorchList",
    "Evolution",
    "GaussianProcess",
    "LocalSearch",
]
