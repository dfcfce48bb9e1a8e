"""The package for OptunaHub: its layout, and that it works where OptunaHub loads it."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import optuna
import pytest

ROOT = Path(__file__).parents[2]
REGISTRY = ROOT / "optunahub" / "package"
PACKAGE = REGISTRY / "samplers" / "hedgerow"


def test_the_package_has_the_files_and_the_head_that_the_registry_asks_for() -> None:
    assert {path.name for path in PACKAGE.iterdir()} >= {"README.md", "LICENSE", "__init__.py", "example.py"}
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    head = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    assert head is not None
    keys = [line.split(":")[0] for line in head[1].splitlines()]
    assert keys == ["author", "title", "description", "tags", "optuna_versions", "license"]
    for section in ("Abstract", "APIs", "Installation", "Example"):
        assert f"\n## {section}\n" in text
    assert (PACKAGE / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_the_example_of_the_package_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """OptunaHub would fetch the package; here it is the folder beside the example."""
    import hedgerow  # noqa: PLC0415

    stand_in = SimpleNamespace(load_module=lambda name: hedgerow if name == "samplers/hedgerow" else None)
    monkeypatch.setitem(sys.modules, "optunahub", stand_in)
    namespace: dict[str, object] = {"__name__": "example"}
    code = compile(ast.parse((PACKAGE / "example.py").read_text()), "example.py", "exec")
    exec(code, namespace)  # noqa: S102 - our own example
    sampler = hedgerow.HedgerowSampler(namespace["space"], rules=namespace["rules"], seed=0)  # type: ignore[arg-type]
    study = optuna.create_study(sampler=sampler)
    study.optimize(namespace["objective"], n_trials=4)  # type: ignore[arg-type]
    assert len(study.trials) == 4


def test_optunahub_loads_the_package() -> None:
    # The folder of the package has the name of the one that loads it.
    hub = pytest.importorskip("optunahub.hub", reason="OptunaHub is not installed")
    module = hub.load_local_module("samplers/hedgerow", registry_root=str(REGISTRY))
    space = {"x": optuna.distributions.IntDistribution(0, 9), "y": optuna.distributions.IntDistribution(0, 9)}
    study = optuna.create_study(sampler=module.HedgerowSampler(space, rules=["x + y == 9"], seed=0))
    study.optimize(lambda trial: trial.suggest_int("x", 0, 9) - trial.suggest_int("y", 0, 9), n_trials=20)
    assert len(study.trials) == 10, "the study ends when all ten points are tried"
    assert study.best_params == {"x": 0, "y": 9}
