"""Honest rivals, each a method like any other: what the default is measured against."""

from research.rivals.anywhere import Anywhere
from research.rivals.baybe_list import BaybeList
from research.rivals.botorch_list import BotorchList
from research.rivals.evolution import Evolution
from research.rivals.gaussian_process import GaussianProcess
from research.rivals.local_search import LocalSearch
from research.rivals.nn_milp import NNMILP
from research.rivals.optuna_gp import OptunaGP
from research.rivals.protes import PROTES
from research.rivals.smac import SMAC
from research.rivals.tpe import TPE

__all__ = [
    "NNMILP",
    "PROTES",
    "SMAC",
    "TPE",
    "Anywhere",
    "BaybeList",
    "BotorchList",
    "Evolution",
    "GaussianProcess",
    "LocalSearch",
    "OptunaGP",
]
