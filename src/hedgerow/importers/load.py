"""All importers by the name of their format, for the command line and for programs that choose at run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hedgerow.errors import ProblemFileError
from hedgerow.importers.baco import load_baco
from hedgerow.importers.configspace import load_configspace
from hedgerow.importers.csv_rows import load_csv
from hedgerow.importers.dimacs import load_dimacs
from hedgerow.importers.imported import Imported
from hedgerow.importers.levels import DEFAULT_LEVELS
from hedgerow.importers.spl import load_spl
from hedgerow.importers.t1 import load_t1
from hedgerow.importers.uvl import load_uvl
from hedgerow.wording import ending

FORMATS = {
    "t1": "Kernel Tuner's T1 (JSON)",
    "configspace": "ConfigSpace (JSON or YAML)",
    "spl": "SPLConqueror feature model (XML)",
    "uvl": "Universal Variability Language",
    "dimacs": "CNF, with names in comments",
    "baco": "BaCO or HyperMapper scenario (JSON)",
    "csv": "a table of allowed configurations",
}


@dataclass(frozen=True)
class Reading:
    """How to read what a file leaves open: `levels` for continuous ranges, `columns` for tables."""

    levels: int = DEFAULT_LEVELS
    columns: Sequence[str] | None = None


def load(kind: str, path: str | Path, reading: Reading | None = None) -> Imported:
    """Read a file of the named format: a key of `FORMATS`."""
    options = reading or Reading()
    if kind == "csv":
        return load_csv(path, options.columns)
    if kind == "configspace":
        return load_configspace(path, options.levels)
    if kind == "baco":
        return load_baco(path, options.levels)
    plain = {"t1": load_t1, "spl": load_spl, "uvl": load_uvl, "dimacs": load_dimacs}
    if kind not in plain:
        raise ProblemFileError(f"There is no format '{kind}'{ending(kind, FORMATS)}")
    return plain[kind](path)
