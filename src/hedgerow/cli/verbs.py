"""The verbs that ask about a problem alone, and not about a study: check, sample and explain."""

from __future__ import annotations

import argparse
import json
import os
import shutil
from argparse import Namespace
from pathlib import Path
from typing import Any

from rich.console import Console

from hedgerow.cli import show
from hedgerow.errors import PointError
from hedgerow.feasible import FeasibleSet
from hedgerow.problem_file import read_problem_file
from hedgerow.runs.problem import Problem, load_problem

YES, NO = 0, 1


def add_check(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of `check`."""
    verb.description = check.__doc__
    _common(verb)
    verb.set_defaults(run=check)


def add_sample(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of `sample`."""
    verb.description = sample.__doc__
    _common(verb)
    verb.add_argument("-n", type=_count, default=5, metavar="N", help="how many points (default 5)")
    verb.add_argument("--seed", type=int, default=None, help="for the same points every time")
    verb.add_argument("--infeasible", action="store_true", help="draw from the points that break a rule")
    verb.set_defaults(run=sample)


def add_explain(verb: argparse.ArgumentParser) -> None:
    """Fill the parser of `explain`."""
    verb.description = explain.__doc__
    _common(verb)
    verb.add_argument("point", metavar="POINT", help='JSON such as \'{"block_x": 64, "padding": true}\'')
    verb.set_defaults(run=explain)


def check(options: Namespace) -> int:
    """Say how large the space is, how many points satisfy the rules, and what the rules do to it."""
    # What `run` would refuse is refused here, before anything runs.
    problem = load_problem(options.file)
    remark = command_remark(problem)
    feasible = _feasible(options, allow_empty=True)
    diagnosis = feasible.doctor()
    if options.json:
        print(json.dumps({**diagnosis.to_dict(), "objective": remark, **_goals(problem)}))
    else:
        show.diagnosis(Console(), options.file, feasible, diagnosis)
        for name, said in _goals(problem).items():
            shown = ", ".join(f"{key}: {value}" for key, value in said.items()) if isinstance(said, dict) else said
            print(f"• {name}: {shown}")
        if remark:
            print(f"• {remark}")
    return NO if diagnosis.contradiction or diagnosis.count == 0 else YES


def _goals(problem: Problem) -> dict[str, Any]:
    """Return what trials are judged by, where that is more than one number."""
    goals = problem.goals
    objectives = dict(zip(goals.objectives.names, goals.objectives.directions, strict=True))
    return {
        **({"objectives": objectives} if goals.objectives.is_named else {}),
        **({"limits": {limit.name: limit.text for limit in goals.limits}} if goals.limits else {}),
        **({"repeats": goals.repeats} if goals.may_repeat else {}),
    }


def command_remark(problem: Problem) -> str | None:
    """Return what is wrong with the objective's command as far as one can see without running it."""
    if problem.command is None:
        return None
    program = problem.command.arguments[0]
    here = Path(problem.folder) / program
    is_found = shutil.which(program) or ("/" in program and os.access(here, os.X_OK))
    return None if is_found else f"The command's program '{program}' is not there, or may not be executed."


def sample(options: Namespace) -> int:
    """Draw points uniformly: from everything that satisfies the rules, or from everything that breaks one."""
    feasible = _feasible(options)
    draw = feasible.sample_infeasible if options.infeasible else feasible.sample
    points = draw(options.n, seed=options.seed)
    if options.json:
        print(json.dumps(points))
    else:
        kind = "points that break a rule" if options.infeasible else "feasible points"
        show.points(Console(), f"{len(points)} {kind}, uniform", points)
    return YES


def explain(options: Namespace) -> int:
    """Say which rules a point breaks, with the values of their parts, and give a nearest point that breaks none."""
    feasible = _feasible(options, allow_empty=True)
    point = read_point(options.point)
    explanation = feasible.explain(point)
    # Where nothing is feasible there is a reason to tell, and no repair.
    repaired = feasible.repair(point) if not feasible.codes.is_empty else None
    if options.json:
        print(json.dumps({**explanation.to_dict(), "repair": repaired}))
    else:
        show.explanation(Console(), point, explanation, repaired)
    return YES if explanation.is_feasible else NO


def _feasible(options: Namespace, allow_empty: bool = False) -> FeasibleSet:
    problem = read_problem_file(options.file)
    return FeasibleSet(problem.space, problem.rules, node_budget=options.node_budget, allow_empty=allow_empty)


def read_point(text: str) -> dict[str, Any]:
    """Read a point from the JSON of an argument."""
    try:
        point = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PointError(f'POINT is not valid JSON: {error}. It looks like \'{{"x": 1, "y": true}}\'.') from None
    if not isinstance(point, dict):
        raise PointError(f"POINT must be a JSON object of names and values, but it is {point!r}.")
    return point


def _common(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("file", metavar="FILE", help="a problem file in TOML")
    verb.add_argument("--json", action="store_true", help="print JSON for programs")
    verb.add_argument("--node-budget", type=_count, default=None, metavar="N", help="largest diagram, in nodes")


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number
