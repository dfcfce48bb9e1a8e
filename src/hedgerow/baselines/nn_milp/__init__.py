"""NN+MILP: a small ReLU network, minimised exactly under the rules by a mixed-integer solver."""

from hedgerow.baselines.nn_milp.method import NNMILP

__all__ = ["NNMILP"]
