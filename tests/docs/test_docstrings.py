"""Every public name says what it takes, gives and raises, with an example that runs (NumPy style)."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import warnings
from collections.abc import Iterator
from enum import Enum
from types import ModuleType
from typing import Any

import pytest

import hedgerow as hr

# Rooms whose names are public as well, besides those of `hedgerow` itself.
ROOMS = ("hedgerow.rules", "hedgerow.importers", "hedgerow.methods")
# Types and tables that are there for annotations and lists: a comment beside them says what they hold.
PLAIN = {"hedgerow.rules.RuleLike", "hedgerow.importers.FORMATS"}
# What raises nothing of its own: records and settings, interfaces, and what only looks up, writes down or adds up.
NEVER_RAISES = {
    "hedgerow.Estimate",
    "hedgerow.FeasibleSet.doctor",
    "hedgerow.HedgerowSampler.claim",
    "hedgerow.HedgerowSampler.history",
    "hedgerow.HedgerowSampler.read",
    "hedgerow.HedgerowSampler.reader",
    "hedgerow.HedgerowSampler.row_of",
    "hedgerow.Observation",
    "hedgerow.Observation.of",
    "hedgerow.Observation.outcome",
    "hedgerow.Optimizer.result",
    "hedgerow.Optimizer.suggest_rules",
    "hedgerow.Prediction",
    "hedgerow.methods.CodeProblem.within",
    "hedgerow.methods.History.with_pending",
    "hedgerow.methods.EarlierTrials",
    "hedgerow.methods.EarlierTrials.thinned",
    "hedgerow.Result",
    "hedgerow.Result.best_so_far",
    "hedgerow.Space.to_dict",
    "hedgerow.Space.to_json",
    "hedgerow.Space.to_toml",
    "hedgerow.Suggestion",
    "hedgerow.Vector.to_dict",
    "hedgerow.importers.Imported",
    "hedgerow.importers.Reading",
    "hedgerow.methods.Auto",
    "hedgerow.methods.CandidateSettings",
    "hedgerow.methods.CodeProblem",
    "hedgerow.methods.CodeProblem.is_ending",
    "hedgerow.methods.CodeProblem.is_exhausted",
    "hedgerow.methods.CodeProblem.listed",
    "hedgerow.methods.Criterion.effects",
    "hedgerow.methods.Criterion.guided",
    "hedgerow.methods.Criterion.landscape",
    "hedgerow.methods.Criterion.score",
    "hedgerow.methods.Criterion.shortlist",
    "hedgerow.methods.History",
    "hedgerow.methods.History.empty",
    "hedgerow.methods.History.is_seen",
    "hedgerow.methods.Method",
    "hedgerow.methods.MethodRun",
    "hedgerow.methods.PlainCriterion",
    "hedgerow.methods.Random",
    "hedgerow.methods.RowSuggestion",
    "hedgerow.rules.BoundRule",
}

_HEADING = re.compile(r"^(?P<title>[A-Z][a-z]+)\n-{3,}$", re.MULTILINE)


def public() -> Iterator[tuple[str, Any]]:
    """Yield every public class, function and method by its full name."""
    for module in (hr, *map(importlib.import_module, ROOMS)):
        for name in module.__all__:
            thing = getattr(module, name)
            full = f"{module.__name__}.{name}"
            if not isinstance(thing, ModuleType) and full not in PLAIN:
                yield full, thing
                yield from methods_of(full, thing, promised_in(module))


def promised_in(module: ModuleType) -> set[str]:
    """Return the names of methods that an interface of the room describes."""
    things = [getattr(module, name) for name in module.__all__]
    return {name for thing in things if is_interface(thing) for name in vars(thing)}


def is_interface(thing: Any) -> bool:
    """Whether others are to write classes like this one."""
    return bool(getattr(thing, "_is_protocol", False))


def methods_of(full: str, thing: Any, promised: set[str]) -> Iterator[tuple[str, Any]]:
    """Yield the public methods that a class describes itself, aliases once."""
    if not inspect.isclass(thing):
        return
    seen: set[int] = set()
    for name, member in vars(thing).items():
        function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        # What a base class or an interface promises is written there.
        is_promised = any(hasattr(base, name) for base in thing.__mro__[1:]) or (
            name in promised and not is_interface(thing)
        )
        if not (name.startswith("_") or is_promised) and inspect.isfunction(function) and id(function) not in seen:
            seen.add(id(function))
            yield f"{full}.{name}", function


def sections(doc: str) -> dict[str, str]:
    """Return the text of each section by its title."""
    parts = _HEADING.split(doc)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def parameters_of(thing: Any) -> list[str]:
    """Return the names that a caller may give: none to an exception, an enumeration or an interface."""
    if inspect.isclass(thing) and (issubclass(thing, BaseException | Enum) or is_interface(thing)):
        return []
    try:
        signature = inspect.signature(thing)
    except ValueError:
        return []
    return [name for name in signature.parameters if name not in ("self", "cls") and not name.startswith("_")]


def lacks(thing: Any) -> list[str]:
    """Return what is missing in the docstring of a class or function."""
    doc = inspect.cleandoc(thing.__doc__ or "")
    found = sections(doc)
    missing = [] if doc else ["a sentence"]
    described = found.get("Parameters", "") + found.get("Attributes", "")
    listed = re.findall(r"^\*{0,2}([\w, *]+?)(?: :.*)?$", described, re.MULTILINE)
    named = {name.strip(" *") for line in listed for name in line.split(",")}
    missing += [f"the parameter {name}" for name in parameters_of(thing) if name not in named]
    returns = None if inspect.isclass(thing) else inspect.signature(thing).return_annotation
    if returns not in (None, "None", inspect.Signature.empty) and not {"Returns", "Yields"} & set(found):
        missing.append("Returns")
    if ">>>" not in found.get("Examples", ""):
        missing.append("Examples")
    return missing


EVERYTHING = dict(public())


def test_the_public_names_are_found() -> None:
    some = {"hedgerow.Space", "hedgerow.FeasibleSet.sample", "hedgerow.rules.count", "hedgerow.importers.load"}
    assert some <= set(EVERYTHING)


@pytest.mark.parametrize("name", sorted(EVERYTHING))
def test_a_public_name_says_what_it_takes_and_gives(name: str) -> None:
    assert lacks(EVERYTHING[name]) == []


@pytest.mark.parametrize("name", sorted(EVERYTHING))
def test_a_public_name_says_what_it_raises(name: str) -> None:
    thing = EVERYTHING[name]
    is_plain = inspect.isclass(thing) and issubclass(thing, BaseException | Enum)
    has_section = "Raises" in sections(inspect.cleandoc(thing.__doc__ or ""))
    assert has_section == (name not in NEVER_RAISES and not is_plain)


@pytest.mark.parametrize("name", sorted(EVERYTHING))
def test_examples_run(name: str) -> None:
    examples = doctest.DocTestParser().get_doctest(
        inspect.cleandoc(EVERYTHING[name].__doc__ or ""), {}, name, inspect.getsourcefile(EVERYTHING[name]), None
    )
    report: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL).run(
            examples, out=report.append
        )
    assert not report, "".join(report)
