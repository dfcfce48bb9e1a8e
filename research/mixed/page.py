"""The page of what was shown over mixed spaces, made of the rows that its commands left: docs/results/mixed.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from hedgerow.wording import counted
from research.mixed import conditional, guarantee
from research.mixed.contestants import CONTESTANTS
from research.problems.engineering import DESIGNS

Row = Mapping[str, str]

BUDGET = 60
# Seeds below which a rival is said to have been run too little.
_ENOUGH = 5


def designs(rows: Sequence[Row]) -> list[str]:
    """Return what was run on the design problems."""
    methods = [method for method in CONTESTANTS if any(row["method"] == method for row in rows)]
    lines = [
        "# Design problems with real variables",
        "",
        _summary(rows, methods),
        "",
        f"Median trials, of {BUDGET}, to within 1 % of the best known design, and in brackets to within 0.1 %; a",
        "dash is more than that. Rows of `python -m research mixed`, 2 cores, 2026-11-18. The default's constants",
        "for reals were set while looking at these problems. What stays inside the rules begins with draws from",
        "them. Optuna's TPE and GP samplers and NOMAD are told how far each rule is broken; CMA-ES and SMAC,",
        "which take no constraints over reals, are told worse values instead; a point that breaks a rule is a",
        "trial that gives nothing. BoTorch searches inside the rules: draws from them and changes of good designs",
        "are scored, and reals climb by `optimize_acqf` under the rules as nonlinear constraints, from rows that",
        "Hedgerow's draws gave it. Rivals with one seed were slow to run (SMAC, BoTorch). Seeds 0 to 4 of `hedgerow`",
        "are by the present code, 5 to 9 from before it; on the first five both need much the same (11.8 and 12.4",
        "trials to 1 % in the mean of all designs).",
        "",
        "| design | " + " | ".join(methods) + " |",
        "|---" * (len(methods) + 1) + "|",
    ]
    for name in DESIGNS:
        cells = []
        for method in methods:
            own = _rows_of(rows, name, method)
            cells.append(f"{_shown(own, 'to_1_percent')} ({_shown(own, 'to_01_percent')})" if own else "")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += [f"| *seeds* | {' | '.join(_seeds(rows, method) for method in methods)} |", ""]
    return lines


def _rows_of(rows: Sequence[Row], name: str, method: str) -> list[Row]:
    return [row for row in rows if row["design"] == name and row["method"] == method]


def _seeds(rows: Sequence[Row], method: str) -> str:
    """Return how many seeds of each design were run: one number, or the least and the most."""
    counts = sorted({len(_rows_of(rows, name, method)) for name in DESIGNS})
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _summary(rows: Sequence[Row], methods: Sequence[str]) -> str:
    """Return how the first method stands: where it needs fewest trials, how far behind it ever is, and the median."""
    ahead, worst, own = 0, 0.0, []
    for name in DESIGNS:
        first, *others = (_middle(_rows_of(rows, name, method)) for method in methods)
        own.append(first)
        best = min(others, default=BUDGET + 1.0)
        ahead += first <= BUDGET and first < best
        worst = max(worst, first / min(first, best))
    return (
        f"**`{methods[0]}` needs fewer trials to 1 % than all others on {ahead} of {len(DESIGNS)} designs, "
        f"{median(own):.0f} on the median one, and at most {worst:.1f} times those of the best.** "
        + " ".join(filter(None, (_few(rows, method) for method in methods[1:])))
    ).strip()


def _few(rows: Sequence[Row], method: str) -> str:
    """Return a warning about a rival that was run too little to be beaten; nothing for the others."""
    counts = [len(_rows_of(rows, name, method)) for name in DESIGNS]
    if min(counts) >= _ENOUGH:
        return ""
    n_run = sum(count > 0 for count in counts)
    return f"`{method}` was run on {n_run} of the {len(DESIGNS)} designs, with at most {counted(max(counts), 'seed')}."


def _middle(rows: Sequence[Row], column: str = "to_1_percent") -> float:
    return median([float(row[column]) if row[column] else BUDGET + 1.0 for row in rows] or [BUDGET + 1.0])


def _shown(rows: Sequence[Row], column: str) -> str:
    middle = _middle(rows, column)
    return "–" if middle > BUDGET else f"{middle:g}"


def optima(rows: Sequence[Row]) -> list[str]:
    """Return what was proven of the optima."""
    lines = [
        "## The optima, proven",
        "",
        "`python -m research mixed --optima` writes each problem down again from its formulas and gives it to",
        "SCIP, a solver that bounds the cost from below until no cheaper design can exist; all gears are listed.",
        "SCIP takes constraints as kept within 1e-7 of their sides, so that what it finds may cost a little less",
        "than floats allow.",
        "",
        "| design | best known | found | nothing costs less than | by |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        known, found, bound = (f"{float(row[column]):.9g}" for column in ("known", "found", "bound"))
        lines.append(f"| {row['design']} | {known} | {found} | {bound} | {row['by']} |")
    return [*lines, ""]


def rules_kept(rows: Sequence[guarantee.Checked]) -> list[str]:
    """Return what random problems showed."""
    return [
        "## Nothing leaves the rules",
        "",
        "`python -m research mixed --guarantee 280` makes random problems whose rules are written twice, for",
        "Hedgerow and for plain Python, which judges every point that is suggested (one by one and in batches, by",
        "the default and by `random`), drawn or mended. *Plain* ones have products, ratios, powers, counts,",
        "conditions, real shares and equalities; *nasty* ones are grown at random: nested conditions about reals,",
        "scales over sixteen decades, divisions by what may be 0, `isclose` with tolerances down to 1e-12, bands",
        "of a ten-millionth, and mostly a planted point that keeps all rules, so that a proof of infeasibility",
        "would be wrong. A fault would also be a volume whose bounds do not hold what 2,000 independent points",
        "tell, a point about whose membership Python differs, or `unknown` where more than 1 % is feasible.",
        "",
        *guarantee.section(rows),
        "",
    ]


def tuning(rows: Sequence[Row]) -> list[str]:
    """Return how conditional parameters were tuned."""
    return [
        "## A tuning problem with conditional parameters",
        "",
        "`python -m research mixed --conditional 10` tunes a regression of the diabetes data of scikit-learn:",
        "three models, each with parameters of its own, seven of them real, and two that exist for some kernels",
        "alone. The cost is the squared error of five folds as a part of that of the mean; all methods are told",
        "the same first five points. Two changes of the default (no draws while rows are left to search, no",
        "corners of a branch that is not known yet) were made while looking at seeds 0 to 7 of this problem. Mean",
        "of the best error, with its standard error:",
        "",
        *conditional.section(rows),
        "",
    ]


def cost(rows: Sequence[Row]) -> list[str]:
    """Return what an ask cost."""
    lines = [
        "## What an ask costs",
        "",
        "`python -m research mixed --cost`: ten reals and ten others under five rules, processor time of twenty",
        "asks in a row, the parameters of beliefs fitted anew in some of them.",
        "",
        "| observations | median | most | memory at most |",
        "|---|---|---|---|",
    ]
    lines += [f"| {row['told']} | {row['median']} s | {row['most']} s | {row['memory']} MiB |" for row in rows]
    return [*lines, ""]
