"""What fuzzing starts from: small well-formed texts of each kind, and the words that matter in them."""

from __future__ import annotations

import json
from typing import Any

_PARAMETERS: list[Any] = [
    {"Name": "x", "Type": "int", "Values": "[2**i for i in range(3)] + [9]", "Default": 1},
    {"Name": "y", "Type": "string", "Values": ["a", "b"]},
]
_T1 = {
    "General": {"BenchmarkName": "toy"},
    "ConfigurationSpace": {
        "TuningParameters": _PARAMETERS,
        "Conditions": [{"Expression": "x > 1 or y == 'a'", "Parameters": ["x", "y"]}],
    },
}
_CONFIGSPACE = {
    "name": "cs",
    "hyperparameters": [
        {"type": "uniform_float", "name": "f", "lower": 0.1, "upper": 1.0, "log": True, "default_value": 0.5},
        {"type": "uniform_int", "name": "i:1", "lower": 1, "upper": 5, "default_value": 2, "q": 2},
        {"type": "normal_int", "name": "n", "mu": 3, "sigma": 1, "lower": 0, "upper": 9, "default_value": 3},
        {"type": "categorical", "name": "c", "choices": ["a", "b", None], "default_value": "a", "weights": [1, 2, 1]},
        {"type": "ordinal", "name": "o", "sequence": ["s", "m", "l"], "default_value": "m"},
        {"type": "constant", "name": "k", "value": 3},
    ],
    "conditions": [
        {"type": "EQ", "child": "f", "parent": "c", "value": "a"},
        {
            "type": "AND",
            "child": "n",
            "conditions": [
                {"type": "GT", "child": "n", "parent": "f", "value": 0.2},
                {"type": "IN", "child": "n", "parent": "o", "values": ["s", "m"]},
            ],
        },
        {"type": "NEQ", "child": "i:1", "parent": "o", "value": "l"},
    ],
    "forbiddens": [
        {"type": "RELATION_LT", "left": "i:1", "right": "n"},
        {
            "type": "AND",
            "clauses": [{"type": "EQUALS", "name": "n", "value": 3}, {"type": "CLAUSE_GE", "name": "f", "value": 0.3}],
        },
    ],
}
_YAML = """hyperparameters:
- {type: uniform_int, name: a, lower: 1, upper: 4, default_value: 2}
- type: categorical
  name: b
  choices: [x, y]
  default_value: x
conditions:
- {type: EQ, child: a, parent: b, value: x}
"""
_BACO = {
    "application_name": "toy",
    "input_parameters": {
        "a": {"parameter_type": "ordinal", "values": [1, 2, 4], "constraints": ["(a < b) | ~(b > 2)"]},
        "b": {"parameter_type": "integer", "values": [1, 4], "constraints": ["where(a > 1, b % 2 == 0, b >= a)"]},
        "r": {"parameter_type": "real", "values": [0.1, 1], "transform": "log"},
        "c": {"parameter_type": "categorical", "values": ["x", "y"]},
        "p": {"parameter_type": "permutation", "values": [3], "constraints": ["(p_i0 < p_i1) & (p_2 != 0)"]},
    },
}
_SPL = """<vm name="m"><binaryOptions>
<configurationOption><name>root</name><parent></parent><optional>False</optional></configurationOption>
<configurationOption><name>a</name><parent>root</parent><impliedOptions><options>c | b</options></impliedOptions>
<optional>True</optional></configurationOption>
<configurationOption><name>b</name><parent>root</parent><excludedOptions><options>c</options></excludedOptions>
<optional>False</optional></configurationOption>
<configurationOption><name>c</name><parent>root</parent><excludedOptions><options>b</options></excludedOptions>
<optional>False</optional></configurationOption>
</binaryOptions><numericOptions><configurationOption><name>n</name><minValue>1</minValue><maxValue>9</maxValue>
<stepFunction>n * 2</stepFunction></configurationOption></numericOptions>
<booleanConstraints><constraint>!a | -b</constraint></booleanConstraints>
<nonBooleanConstraints><constraint>n * 2 &lt;= 9</constraint></nonBooleanConstraints>
<mixedConstraints><constraint req="one" exprKind="neg">a * n = 4</constraint></mixedConstraints></vm>
"""
_UVL = """namespace test
features
    root {abstract}
        mandatory
            a {cost 3, size {x 1}, constraint a => b}
        optional
            b {cost 2}
            "c d" cardinality [1..2]
        alternative
            e_1
            e_2
        [1..2]
            Integer f
            g
            h // remark
constraints
    !(a & b) => (e_1 <=> g) | sum(cost) + 2 * a.size.x < 5
"""
_PROBLEM = """[space]
x = [1, 2, 4]
y = { type = "integer", low = -1, high = 3 }
r = { type = "real", low = 0.1, high = 1.0, levels = 3, log = true }
k = { type = "categorical", values = ["a", 1, 2.5] }
v = { type = "vector", length = 2, of = { type = "boolean" } }

[rules]
a = "x * y <= 4 and all_different(v)"
b = { variables = ["x", "y"], forbidden = [[1, 1], [2, 0]] }

[objective]
command = "./run {x}"

[run]
budget = 3
"""

