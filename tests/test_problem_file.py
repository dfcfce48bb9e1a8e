"""Problem files: what they say, and how their mistakes are told."""

import pytest

import hedgerow as hr
from hedgerow.problem_file import format_problem, parse_problem
from tests.oracles import time_limit

GOOD = """
[space]
x = [1, 2, 3]
y = { type = "integer", low = 1, high = 4 }
kind = ["a", "b"]

[rules]
small = "x * y <= 6"
pairs = { variables = ["x", "kind"], allowed = [[1, "a"], [2, "b"], [3, "a"]] }
never = { variables = ["x", "y"], forbidden = [[1, 1]] }

[objective]
command = "./measure {x} {y} {kind}"
direction = "minimize"

[run]
budget = 20
"""


def test_space_rules_objective_and_run_are_read() -> None:
    problem = parse_problem(GOOD)
    feasible = hr.FeasibleSet(problem.space, problem.rules)
    listed = {(p["x"], p["y"], p["kind"]) for p in feasible}
    pairs = {(1, "a"), (2, "b"), (3, "a")}
    expected = {
        (x, y, kind)
        for x in (1, 2, 3)
        for y in (1, 2, 3, 4)
        for kind in "ab"
        if x * y <= 6 and (x, kind) in pairs and (x, y) != (1, 1)
    }
    assert listed == expected
    assert problem.objective["direction"] == "minimize"
    assert problem.run["budget"] == 20


def test_what_is_written_reads_back_as_the_same_set() -> None:
    problem = parse_problem(GOOD)
    again = parse_problem(format_problem(problem.space, problem.rules))
    assert again.space == problem.space
    assert list(hr.FeasibleSet(again.space, again.rules)) == list(hr.FeasibleSet(problem.space, problem.rules))


def test_a_mistake_after_a_very_long_blank_line_is_told() -> None:
    with pytest.raises(hr.ProblemFileError, match="line 3, key 'x'"):
        parse_problem("[space]\n" + " " * 100_000 + "\nx = []\n")


def test_table_rules_are_written_as_rows_however_many() -> None:
    rows = [(a, b) for a in range(100) for b in range(100) if (a * b) % 3 != 1]
    space = hr.Space({"a": hr.Integer(0, 99), "b": hr.Integer(0, 99)})
    listed = hr.rules.table([space["a"], space["b"]], rows)
    text = format_problem(space, {"listed": listed})
    assert 'listed = { variables = ["a", "b"], allowed = [[0, 0], [0, 1]' in text
    problem = parse_problem(text)
    assert hr.FeasibleSet(problem.space, problem.rules).count == len(rows)
    problem = parse_problem(format_problem(space, {"others": ~listed}))
    assert hr.FeasibleSet(problem.space, problem.rules).count == 10_000 - len(rows)


def test_a_function_cannot_be_written() -> None:
    space = hr.Space({"x": [1, 2]})
    with pytest.raises(hr.RuleError, match="Rule 'f' is a Python function"):
        format_problem(space, {"f": lambda x: x > 1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"[space]\nx = [{'1' * 5_000}]\n", r"task.toml: Not valid TOML: Exceeds the limit"),
        ("[space]\nx = [1, 2]]\n", r"task.toml: Not valid TOML: .*line"),
        ("[spaces]\nx = [1]\n", r"task.toml, line 1: There is no section \[spaces\]; did you mean 'space'\?"),
        ("[rules]\na = '1 < 2'\n", r"the file has no \[space\]"),
        (
            '[space]\nx = [1, 2]\ny = { type = "integer", low = 1 }\n',
            r"line 3, key 'y' in \[space\]: The type 'integer' needs the key 'high'",
        ),
        (
            '[space]\ny = { type = "intger", low = 1, high = 2 }\n',
            r"line 2, key 'y' in \[space\]: There is no type 'intger'; did you mean 'integer'",
        ),
        (
            '[space]\n[space.y]\ntype = "integer"\nlow = 1\nhi = 2\n',
            r"line 2, key 'y' in \[space\]: The type 'integer' has no key 'hi'; did you mean 'high'",
        ),
        (
            '[space]\nv = { type = "vector", length = 1000000000, of = { type = "boolean" } }\n',
            r"line 2, key 'v' in \[space\]: Vector has a length of 1000000000; at most 100,000",
        ),
        (
            "[space]\n" + "".join(f'v{i} = {{ type = "integer", low = 1, high = 99999 }}\n' for i in range(60)),
            r"line 52, key 'v50' in \[space\]: All variables together have more than 5,000,000 levels",
        ),
        ("[space]\nx = []\n", r"line 2, key 'x' in \[space\]: The list of values is empty"),
        ("[space]\n'a b' = [1]\n", r"line 2, key 'a b' in \[space\]: 'a b' is not a name that a rule could mention"),
        (
            '[space]\nblock = [1, 2]\n\n[rules]\nthreads = "blok <= 2"\n',
            r"line 5, key 'threads' in \[rules\]: There is no variable 'blok'; did you mean 'block'\?",
        ),
        ("[space]\nx = [1]\n[rules]\nr = 3\n", r"line 4, key 'r' in \[rules\]: A rule is text"),
        (
            '[space]\nx = [1]\n[rules]\nr = { variables = ["x"] }\n',
            r"line 4, key 'r' in \[rules\]: A table rule needs 'variables', and either",
        ),
        (
            "[space]\nx = [1]\n[run]\nbudgt = 3\n",
            r"line 4, key 'budgt' in \[run\]: \[run\] has no key 'budgt'; did you mean 'budget'",
        ),
        (
            "[space]\nx = [1]\n[objective]\nunit = 'ms'\n[objectives]\ntime = 'minimize'\nheat = 'minimize'\n",
            r"line 4, key 'unit' in \[objective\]: One unit was given for the objectives 'time' and 'heat'. Say which "
            r'has which, as in unit = { time = "ms", heat = "ms" }',
        ),
        (
            "[space]\nx = [1]\n[objectives]\ntime = 'minimize'\n[objective]\nunit = { tme = 'ms' }\n",
            r"line 6, key 'unit' in \[objective\]: No objective and no limit is about 'tme'; did you mean 'time'\?",
        ),
        ("[space]\nx = [1]\n[objective.unit]\nvalue = 3\n", r"line 3, key 'unit' .* A unit is text, or a table"),
    ],
)
def test_a_mistake_is_told_with_line_and_key(text: str, message: str) -> None:
    with pytest.raises(hr.ProblemFileError, match=message):
        parse_problem(text, name="task.toml")


def test_a_key_of_very_many_parts_is_refused_at_once() -> None:
    with time_limit(2), pytest.raises(hr.ProblemFileError, match="line 1 has a key of more than 1,000 parts"):
        parse_problem(".".join(["a"] * 50_000) + " = 1\n")
    long_sum = " + ".join(["0.5 * x"] * 1_500)
    assert len(parse_problem(f'[space]\nx = [1, 2]\n[rules]\nsum = "{long_sum} <= 1e9"\n').rules) == 1
