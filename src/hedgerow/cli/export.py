"""The verb `export`: the trials of a study as CSV, JSON or Parquet, for whatever reads tables."""

from __future__ import annotations

import argparse
import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from hedgerow.cli.study_options import add_study_options, problem_of, with_storage
from hedgerow.errors import HedgerowError
from hedgerow.wording import counted, ending

YES = 0
_KINDS = (".csv", ".json", ".parquet")


def add_export(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of `export`."""
    verb.description = export.__doc__
    add_study_options(verb, compiles=False)
    verb.add_argument(
        "-o", "--output", metavar="TABLE", help="a file ending in .csv, .json or .parquet (default: print)"
    )
    verb.set_defaults(run=with_storage(export))


def export(options: Namespace) -> int:
    """Write every trial with its point, state, value, reason and times: as CSV, or as the ending of the file says."""
    from hedgerow.runs.snapshot import read_snapshot  # noqa: PLC0415 - after the arguments have been checked
    from hedgerow.runs.table import as_csv, rows_of  # noqa: PLC0415

    kind = Path(options.output).suffix.lower() if options.output else (".json" if options.json else ".csv")
    if kind not in _KINDS:
        raise HedgerowError(f"A table ends in {', '.join(_KINDS)}, not in '{kind}'{ending(kind, _KINDS)}")
    rows = rows_of(read_snapshot(problem_of(options), is_through_optuna=True))
    if kind == ".parquet":
        _write_parquet(rows, options.output)
    else:
        _write(as_csv(rows) if kind == ".csv" else json.dumps(rows, indent=1) + "\n", options.output)
    if options.output:
        said = {"output": options.output, "trials": len(rows)}
        print(json.dumps(said) if options.json else f"{options.output}: {counted(len(rows), 'trial')}.")
    return YES


def _write(text: str, output: str | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise HedgerowError(f"The file '{output}' cannot be written: {error.strerror or error}.") from None


def _write_parquet(rows: list[dict[str, Any]], output: str) -> None:
    try:
        import pandas as pd  # noqa: PLC0415 - for those who have it

        pd.DataFrame(rows).to_parquet(output, index=False)
    except ImportError:
        raise HedgerowError("Parquet needs pandas and pyarrow: pip install 'hedgerow[pandas]' pyarrow.") from None
    except OSError as error:
        raise HedgerowError(f"The file '{output}' cannot be written: {error.strerror or error}.") from None
