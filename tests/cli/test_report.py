"""The verb `report`, as users and programs call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedgerow.cli.main import main

PROBLEM = """
[space]
grams = { type = "integer", low = 0, high = 9 }
heat = { type = "boolean" }
[rules]
safe = "not heat or grams <= 6"
[run]
method = "random"
"""


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> Path:
    file = tmp_path / "lab.toml"
    file.write_text(PROBLEM)
    return file


def tell(file: Path, value: str, grams: int = 3) -> None:
    assert main(["tell", str(file), json.dumps({"grams": grams, "heat": False}), value]) == 0


def test_before_the_first_trial_there_is_nothing_to_report(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(file)]) == 2
    assert "Make trials first" in capsys.readouterr().err
    assert [path.name for path in file.parent.iterdir()] == ["lab.toml"]


def test_the_page_lands_beside_the_file_or_where_it_is_wanted(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tell(file, "2.5")
    assert main(["report", str(file)]) == 0
    assert "1 trial" in capsys.readouterr().out
    page = file.with_name("lab-report.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert ">2.5<" in page
    elsewhere = file.with_name("r.html")
    capsys.readouterr()
    assert main(["report", str(file), "-o", str(elsewhere), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["output"] == str(elsewhere)
    assert facts["best"]["value"] == 2.5
    assert elsewhere.exists()


def test_a_page_can_be_printed(file: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    tell(file, "failed")
    capsysbinary.readouterr()
    assert main(["report", str(file), "-o", "-"]) == 0
    printed = capsysbinary.readouterr().out
    assert printed.startswith(b"<!DOCTYPE html>")
    assert b"told as failed" in printed


def test_another_storage_and_study_can_be_named(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = ["--storage", f"journal:{file.parent}/other.log", "--study", "second"]
    assert main(["tell", str(file), '{"grams": 1, "heat": true}', "7", *place]) == 0
    assert main(["report", str(file), *place]) == 0
    assert "<h1>second</h1>" in file.with_name("lab-report.html").read_text()
    assert main(["report", str(file)]) == 2
    capsys.readouterr()
    assert main(["report", str(file), *place, "-o", str(file.parent)]) == 2
    assert "cannot be written" in capsys.readouterr().err
