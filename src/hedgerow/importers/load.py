"""All importers by the name of their format, for the command line and for programs that choose at run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hedgerow.errors import ProblemFileError
from hedgerow.importers.ax import load_ax
from hedgerow.importers.baco import load_baco
from hedgerow.importers.baybe import load_baybe
from hedgerow.importers.bofire import load_bofire
from hedgerow.importers.configspace import load_configspace
from hedgerow.importers.csv_rows import load_csv
from hedgerow.importers.dimacs import load_dimacs
from hedgerow.importers.imported import Imported
from hedgerow.importers.levels import DEFAULT_LEVELS
from hedgerow.importers.smt_lib import load_smt
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
    "smt": "SMT-LIB 2, as Z3, cvc5 and CPMpy write it (a subset)",
    "baco": "BaCO or HyperMapper scenario (JSON)",
    "baybe": "BayBE campaign or search space (JSON)",
    "bofire": "BoFire domain or strategy (JSON)",
    "ax": "Ax experiment or client (JSON)",
    "csv": "a table of feasible points",
}


@dataclass(frozen=True)
class Reading:
    """How to read what a file leaves open.

    Parameters
    ----------
    levels : int, optional
        How many levels a continuous range gets; by default it stays real, but for BaCO, where it gets 17.
    columns : sequence of str, optional
        The columns of a table that are variables; all by default.

    Examples
    --------
    >>> from hedgerow.importers import Reading
    >>> Reading(levels=5).levels
    5
    """

    levels: int | None = None
    columns: Sequence[str] | None = None


def load(kind: str, path: str | Path, reading: Reading | None = None) -> Imported:
    r"""Read a file of the named format.

    Parameters
    ----------
    kind : str
        A key of `FORMATS`: t1, configspace, spl, uvl, dimacs, smt, baco, baybe, bofire, ax or csv.
    path : str or path
        Where the file is.
    reading : Reading, optional
        How to read what the file leaves open.

    Returns
    -------
    Imported
        A space, its rules, and what was changed on the way.

    Raises
    ------
    ProblemFileError
        Where there is no such format, or the file cannot be read or is malformed; the message says where.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hedgerow.importers import Reading, load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rows.csv")
    ...     n_letters = path.write_text("a,b,seconds\n1,2,0.5\n3,4,0.7\n")
    ...     imported = load("csv", path, Reading(columns=["a", "b"]))
    >>> list(imported.space)
    ['a', 'b']
    """
    options = reading or Reading()
    if kind == "csv":
        return load_csv(path, options.columns)
    if kind == "configspace":
        return load_configspace(path, options.levels)
    if kind == "baco":
        return load_baco(path, options.levels or DEFAULT_LEVELS)
    experiments = {"baybe": load_baybe, "bofire": load_bofire, "ax": load_ax}
    if kind in experiments:
        return experiments[kind](path, options.levels)
    plain = {"t1": load_t1, "spl": load_spl, "uvl": load_uvl, "dimacs": load_dimacs, "smt": load_smt}
    if kind not in plain:
        raise ProblemFileError(f"There is no format '{kind}'{ending(kind, FORMATS)}")
    return plain[kind](path)
