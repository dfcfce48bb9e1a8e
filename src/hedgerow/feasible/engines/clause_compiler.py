"""Compiling clauses to a d-DNNF with d4, which is an extra: in a process of its own, within bounds, and quiet.

Where the compiler is not installed, or gives up, the answer is a reason in words.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

from hedgerow.errors import HedgerowError
from hedgerow.feasible.engines.circuit import Circuit, read_nnf
from hedgerow.feasible.engines.clause_width import elimination_width
from hedgerow.feasible.engines.cnf import Cnf

# Bounds of the compiler's process: processor seconds, seconds in all, and addresses, of which it uses a part.
_SECONDS = 20
# Where clauses are entangled like random ones, only those with more structure than shows are compiled, and these soon.
_FEW_SECONDS = 5
_WIDE = 45
_MAX_WAIT = 120
_MAX_BYTES = 3 * 2**30
# Nodes of a circuit where no budget is given; one takes about a hundred bytes.
DEFAULT_NODES = 2**20

NOT_INSTALLED = (
    "d4Solver is not installed; it counts and draws exactly on Boolean rules that one diagram does not hold: "
    "pip install 'hedgerow[ddnnf]'"
)


class NotCompiled(HedgerowError):  # noqa: N818 - says what happened
    """There is no d-DNNF; the message says why."""


def is_installed() -> bool:
    """Return whether the compiler is there."""
    return importlib.util.find_spec("py_d4") is not None


def compiled_clauses(cnf: Cnf, max_nodes: int | None = None, seconds: int | None = None) -> Circuit:
    """Return the d-DNNF of clauses, or raise `NotCompiled`; measurements say how many `seconds` it may take."""
    if not is_installed():
        raise NotCompiled(NOT_INSTALLED)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "rules.cnf"), Path(folder, "rules.nnf")
        source.write_text(cnf.to_dimacs(), encoding="ascii")
        if seconds is None:
            seconds = _SECONDS if elimination_width(cnf.clauses, _WIDE) <= _WIDE else _FEW_SECONDS
        _run([str(source), str(target), str(seconds), str(_MAX_BYTES)])
        if not target.exists():
            raise NotCompiled(f"the d-DNNF compiler gave up; it may use {seconds} s and {_MAX_BYTES >> 30} GiB")
        with target.open(encoding="ascii") as lines:
            n_nodes = sum(line[0] in "oatf" for line in lines)
        most = DEFAULT_NODES if max_nodes is None else max_nodes
        if n_nodes > most:
            raise NotCompiled(f"the d-DNNF has {n_nodes:,} nodes, and may have {most:,}")
        with target.open(encoding="ascii") as lines:
            return read_nnf(lines, cnf.n_variables)


def _run(arguments: list[str]) -> None:
    """Run the compiler; what it says about itself is not for us."""
    # -P: modules beside the script are not to be taken for those that the compiler imports.
    command = [sys.executable, "-P", str(Path(__file__).with_name("d4_process.py")), *arguments]
    nothing = subprocess.DEVNULL
    try:
        subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, timeout=_MAX_WAIT, check=False)
    except subprocess.TimeoutExpired:
        return
    except OSError as error:
        raise NotCompiled(f"the d-DNNF compiler could not be started ({error})") from error
