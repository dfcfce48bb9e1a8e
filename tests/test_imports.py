"""Importing the library stays light: nothing is loaded that only some of its rooms need."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

HEAVY = ("scipy", "numba", "optuna", "pandas", "matplotlib", "rich", "sklearn", "torch", "jax", "ortools", "hypothesis")


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_import_loads_nothing_heavy() -> None:
    loaded = run(f"import sys, hedgerow; print([name for name in {HEAVY!r} if name in sys.modules])")
    assert loaded == "[]"


def test_using_a_feasible_set_loads_nothing_heavy() -> None:
    code = (
        "import sys, hedgerow as hr; f = hr.FeasibleSet(hr.Space({'a': [1, 2], 'b': [1, 2]}), ['a < b']); f.doctor(); "
    )
    loaded = run(code + f"f.sample(3); print([name for name in {HEAVY!r} if name in sys.modules])")
    assert loaded == "[]"


def test_the_version_is_the_same_everywhere() -> None:
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["project"]["version"] == run("import hedgerow; print(hedgerow.__version__)")


def test_every_public_name_is_there() -> None:
    missing = run("import hedgerow as hr; print([name for name in hr.__all__ if not hasattr(hr, name)])")
    assert missing == "[]"


def test_importing_prints_no_warning() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import hedgerow"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_looking_at_the_methods_loads_none_of_them() -> None:
    code = (
        "import sys, hedgerow.methods as m; from hedgerow.methods import method_named, Method, History, Reason; "
        "assert set(m.__all__) <= set(dir(m)); "
    )
    loaded = run(code + f"print([name for name in {HEAVY!r} if name in sys.modules])")
    assert loaded == "[]"


def test_minimize_and_the_optimizer_never_load_optuna() -> None:
    code = (
        "import sys, hedgerow as hr; space = hr.Space({'a': [1, 2, 3], 'b': [1, 2, 3]})\n"
        "hr.minimize(lambda point: point['a'] * point['b'], space, rules=['a != b'], budget=4, progress=False)\n"
        "optimizer = hr.Optimizer(space, ['a != b']); optimizer.tell(optimizer.ask(), 1.0); optimizer.ask()\n"
        "print([name for name in ('optuna', 'sqlalchemy', 'alembic', 'rich') if name in sys.modules])"
    )
    assert run(code) == "[]"
