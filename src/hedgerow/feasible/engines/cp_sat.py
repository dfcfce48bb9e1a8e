"""Finding rows that satisfy any rules, with CP-SAT: one row, the best under scores, or a proof that there is none.

Every row is checked by the rules' own evaluator before it leaves. Where a rule has no exact translation, the model
allows a little more than the rules do; a row that breaks a rule is then excluded and the search goes on. What is
excluded is forgotten with the question, so that an answer depends on nothing but the question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from numpy.random import Generator

from hedgerow.arrays import Codes, Mask, Whole
from hedgerow.expressions import Scalar
from hedgerow.feasible.compile import Part
from hedgerow.feasible.engines.cp_sat_model import Answer, CodeModel, Search
from hedgerow.feasible.engines.cp_sat_rules import RuleTranslator
from hedgerow.feasible.engines.cp_sat_terms import Untranslatable

Accept = Callable[[Codes], Mask]

# Effort in the solver's deterministic time, roughly seconds: at first, and where that was not enough.
QUICK = 0.5
THOROUGH = 30.0
# Rows that were found and broke a rule after all, before a search gives up.
_MAX_EXCLUDED = 300
# Diagrams up to this size stand for rules that are not translated themselves.
_MAX_EDGES = 30_000
# Models that a search for a contradiction may try.
_MAX_MODELS = 400


class RuleSolver:
    """Answers questions about the rows that satisfy some parts of rules."""

    def __init__(
        self, parts: Sequence[Part], order: Sequence[int], domains: Sequence[Sequence[Scalar | None]], accept: Accept
    ) -> None:
        self._order = order
        self._domains = domains
        self._accept = accept
        self._sizes = [len(domain) for domain in domains]
        self._model, self.is_exact = self._translated(parts)

    def _translated(self, parts: Sequence[Part]) -> tuple[CodeModel, bool]:
        """Return a model of the parts, and whether it is exact."""
        model = CodeModel(self._sizes)
        translator = RuleTranslator(model, self._domains)
        is_exact = True
        for part in parts:
            try:
                translator.require(part.expression)
            except Untranslatable:
                if part.diagram is not None and part.diagram.n_edges <= _MAX_EDGES and not part.diagram.is_empty:
                    translator.require_diagram(part.diagram, [self._order[layer] for layer in part.diagram.layers])
                else:
                    translator.require_roughly(part.expression)
                    is_exact = False
        return model, is_exact

    def find(
        self,
        rng: Generator,
        allowed: Sequence[Mask] | None = None,
        excluded: Sequence[Codes] = (),
        hint: Codes | None = None,
    ) -> Answer:
        """Return a row near a hint, or near one drawn at random; `allowed` marks the codes of each slot."""
        model = self._restricted(allowed, excluded)
        if hint is None:
            hint = rng.integers(0, self._sizes)
        search = Search(QUICK, int(rng.integers(2**31)), hint, presolve=False)
        answer = self._checked(model, search)
        if answer.row is not None or answer.is_proven:
            return answer
        return self._checked(model, replace(search, effort=THOROUGH, presolve=True))

    def best(
        self,
        scores: Sequence[Whole],
        allowed: Sequence[Mask] | None = None,
        excluded: Sequence[Codes] = (),
        hint: Codes | None = None,
        effort: float = THOROUGH,
    ) -> Answer:
        """Return the row of highest sum of scores; a good one that is not proven best where the effort ends."""
        model = self._restricted(allowed, excluded)
        model.maximize(scores)
        return self._checked(model, Search(effort, 0, hint))

    def _restricted(self, allowed: Sequence[Mask] | None, excluded: Sequence[Codes]) -> CodeModel:
        model = self._model.copied()
        for slot, mask in enumerate(allowed or ()):
            model.allow(slot, mask)
        for row in excluded:
            model.forbid(row)
        return model

    def _checked(self, model: CodeModel, search: Search) -> Answer:
        for _ in range(_MAX_EXCLUDED):
            answer = model.solve(search)
            if answer.row is None or self._accept(answer.row[None, :])[0]:
                return answer
            model.forbid(answer.row)
        return Answer(None, is_proven=False)

    def contradiction(self, parts: Sequence[Part], n_rules: int) -> tuple[int, ...]:
        """Return a minimal set of rules that cannot hold together; empty where that is not settled.

        Rules are added until nothing is left; the last one added belongs to the set. Repeat with that one in front.
        The right number of rules to add is found by halving.
        """
        of_rule: list[list[Part]] = [[] for _ in range(n_rules)]
        for part in parts:
            of_rule[part.rule].append(part)

        def is_empty(rules: Sequence[int]) -> bool:
            model, _ = self._translated([part for rule in rules for part in of_rule[rule]])
            answer = model.solve(Search(THOROUGH))
            return answer.row is None and answer.is_proven

        core: list[int] = []
        candidates = list(range(n_rules))
        n_models = 0
        if not is_empty(candidates):
            return ()
        while not is_empty(core):
            n_kept, n_enough = 0, len(candidates)
            while n_enough - n_kept > 1 and n_models < _MAX_MODELS:
                n_models += 1
                middle = (n_kept + n_enough) // 2
                if is_empty(core + candidates[:middle]):
                    n_enough = middle
                else:
                    n_kept = middle
            if n_models >= _MAX_MODELS or n_enough == 0:
                return ()
            core.append(candidates[n_enough - 1])
            candidates = candidates[: n_enough - 1]
        return tuple(sorted(core))
