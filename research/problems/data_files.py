"""Where measured data lies: a folder given by the caller, or by the variable HEDGEROW_DATA.

Nothing measured is part of the package. What is missing is reported with what it should hold and how to say where
it is.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

from hedgerow.errors import HedgerowError

VARIABLE = "HEDGEROW_DATA"


def data_file(data_dir: str | Path | None, relative: str, content: str) -> Path:
    """Return the path of a data file, or say which file is missing and what it should contain."""
    folder = data_dir if data_dir is not None else os.environ.get(VARIABLE) or None
    if folder is None:
        raise HedgerowError(
            f"This problem needs the data file '{relative}' ({content}), but no data folder is set. "
            f"Set the variable {VARIABLE}, or pass --data-dir (data_dir= in Python), to the folder that holds it."
        )
    path = Path(folder) / relative
    if not path.is_file():
        raise HedgerowError(
            f"The data file '{path}' does not exist. It should contain {content}. "
            f"Set {VARIABLE}, or pass --data-dir (data_dir= in Python), to the folder that holds '{relative}'."
        )
    return path


def read_measurements(path: Path, label: str, value: str) -> list[tuple[str, float]]:
    """Return two columns of a CSV file with a header: what was measured, and the number."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        named = reader.fieldnames or []
        if label not in named or value not in named:
            raise HedgerowError(
                f"The first line of the data file '{path}' should name the columns {label} and {value}, "
                f"but it names {', '.join(named) or 'nothing'}."
            )
        return [(row[label] or "", _number(row[value], f"{path}, line {reader.line_num}")) for row in reader]


def _number(text: str | None, place: str) -> float:
    try:
        return float(text or "")
    except ValueError:
        raise HedgerowError(f"There should be a number in the data file {place}, but there is {text!r}.") from None
