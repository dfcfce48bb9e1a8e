"""The verb `import`: a file of another tool becomes a problem file, with an account of what was changed."""

from __future__ import annotations

import argparse
import csv
import json
import sys
import textwrap
from argparse import Namespace
from pathlib import Path
from typing import Any

from hedgerow.errors import ProblemFileError
from hedgerow.importers import FORMATS, Imported, Reading, load
from hedgerow.importers.levels import DEFAULT_LEVELS
from hedgerow.space.encoding import encode, slot_values


def add_import(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of the verb."""
    formats = "\n".join(f"  {name:<12} {described}" for name, described in FORMATS.items())
    # The list of formats keeps its lines, so nobody else breaks those of the description.
    verb.description = f"{textwrap.fill(str(import_file.__doc__), 78)}\n\nformats:\n{formats}"
    verb.formatter_class = argparse.RawDescriptionHelpFormatter
    verb.add_argument("format", metavar="FORMAT", choices=tuple(FORMATS), help=", ".join(FORMATS))
    verb.add_argument("file", metavar="FILE", help="the file of the other tool")
    verb.add_argument("-o", "--output", metavar="PROBLEM", help="the problem file to write (default: print it)")
    verb.add_argument(
        "--levels",
        type=_levels,
        metavar="N",
        help=f"how many levels a continuous range gets (default: any real number; of BaCO {DEFAULT_LEVELS})",
    )
    verb.add_argument("--columns", metavar="A,B", help="the columns of a CSV file that are variables (default: all)")
    verb.add_argument("--json", action="store_true", help="print JSON for programs (needs -o)")
    verb.set_defaults(run=import_file)


def import_file(options: Namespace) -> int:
    """Turn a file of another tool into a problem file, and say what was changed or could not be represented."""
    columns = None if options.columns is None else [column.strip() for column in options.columns.split(",")]
    if options.json and not options.output:
        raise ProblemFileError("--json prints facts about the import, so the problem file needs a place: add -o FILE.")
    imported = load(options.format, options.file, Reading(options.levels, columns))
    text = imported.to_toml()
    if not options.output:
        print(text, end="")
        _account(imported)
        return 0
    try:
        Path(options.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ProblemFileError(f"The file '{options.output}' cannot be written: {error.strerror or error}.") from None
    results = _write_measurements(imported, Path(options.output))
    if options.json:
        print(json.dumps({**_facts(imported, options.output), "measurements": results}))
    else:
        _account(imported)
        print(f"{options.output}: {_counted(imported)}. Next: hedgerow check {options.output}")
        if results:
            n = len(imported.measurements)
            print(f"{results}: {n} measurements. Next: hedgerow tell {options.output} --from {results}")
    return 0


def _write_measurements(imported: Imported, problem: Path) -> str | None:
    """Write what was measured beside the problem file, in the form that `tell --from` reads; return where."""
    if not imported.measurements:
        return None
    place = problem.with_suffix(".results.csv")
    slots = [slot.name for slot in imported.space.slots]
    with place.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*slots, "value"])
        for point, value in imported.measurements:
            codes = encode(imported.space, point)
            writer.writerow([*slot_values(imported.space, codes), "failed" if value is None else repr(value)])
    return str(place)


def _account(imported: Imported) -> None:
    """Notes go to the error stream, so that a printed problem file stays one."""
    for item in imported.missing:
        print(f"not represented: {item}", file=sys.stderr)
    for note in imported.notes:
        print(f"note: {note}", file=sys.stderr)


def _facts(imported: Imported, output: str) -> dict[str, Any]:
    return {
        "name": imported.name,
        "output": output,
        "variables": len(imported.space),
        "rules": len(imported.rules),
        "notes": list(imported.notes),
        "missing": list(imported.missing),
    }


def _counted(imported: Imported) -> str:
    n_variables, n_rules = len(imported.space), len(imported.rules)
    return f"{n_variables} variable{'s' * (n_variables != 1)}, {n_rules} rule{'s' * (n_rules != 1)}"


def _levels(text: str) -> int:
    number = int(text)
    if number < 2:
        raise argparse.ArgumentTypeError(f"{text} is not at least 2")
    return number
