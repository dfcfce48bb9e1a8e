"""NN+MILP: a small ReLU network, minimized exactly under the rules by a mixed-integer solver."""

from research.rivals.nn_milp.method import NNMILP

__all__ = ["NNMILP"]
