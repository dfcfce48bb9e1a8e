"""The constants that steer the default method: where each stands, which act together, and how to change them.

A constant is a field of the method's settings (`belief.n_draws` of `Auto`) or a number of a module
(`hedgerow.methods.auto.fit:_STEP`). Numbers are halved and doubled. Centers of priors are logarithms, so they are moved
down and up by the deviation of their prior instead: half of a logarithm means nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Literal
from unittest.mock import patch

from hedgerow.methods import Auto

Direction = Literal["half", "double"]
# Where a constant can act: everywhere (long lists are left out, for they take long), on long lists, on searched sets,
# on both, where slots have many codes, or where trials fail.
Reach = Literal["all", "long lists", "searched", "long or searched", "large slots", "failing"]
_AUTO = "hedgerow.methods.auto"


@dataclass(frozen=True)
class DefaultConstant:
    """One constant: its name, where it stands, and what is added to it instead of halving and doubling, if anything."""

    name: str
    place: str
    shift: float | None = None

    @property
    def is_setting(self) -> bool:
        """Whether it is a field of the settings of the method."""
        return ":" not in self.place

    def default(self) -> Any:
        """Return its present value."""
        if not self.is_setting:
            module, name = self.place.split(":")
            return getattr(import_module(module), name)
        value: Any = Auto()
        for name in self.place.split("."):
            value = getattr(value, name)
        return value

    def changed(self, direction: Direction) -> Any:
        """Return its value halved or doubled; whole numbers stay whole, and numbers of several parts keep them."""
        return _changed(self.default(), direction, self.shift)


@dataclass(frozen=True)
class Group:
    """Constants that act together, and where they can act."""

    name: str
    reach: Reach
    constants: tuple[DefaultConstant, ...]


@dataclass(frozen=True)
class Variant:
    """The default with some constants changed in one direction."""

    name: str
    reach: Reach
    constants: tuple[DefaultConstant, ...] = ()
    direction: Direction = "half"

    def method(self) -> Auto:
        """Return the settings, as far as they are settings."""
        settings = Auto()
        for constant in self.constants:
            if constant.is_setting:
                settings = with_setting(settings, constant.place.split("."), constant.changed(self.direction))
        return settings

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """Change the numbers of modules for as long as a run takes."""
        with contextlib.ExitStack() as stack:
            for constant in self.constants:
                if not constant.is_setting:
                    stack.enter_context(patch(constant.place.replace(":", "."), constant.changed(self.direction)))
            yield


def _changed(value: Any, direction: Direction, shift: float | None) -> Any:
    if isinstance(value, tuple):
        return tuple(_changed(part, direction, shift) for part in value)
    if shift is not None:
        return value - shift if direction == "half" else value + shift
    if isinstance(value, int):
        return value // 2 if direction == "half" else 2 * value
    return value / 2 if direction == "half" else 2 * value


def with_setting(settings: Any, path: Sequence[str], value: Any) -> Any:
    """Return settings with one field, perhaps of a part of them, changed."""
    inner = value if len(path) == 1 else with_setting(getattr(settings, path[0]), path[1:], value)
    return replace(settings, **{path[0]: inner})


def _settings(prefix: str, *names: str) -> tuple[DefaultConstant, ...]:
    return tuple(DefaultConstant(name, f"{prefix}{name}") for name in names)


def _numbers(module: str, *names: str) -> tuple[DefaultConstant, ...]:
    return tuple(DefaultConstant(f"{module.rsplit('.', 1)[-1]}.{name}", f"{module}:{name}") for name in names)


_SEARCH = "candidates.search."
_BELIEF = f"{_AUTO}.belief"
_POSTERIOR = f"{_AUTO}.posterior"
_FIT = f"{_AUTO}.kernel.fit"
_PRIOR = "belief.prior."

GROUPS = (
    Group(
        "turns",
        "all",
        (*_settings("", "patience", "doubt", "n_local_centers", "max_local"), *_numbers(_POSTERIOR, "_EXPLAINED")),
    ),
    Group(
        "draws of parameters",
        "all",
        (*_settings("belief.", "n_draws"), *_numbers(_FIT, "_STEPS_BETWEEN_DRAWS", "_STEP")),
    ),
    Group(
        "effort of a fit",
        "all",
        (*_numbers(_FIT, "_MAX_STEPS", "_TOLERANCE"), *_numbers(f"{_AUTO}.schedule", "_FITTED_EVERY_TIME")),
    ),
    Group(
        "which transforms count",
        "all",
        (*_numbers(_BELIEF, "NEGLIGIBLE", "MINOR"), *_numbers(_POSTERIOR, "NEGLIGIBLE", "MINOR")),
    ),
    Group("shape of transforms", "all", _numbers(f"{_AUTO}.transforms", "_NEAR")),
    Group("least gain", "all", _numbers(f"{_AUTO}.transforms", "_LEAST_GAIN", "_SHARE_OF_REPEATED")),
    Group("prior of scales", "all", _settings(_PRIOR, "scale_spread", "scale_common")),
    Group(
        "prior of lengths",
        "all",
        (DefaultConstant("length_center", f"{_PRIOR}length_center", 0.7), *_settings(_PRIOR, "length_spread")),
    ),
    Group(
        "prior of roughness",
        "all",
        (
            DefaultConstant("roughness_center", f"{_PRIOR}roughness_center", 2.5),
            *_settings(_PRIOR, "roughness_spread"),
        ),
    ),
    Group(
        "prior of noise",
        "all",
        (DefaultConstant("noise_center", f"{_PRIOR}noise_center", 2.0), *_settings(_PRIOR, "noise_spread")),
    ),
    # The fit has names of its own for the same two numbers.
    Group(
        "prior of the signal",
        "all",
        (*_numbers(f"{_AUTO}.kernel.process", "SHAPE", "RATE"), *_numbers(_FIT, "SHAPE", "RATE")),
    ),
    Group("chance of success", "failing", _numbers(f"{_AUTO}.success", "LEAST_CHANCE")),
    Group(
        "shortlists",
        "long lists",
        (*_settings("", "one_pass_work", "shortlists", "max_rounds"), *_numbers(_POSTERIOR, "_BOUNDING_WORK")),
    ),
    Group("starts of a search", "searched", _settings(_SEARCH, "n_draws", "n_good", "n_drawn", "n_by_effects")),
    Group("steps of a search", "searched", _settings(_SEARCH, "max_climb", "max_steps")),
    Group("ends of a search", "searched", _settings(_SEARCH, "n_completed", "n_completions", "n_joined")),
    Group("rows kept by a search", "searched", _settings(_SEARCH, "n_kept", "n_final")),
    Group("pairs of a step", "searched", _settings(_SEARCH, "max_literals", "max_pairs")),
    Group(
        "codes of a step",
        "large slots",
        (*_settings(_SEARCH, "max_codes"), *_numbers(_POSTERIOR, "_SMALL_GAIN")),
    ),
    Group(
        "closeness around a row",
        "searched",
        (
            *_numbers(f"{_AUTO}.neighborhood", "_EXACT_WORK", "_N_EXACT"),
            *_numbers(f"{_AUTO}.kernel.neighborhood", "_N_CLOSEST"),
        ),
    ),
    Group("listed or searched", "long or searched", _settings("candidates.", "max_listed")),
)
DEFAULT = Variant("default", "all")


def variants() -> list[Variant]:
    """Return the default, every group in both directions, then the members of groups of several."""
    groups = [
        Variant(f"{group.name}, {direction}", group.reach, group.constants, direction)
        for group in GROUPS
        for direction in ("half", "double")
    ]
    return [DEFAULT, *groups]


def single_variants(names: Sequence[str]) -> list[Variant]:
    """Return the members of the groups of these names, each in both directions."""
    return [
        Variant(f"{constant.name}, {direction}", group.reach, (constant,), direction)
        for group in GROUPS
        if group.name in names and len(group.constants) > 1
        for constant in group.constants
        for direction in ("half", "double")
    ]
