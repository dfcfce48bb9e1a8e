"""The health of a set of rules: how large, what is dead or forced, what is redundant or contradictory, what it
costs. `Doctor` finds it out, a `Diagnosis` holds it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.diagram.count import count_completions
from hedgerow.diagram.effort import Effort
from hedgerow.diagram.machine import Diagram
from hedgerow.errors import RuleError
from hedgerow.expressions import Scalar
from hedgerow.feasible.contradiction import is_everything, minimal_contradiction, redundant_rules, rule_diagrams
from hedgerow.feasible.engines.choice import Held
from hedgerow.feasible.engines.diagram import DiagramSet
from hedgerow.feasible.engines.solved import RuleSet
from hedgerow.feasible.rounding import Rounding, rounding_of
from hedgerow.rules.resolve import resolve
from hedgerow.rules.rule import BoundRule
from hedgerow.space.space import Space
from hedgerow.web import Html, tag
from hedgerow.wording import approximate, counted, quoted, readable_bytes

# Values of a long list that are named.
_MAX_SHOWN = 10
# Work, in edges, that settling which rules are redundant may cost; what is not settled by then stays undecided.
_REDUNDANCY_WORK = 2**25


@dataclass(frozen=True)
class Diagnosis:
    """What `FeasibleSet.doctor` found.

    `count` is None where rules outside the diagram keep it from being known; `rule_densities` is the share of the
    space that each rule keeps when it is alone. `volume` bounds the feasible part of a space with reals.
    """

    space_size: int
    count: int | None
    density: float | None
    dead_values: dict[str, list[Scalar | None]]
    forced_values: dict[str, Scalar | None]
    always_true_rules: tuple[str, ...]
    redundant_rules: tuple[str, ...]
    undecided_rules: tuple[str, ...]
    contradiction: tuple[str, ...]
    residual_rules: tuple[str, ...]
    undefined_rules: tuple[str, ...]
    rounded_rules: dict[str, Rounding]
    rule_densities: dict[str, float]
    n_nodes: int
    memory_bytes: int
    listing_bytes: int | None
    engine: str = ""
    volume: tuple[float, float] | None = None
    unknown_labels: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_healthy(self) -> bool:
        """Whether there is nothing that a user would want to know of."""
        findings = (
            self.dead_values,
            self.forced_values,
            self.always_true_rules,
            self.redundant_rules,
            self.contradiction,
            self.residual_rules,
            self.undefined_rules,
            self.rounded_rules,
            self.unknown_labels,
        )
        return not any(findings)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)

    def findings(self) -> list[str]:
        """Return one sentence for each thing worth knowing."""
        lines = [f"Nothing is feasible: {quoted(self.contradiction)} contradict." if self.contradiction else ""]
        lines += [f"{name} can never be {_first_few(values)}." for name, values in self.dead_values.items()]
        lines += [f"{name} is always {_shown(value)}." for name, value in self.forced_values.items()]
        lines += [f"Rule '{name}' is always true." for name in self.always_true_rules]
        lines += [f"Rule '{name}' is redundant: the other rules imply it." for name in self.redundant_rules]
        lines += [
            f"Rule '{name}' may be redundant; settling it exactly would cost too much."
            for name in self.undecided_rules[:_MAX_SHOWN]
        ]
        if len(self.undecided_rules) > _MAX_SHOWN:
            lines.append(f"{len(self.undecided_rules) - _MAX_SHOWN:,} other rules may be redundant, too.")
        is_beside = "orders of" in self.engine
        where = "is checked beside the orders" if is_beside else "stays outside the diagram (node budget)"
        advice = "" if is_beside else " Raise node_budget or simplify the rule."
        lines += [
            f"Rule '{name}' {where}: it is always enforced, but the count is unknown "
            f"and draws may be slower and only diverse.{advice}"
            for name in self.residual_rules[:_MAX_SHOWN]
        ]
        if len(self.residual_rules) > _MAX_SHOWN:
            lines.append(f"{len(self.residual_rules) - _MAX_SHOWN:,} other rules stay outside the diagram.")
        lines += [
            f"Rule '{name}' cannot be evaluated at some points (a division by zero, for instance); "
            "there it counts as broken."
            for name in self.undefined_rules
        ]
        lines += [f"Rule '{name}' {found}" for name, found in self.rounded_rules.items()]
        lines += [f"Rule '{name}': {found}" for name, remarks in self.unknown_labels.items() for found in remarks]
        return [line for line in lines if line]

    def __repr__(self) -> str:
        if self.volume is not None:
            found = counted(len(self.findings()), "finding")
            return f"<Diagnosis: {share_of(self.volume)} of the space feasible, {found}>"
        feasible = "an unknown number" if self.count is None else approximate(self.count)
        found = counted(len(self.findings()), "finding")
        return f"<Diagnosis: {feasible} of {approximate(self.space_size)} points feasible, {found}>"

    def _repr_html_(self) -> Html:
        head, memory, *_ = str(self).splitlines()
        findings = [tag("li", finding) for finding in self.findings() or ["Nothing to remark."]]
        return tag("div", tag("strong", head), tag("div", memory), tag("ul", *findings), self._densities_as_html())

    def _densities_as_html(self) -> Html:
        """Return what share of the space each rule keeps alone, the strictest first."""
        strict = sorted(self.rule_densities.items(), key=lambda pair: pair[1])
        rows = [tag("tr", tag("th", name), tag("td", f"{density:.3g}")) for name, density in strict[:_MAX_SHOWN]]
        more = len(strict) - len(rows)
        if more > 0:
            rows.append(tag("tr", tag("td", f"and {more:,} more")))
        return (
            tag("table", tag("tr", tag("th", "rule"), tag("th", "share it keeps alone")), *rows) if rows else Html("")
        )

    def __str__(self) -> str:
        size = f"{self.space_size:,} points" if self.space_size < 10**15 else f"{approximate(self.space_size)} points"
        if self.volume is not None:
            head = f"Of the space {share_of(self.volume)} is feasible"
        elif self.count is None:
            head = f"{size}, an unknown number of them feasible"
        else:
            feasible = f"{self.count:,}" if self.count < 10**15 else approximate(self.count)
            head = f"{size}, {feasible} feasible (density {self.density:.3g})"
        memory = f"The diagram has {self.n_nodes:,} nodes in {readable_bytes(self.memory_bytes)}"
        if self.listing_bytes is not None:
            memory += f"; listing every feasible point would take {readable_bytes(self.listing_bytes)}"
        engine = [f"Engine: {self.engine}."] if self.engine else []
        findings = self.findings() or ["Nothing to remark."]
        return "\n".join([head, memory + ".", *engine, *(f"- {finding}" for finding in findings)])


def share_of(volume: tuple[float, float]) -> str:
    """Return a part of the space in words, from its bounds."""
    low, high = volume
    if high == 0:
        return "nothing"
    return f"{high:.3g}" if high - low <= 1e-3 * high else f"{low:.3g} to {high:.3g}"


def _shown(value: Scalar | None) -> str:
    return "inactive" if value is None else repr(value)


def _first_few(values: Sequence[Scalar | None]) -> str:
    shown = ", ".join(map(_shown, values[:_MAX_SHOWN]))
    return shown if len(values) <= _MAX_SHOWN else f"{shown} and {len(values) - _MAX_SHOWN:,} other values"


class Doctor:
    """Examines compiled rules; what costs more than looking is done when it is asked for."""

    def __init__(self, space: Space, rules: Sequence[BoundRule], held: Held, node_budget: int | None) -> None:
        self._space = space
        self._rules = rules
        self._compiled = held.compiled
        self._codes = held.codes
        self._note = held.note
        self._residual = held.compiled.residual_rules if held.outside is None else held.outside
        self._node_budget = node_budget

    def diagnosis(self) -> Diagnosis:
        """Return everything there is to know."""
        count = self._codes.count if self._codes.is_exact else None
        dead, forced = self._dead_and_forced()
        always_true = self.always_true_rules()
        redundant, undecided = self._redundant_rules()
        parts = self._compiled.parts
        return Diagnosis(
            space_size=self._n_points,
            count=count,
            density=None if count is None else count / self._n_points,
            dead_values=dead,
            forced_values=forced,
            always_true_rules=always_true,
            redundant_rules=tuple(name for name in redundant if name not in always_true),
            undecided_rules=undecided,
            contradiction=self.contradiction() if self._codes.is_empty else (),
            residual_rules=() if self._codes.is_exact else self._names(self._residual),
            undefined_rules=self._names({part.rule for part in parts if part.can_fail_to_evaluate}),
            rounded_rules=self.rounded_rules(("==", "!=", "<", "<=", ">", ">=")),
            rule_densities=self._rule_densities(),
            n_nodes=self._codes.n_nodes,
            memory_bytes=self._codes.n_bytes,
            listing_bytes=None if count is None else count * len(self._space.slots) * 8,
            engine=self._engine(),
            unknown_labels=self._unknown_labels(),
        )

    @property
    def _n_points(self) -> int:
        points = self._codes.points
        return points.count if points is not None and points.is_exact else self._space.size

    def _engine(self) -> str:
        exactness = "exact" if self._codes.is_exact else f"count unknown, {self._codes.sampling} draws"
        note = f" ({self._note})" if self._note else ""
        return f"{self._codes.description}, {exactness}{note}"

    def always_true_rules(self) -> tuple[str, ...]:
        """Return the rules that hold at every point of the space."""
        trivial = {
            index
            for index in range(len(self._rules))
            if all(
                part.diagram is not None and not part.is_narrowed and is_everything(part.diagram)
                for part in self._compiled.parts_of.get(index, [])
            )
        }
        return self._names(index for index in trivial if not self._rules[index].is_of_space)

    def contradiction(self) -> tuple[str, ...]:
        """Return rules that contradict each other, none of which could be left out; none where that costs too much."""
        found: tuple[int, ...] = ()
        if isinstance(self._codes, DiagramSet):
            found = minimal_contradiction(self._rule_diagrams, self._effort())
        if not found:
            domains = [slot.levels for slot in self._space.slots]
            solver = RuleSet(self._compiled.parts, self._compiled.order, domains).solver
            found = solver.contradiction(self._compiled.parts, len(self._rules))
        return self._names(found)

    def rounded_rules(self, symbols: Sequence[str]) -> dict[str, Rounding]:
        """Return where comparisons with these symbols say something else in floats than in exact arithmetic."""
        return {
            self._rules[part.rule].name: found
            for part in self._compiled.parts
            if (found := rounding_of(part, symbols, self._domains, self._compiled, self._effort())) is not None
        }

    def _unknown_labels(self) -> dict[str, list[str]]:
        """Return what rules compare variables with though they never are that."""
        found: dict[str, list[str]] = {}
        for rule in self._rules:
            with suppress(RuleError):
                remarks = [] if rule.is_of_space else resolve(rule.written, self._space, rule.text)[1]
                listed = [remark if remark.endswith("?") else f"{remark}." for remark in dict.fromkeys(remarks)]
                found |= {rule.name: listed} if listed else {}
        return found

    @cached_property
    def _domains(self) -> list[tuple[Scalar | None, ...]]:
        return [slot.levels for slot in self._space.slots]

    def _dead_and_forced(self) -> tuple[dict[str, list[Scalar | None]], dict[str, Scalar | None]]:
        dead: dict[str, list[Scalar | None]] = {}
        forced: dict[str, Scalar | None] = {}
        usage = self._codes.usage() if self._codes.is_exact and not self._codes.is_empty else []
        for slot, counts in zip(self._space.slots, usage, strict=False):
            values = slot.levels
            used = [value for value, count in zip(values, counts, strict=True) if count]
            if len(used) == 1 and len(values) > 1:
                forced[slot.name] = used[0]
            elif len(used) < len(values):
                dead[slot.name] = [value for value, count in zip(values, counts, strict=True) if not count]
        return dead, forced

    def _redundant_rules(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if self._codes.is_empty or not self._codes.is_exact or not self._rules:
            return (), ()
        rng = np.random.default_rng(0)
        rows = self._codes.draw(64, rng)[:, list(self._compiled.order)]
        effort = self._effort()
        # Where no one diagram holds all rules, only witnesses settle anything.
        effort.work_left = min(effort.work_left, _REDUNDANCY_WORK if isinstance(self._codes, DiagramSet) else 0)
        found = redundant_rules(self._compiled, self._rule_diagrams, rows, effort, rng)
        redundant, undecided = ({i for i in some if not self._rules[i].is_of_space} for some in found)
        return self._names(redundant), self._names(undecided)

    def _rule_densities(self) -> dict[str, float]:
        densities: dict[str, float] = {}
        for rule, diagram in zip(self._rules, self._rule_diagrams, strict=True):
            if diagram is not None:
                densities[rule.name] = count_completions(diagram).total / math.prod(diagram.sizes)
        return densities

    @cached_property
    def _rule_diagrams(self) -> list[Diagram | None]:
        return rule_diagrams(self._compiled, len(self._rules), self._effort())

    def _effort(self) -> Effort:
        return Effort.for_nodes(self._node_budget, self._compiled.sizes)

    def _names(self, indices: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._rules[index].name for index in sorted(indices))
