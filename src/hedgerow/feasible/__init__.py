"""Where the rule language meets the diagram: compilation, and the feasible set that users hold."""

from hedgerow.feasible.completions import Completions
from hedgerow.feasible.feasible_set import FeasibleSet

__all__ = ["Completions", "FeasibleSet"]