_BAYBE = {
    "searchspace": {
        "discrete": {
            "parameters": [
                {
                    "type": "CategoricalParameter",
                    "name": "k",
                    "active_values": None,
                    "values": ["p", "q"],
                    "encoding": "OHE",
                },
                {"type": "NumericalDiscreteParameter", "name": "a b", "values": [0.0, 0.5, 1.0], "tolerance": 0.0},
            ],
            "constraints": [
                {
                    "type": "DiscreteExcludeConstraint",
                    "parameters": ["k", "a b"],
                    "conditions": [
                        {"type": "SubSelectionCondition", "selection": ["p"]},
                        {"type": "ThresholdCondition", "threshold": 0.5, "operator": ">", "tolerance": None},
                    ],
                    "combiner": "AND",
                }
            ],
        },
        "continuous": {
            "parameters": [{"name": "x", "bounds": {"lower": 0.0, "upper": 1.0}}],
            "constraints_lin_ineq": [{"parameters": ["x"], "operator": "<=", "coefficients": [2.0], "rhs": 1.5}],
        },
    },
    "objective": {
        "type": "SingleTargetObjective",
        "target": {"type": "NumericalTarget", "name": "g", "minimize": True},
    },
    "measurements": [{"k": "q", "a b": 0.5, "x": 0.5, "g": 1.5}],
}
_BOFIRE = {
    "inputs": {
        "features": [
            {"type": "ContinuousInput", "key": "x", "bounds": [0, 1], "stepsize": 0.25},
            {"type": "ContinuousInput", "key": "y", "bounds": [0, 1]},
            {"type": "CategoricalInput", "key": "k", "categories": ["a", "b"], "allowed": [True, True]},
        ]
    },
    "outputs": {"features": [{"key": "g", "objective": {"type": "MaximizeObjective"}}]},
    "constraints": [
        {"type": "LinearInequalityConstraint", "features": ["x", "y"], "coefficients": [1, -2.5], "rhs": 0.5},
        {"type": "NChooseKConstraint", "features": ["x", "y"], "min_count": 0, "max_count": 1, "none_also_valid": True},
        {"type": "NonlinearInequalityConstraint", "expression": "x**2 + y - 1"},
    ],
    "experiments": {
        "rows": [{"inputs": {"x": 0.25, "y": 0.5, "k": "a"}, "outputs": {"g": {"value": 1, "valid": True}}}]
    },
}
_AX = {
    "experiment": {
        "name": "ex",
        "search_space": {
            "parameters": [
                {"__type": "RangeParameter", "name": "lr", "lower": 1e-4, "upper": 0.1, "log_scale": True},
                {"__type": "RangeParameter", "name": "d", "parameter_type": {"name": "INT"}, "lower": 1, "upper": 8},
                {"__type": "ChoiceParameter", "name": "act", "values": ["relu", "tanh"], "is_ordered": False},
                {"__type": "FixedParameter", "name": "f", "value": 3},
            ],
            "parameter_constraints": [{"__type": "ParameterConstraint", "inequality": "1.0 * d + 2.0 * lr <= 6.0"}],
        },
        "optimization_config": {"objective": {"expression": "-1 * loss"}, "outcome_constraints": [{"metric": {}}]},
        "trials": {
            "0": {"status": {"name": "FAILED"}, "arms": [{"__type": "Arm", "name": "0", "parameters": {"d": 1}}]}
        },
    }
}

