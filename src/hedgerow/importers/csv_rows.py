"""A table of feasible points (CSV): columns become variables, and exactly the listed rows are feasible.

The first line names the columns. Columns are separated by commas, semicolons or tabs, whichever the first line has
most of. A column of whole numbers, of numbers, or of true and false is read as such, every other one as text; a
number with needless zeros in front, as 007, is text too.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from hedgerow.errors import ProblemFileError
from hedgerow.expressions import Name, Scalar
from hedgerow.importers.imported import Imported, assembled
from hedgerow.importers.naming import legal_names, renaming_notes
from hedgerow.importers.source import load_file, shortened
from hedgerow.rules import Rule, table
from hedgerow.space import Boolean, Categorical, Levels, Variable
from hedgerow.wording import ending

_WHOLE = re.compile(r"-?(0|[1-9]\d{0,30})")
_NUMBER = re.compile(r"[-+]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d{1,3})?")
_TRUTHS = {"true": True, "false": False}
# What tables of trials write where nothing was measured.
_NOT_MEASURED = ("", "failed", "nan", "none", "null")
# In fewer rows than these, numbers that differ say nothing.
_FEW_ROWS = 5


def load_csv(path: str | Path, columns: Sequence[str] | None = None) -> Imported:
    r"""Read a CSV file: columns become variables, and exactly its rows are feasible.

    Parameters
    ----------
    path : str or path
        Where the file is.
    columns : sequence of str, optional
        The columns that are variables, where others hold measurements; all by default.

    Returns
    -------
    Imported
        A space, its rules, and what was changed on the way.

    Raises
    ------
    ProblemFileError
        Where the file cannot be read, is malformed or not what the format allows; the message says where.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hedgerow.importers import load_csv
    >>> text = "a,b\n1,2\n3,4\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rows.csv")
    ...     n_letters = path.write_text(text)
    ...     imported = load_csv(path)
    >>> imported.space.size
    4
    """
    return load_file(path, "CSV", partial(read_csv, columns=columns))


def read_csv(text: str, name: str = "problem", columns: Sequence[str] | None = None) -> Imported:
    r"""Read the text of a CSV file: columns become variables, and exactly its rows are feasible.

    Parameters
    ----------
    text : str
        What the file holds.
    name : str, optional
        What the problem is called where the text does not say.
    columns : sequence of str, optional
        The columns that are variables, where others hold measurements; all by default.

    Returns
    -------
    Imported
        A space, its rules, and what was changed on the way.

    Raises
    ------
    ProblemFileError
        Where the text is malformed or not what the format allows; the message says where.

    Examples
    --------
    >>> from hedgerow.importers import read_csv
    >>> text = "a,b\n1,2\n3,4\n"
    >>> read_csv(text).space.size
    4
    """
    header, rows = _parsed(text)
    chosen = _chosen(header, columns)
    names = legal_names(header[position] for position in chosen)
    variables: dict[str, Variable] = {}
    contents: list[list[Scalar]] = []
    for position in chosen:
        variable, content = _column([row[position] for row in rows])
        variables[names[header[position]]] = variable
        contents.append(content)
    allowed = list(dict.fromkeys(zip(*contents, strict=True)))
    notes = renaming_notes(names)
    if len(chosen) < len(header):
        left_out = [column for position, column in enumerate(header) if position not in chosen]
        notes.append(f"not variables: the columns {', '.join(left_out)}.")
    if columns is None and (measured := _measured_columns(header, rows)):
        variables_alone = ",".join(column for column in header if column not in measured)
        notes.append(
            f"{', '.join(measured)}: numbers of many different values, or not in every row, look like measurements, "
            f"and are variables here. Name the columns that are variables, as in --columns {variables_alone}; trials "
            "go into the study of a problem by hedgerow tell PROBLEM --from FILE."
        )
    if len(allowed) < len(rows):
        notes.append(f"{len(rows):,} rows hold {len(allowed):,} different points.")
    is_whole_space = len(allowed) == math.prod(len(variable.values) for variable in variables.values())
    rules = [] if is_whole_space else [Rule(table([Name(variable) for variable in variables], allowed), "listed")]
    meanings = {foreign: Name(own) for foreign, own in names.items()}
    return assembled(name, variables, rules, notes, (), meanings)


def _parsed(text: str) -> tuple[list[str], list[list[str]]]:
    first = text.split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
    header: list[str] = []
    rows: list[list[str]] = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if not header:
                header = cells
            elif len(cells) != len(header):
                raise ProblemFileError(
                    f"Line {reader.line_num} has {len(cells)} cells, but the first line names {len(header)} columns."
                )
            else:
                rows.append(cells)
    except csv.Error as error:
        raise ProblemFileError(f"Line {reader.line_num} is not CSV: {error}.") from None
    _check_header(header)
    if not rows:
        raise ProblemFileError("The file lists no point below its first line.")
    return header, rows


def _check_header(header: list[str]) -> None:
    if not header:
        raise ProblemFileError("The file is empty. Its first line must name the columns.")
    seen: set[str] = set()
    for number, column in enumerate(header, start=1):
        if not column:
            raise ProblemFileError(f"Column {number} has no name in the first line.")
        if column in seen:
            raise ProblemFileError(f"Two columns are named '{shortened(column)}'.")
        seen.add(column)


def _chosen(header: list[str], columns: Sequence[str] | None) -> list[int]:
    if columns is None:
        return list(range(len(header)))
    for column in columns:
        if column not in header:
            raise ProblemFileError(f"There is no column '{column}'{ending(column, header)}")
    if not columns:
        raise ProblemFileError("No column is chosen; name at least one.")
    return [position for position, column in enumerate(header) if column in columns]


def _measured_columns(header: list[str], rows: list[list[str]]) -> list[str]:
    """Return the columns that look like what trials gave; none where nothing would be left to vary."""
    if len(rows) < _FEW_ROWS:
        return []
    found = [column for column, cells in zip(header, zip(*rows, strict=True), strict=True) if _looks_measured(cells)]
    return found if len(found) < len(header) else []


def _looks_measured(cells: Sequence[str]) -> bool:
    numbers = {cell for cell in cells if _NUMBER.fullmatch(cell)}
    are_numbers = all(cell in numbers or cell.lower() in _NOT_MEASURED for cell in cells)
    is_missing_somewhere = any(cell not in numbers for cell in cells)
    return are_numbers and bool(numbers) and (is_missing_somewhere or 4 * len(numbers) > 3 * len(cells))


def _column(cells: list[str]) -> tuple[Variable, list[Scalar]]:
    """Return what varies in a column, and its cells as values."""
    if all(cell.lower() in _TRUTHS for cell in cells):
        return Boolean(), [_TRUTHS[cell.lower()] for cell in cells]
    for pattern, read in ((_WHOLE, int), (_NUMBER, float)):
        if all(pattern.fullmatch(cell) for cell in cells):
            numbers = _numbers(cells, read)
            if all(math.isfinite(number) for number in numbers):
                return Levels(sorted(set(numbers))), list(numbers)
    return Categorical(sorted(set(cells))), list(cells)


def _numbers(cells: list[str], read: Callable[[str], float]) -> list[float]:
    # Minus zero equals zero, but would be written as another value.
    return [read(cell) or 0 * read(cell) + 0 for cell in cells]
