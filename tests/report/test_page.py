"""The page: it is whole for every kind of study, says what the facts say, and text stays text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hedgerow.errors import StudyError
from hedgerow.report.page import render, report_of, write_page
from hedgerow.runs.problem import load_problem
from hedgerow.runs.study import Study
from hedgerow.runs.workers.job import Outcome
from tests.report.conftest import SMALL, Objective, Studies

EXTREME = [1e308, -1e308, 5e-324, 0.0, 1e-300, 1.0, 2.0, 3.0, 4.0]
LONG = "name_" * 40


class Reader(HTMLParser):
    """Checks that elements are closed in turn, and collects texts and sections."""

    VOID = ("meta", "input", "br")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.sections: list[str] = []
        self.text: list[str] = []
        self.loaded: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "section":
            self.sections.append(str(given["id"]))
        self.loaded += [str(value) for name, value in attrs if name in ("src", "href", "srcset", "action")]
        assert not any(name.startswith("on") for name in given)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def numbers(values: list[float]) -> Objective:
    left = iter(values)
    return lambda _: Outcome(next(left))


def mixed(point: dict[str, int]) -> Outcome:
    if point["x"] == 3:
        return Outcome(None, "it gelled", 0.2, "too hot")
    return Outcome(
        float((point["x"] - 5) ** 2 + 4 * (point["x"] > 4) * (str(point["y"]) == "b")), seconds=1.0, output="x"
    )


def many_variables() -> str:
    lines = [f"{LONG if i == 0 else 'v'}{i} = {{ type = 'integer', low = 0, high = 3 }}" for i in range(200)]
    rules = [f"'rule {i} {'long ' * 30}' = 'v{i + 1} + v{i + 2} <= 5'" for i in range(40)]
    return "\n".join(["[space]", *lines, "[rules]", *rules])


STUDIES: dict[str, tuple[str, int, Objective, int]] = {
    "one": (SMALL, 1, numbers([2.5]), 0),
    "failed": (SMALL, 4, lambda _: Outcome(None, "exit code 1", 0.1, "boom"), 0),
    "constant": (SMALL, 6, lambda _: Outcome(7.0), 0),
    "running": (SMALL, 0, numbers([]), 2),
    "mixed": (SMALL, 18, mixed, 1),
    "extreme": (SMALL, len(EXTREME), numbers(EXTREME), 0),
    "no rules": ("[space]\nx = [1, 2, 3, 4, 5, 6]\n", 5, lambda point: Outcome(1.0 / point["x"]), 0),
    "many variables": (many_variables(), 12, lambda point: Outcome(float(sum(point.values()))), 0),
    "a single value": ("[space]\nx = [1]\ny = [1, 2]\n", 2, lambda point: Outcome(float(point["y"])), 0),
}


@pytest.mark.parametrize("kind", STUDIES)
def test_every_kind_of_study_gives_a_whole_page(kind: str, studies: Studies) -> None:
    text, n, objective, n_running = STUDIES[kind]
    page = render(studies.facts(text, n, objective, n_running=n_running))
    read = Reader(page)
    assert {"best", "convergence", "failures", "cost", "settings"} <= set(read.sections)
    assert read.loaded == []
    assert not re.search(r"[\">: ](nan|inf|-inf)[%\"< ]", page)


def test_the_page_says_what_the_facts_say(studies: Studies) -> None:
    facts = studies.facts(SMALL, 18, mixed, n_running=1)
    read = Reader(render(facts))
    text = " ".join(read.text)
    assert read.sections == [
        "best", "rules", "convergence", "parallel", "effects", "interactions", "left", "failures", "cost", "settings",
    ]  # fmt: skip
    assert "1 trial still running" in text
    assert "it gelled" in text
    assert "too hot" in text
    assert "method random, seed 0, hedgerow" in text
    assert 'cap = "x <= 7"' in text
    assert "of 30, under 2 rules" in text


def test_every_trial_is_a_dot_and_every_feasible_value_a_line(studies: Studies) -> None:
    facts = studies.facts(SMALL, 18, mixed)
    page = render(facts)
    convergence = page[page.index('id="convergence"') : page.index('id="parallel"')]
    n_failed = sum(trial.state == "failed" for trial in facts.trials)
    assert convergence.count('class="dot trial"') == len(facts.kept)
    assert convergence.count('class="dot failed"') == n_failed
    assert page.count('class="line thread"') == len(facts.kept)


def test_rule_changes_are_told(studies: Studies) -> None:
    file = studies.make(SMALL, 4, mixed)
    assert "Changes of the rules" not in render(report_of(load_problem(file), file))
    file.write_text(file.read_text().replace("x <= 7", "x <= 6").replace("pair =", "twin ="))
    assert "In the file now, and not yet used by any trial" in render(report_of(load_problem(file), file))
    Study(load_problem(file))
    page = render(report_of(load_problem(file), file))
    changes = page[page.index('id="changes"') : page.index('id="settings"')]
    assert "after 4 trials" in changes
    for words in ("added", "dropped", "changed", "cap: x &lt;= 7", "x &lt;= 6"):
        assert words in changes


def test_a_password_in_the_storage_is_not_shown(studies: Studies, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = studies.facts(SMALL, 2, mixed)
    object.__setattr__(facts.problem, "storage", "postgresql://me:secret@host/base?password=secret")
    page = render(facts)
    assert "postgresql://me:***@host/base" in page
    assert "secret" not in page


def test_halves_of_characters_can_be_written(studies: Studies, tmp_path: Path) -> None:
    facts = studies.facts(SMALL, 2, lambda _: Outcome(None, "broken \ud800 text", output="\x00\u2028</pre>"))
    write_page(facts, tmp_path / "page.html")
    assert "broken ? text" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_place_that_cannot_be_written_is_told(studies: Studies, tmp_path: Path) -> None:
    facts = studies.facts(SMALL, 1, mixed)
    with pytest.raises(StudyError, match="cannot be written"):
        write_page(facts, tmp_path / "no" / "such" / "folder.html")


def test_very_many_trials_are_drawn_in_few_marks(studies: Studies) -> None:
    facts = studies.facts(SMALL, 3, mixed)
    grown = [*facts.trials] * 700
    object.__setattr__(facts, "trials", grown)
    page = render(facts)
    assert len(page) < 400_000
    assert page.count("<path") < 1500


def _channel(value: int) -> float:
    share = value / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def _luminance(color: str) -> float:
    full = color if len(color) == 7 else "#" + "".join(2 * digit for digit in color[1:])
    red, green, blue = (_channel(int(full[i : i + 2], 16)) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_text_has_enough_contrast_by_day_and_by_night(studies: Studies) -> None:
    page = render(studies.facts(SMALL, 1, mixed))
    found = re.findall(r"--(\w+): (#\w+)", page[: page.index("</style>")])
    names = [name for name, _ in found]
    assert {names.count(name) for name in names} == {2}, "every color is given for both themes"
    # Read backwards, the first of each name is the one that stays: that of the light theme.
    for theme in (dict(reversed(found)), dict(found)):
        for text, ground in [
            *((text, ground) for text in ("ink", "quiet", "best") for ground in ("paper", "soft", "tint")),
            ("ink", "low"),
            ("ink", "high"),
            ("bad", "paper"),
        ]:
            light, dark = sorted((_luminance(theme[text]), _luminance(theme[ground])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)