SEEDS: dict[str, list[str]] = {
    "rule": [
        "x * y <= 4 and not (flag or r > 0.5)",
        "implies(kind == 'a', size >= 'large') and x in [1, 2, 3]",
        "sum(v) == 3 or all_different(v, ignore=0) and longest_run(v) < 3",
        "1 if flag else (x ** 2) % 3 < y // 2 - abs(-y)",
        "table([x, y], [(1, 2), (4, 3)]) and contains(v, [0, 1]) and count(v == 1) >= 1",
        "at_most(1, flag, x > 1) and xor(flag, y == 1) and iff(x > 1, y > 1) and increasing(v, strict=True)",
        "v[0] < v[-1] or sum(v[1:3]) == 2 or min(x, y) < max(v) # remark",
    ],
    "problem": [_PROBLEM],
    "values": ["[1, 2] + list(range(3, 9, 2))", "[2**i for i in range(4)]", "['a', \"b\", -1.5e3, True]"],
    "t1": [json.dumps(_T1)],
    "configspace": [json.dumps(_CONFIGSPACE), _YAML],
    "spl": [_SPL],
    "uvl": [_UVL],
    "dimacs": [
        "c 1 root\nc 2 a b\np cnf 5 8\n1 0\n-1 2 3 0\n-2 -3 0\n-2 1 0\n-3 1 0\n4 -5 0 -4 5 0\n-2 -4\n 0\n",
    ],
    "smt": [
        "(set-logic QF_LIA) ; x\n(declare-datatype C ((red) (green)))(declare-const c C)(declare-fun |a b| () Int)"
        "(declare-const r Real)(declare-const p Bool)(assert (and (<= 1 |a b|) (< |a b| 9) (<= 0.5 r 2.0)))"
        "(define-fun twice ((x Int)) Int (* 2 x))(assert (! (=> p (= c red)) :named only))"
        "(assert (let ((s (twice |a b|))) (or (= (mod s 3) 0) (distinct c green) (ite p (> r 1.0) (>= s (- 4))))))",
    ],
    "baco": [json.dumps(_BACO)],
    "baybe": [json.dumps(_BAYBE)],
    "bofire": [json.dumps(_BOFIRE)],
    "ax": [json.dumps(_AX)],
    "csv": ['a, b,c d\n1, 0.5, true\n2, .5, "x, y"\n', "a;b\n1;x\n2;\n\n1;x\n"],
}

# Beside the words of the seeds themselves.
WORDS = (
    *("and", "or", "not", "in", "if", "else", "lambda", "None", "True", "is", "for", "await", "__import__('os')"),
    *("x.__class__", "eval('1')", "exec", "f'{x}'", "x := 1", "**", "//", "%", "~", "^", "&&", "||", "<=>", "=>"),
    *(
        "0",
        "-1",
        "1e308",
        "1e999",
        "9" * 25,
        "9" * 400,
        "9" * 5_000,
        "0.1",
        "-0",
        "nan",
        "inf",
        "1_0",
        "0x10",
        "1j",
        "007",
    ),
    *("'", '"', '"""', "#", "\\", "\n", "\t", "\r", "\x00", "\ufeff", "\u2028", "ß", "ﬁ", "\U0001f600", "\\ud800"),
    *("null", "{}", "[]", "[[1]]", "{", "}", "[", "]", "(", ")", ",", ":", ";", "<", ">", "&amp;", "<!ENTITY a 'b'>"),
    *("<![CDATA[a]]>", "<?xml version='1.0' encoding='utf-16'?>", "!!python/name:os.system", "&a", "*a", "<<: ", "---"),
    *("alternative", "[0..*]", "cardinality [2..3]", "sum(x)", "avg(x)", "//", "/*", "p cnf 2 2", "%", "c 1 a"),
)
