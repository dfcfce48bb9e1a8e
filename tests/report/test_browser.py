"""The page in a real browser: its plots are drawn, its script runs, it fits the screen, and text never becomes code."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hedgerow.outcomes.failure import Failure
from hedgerow.report.page import report_of, write_page
from hedgerow.runs.problem import load_problem
from hedgerow.runs.study import Study
from hedgerow.runs.workers.job import Outcome
from tests.report.browser import find_browser, opened, probed
from tests.report.conftest import Studies

PROBLEM = """
[space]
x = { type = "integer", low = 0, high = 9 }
kind = ["plain", "coated", "double coated and dried"]
on = { type = "boolean" }
a_variable_with_a_name_that_is_much_longer_than_any_column = [1, 2, 3]
[rules]
cap = "x <= 7 or on"
"""
# What a hostile text would do, if it could.
DEED = "document.documentElement.dataset.hacked=1"
HOSTILE = [
    f"<script>{DEED}</script>",
    f'"><img src=x onerror="{DEED}">',
    f"</script><script>{DEED}</script>",
    f"</title></style><svg onload={DEED}>",
    f"' onmouseover='{DEED}' autofocus onfocus='{DEED}'",
    f"<a href=javascript:{DEED}>&lt;b&gt;&amp;</a>",
]
FACTS = """
  var drawings = Array.from(document.querySelectorAll("svg"));
  function seen(path) {
    var box = path.getBoundingClientRect(), look = getComputedStyle(path);
    return look.stroke !== "none" || look.fill !== "none" ? box.width + box.height + parseFloat(look.strokeWidth) : 0;
  }
  return {
    scripts: document.documentElement.dataset.scripts,
    error: document.documentElement.dataset.scriptError || null,
    drawings: drawings.map(function (each) {
      var box = each.getBoundingClientRect();
      return [box.width, box.height, Array.from(each.querySelectorAll("path")).filter(seen).length];
    }),
    dots: document.querySelectorAll("#convergence .dot.trial").length,
    threads: document.querySelectorAll("#parallel .thread").length,
    cells: Array.from(document.querySelectorAll(".heat td:not(.empty)")).map(function (cell) {
      return getComputedStyle(cell).backgroundColor;
    }),
    overflow: document.scrollingElement.scrollWidth - document.documentElement.clientWidth,
    width: document.documentElement.clientWidth,
    paper: getComputedStyle(document.body).backgroundColor,
    labels: Array.from(document.querySelectorAll(".x-labels")).map(function (row) {
      return Array.from(row.children).map(function (label) {
        var box = label.getBoundingClientRect();
        return [box.left, box.right];
      });
    }),
  };
"""
READING = """
  var figure = document.querySelector("figure.parallel"), drawing = figure.querySelector("svg");
  var box = drawing.getBoundingClientRect(), line = figure.querySelectorAll(".thread")[3];
  var end = line.getAttribute("d").split("L").pop().split(" ").map(Number);
  function point(x, y) {
    drawing.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true }));
  }
  point(box.left + box.width * end[0] / 1000 - 1, box.top + box.height * end[1] / 1000);
  var read = figure.querySelectorAll(".read");
  var words = figure.querySelector(".readout").textContent;
  drawing.dispatchEvent(new PointerEvent("pointerleave"));
  var slider = figure.querySelector("input");
  slider.value = 4;
  slider.dispatchEvent(new Event("input"));
  return {
    n: read.length, title: read[0].querySelector("title").textContent, words: words,
    still: figure.classList.contains("reading"),
    left: figure.querySelectorAll(".thread:not(.hidden)").length,
    output: figure.querySelector("output").textContent,
    controls: figure.querySelector(".controls").hidden,
    error: document.documentElement.dataset.scriptError || null,
  };
"""

# Everything is opened and touched, and then looked at.
PROVOKED = """
  var everything = Array.from(document.querySelectorAll("*"));
  var kinds = ["mouseover", "focus", "click", "pointermove"];
  everything.forEach(function (each) {
    if (each.tagName === "DETAILS") { each.open = true; }
    kinds.forEach(function (kind) { each.dispatchEvent(new Event(kind)); });
  });
  function isHandling(each) {
    return Array.from(each.attributes).some(function (attribute) { return attribute.name.startsWith("on"); });
  }
  return {
    hacked: document.documentElement.dataset.hacked || null,
    elements: Array.from(new Set(everything.map(function (each) { return each.tagName; }))),
    handlers: everything.filter(isHandling).length,
    text: document.body.textContent,
  };
