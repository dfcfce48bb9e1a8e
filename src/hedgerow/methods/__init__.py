"""Methods: settings objects that turn a problem and a history into the next row to try.

`method=` takes `"auto"` or one of these objects.
"""

from hedgerow.methods.auto import Auto
from hedgerow.methods.catd import CATD
from hedgerow.methods.method import Method, method_named
from hedgerow.methods.random import Random

__all__ = ["CATD", "Auto", "Method", "Random", "method_named"]
