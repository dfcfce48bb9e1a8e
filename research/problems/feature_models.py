"""Software systems to be configured: SPLConqueror feature models, and run times measured for every configuration.

HIPAcc compiles image filters for GPUs; HSQLDB is a database, measured in 19 releases, of which the last is taken here.
A configuration is looked up by the set of options that it selects.
"""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hedgerow.errors import HedgerowError
from hedgerow.importers import Imported, load_spl
from hedgerow.space import Point
from research.problems.data_files import data_file
from research.problems.problem import BenchmarkProblem

Selection = frozenset[str]
Times = dict[Selection, float]

_RELEASE = "2.4.1"


@dataclass(frozen=True)
class _System:
    """What is known about a system, and how its measurements are read."""

    description: str
    measurements: str
    read: Callable[[Path], Times]
    n_feasible: int
    optimum: float


def feature_model(name: str, data_dir: str | Path | None = None, release: str | None = None) -> BenchmarkProblem:
    """Return the problem to configure one system for speed; of HSQLDB another release than the last, by its number."""
    system = _SYSTEMS[name]
    model = data_file(data_dir, f"feature_models/{name}/FeatureModel.xml", f"the feature model of {name} in XML")
    path = data_file(
        data_dir, f"feature_models/{name}/{system.measurements}", f"the performance of all configurations of {name}"
    )
    imported = load_spl(model)
    description = system.description if release is None else system.description.replace(_RELEASE, release)
    times = _read(path, system.read if release is None else partial(_hsqldb_times, release=release))
    measured = frozenset().union(*times)
    return BenchmarkProblem(
        name=name if release is None else f"{name}-{release}",
        description=f"{description}, {len(tuple(imported.space))} variables",
        space=imported.space,
        rules=imported.rules,
        objective=partial(_time, times, measured, imported),
        optimum=system.optimum if release is None else min(times.values()),
        n_feasible=system.n_feasible,
    )


def _time(times: Times, measured: Selection, imported: Imported, point: Point) -> float | None:
    selected = (option for option, is_selected in imported.original(point).items() if is_selected)
    return times.get(measured.intersection(selected))


def _read(path: Path, read: Callable[[Path], Times]) -> Times:
    try:
        times = read(path)
    except (OSError, ET.ParseError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise HedgerowError(
            f"The data file '{path}' cannot be read as measured configurations: {type(error).__name__}: {error}."
        ) from None
    if not times:
        raise HedgerowError(f"The data file '{path}' should hold measured configurations, but it holds none.")
    return times


def _hipacc_times(path: Path) -> Times:
    times: Times = {}
    for row in ET.parse(path).getroot().iter("row"):
        texts = {data.get("columname"): data.text or "" for data in row}
        options = (option.strip() for option in texts["Configuration"].split(","))
        times[frozenset(option for option in options if option)] = float(texts["Performance"])
    return times


def _hsqldb_times(path: Path, release: str = _RELEASE) -> Times:
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file, delimiter=";")
        # Options are the columns before the release; measurements come after it.
        names = list(rows.fieldnames or [])
        options = names[: names.index("revision")]
        return {
            frozenset(option for option in options if row[option] == "1"): float(row["performance"])
            for row in rows
            if row["revision"] == release
        }


_SYSTEMS = {
    "hipacc": _System(
        "run time of an image filter compiled by HIPAcc", "measurements.xml", _hipacc_times, 13_485, 21.173
    ),
    "hsqldb": _System(f"run time of the database HSQLDB {_RELEASE}", "measurements.csv", _hsqldb_times, 864, 54_027.0),
}
NAMES = tuple(_SYSTEMS)