"""


def objective(point: dict[str, Any]) -> Outcome:
    if point["x"] == 2:
        return Outcome(None, "too cold", 0.2, "shivering")
    crossed = 9.0 * ((point["x"] > 4) != point["on"])
    return Outcome((point["x"] - 6) ** 2 + crossed + 3 * len(point["kind"]) / 10, seconds=0.3, output="x")


@pytest.fixture(name="page")
def page_fixture(studies: Studies) -> Path:
    find_browser()
    return written(studies.make(PROBLEM, 24, objective))


def written(file: Path) -> Path:
    page = file.with_name("page.html")
    write_page(report_of(load_problem(file), file), page)
    return page


def test_the_page_runs_its_script_under_its_own_policy(page: Path) -> None:
    document = opened(page)
    assert 'data-scripts="done"' in document
    assert "data-script-error" not in document
    assert re.search(r'class="controls"(?! hidden)', document), "the script shows the controls"


@pytest.mark.parametrize(("width", "is_dark"), [(1280, False), (390, True)])
def test_plots_are_drawn_and_fit_the_screen(page: Path, width: int, is_dark: bool) -> None:
    facts = probed(page, FACTS, width=width, is_dark=is_dark)
    assert (facts["scripts"], facts["error"]) == ("done", None)
    assert len(facts["drawings"]) >= 6
    for drawn_width, height, n_marks in facts["drawings"]:
        assert drawn_width > 80
        assert height > 15
        assert n_marks >= 1
    assert facts["dots"] == facts["threads"] > 10
    assert len(set(facts["cells"])) > 3, "cells have the colors of their values"
    assert facts["width"] == width
    assert facts["overflow"] <= 0, "nothing is wider than the screen"
    assert facts["paper"] == ("rgb(20, 25, 31)" if is_dark else "rgb(255, 255, 255)")
    for row in facts["labels"]:
        for (_, right), (left, _) in pairwise(row):
            assert right <= left, "labels of an axis do not overlap"


SEVERAL = """
[objectives]
time = "minimize"
work = "maximize"
[limits]
a_limit_with_quite_a_long_name = "memory <= 9 and memory >= 1"
"""
ROOM = """
  Array.from(document.querySelectorAll("details")).forEach(function (each) { each.open = true; });
  function hidden(each) { return each.scrollWidth - each.clientWidth; }
  var tables = Array.from(document.querySelectorAll("#failures > .wide"));
  return {
    cut: Array.from(document.querySelectorAll("#limits .wide, #parallel .wide")).map(hidden),
    gap: tables[1].getBoundingClientRect().top - tables[0].getBoundingClientRect().bottom,
    shade: getComputedStyle(tables[0]).backgroundImage.split("linear-gradient").length - 1,
  };
"""


def test_a_narrow_page_cuts_no_limits_and_sets_tables_apart(tmp_path: Path) -> None:
    find_browser()
    file = tmp_path / "study.toml"
    space = "\n".join(f"v{i} = {{ type = 'integer', low = 0, high = 9 }}" for i in range(6))
    file.write_text(f"[space]\n{space}\n{SEVERAL}", encoding="utf-8")
    study = Study(load_problem(file))
    for k in range(12):
        point = {f"v{i}": (k * (i + 3)) % 10 for i in range(6)}
        gave = {"time": float(k), "work": float(k % 5), "memory": float(k)}
        study.tell(point, Failure("exit code 1") if point["v1"] > 6 else gave)
    facts = probed(written(file), ROOM, width=500)
    assert facts["cut"] == [0, 0, 0]
    assert facts["gap"] > 15
    assert facts["shade"] == 4, "what can be scrolled sideways has a shadow where there is more"


def test_lines_can_be_read_and_thinned_out(page: Path) -> None:
    facts = probed(page, READING)
    assert (facts["error"], facts["controls"]) == (None, False)
    assert facts["n"] == 1
    assert facts["words"] == facts["title"]
    assert facts["words"].startswith("Trial ")
    assert not facts["still"]
    assert facts["left"] == 4
    assert facts["output"].startswith("4 of ")


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@pytest.mark.parametrize("has_policy", [True, False])
def test_hostile_text_is_shown_and_never_run(studies: Studies, has_policy: bool) -> None:
    find_browser()
    values = ", ".join(map(quoted, HOSTILE))
    rules = "\n".join(
        f"{quoted(text)} = {quoted(f'kind != {text[:40]!r} or x >= {i}')}" for i, text in enumerate(HOSTILE)
    )
    storage = (
        f'[run]\nmethod = "random"\nstudy = {quoted(HOSTILE[1])}\nstorage = "journal:{studies.folder / "j.log"}"\n'
    )
    problem = f"[space]\nx = [0, 1, 2, 3, 4, 5]\nkind = [{values}]\n[rules]\n{rules}\n{storage}"

    def hostile(point: dict[str, Any]) -> Outcome:
        text = HOSTILE[point["x"]]
        return Outcome(None, text, 0.1, text) if point["x"] > 3 else Outcome(point["x"] + len(point["kind"]) % 7)

    page = written(studies.make(problem, 30, hostile, name='"><img src=x onerror=' + DEED + ">"))
    assert page.read_text(encoding="utf-8").count("<script") == 1
    if has_policy:
        assert "data-hacked" not in opened(page).partition("<body")[0]
        return
    facts = probed(page, PROVOKED)
    assert facts["hacked"] is None
    assert facts["handlers"] == 0
    assert not {"IMG", "A", "IFRAME", "OBJECT"} & set(facts["elements"])
    for text in HOSTILE:
        assert text in facts["text"], "it is shown as it was written"
