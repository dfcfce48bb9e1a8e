"""Reading the problem files of other tools: each importer returns a space and its rules."""

from hedgerow.importers.imported import Imported
from hedgerow.importers.t1 import load_t1, read_t1

__all__ = ["Imported", "load_t1", "read_t1"]
