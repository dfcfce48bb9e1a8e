"""The tasks that are shown, by what is compared on them.

Measured ones are lookups of every feasible point (see `research.problems`).
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping
from functools import cache

import hedgerow as hr
from hedgerow.importers import load_spl
from hedgerow.space import Point
from research.outcomes.nats import size_parameters, topology_parameters
from research.outcomes.task import OutcomeTask
from research.problems import get_problem
from research.problems.data_files import data_file

_RELEASE = "2.4.1"
_HSQLDB = {"performance": "minimize", "cpu": "minimize", "energy": "minimize"}


@cache
def pareto_tasks() -> Mapping[str, Callable[[], OutcomeTask]]:
    """Several objectives."""
    return {"hsqldb": hsqldb, "nas-sss": sizes, "nas-tss": topologies, "vessel": vessel, "zdt": zdt, "dtlz": dtlz}


@cache
def limit_tasks() -> Mapping[str, Callable[[], OutcomeTask]]:
    """One objective with limits on what is measured."""
    return {
        "small network": small_network,
        "light topology": light_topology,
        "vessel, volume measured": measured_vessel,
    }


@cache
def noise_tasks() -> Mapping[str, Callable[[], OutcomeTask]]:
    """One objective, to which noise is added."""
    return {"nas-sss": accurate_sizes, "vessel": cheap_vessel, "hsqldb": fast_hsqldb}


@cache
def failure_tasks() -> Mapping[str, Callable[[], OutcomeTask]]:
    """One objective, trials of which fail beyond planted borders."""
    return {"tiles": tiles, "recipe": recipe}


def hsqldb() -> OutcomeTask:
    """Three outcomes of the database, all measured."""
    model = load_spl(data_file(None, "feature_models/hsqldb/FeatureModel.xml", "the feature model of HSQLDB in XML"))
    path = data_file(None, "feature_models/hsqldb/measurements.csv", "outcomes of all configurations of HSQLDB")
    table: dict[frozenset[str], dict[str, float]] = {}
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file, delimiter=";")
        names = list(rows.fieldnames or [])
        options = names[: names.index("revision")]
        for row in rows:
            if row["revision"] == _RELEASE:
                given = {"performance": "performance", "cpu": "cpu", "energy": "benchmark-energy"}
                selected = frozenset(option for option in options if row[option] == "1")
                table[selected] = {name: float(row[column]) for name, column in given.items()}
    measured = frozenset(options)

    def truth(point: Point) -> Mapping[str, float] | None:
        selected = (option for option, is_selected in model.original(point).items() if is_selected)
        return table.get(measured.intersection(selected))

    return OutcomeTask("hsqldb", model.space, tuple(model.rules), _HSQLDB, truth)


def sizes() -> OutcomeTask:
    """Channels of five stages: accuracy and parameters."""
    problem = get_problem("nas-sss")
    assert problem.objective is not None
    lookup = problem.objective

    def truth(point: Point) -> Mapping[str, float]:
        value = lookup(point)
        assert value is not None
        return {"error": 100.0 + value, "parameters": size_parameters(point["channels"]) / 1e3}

    goals = {"error": "minimize", "parameters": "minimize"}
    return OutcomeTask("nas-sss", problem.space, tuple(problem.rules), goals, truth)


def topologies() -> OutcomeTask:
    """Operations on six edges: accuracy and parameters."""
    problem = get_problem("nas-tss")
    assert problem.objective is not None
    lookup = problem.objective

    def truth(point: Point) -> Mapping[str, float]:
        value = lookup(point)
        assert value is not None
        return {"error": 100.0 + value, "parameters": topology_parameters(point["operation"]) / 1e3}

    goals = {"error": "minimize", "parameters": "minimize"}
    return OutcomeTask("nas-tss", problem.space, tuple(problem.rules), goals, truth)


def vessel() -> OutcomeTask:
    """What a pressure vessel costs in material, and what each unit of its volume costs in all."""
    problem = get_problem("pressure-vessel")
    assert problem.objective is not None
    whole = problem.objective

    def truth(point: Point) -> Mapping[str, float]:
        cost = whole(point)
        assert cost is not None
        return {"cost": cost, "cost_per_volume": 1e6 * cost / _volume(point)}

    goals = {"cost": "minimize", "cost_per_volume": "minimize"}
    return OutcomeTask("vessel", problem.space, tuple(problem.rules), goals, truth)


def _volume(point: Point) -> float:
    radius, length = float(point["radius"]), float(point["length"])
    return math.pi * radius**2 * length + 4 / 3 * math.pi * radius**3


def zdt() -> OutcomeTask:
    """Like ZDT3: a front in pieces, five variables of seven levels, three rules that cut it."""
    space = hr.Space({f"x{k}": hr.Integer(0, 6) for k in range(5)})

    def truth(point: Point) -> Mapping[str, float]:
        x = [point[f"x{k}"] / 6 for k in range(5)]
        g = 1 + 9 * sum(abs(v - 0.3) for v in x[1:]) / 4
        first = (x[0] + 0.1 * x[1]) / 1.1
        return {"first": first, "second": g * (1 - math.sqrt(first / g) - first / g * math.sin(10 * math.pi * first))}

    rules = ("x0 + x1 <= 9", "implies(x2 >= 4, x3 <= 3)", "x3 != x4 or x3 == 2")
    return OutcomeTask("zdt", space, rules, {"first": "minimize", "second": "minimize"}, truth)


def dtlz() -> OutcomeTask:
    """Like DTLZ2 with three objectives: a part of a sphere, five variables of six levels, two rules."""
    space = hr.Space({f"x{k}": hr.Integer(0, 5) for k in range(5)})

    def truth(point: Point) -> Mapping[str, float]:
        x = [point[f"x{k}"] / 5 for k in range(5)]
        r = 1 + sum((v - 0.5) ** 2 for v in x[2:])
        a, b = 0.5 * math.pi * x[0], 0.5 * math.pi * x[1]
        given = {"f": math.cos(a) * math.cos(b), "g": math.cos(a) * math.sin(b), "h": math.sin(a)}
        return {name: round(r * value, 9) for name, value in given.items()}

    rules = ("x0 + x1 + x2 <= 11", "abs(x3 - x4) <= 3")
    return OutcomeTask("dtlz", space, rules, {"f": "minimize", "g": "minimize", "h": "minimize"}, truth)


def small_network() -> OutcomeTask:
    """The most accurate network of few parameters: one feasible point in twenty-five is within."""
    task = sizes()
    return _single(task, "small network", "error", {"small": "parameters <= 66"})


def light_topology() -> OutcomeTask:
    """The topology of fewest parameters whose error is small enough."""
    return _single(topologies(), "light topology", "parameters", {"good": "error <= 7.5"})


def measured_vessel() -> OutcomeTask:
    """The cheapest vessel, whose volume and margin of thickness are known only after a trial."""
    problem = get_problem("pressure-vessel")
    assert problem.objective is not None
    whole = problem.objective

    def truth(point: Point) -> Mapping[str, float]:
        cost = whole(point)
        assert cost is not None
        shell, radius = float(point["shell"]), float(point["radius"])
        return {"cost": cost, "volume": _volume(point) / 1e6, "margin": shell - 0.0193 * radius}

    limits = {"large": "volume >= 1.296", "thick": "0 <= margin <= 0.5"}
    rules = ("-head + 0.00954 * radius <= 0",)
    return OutcomeTask("vessel, volume measured", problem.space, rules, {"cost": "minimize"}, truth, limits)


def accurate_sizes() -> OutcomeTask:
    """The most accurate network of the size space."""
    return _single(sizes(), "nas-sss", "error")


def cheap_vessel() -> OutcomeTask:
    """The cheapest vessel."""
    return _single(vessel(), "vessel", "cost")


def fast_hsqldb() -> OutcomeTask:
    """The fastest database."""
    return _single(hsqldb(), "hsqldb", "performance")


def _single(task: OutcomeTask, name: str, objective: str, limits: Mapping[str, str] | None = None) -> OutcomeTask:
    return OutcomeTask(name, task.space, task.rules, {objective: "minimize"}, task.truth, limits or {})


def tiles() -> OutcomeTask:
    """A tiled kernel that does not run where its tile times its stages does not fit."""
    space = hr.Space(
        {
            "tile": [8, 16, 32, 64, 128],
            "stages": hr.Integer(1, 6),
            "threads": [32, 64, 128, 256, 512],
            "unroll": [1, 2, 4, 8],
            "layout": ["row", "column", "swizzled"],
        }
    )

    def truth(point: Point) -> Mapping[str, float] | None:
        if point["tile"] * point["stages"] > 256:
            return None
        layout = {"row": 1.0, "column": 1.25, "swizzled": 0.9}[point["layout"]]
        work = 900 / point["threads"] ** 0.5 + 0.05 * point["threads"] + 120 / (point["tile"] * point["stages"] ** 0.7)
        return {"time": layout * (work + 2 * abs(math.log2(point["unroll"]) - 2) + 0.8 * point["stages"])}

    planted = "tile * stages <= 256"
    return OutcomeTask("tiles", space, ("threads >= tile",), {"time": "minimize"}, truth, planted=planted)


def recipe() -> OutcomeTask:
    """A recipe that does not set where two amounts together are too much."""
    space = hr.Space(
        {
            "resin": hr.Integer(0, 10),
            "filler": hr.Integer(0, 10),
            "wax": hr.Integer(0, 6),
            "catalyst": ["tin", "zinc", "amine", "none"],
            "heat": [60, 80, 100, 120],
        }
    )

    def truth(point: Point) -> Mapping[str, float] | None:
        if point["filler"] + point["wax"] > 9:
            return None
        speed = {"tin": 0.0, "zinc": 2.0, "amine": 1.0, "none": 5.0}[point["catalyst"]]
        strength = (point["resin"] - 7) ** 2 / 4 + (point["filler"] - 8) ** 2 / 3 + abs(point["wax"] - 3)
        return {"defect": strength + speed + abs(point["heat"] - 95) / 20 + 0.2 * point["resin"] * point["wax"] / 3}

    planted = "filler + wax <= 9"
    return OutcomeTask("recipe", space, ("resin + filler <= 16",), {"defect": "minimize"}, truth, planted=planted)
