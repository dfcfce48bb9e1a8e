"""What a run says while it works, where the output is no terminal."""

import sys
import types
from typing import Any

import pytest

import hedgerow as hr
from hedgerow import compiled

SPACE = hr.Space({"x": hr.Integer(0, 20)})


def test_a_log_gets_a_line_for_each_improvement_and_one_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    hr.minimize(lambda point: float(point["x"]), SPACE, budget=10)  # what is compiled for it is there from now on
    result = hr.minimize(lambda point: float(point["x"]), SPACE, budget=10, progress=True)
    *improvements, last = capsys.readouterr().err.splitlines()
    best = result.best_so_far()
    changes = [n for n in range(10) if n == 0 or best[n] < best[n - 1]]
    assert improvements == [f"trial {n}: best {best[n]:,.6g}" for n in changes]
    assert last.startswith(f"10/10 trials, best {result.best_value:,.6g}")


def test_a_log_of_failures_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    hr.minimize(lambda _: None, SPACE, budget=3, progress=True)
    assert capsys.readouterr().err.startswith("3/3 trials, no value yet")


def test_elsewhere_than_in_a_terminal_nothing_is_said_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    hr.minimize(lambda point: point["x"], SPACE, budget=3)
    assert capsys.readouterr().err == ""


def test_a_notebook_is_kept_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str] = []

    class Handle:
        def update(self, page: str) -> None:
            pages.append(page)

    def display(page: str, display_id: bool) -> Handle:
        pages.append(page)
        return Handle()

    shell = type("ZMQInteractiveShell", (), {})()
    module = types.ModuleType("IPython")
    module.get_ipython = lambda: shell  # type: ignore[attr-defined]
    shown = types.ModuleType("IPython.display")
    shown.HTML, shown.display = str, display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", shown)

    def objective(point: dict[str, Any]) -> float:
        compiled._first_compilation().say("compiling")
        return float(point["x"])

    hr.minimize(objective, hr.Space({"x": [1, 2, 3]}), budget=3, method="random")
    assert any("trials, compiling" in page for page in pages)
    assert "0/3 trials, no value yet" in pages[0]
    assert "3/3 trials, best 1" in pages[-1]
    assert '<progress value="3" max="3">' in pages[-1]
