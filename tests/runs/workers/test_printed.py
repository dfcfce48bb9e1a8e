"""What commands print: the last number is the value, read as a whole or refused."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.runs.workers.job import Job, evaluate
from hedgerow.runs.workers.printed import UnclearOutput, last_number, lines_from_end, number_printed


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3.0),
        ("first 1\nthen -2.5e-3 s\n", -0.0025),
        ("time=3.5ms", 3.5),
        ("version v2: 7.", 7.0),
        ("a .5 b", 0.5),
        ("none here", None),
        ("1 then nan", None),
        ("1 then -inf", None),
        ("info 4", 4.0),
        ("", None),
        ("0x1F", 31.0),
        ("-0b101", -5.0),
        ("1_000", 1000.0),
        ("1_000.5ms", 1000.5),
        ("3.5\u00b5s", 3.5),
        ("2e3 steps", 2000.0),
        ("50%", 50.0),
        ("16,4,12.5", 12.5),
        ("1, 2, 30", 30.0),
    ],
)
def test_the_last_number_printed_is_the_value(text: str, number: float | None) -> None:
    assert last_number(text) == number


@pytest.mark.parametrize("word", ["1,234.5 ms", "1,234", "12,5", "64,128,256.75", "1.234,5"])
def test_numbers_with_commas_that_may_be_one_or_several_are_refused(word: str) -> None:
    with pytest.raises(UnclearOutput, match="may be one number or several"):
        last_number(word)


@pytest.mark.parametrize("word", ["5m32s", "3.5.2", "0x1G", "3f2a", "3.txt", "1__0"])
def test_words_that_only_begin_as_numbers_are_refused(word: str) -> None:
    with pytest.raises(UnclearOutput, match="which is no number"):
        last_number(f"value {word}")


@pytest.mark.parametrize("word", ["1e400", "-1e999ms", "9" * 400])
def test_numbers_too_large_are_told_as_such(word: str) -> None:
    with pytest.raises(UnclearOutput, match="larger than a number can be"):
        last_number(word)


@given(st.lists(st.binary(max_size=200_000).map(lambda line: line.replace(b"\n", b"")), max_size=5))
def test_lines_are_read_whole_from_the_end(lines: list[bytes]) -> None:
    wanted = [text for line in lines if (text := line.decode("utf-8", errors="replace").strip())]
    assert list(lines_from_end(io.BytesIO(b"\n".join(lines)))) == wanted[::-1]


@pytest.mark.parametrize("n_after", [15_994, 65_530, 300_000])
def test_a_number_is_never_cut_in_two(n_after: int) -> None:
    script = f"print('123456.5' + ' ' * {n_after} + '.'); print('-' * 10)"
    assert evaluate(Job({}, 0, (sys.executable, "-c", script))).value == 123456.5


@pytest.mark.parametrize(
    ("printed", "value", "reason"),
    [
        ("1,234.5 ms", None, "may be one number or several. Print it without commas"),
        ("0x1F", 31.0, ""),
        ("1_000", 1000.0, ""),
        ("1e400", None, "larger than a number can be"),
        ('{"value": 1.5, "epoch": 3}', 1.5, ""),
        ('{"loss": 0.5}', 0.5, ""),
        ('{"loss": 0.5, "epoch": 3}', None, "several numbers by name (loss, epoch)"),
        ('{"loss": 1e400}', None, "larger than a number can be"),
        ('{"loss": NaN}', None, "no finite number"),
        ("{not json 4}", 4.0, ""),
    ],
)
def test_a_command_gives_a_value_or_a_reason(printed: str, value: float | None, reason: str) -> None:
    outcome = evaluate(Job({}, 0, ("echo", printed)))
    assert outcome.value == value
    assert reason in outcome.reason
    assert bool(outcome.reason) == bool(reason)


def test_the_last_line_with_a_number_counts() -> None:
    assert number_printed(io.BytesIO(b"1.5\n\nall is well\n")) == 1.5
