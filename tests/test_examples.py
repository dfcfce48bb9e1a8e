"""The examples run as they stand; `tests/docs` runs the README and the pages."""

import os
import re
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.cli.main import main
from research.problems.engineering import DESIGNS

ROOT = Path(__file__).parent.parent


def run(example: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run an example elsewhere, so that what it writes does not land in the repository."""
    command = [sys.executable, str(example), *options]
    # The same Hedgerow as here, wherever the example runs.
    environment = {**os.environ, "PYTHONPATH": str(Path(hr.__file__).resolve().parent.parent)}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120, cwd=folder, env=environment
    )


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    finished = run(example, tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout


def test_the_vessel_that_is_shown_keeps_the_rules_beside_the_best_known(tmp_path: Path) -> None:
    shown = run(ROOT / "examples" / "pressure_vessel.py", tmp_path)
    assert "The best design known costs $6,059.71." in shown.stdout
    costs = [float(word.replace(",", "")) for word in re.findall(r"Best design: cost \$([\d,.]+)", shown.stdout)]
    assert 6059.7 < costs[0] < 1.001 * 6059.72
    assert "Trials that broke a rule: 0." in shown.stdout
    assert "✗" not in shown.stdout
    assert "30/30 trials" in shown.stderr
    assert (tmp_path / "pressure_vessel.png").exists() == bool(find_spec("matplotlib"))


def test_a_poor_vessel_is_called_poor(tmp_path: Path) -> None:
    shown = run(ROOT / "examples" / "pressure_vessel.py", tmp_path, "--trials", "1")
    assert "The one found costs" in shown.stdout


def test_the_vessel_s_requirements_are_its_rules() -> None:
    requirements = runpy.run_path(str(ROOT / "examples" / "pressure_vessel.py"))["requirements"]
    design = DESIGNS["pressure-vessel"]()
    feasible = hr.FeasibleSet(design.space, design.rules)
    for point in hr.FeasibleSet(design.space).sample(500, seed=0):
        assert all(required.margin >= 0 for required in requirements(point)) == (point in feasible)


def test_the_coating_runs_from_its_file_to_its_report(tmp_path: Path) -> None:
    for name in ("coating.toml", "coating.py"):
        (tmp_path / name).write_text((ROOT / "examples" / name).read_text(encoding="utf-8"), encoding="utf-8")
    file = str(tmp_path / "coating.toml")
    assert main(["run", file, "--budget", "4", "--method", "random", "--quiet"]) == 0
    assert main(["report", file]) == 0
    page = (tmp_path / "coating-report.html").read_text(encoding="utf-8")
    assert "binder + pigment + filler + solvent == 100" in page
    assert page.count('class="line thread"') + page.count('class="failure"') == 4
