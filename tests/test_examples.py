"""The examples and the README run as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.problem_file import parse_problem

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_example_runs(example: Path) -> None:
    finished = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, check=False, timeout=120)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout


def test_python_in_the_readme_runs_and_counts_what_it_says() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert blocks
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), namespace)  # noqa: S102 - our own page
    feasible = namespace["feasible"]
    assert isinstance(feasible, hr.FeasibleSet)
    assert feasible.count == 110


def test_toml_in_the_readme_is_a_problem_file() -> None:
    for block in re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(), re.S):
        problem = parse_problem(block)
        assert hr.FeasibleSet(problem.space, problem.rules).count > 0
