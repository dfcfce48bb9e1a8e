"""How answers look in a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hedgerow.feasible.doctor import share_of
from hedgerow.space.domains import Vector
from hedgerow.space.labels import Boolean
from hedgerow.space.permutation import Permutation
from hedgerow.space.shares import Shares
from hedgerow.space.variable import Variable
from hedgerow.wording import approximate, quoted, readable_bytes

if TYPE_CHECKING:
    from hedgerow.feasible import FeasibleSet
    from hedgerow.feasible.doctor import Diagnosis
    from hedgerow.feasible.explain import Explanation
    from hedgerow.runs.judged import StudyOutcomes
    from hedgerow.runs.status import Status

_BAR_WIDTH = 24
_SHADES = " ▁▂▃▄▅▆▇█"
_MAX_ROWS = 40
# What a status says besides counts.
_NO_COUNTS = ("best", "objectives", "front", "limits", "repeats", "noise")


def diagnosis(console: Console, title: str, feasible: FeasibleSet, found: Diagnosis) -> None:
    """Show a whole examination: sizes, variables, rules, findings."""
    console.print(Panel(_sizes(found), title=Text(title, style="bold"), title_align="left", border_style="green"))
    console.print(_variables(feasible, found, console.width))
    if feasible.rules:
        console.print(_rules(feasible, found))
    findings(console, found)


def findings(console: Console, found: Diagnosis) -> None:
    """Show what the doctor remarks, or that there is nothing to remark."""
    remarks = found.findings()
    if not remarks:
        console.print(Text("✓ No dead values, no redundant rules, nothing to remark.", style="green"))
    for remark in remarks:
        console.print(Text(f"• {remark}", style="red" if found.contradiction else "yellow"))


def points(console: Console, title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Show points as the rows of a table, or as lines where a row is wider than the terminal: nothing is cut."""
    # A variable with a condition may be missing in any of the rows.
    names = list(dict.fromkeys(name for row in rows for name in row))
    widths = {name: max(len(name), *(len(_value(row[name])) for row in rows if name in row)) for name in names}
    if sum(width + 3 for width in widths.values()) + 1 > console.width:
        console.print(Text(title, style="italic"))
        for row in rows:
            console.print(Text(", ".join(f"{name} = {_value(value)}" for name, value in row.items())))
        return
    table = Table(title=title, title_justify="left", header_style="bold")
    for name in names:
        table.add_column(name, justify="right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_value(row[name]) if name in row else "") for name in names))
    console.print(table)


def status(console: Console, study: str, found: Status) -> None:
    """Show a study: its trials by state, and its best point."""
    counts = {name: n for name, n in found.to_dict().items() if name not in _NO_COUNTS}
    best = found.to_dict()["best"]
    words = {"by_hand": "waiting for values by hand", "breaking_rules": "breaking rules as they are now"}
    shown = ", ".join(f"{n} {words.get(name, name)}" for name, n in counts.items() if n)
    console.print(Text(f"{study}: {shown or 'no trials yet'}"))
    if best is not None:
        console.print(Text(f"best {best['value']:,.6g} in trial {best['trial']}", style="bold green"))
        points(console, "Best point", [best["point"]])
    if found.judged is not None:
        outcomes(console, found.judged)


def outcomes(console: Console, judged: StudyOutcomes) -> None:
    """Show what trials gave besides one number: the front, limits with their margins, readings and noise."""
    goals = judged.goals
    best = judged.best
    if goals.objectives.are_several:
        rows = [
            {"trial": point.numbers[0], **_rounded(point.seen.outcomes), **point.seen.point} for point in judged.front
        ]
        if rows:
            points(console, f"The front: {len(rows)} that no other dominates ({goals.objectives})", rows)
        elif judged.n_points:
            console.print(
                Text("No point is on the front: none within the limits gave every objective.", style="yellow")
            )
    elif best is not None and len(best.seen.outcomes) > 1:
        console.print(Text(", ".join(f"{name} = {number:,.6g}" for name, number in best.seen.outcomes.items())))
    for limit in goals.limits:
        slack = math.nan if best is None else best.seen.slacks.get(limit.name, math.nan)
        margin = "" if math.isnan(slack) else f"; the best has {slack:,.4g} to spare"
        console.print(Text(f"limit {limit.name}: {limit.text}{margin}"))
    if goals.limits and judged.n_points:
        console.print(Text(f"{judged.n_within} of {judged.n_points} measured points are within all limits."))
    if best is not None and best.seen.believed is not None:
        believed = best.seen.believed
        n = f"{best.n_readings} reading{'s' * (best.n_readings != 1)}"
        deviation = "" if math.isnan(believed.sd) else f" ± {believed.sd:,.3g} (one standard deviation)"
        console.print(Text(f"believed {believed.mean:,.6g}{deviation}, from {n} of this point"))
    for name, sd in judged.noise.items():
        if not sd:
            continue
        console.print(Text(f"single readings of {name} of one point lie about {sd:,.3g} apart (standard deviation)"))
    if judged.never_given:
        said = f"No trial has given {quoted(judged.never_given)} yet, so none is known to be within the limits or good."
        console.print(Text(said, style="yellow"))


def _rounded(numbers: Mapping[str, float]) -> dict[str, str]:
    return {name: f"{number:,.6g}" for name, number in numbers.items()}


def explanation(
    console: Console, point: Mapping[str, Any], why: Explanation, repaired: Mapping[str, Any] | None
) -> None:
    """Show the broken rules of a point, and what the repair changes."""
    if why.is_feasible:
        console.print(Text("✓ The point satisfies every rule.", style="green"))
        return
    for rule in why:
        lines: list[Text] = [Text(rule.text, style="bold")] if rule.text != rule.name else []
        lines.append(Text(f"{rule.reason}", style="red"))
        lines += [Text(f"{part} = {_value(value)}") for part, value in rule.parts.items()]
        lines.append(Text(", ".join(f"{name} = {_value(value)}" for name, value in rule.values.items()), style="dim"))
        console.print(
            Panel(Group(*lines), title=Text(f"✗ {rule.name}", style="red"), title_align="left", border_style="red")
        )
    if repaired is None:
        console.print(Text("No point satisfies the rules, so there is none to go to; see hedgerow check.", style="red"))
        return
    table = Table(title="Nearest feasible point", title_justify="left", header_style="bold")
    for column in ("variable", "given", "repaired"):
        table.add_column(column)
    for name, value in point.items():
        changed = repaired[name] != value
        style = "bold green" if changed else "dim"
        table.add_row(name, Text(_value(value)), Text(_value(repaired[name]) + (" ←" if changed else ""), style=style))
    console.print(table)


def _sizes(found: Diagnosis) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column()
    grid.add_row("points in the space", approximate(found.space_size))
    if found.volume is not None:
        grid.add_row("feasible part of the space", share_of(found.volume))
    elif found.count is None:
        grid.add_row("feasible points", "unknown: some rules stay outside the diagram")
    else:
        exact = f"{approximate(found.count)}" + (f"  = {found.count}" if 10**15 <= found.count < 10**60 else "")
        grid.add_row("feasible points", Text(exact, style="bold green" if found.count else "bold red"))
        grid.add_row("density", f"{found.density:.3g}")
    grid.add_row("engine", f"{found.engine}; {readable_bytes(found.memory_bytes)}")
    if found.listing_bytes is not None:
        grid.add_row("as a list it would take", readable_bytes(found.listing_bytes))
    return grid


def _variables(feasible: FeasibleSet, found: Diagnosis, width: int) -> Table:
    table = Table(title="Variables", title_justify="left", header_style="bold")
    for column in ("name", "kind", "levels"):
        table.add_column(column, overflow="fold")
    # Long lists give way, not names.
    for column in ("values", "feasible points by value"):
        table.add_column(column, overflow="fold", max_width=max(10, (width - 46) // 2))
    usage = feasible.marginals() if found.count else {}
    for name, variable in list(feasible.space.variables.items())[:_MAX_ROWS]:
        element = variable.element if isinstance(variable, Vector) else variable
        of = variable if isinstance(variable, Shares | Permutation) else element
        kind = of.type_name + (f" × {variable.length}" if isinstance(variable, Vector) else "")
        kind += "" if variable.when is None else f", when {variable.when}"
        counts = usage.get(name, {})
        is_one = isinstance(counts, dict) and not isinstance(variable, Shares | Permutation)
        profile = _profile(list(counts.values())) if is_one else ""
        table.add_row(
            name,
            kind,
            "any" if element.is_continuous else str(len(element.values)),
            Text(_values_of(element)),
            profile,
        )
    if len(feasible.space) > _MAX_ROWS:
        table.add_row(f"and {len(feasible.space) - _MAX_ROWS:,} more", "", "", "", "")
    return table


def _values_of(element: Variable) -> str:
    """Return the values that a variable may take, or the ends of a range of floats."""
    if element.is_continuous:
        return f"{element.values[0]} to {element.values[-1]}"
    return _listed(element.values, isinstance(element, Boolean))


def _rules(feasible: FeasibleSet, found: Diagnosis) -> Table:
    table = Table(title="Rules", title_justify="left", header_style="bold")
    table.add_column("name", overflow="fold")
    table.add_column("rule", overflow="fold")
    table.add_column("keeps, alone", no_wrap=True)
    table.add_column("remark")
    for rule in feasible.rules[:_MAX_ROWS]:
        share = found.rule_densities.get(rule.name)
        kept = "" if share is None else f"{_bar(share)} {share:>6.1%}"
        table.add_row(Text(rule.name), Text(rule.text), kept, _remark(rule.name, found))
    return table


def _remark(name: str, found: Diagnosis) -> str:
    if name in found.contradiction:
        return "[red]contradicts"
    if name in found.always_true_rules:
        return "[yellow]always true"
    if name in found.redundant_rules:
        return "[yellow]redundant"
    if name in found.residual_rules:
        return "[yellow]outside the diagram"
    return "[yellow]not always defined" if name in found.undefined_rules else ""


def _bar(share: float) -> str:
    filled = round(share * _BAR_WIDTH / 2)
    return "█" * filled + "░" * (_BAR_WIDTH // 2 - filled)


def _profile(counts: Sequence[int]) -> str:
    """A tiny bar chart; a dead value shows as a blank, so that it can be seen."""
    top = max(counts, default=0)
    if top == 0 or len(counts) > 48:
        return ""
    return "".join(_SHADES[0] if count == 0 else _SHADES[max(1, round(8 * count / top))] for count in counts)


def _listed(values: Sequence[Any], is_boolean: bool) -> str:
    if is_boolean:
        return "False, True"
    if len(values) > 8:
        return f"{_value(values[0])}, {_value(values[1])} … {_value(values[-1])}"
    return ", ".join(_value(value) for value in values)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value(share)}" for name, share in value.items())
    if isinstance(value, list):
        letters = all(isinstance(item, str) and len(item) == 1 for item in value)
        return "".join(value) if letters else f"[{', '.join(_value(item) for item in value)}]"
    return str(value)
