"""The constants are where the list says, a change changes them alone, and rows survive an interruption."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from hedgerow.methods import Auto
from research.sensitivity.constants import DEFAULT, GROUPS, variants
from research.sensitivity.page import page
from research.sensitivity.runs import SensitivityRow, append, read
from research.sensitivity.summary import effects
from research.sensitivity.tasks import KINDS

# Limits of cost beyond 250 observations, what is off, and a switch that is measured with failures.
NOT_MEASURED = {
    "belief.many",
    "belief.max_fitted",
    "belief.max_conditioned",
    "belief.sharp_borders",
    # Acts where labels have descriptors, which no generated problem has: `python -m research descriptors`.
    "belief.prior.described_roughness_center",
    # Whether structure is seen at all is measured by `python -m research run structure`.
    "belief.sees_structure",
    "belief.n_structured_draws",
    "belief.prior.many_spread",
    "candidates.n_drawn",
}


def setting_paths(settings: object, prefix: str = "") -> set[str]:
    found: set[str] = set()
    for each in fields(settings):  # type: ignore[arg-type]
        value = getattr(settings, each.name)
        found |= setting_paths(value, f"{prefix}{each.name}.") if is_dataclass(value) else {f"{prefix}{each.name}"}
    return found


def test_every_setting_of_the_default_is_in_the_list() -> None:
    listed = {constant.place for group in GROUPS for constant in group.constants if constant.is_setting}
    assert listed | NOT_MEASURED == setting_paths(Auto())


@pytest.mark.parametrize("variant", variants(), ids=lambda variant: variant.name)
def test_a_variant_changes_its_constants_for_as_long_as_it_lasts(variant: object) -> None:
    assert variant in variants()
    before = {constant.place: constant.default() for group in GROUPS for constant in group.constants}
    chosen = next(each for each in variants() if each == variant)
    wanted = {constant.place: constant.changed(chosen.direction) for constant in chosen.constants}
    with chosen.in_place():
        inside = {c.place: c.default() for c in chosen.constants if not c.is_setting}
        assert inside == {place: value for place, value in wanted.items() if ":" in place}
    assert {constant.place: constant.default() for group in GROUPS for constant in group.constants} == before
    assert (chosen.method() == Auto()) == all(not constant.is_setting for constant in chosen.constants)


def test_rows_are_read_back_and_paired(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    for seed in range(3):
        append(table, SensitivityRow(DEFAULT.name, "rugged", seed, 1.0, 0.5, 2.0))
        append(table, SensitivityRow("turns, half", "rugged", seed, 1.5 + 0.1 * seed, 0.5, 4.0))
    with table.open("a") as file:
        file.write("turns, half,rugged")
    (effect,) = effects(read(table))
    assert (effect.variant, effect.n_pairs, round(effect.trials, 6), effect.time_ratio) == ("turns, half", 3, 0.6, 2.0)
    assert effect.matters
    assert "not measured yet" in page([effect])


def test_the_same_seed_gives_the_same_problem() -> None:
    first, second = KINDS[1].task(3), KINDS[1].task(3)
    assert first.optimum == second.optimum
    assert first.optimum != KINDS[1].task(4).optimum
