"""Reading the problem files of other tools: each importer returns a space, its rules, and what was changed."""

from hedgerow.importers.ax import load_ax, read_ax
from hedgerow.importers.baco import load_baco, read_baco
from hedgerow.importers.baybe import load_baybe, read_baybe
from hedgerow.importers.bofire import load_bofire, read_bofire
from hedgerow.importers.configspace import load_configspace, read_configspace
from hedgerow.importers.csv_rows import load_csv, read_csv
from hedgerow.importers.dimacs import load_dimacs, read_dimacs
from hedgerow.importers.imported import Imported
from hedgerow.importers.load import FORMATS, Reading, load
from hedgerow.importers.smt_lib import load_smt, read_smt
from hedgerow.importers.spl import load_spl, read_spl
from hedgerow.importers.t1 import load_t1, read_t1
from hedgerow.importers.uvl import load_uvl, read_uvl

__all__ = [
    "FORMATS",
    "Imported",
    "Reading",
    "load",
    "load_ax",
    "load_baco",
    "load_baybe",
    "load_bofire",
    "load_configspace",
    "load_csv",
    "load_dimacs",
    "load_smt",
    "load_spl",
    "load_t1",
    "load_uvl",
    "read_ax",
    "read_baco",
    "read_baybe",
    "read_bofire",
    "read_configspace",
    "read_csv",
    "read_dimacs",
    "read_smt",
    "read_spl",
    "read_t1",
    "read_uvl",
]
