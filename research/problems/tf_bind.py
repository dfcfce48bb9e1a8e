"""DNA of eight letters with little G and C that a transcription factor (SIX6) binds best, by lookup."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import HedgerowError
from hedgerow.rules import Rule
from hedgerow.space import Categorical, Point, Space, Vector
from research.problems.data_files import data_file
from research.problems.problem import BenchmarkProblem, Published

LETTERS = ("A", "C", "G", "T")
LENGTH = 8
_SEQUENCES = f"one row per sequence of {LENGTH} letters, as integers 0..3 for A, C, G, T"


def tf_bind(data_dir: str | Path | None = None) -> BenchmarkProblem:
    """Return the DNA binding problem."""
    return BenchmarkProblem(
        name="tf-bind",
        description="DNA of 8 letters with at most three G or C, minus its binding affinity",
        space=Space({"dna": Vector(Categorical(LETTERS), LENGTH)}),
        rules=(Rule('count(dna == "G") + count(dna == "C") <= 3', name="GC content"),),
        objective=partial(_negative_affinity, _affinities(data_dir)),
        optimum=-1.0,
        n_feasible=23_808,
        published=Published(-1.0, 270.4, "PGRAD CP-3"),
    )


def _affinities(data_dir: str | Path | None) -> dict[str, float]:
    sequences = _array(data_dir, "tfbind8/six6_ref_r1_x.npy", _SEQUENCES)
    affinities = _array(data_dir, "tfbind8/six6_ref_r1_y.npy", "the affinity of each sequence, from 0 to 1")
    is_complete = sequences.shape == (affinities.size, LENGTH) and bool(np.isin(sequences, range(4)).all())
    if not is_complete:
        raise HedgerowError(
            f"The arrays of tfbind8 have shapes {sequences.shape} and {affinities.shape}; expected are {_SEQUENCES}, "
            "and one affinity for each."
        )
    words = ("".join(letters) for letters in np.array(LETTERS)[sequences.astype(np.int64)].tolist())
    return dict(zip(words, affinities.ravel().tolist(), strict=True))


def _array(data_dir: str | Path | None, relative: str, content: str) -> NDArray[Any]:
    path = data_file(data_dir, relative, f"a NumPy array, {content}")
    try:
        return np.asarray(np.load(path))
    except (ValueError, OSError, EOFError) as error:
        raise HedgerowError(f"The data file '{path}' cannot be read as a NumPy array: {error}.") from None


def _negative_affinity(affinities: dict[str, float], point: Point) -> float:
    return -affinities["".join(point["dna"])]
