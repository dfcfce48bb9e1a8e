"""Rules of a batch in a problem file: points that are asked for by hand at once keep them together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedgerow.cli.main import main

FILE = """
[space]
light = ["red", "blue"]
solvent = ["water", "ethanol", "hexane"]
mg = {{ type = "integer", low = 5, high = 30, step = 5 }}

[rules]
pure = "solvent != 'hexane' or mg <= 15"

[run]
batch_rules = {rules}
"""


def write(folder: Path, rules: str) -> str:
    file = folder / "plate.toml"
    file.write_text(FILE.format(rules=rules))
    return str(file)


def test_a_plate_is_asked_for_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, '["same(light)", "distinct(solvent) <= 2", "sum(mg) <= 90"]')
    for first in (0, 6):
        assert main(["ask", file, "-n", "6", "--json"]) == 0
        asked = json.loads(capsys.readouterr().out)
        assert [one["trial"] for one in asked] == list(range(first, first + 6))
        points = [one["point"] for one in asked]
        assert len({point["light"] for point in points}) == 1
        assert len({point["solvent"] for point in points}) <= 2
        assert sum(point["mg"] for point in points) <= 90
        for number, point in enumerate(points, start=first):
            assert main(["tell", file, str(number), str(point["mg"] + len(point["solvent"]))]) == 0
        capsys.readouterr()


@pytest.mark.parametrize(
    ("rules", "said"),
    [('"same(light)"', "is a list"), ('["same(lights)"]', "lights"), ("[3]", "is a list")],
)
def test_what_is_no_rule_of_a_batch_is_said(
    rules: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", write(tmp_path, rules)]) != 0
    assert said in capsys.readouterr().err


def test_a_plate_that_cannot_be_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", write(tmp_path, '["sum(mg) <= 20"]'), "-n", "6"]) != 0
    assert "6" in capsys.readouterr().err
