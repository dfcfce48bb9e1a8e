"""SPLConqueror models: the published ones against their measurements, numeric options, and errors."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hedgerow import ProblemFileError
from hedgerow.importers import load_spl, read_spl
from tests.importers.models import feasible, selections


def option(name: str, parent: str = "", optional: bool = False, excluded: str = "", implied: str = "") -> str:
    return (
        f"<configurationOption><name>{name}</name><parent>{parent}</parent><optional>{optional}</optional>"
        f"<impliedOptions>{implied}</impliedOptions><excludedOptions>{excluded}</excludedOptions></configurationOption>"
    )


def number(name: str, low: str = "1", high: str = "8", step: str = "n * 2", values: str = "") -> str:
    return (
        f"<configurationOption><name>{name}</name><minValue>{low}</minValue><maxValue>{high}</maxValue>"
        f"<stepFunction>{step}</stepFunction><values>{values}</values></configurationOption>"
    )


def model(binary: str, numeric: str = "", boolean: str = "", others: str = "", mixed: str = "") -> str:
    return (
        f'<vm name="m"><binaryOptions>{binary}</binaryOptions><numericOptions>{numeric}</numericOptions>'
        f"<booleanConstraints>{boolean}</booleanConstraints><nonBooleanConstraints>{others}</nonBooleanConstraints>"
        f"<mixedConstraints>{mixed}</mixedConstraints></vm>"
    )


ROOT = option("root")
BASE = ROOT + option("a", "root", optional=True)


def test_every_measured_configuration_of_hipacc_is_a_point_and_no_other(data_dir: Path) -> None:
    folder = data_dir / "feature_models" / "hipacc"
    measured = set()
    for row in ET.parse(folder / "measurements.xml").getroot().iter("row"):
        text = next(data.text or "" for data in row if data.get("columname") == "Configuration")
        measured.add(frozenset(part.strip() for part in text.split(",") if part.strip()))
    imported = load_spl(folder / "FeatureModel.xml")
    found = selections(imported)
    assert len(found) == 13_485
    assert set(found) == measured
    assert feasible(imported, through_toml=True).count == 13_485


def test_every_measured_configuration_of_hsqldb_is_a_point_and_no_other(data_dir: Path) -> None:
    folder = data_dir / "feature_models" / "hsqldb"
    imported = load_spl(folder / "FeatureModel.xml")
    with (folder / "measurements.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    features = [name for name in imported.meanings if name in rows[0]]
    measured = {frozenset(name for name in features if row[name] == "1") for row in rows}
    found = selections(imported)
    assert len(found) == 864
    assert {frozenset(name for name in selection if name in features) for selection in found} == measured
    assert feasible(imported, through_toml=True).count == 864


def test_numeric_options_have_the_values_of_their_steps() -> None:
    imported = read_spl(model(BASE, number("n") + number("m", "0", "1", "m + 0.25") + number("k", values="3;1;2.5")))
    variables = imported.space.variables
    assert variables["n"].values == (1, 2, 4, 8)  # type: ignore[union-attr]
    assert variables["m"].values == (0.0, 0.25, 0.5, 0.75, 1.0)  # type: ignore[union-attr]
    assert variables["k"].values == (1.0, 2.5, 3.0)  # type: ignore[union-attr]


def test_constraints_over_numbers_hold_where_their_options_are_selected() -> None:
    numeric = number("n") + number("m", "0", "3", "n + 1")
    others = "<constraint>n * m &lt;= 8</constraint>"
    mixed = '<constraint req="all" exprKind="neg">a * n = 4</constraint><constraint req="one">a + m &gt; 2</constraint>'
    points = {(p["a"], p["n"], p["m"]) for p in feasible(read_spl(model(BASE, numeric, "", others, mixed)))}

    def fits(a: bool, n: int, m: int) -> bool:
        one = (not a and not m) or (a and m != 0 and 1 + m > 2)
        return n * m <= 8 and not (a and n == 4) and bool(one)

    assert points == {(a, n, m) for a in (False, True) for n in (1, 2, 4, 8) for m in range(4) if fits(a, n, m)}


def test_implied_options_and_one_sided_exclusions_are_rules() -> None:
    binary = BASE + option("b", "root", True, excluded="<options>c</options>")
    binary += option("c", "root", True) + option("d", "root", True, implied="<options>a | b</options>")
    found = set(selections(read_spl(model(binary))))
    expected = {
        frozenset(["root", *(name for name, chosen in zip("abcd", (a, b, c, d), strict=True) if chosen)])
        for a in (0, 1)
        for b in (0, 1)
        for c in (0, 1)
        for d in (0, 1)
        if not (b and c) and (not d or a or b)
    }
    assert found == expected


def test_rivals_that_do_not_all_exclude_each_other_are_no_choice() -> None:
    binary = ROOT + option("a", "root", excluded="<options>b</options>")
    binary += option("b", "root", excluded="<options>a</options><options>c</options>")
    binary += option("c", "root", excluded="<options>b</options>")
    found = {selection - {"root"} for selection in selections(read_spl(model(binary)))}
    assert found == {frozenset("b"), frozenset("ac")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<vm", "Not valid XML"),
        ("<other />", "should be <vm>, but is <other>"),
        ('<!DOCTYPE vm [<!ENTITY a "b">]><vm />', "Document types and entities are not read"),
        ("<vm />", "at least one variable"),
        (model("<configurationOption />"), "Binary option 1 has no <name>"),
        (model(BASE + option("a")), "Two options are named 'a'"),
        (model(option("a", "b")), "Option 'a' mentions 'b', which is not an option"),
        (model(option("a", "b") + option("b", "a")), "is its own ancestor"),
        (model(BASE, boolean="<constraint>!a | b</constraint>"), "constraint 1 in <booleanConstraints>: .*option 'b'"),
        (model(BASE, boolean="<constraint>!a |</constraint>"), "cannot be read at 'the end'"),
        (model(BASE, number("n", "x")), "Numeric option 'n': 'x' is not a number"),
        (model(BASE, number("n", step="n - 1")), "leads from 1 to 0, which is not further up"),
        (model(BASE, number("n", step="n + 0.0001")), "more than 10,000 values"),
        (model(BASE, number("n", step="__import__('os')")), "cannot be read"),
        (model(BASE, number("n", step="1 / (n - 1)")), "at 1, fails"),
        (model(BASE, number("n", step="n * 10 ** 400")), "at 1, does not give a number that a float can hold"),
        (model(BASE, number("n", step="-(10 ** 5000) * n")), "does not give a number that a float can hold"),
        (model(BASE, number("n", step="n ** 10 ** 10 ** 10")), "step function"),
        (model(BASE, number("n", step="n == 1")), "does not give a number"),
        (model(BASE, number("n", "5", "2")), "lowest value 5 is above its highest value 2"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ProblemFileError, match=message):
        read_spl(text)
