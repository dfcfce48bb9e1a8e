"""Architecture search under a budget, by lookup in NATS-Bench: test accuracy on CIFAR-10, negated."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from hedgerow.errors import HedgerowError
from hedgerow.rules import Rule
from hedgerow.space import Categorical, Levels, Point, Space, Vector
from research.problems.data_files import data_file, read_measurements
from research.problems.problem import BenchmarkProblem, Published

OPERATIONS = ("none", "skip_connect", "avg_pool_3x3", "nor_conv_1x1", "nor_conv_3x3")
_ACCURACY = "cifar10_test_accuracy"

Accuracies = dict[tuple[str, ...], float]


def nas_tss(data_dir: str | Path | None = None) -> BenchmarkProblem:
    """Return the topology problem: an operation on each of six edges."""
    path = data_file(
        data_dir,
        "nats/tss_cifar10.csv",
        f"NATS-Bench's topology space, columns architecture (as NATS-Bench writes it) and {_ACCURACY}",
    )
    rows = read_measurements(path, "architecture", _ACCURACY)
    accuracies: Accuracies = {tuple(re.findall(r"(\w+)~", cell)): accuracy for cell, accuracy in rows}
    space = Space({"operation": Vector(Categorical(OPERATIONS), 6)})
    return BenchmarkProblem(
        name="nas-tss",
        description="a cell of six operations with many skips and few large convolutions, minus test accuracy",
        space=space,
        rules=(
            Rule('count(operation == "skip_connect") >= 3', name="skips"),
            Rule('count(operation == "nor_conv_3x3") <= 2', name="convolutions"),
        ),
        objective=partial(_negative_accuracy, _complete(accuracies, space, path), "operation"),
        optimum=-93.84,
        n_feasible=1525,
        published=Published(-93.84, 206.9, "PGRAD TT-2"),
    )


def nas_sss(data_dir: str | Path | None = None) -> BenchmarkProblem:
    """Return the size problem: the number of channels of each of five stages."""
    path = data_file(
        data_dir,
        "nats/sss_cifar10.csv",
        f"NATS-Bench's size space, columns channels (as 8:16:8:64:8) and {_ACCURACY}",
    )
    rows = read_measurements(path, "channels", _ACCURACY)
    accuracies: Accuracies = {tuple(sizes.split(":")): accuracy for sizes, accuracy in rows}
    space = Space({"channels": Vector(Levels(range(8, 65, 8)), 5)})
    return BenchmarkProblem(
        name="nas-sss",
        description="channel counts of five stages under a total, minus test accuracy",
        space=space,
        rules=(
            Rule("sum(channels) <= 160", name="total"),
            Rule("channels[3] >= channels[1]", name="widening"),
        ),
        objective=partial(_negative_accuracy, _complete(accuracies, space, path), "channels"),
        optimum=-92.28,
        n_feasible=6552,
        published=Published(-91.72, 104.9, "PGRAD TT-4"),
    )


def _complete(accuracies: Accuracies, space: Space, path: Path) -> Accuracies:
    if len(accuracies) != space.size:
        raise HedgerowError(
            f"The data file '{path}' should have one row for each of the {space.size:,} architectures, "
            f"but it has {len(accuracies):,} different ones."
        )
    return accuracies


def _negative_accuracy(accuracies: Accuracies, variable: str, point: Point) -> float:
    return -accuracies[tuple(map(str, point[variable]))]
