"""`FeasibleSet`: a space and its rules, compiled once, then counted, drawn from, ranked, explained and repaired."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from numbers import Integral
from typing import Any

import numpy as np

from hedgerow import checks
from hedgerow.arrays import Codes
from hedgerow.checks import Engine
from hedgerow.errors import ArgumentError, EffortExceeded, InfeasibleError, PointError, RuleWarning, warn_user
from hedgerow.feasible.code_set import CodeSet, Sampling
from hedgerow.feasible.completions import Completions, Seed, generator_of
from hedgerow.feasible.conditions import check_conditions
from hedgerow.feasible.doctor import Diagnosis, Doctor, share_of
from hedgerow.feasible.engines.choice import hold_rules
from hedgerow.feasible.engines.diagram import DiagramSet
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.feasible.explain import Explanation, explain
from hedgerow.feasible.mixed import MixedDoctor, mixed_engine, repaired
from hedgerow.feasible.order_doctor import OrderDoctor
from hedgerow.feasible.orders.moves import moved
from hedgerow.feasible.scores import repair_scores, slot_scores
from hedgerow.feasible.to_tensor import IndicatorTrain, indicator_train
from hedgerow.rules.rule import BoundRule, RuleLike, bind_rules
from hedgerow.space.domains import Vector
from hedgerow.space.encoding import (
    Point,
    check_names,
    codes_of_none,
    decode,
    encode,
    encode_known_shares,
    encode_value,
    encode_vector,
    slot_values,
    together,
)
from hedgerow.space.permutation import Permutation, known_positions
from hedgerow.space.shares import Shares
from hedgerow.space.space import Space
from hedgerow.web import Html, tag
from hedgerow.wording import approximate, counted, quoted


class FeasibleSet:
    """Every point of a space that satisfies every rule, held as a decision diagram.

    It is compiled once; then it is counted, drawn from, ranked, searched and explained without listing it. It is a set
    of points: `point in feasible`, `for point in feasible`, and `feasible[i]` work.

    Parameters
    ----------
    space : Space
        What may vary.
    rules : iterable or mapping of rules, optional
        What must hold: text, expressions, functions or `Rule` objects; a mapping names them.
    allow_empty : bool, optional
        Whether rules that no point satisfies are taken as they are instead of raising.
    node_budget : int, optional
        How many nodes the diagram may have (default: about 128 MiB of tables). Rules that do not fit stay outside and
        are still enforced; then `is_exact` is False.
    engine : {"auto", "diagram", "d-DNNF", "solver"}, optional
        What holds the rules; "auto" takes a diagram where that is cheap, then a d-DNNF where the rules are Boolean and
        d4Solver is installed, then a diagram with a solver beside it.

    Raises
    ------
    ArgumentError
        Where `node_budget` is no whole number of at least 1, or there is no such engine.
    RuleError
        Where a rule cannot be read.
    InfeasibleError
        Where no point satisfies the rules; it names rules that contradict each other.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
    >>> feasible = hr.FeasibleSet(space, {"sum": "x + y == 9", "order": "x < y"})
    >>> feasible
    <FeasibleSet: 5 of 100 points, 2 rules>
    >>> {"x": 4, "y": 5} in feasible
    True
    >>> feasible[0]
    {'x': 0, 'y': 9}
    """

    def __init__(
        self,
        space: Space,
        rules: Iterable[RuleLike] | Mapping[str, RuleLike] = (),
        *,
        allow_empty: bool = False,
        node_budget: int | None = None,
        engine: Engine = "auto",
    ) -> None:
        checked_budget = checks.node_budget(node_budget)
        asked_engine = checks.engine(engine)
        self.space = space if isinstance(space, Space) else Space(space)
        self.rules: tuple[BoundRule, ...] = bind_rules(self.space, rules)
        self._domains = [slot.levels for slot in self.space.slots]
        self.codes: CodeSet
        self._doctor: Doctor | MixedDoctor
        self._engine: Engine
        if self.space.reals:
            mixed, self._engine = mixed_engine(self.space, self.rules, checked_budget, asked_engine)
            self.codes, self._doctor = mixed, MixedDoctor(self.space, self.rules, mixed, checked_budget)
        else:
            self._compile(checked_budget, asked_engine)
        if self.codes.is_empty and not allow_empty:
            raise self._contradiction_error()
        for name in self._doctor.always_true_rules():
            warn_user(f"Rule '{name}' is always true in this space; it has no effect.", RuleWarning)
        for name, found in self._doctor.rounded_rules(("==",)).items():
            warn_user(f"Rule '{name}' {found}", RuleWarning)

    def _compile(self, node_budget: int | None, engine: Engine) -> None:
        held = hold_rules(self.space, self.rules, node_budget, engine=engine)
        self._compiled = held.compiled
        self._engine = held.engine
        self.codes = held.codes
        of_space = [rule for rule in self.rules if rule.is_of_space]
        if of_space:
            # Rows that are no points are neither feasible nor infeasible.
            points = hold_rules(self.space, of_space, node_budget, held.compiled.order)
            self.codes.points = points.codes
            check_conditions(self.space, of_space, points.compiled, points.codes)
        examines = OrderDoctor if self.space.permutations else Doctor
        self._doctor = examines(self.space, self.rules, held, node_budget)
        if engine == "d-DNNF" and held.note:
            warn_user(f"No d-DNNF holds the rules: {held.note}.", UserWarning)

    # --- size and membership ---

    @property
    def count(self) -> int:
        """The exact number of feasible points."""
        return self.codes.count

    @property
    def density(self) -> float:
        """The share of the space that is feasible."""
        return self.count / self._n_points

    @property
    def _n_points(self) -> int:
        """The number of points, rules aside; an upper bound where conditions are outside the diagram."""
        points = self.codes.points
        return points.count if points is not None and points.is_exact else self.space.size

    @property
    def volume(self) -> tuple[float, float]:
        """Proven bounds, low and high, of the share of the space that is feasible.

        Reals count by their range, or by its logarithm where they are on such a scale; equalities take no share.
        To have a value and to have none count as two codes do. Without reals both are the density.

        Examples
        --------
        >>> import hedgerow as hr
        >>> low, high = hr.FeasibleSet(hr.Space({"x": hr.Real(0, 2), "y": hr.Real(0, 2)}), ["x * y <= 1"]).volume
        >>> low < 0.596 < high and high - low < 0.02
        True
        """
        return self.codes.volume if isinstance(self.codes, MixedSet) else (self.density, self.density)

    @property
    def is_exact(self) -> bool:
        """Whether the diagram holds every rule: counts are exact and draws uniform."""
        return self.codes.is_exact

    @property
    def engine(self) -> Engine:
        """The engine to ask for to get the same set again, whatever is installed there; doctor() says more about it."""
        return self._engine

    @property
    def sampling(self) -> Sampling:
        """Whether draws are "uniform", or only "diverse": found by a solver near random points."""
        return self.codes.sampling

    def __contains__(self, point: Mapping[str, Any]) -> bool:
        return bool(self.codes.accepts(encode(self.space, point)[None, :])[0])

    # --- drawing and ranking ---

    def sample(self, n: int = 1, seed: Seed = None) -> list[Point]:
        """Return independent points, uniform over the feasible set.

        Parameters
        ----------
        n : int, optional
            How many; a point may occur twice.
        seed : int or numpy.random.Generator, optional
            Where random numbers come from; None is different at every call.

        Returns
        -------
        list of dict
            The points; where `sampling` is "diverse" they are not uniform, only different from each other.

        Raises
        ------
        ArgumentError
            Where `n` or `seed` is no whole number of at least 0.
        EffortExceeded
            Where rules outside the diagram make points too hard to find.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)}), ["x + y == 9"])
        >>> all(point["x"] + point["y"] == 9 for point in feasible.sample(100, seed=0))
        True
        """
        return self._points(self.codes.draw(checks.whole_number("n", n), generator_of(seed)))

    def sample_infeasible(self, n: int = 1, seed: Seed = None) -> list[Point]:
        """Return independent points, uniform over everything that breaks a rule.

        Parameters
        ----------
        n : int, optional
            How many; a point may occur twice.
        seed : int or numpy.random.Generator, optional
            Where random numbers come from; None is different at every call.

        Returns
        -------
        list of dict
            The points.

        Raises
        ------
        ArgumentError
            Where `n` or `seed` is no whole number of at least 0.
        InfeasibleError
            Where every point satisfies the rules.
        EffortExceeded
            Where rules outside the diagram make such points too hard to find.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"x": [1, 2, 3]}), ["x > 1"])
        >>> feasible.sample_infeasible(2, seed=0)
        [{'x': 1}, {'x': 1}]
        """
        return self._points(self.codes.draw_rejected(checks.whole_number("n", n), generator_of(seed)))

    def __getitem__(self, index: int) -> Point:
        if isinstance(index, bool) or not isinstance(index, Integral):
            raise ArgumentError(f"A place in the set is a whole number, but {checks.shown(index)} was given.")
        total = self.count
        place = int(index) + total if index < 0 else int(index)
        if not 0 <= place < total:
            raise IndexError(f"There is no feasible point number {index}; there are {total:,}.")
        return self._points(self.codes.unrank([place]))[0]

    def index(self, point: Mapping[str, Any]) -> int:
        """Return the place of a feasible point in the set's order.

        Parameters
        ----------
        point : mapping
            A value for every variable.

        Returns
        -------
        int
            The number with which `feasible[number] == point`.

        Raises
        ------
        PointError
            Where the point does not fit the space, or is not feasible.
        EffortExceeded
            Where rules outside the diagram keep the order from being known.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"x": hr.Integer(0, 9)}), ["x % 3 == 0"])
        >>> feasible.index({"x": 6}), feasible[2]
        (2, {'x': 6})
        """
        codes = self._feasible_codes(point)
        return self.codes.rank(codes[None, :])[0]

    def __iter__(self) -> Iterator[Point]:
        for rows in self.codes.batches():
            yield from self._points(rows)

    def marginals(self) -> dict[str, Any]:
        """Return how many feasible points use each value.

        Returns
        -------
        dict
            For each variable a dict of values and counts, for a vector a list of these, for an order a dict of items
            with one of positions each; None stands for no value, where a variable has a condition.

        Raises
        ------
        EffortExceeded
            Where rules outside the diagram keep the counts from being known.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"a": [0, 1, 2], "p": bool}), ["p or a == 0"])
        >>> feasible.marginals()
        {'a': {0: 2, 1: 1, 2: 1}, 'p': {False: 1, True: 3}}
        """
        usage = self.codes.usage()
        by_slot = [dict(zip(domain, counts, strict=True)) for domain, counts in zip(self._domains, usage, strict=True)]
        return self._by_variable(by_slot)

    # --- a single point ---

    def explain(self, point: Mapping[str, Any]) -> Explanation:
        """Return which rules the point breaks, with the values of their parts.

        Parameters
        ----------
        point : mapping
            A value for every variable.

        Returns
        -------
        Explanation
            A sequence of broken rules, none where the point is feasible; its text is for people.

        Raises
        ------
        PointError
            Where the point does not fit the space.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"x": [8, 16], "y": [8, 64]}), {"threads": "x * y <= 512"})
        >>> print(feasible.explain({"x": 16, "y": 64}))
        The point breaks 'threads' (x * y <= 512): it is false
            x * y = 1024
            with x = 16, y = 64
        """
        return explain(self.space, self.rules, slot_values(self.space, encode(self.space, point)))

    def repair(self, point: Mapping[str, Any]) -> Point:
        """Return a nearest feasible point: fewest changed variables, then least distance in ordered levels.

        A variable that appears or vanishes counts as changed. With reals, it is the least sum of squared distances,
        each as a part of its range, 1 for another label; as far as a search finds it.

        Parameters
        ----------
        point : mapping
            A value for every variable; those with conditions may be there, or not.

        Returns
        -------
        dict
            The point itself where it is feasible. Exact on the diagram; with rules outside it (`is_exact` is False) a
            solver looks for the nearest, and what it cannot prove nearest within its effort is near.

        Raises
        ------
        PointError
            Where the point does not fit the space.
        InfeasibleError
            Where nothing is feasible.
        EffortExceeded
            Where rules outside the diagram make a feasible point too hard to find.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"x": [8, 16, 32], "y": [8, 16, 64]}), ["x * y <= 512"])
        >>> feasible.repair({"x": 32, "y": 64})
        {'x': 32, 'y': 16}
        """
        codes = encode(self.space, point)
        if self.codes.is_empty:
            raise self._contradiction_error()
        if isinstance(self.codes, MixedSet):
            return self._points([repaired(self.codes, codes)])[0]
        nearest = next(self.codes.best(repair_scores(self.space, codes), 1), None)
        if nearest is None:
            raise EffortExceeded(
                "No feasible point was found to repair it; doctor() names the rules outside the diagram."
            )
        return self._points([nearest])[0]

    def neighbors(self, point: Mapping[str, Any]) -> list[Point]:
        """Return the feasible points that differ from the point in one variable, or in one component of a vector.

        Of shares, those that differ in two, since a part of one goes to another. Of orders, those with two items
        swapped, one moved elsewhere, or a stretch turned around.

        Parameters
        ----------
        point : mapping
            A value for every variable, feasible or not.

        Returns
        -------
        list of dict
            The points.

        Raises
        ------
        PointError
            Where the point does not fit the space.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]}), ["x <= y"])
        >>> feasible.neighbors({"x": 2, "y": 2})
        [{'x': 1, 'y': 2}, {'x': 2, 'y': 3}]
        """
        codes = encode(self.space, point)
        return self._points([*self.codes.neighbors(codes), *self._moved_shares(codes), *self._moved_items(codes)])

    def _moved_items(self, codes: Codes) -> Codes:
        """Return the rows in which one order has changed a little."""
        found = [codes[None, :][:0]]
        for name, variable in self.space.permutations.items():
            own = slice(self.space.first_slot[name], self.space.first_slot[name] + variable.length)
            changed = moved(codes[own])
            rows = np.repeat(codes[None, :], changed.shape[0], axis=0)
            rows[:, own] = changed
            found.append(rows[self.codes.accepts(rows)])
        return np.concatenate(found)

    def _moved_shares(self, codes: Codes) -> Codes:
        """Return the rows in which a part of one share went to another of the same whole."""
        is_share = [isinstance(self.space.variables[slot.owner], Shares) for slot in self.space.slots]
        if not any(is_share):
            return np.zeros((0, codes.size), dtype=np.int64)
        rows = self.codes.exchanges(codes)
        owners = [slot.owner for slot in self.space.slots]
        changed = [np.flatnonzero(row != codes) for row in rows]
        return rows[[is_share[a] and owners[a] == owners[b] for a, b in changed]] if len(rows) else rows

    # The name of earlier versions.
    neighbours = neighbors

    def exchanges(self, point: Mapping[str, Any]) -> list[Point]:
        """Return the feasible points that differ in exactly two variables: the moves that keep a sum or a count.

        Parameters
        ----------
        point : mapping
            A value for every variable, feasible or not.

        Returns
        -------
        list of dict
            The points.

        Raises
        ------
        PointError
            Where the point does not fit the space.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]}), ["x + y == 4"])
        >>> feasible.exchanges({"x": 2, "y": 2})
        [{'x': 1, 'y': 3}, {'x': 3, 'y': 1}]
        """
        return self._points(self.codes.exchanges(encode(self.space, point)))

    # --- parts of the set ---

    def completions(self, partial: Mapping[str, Any]) -> Completions:
        """Return the feasible points that have these values.

        Parameters
        ----------
        partial : mapping
            Values of some variables; a vector holds None where it is free. None in place of a variable with a
            condition means that it is inactive.

        Returns
        -------
        Completions
            Their `count`, and draws from them by `sample`.

        Raises
        ------
        PointError
            Where a value does not fit the space.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"x": hr.Vector([0, 1], 4), "p": bool}), ["sum(x) == 2"])
        >>> feasible.completions({"x": [1, None, None, None], "p": True}).count
        3
        """
        return Completions(self.space, self.codes.with_codes(dict(self._partial_codes(partial))))

    def best(self, scores: Mapping[str, Any], k: int = 1) -> list[Point]:
        """Return the feasible points with the highest sum of scores, best first, exactly.

        Parameters
        ----------
        scores : mapping
            For each variable a dict of values and scores, for a vector a list of these; what is not named scores 0, and
            -inf forbids a value.
        k : int, optional
            How many points.

        Returns
        -------
        list of dict
            The points, fewer where there are not so many.

        Raises
        ------
        ArgumentError
            Where `k` is no whole number of at least 0.
        PointError
            Where scores do not fit the space.
        EffortExceeded
            Where rules outside the diagram make them too hard to find.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]}), ["x != y"])
        >>> feasible.best({"x": {3: 1.0, 2: 0.5}, "y": {3: 2.0}}, k=2)
        [{'x': 2, 'y': 3}, {'x': 1, 'y': 3}]
        """
        wanted = checks.whole_number("k", k)
        return self._points(list(islice(self.codes.best(slot_scores(self.space, scores), wanted), wanted)))

    def tensor_train(self) -> IndicatorTrain:
        """Return the set as a tensor train that is 1 at feasible codes and 0 elsewhere.

        Returns
        -------
        IndicatorTrain
            Cores in the diagram's order of the variables; their ranks are the numbers of live nodes per layer.

        Raises
        ------
        EffortExceeded
            Where rules are outside the diagram, or the cores would be too large.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"x": hr.Vector([0, 1], 4)}), ["sum(x) == 2"])
        >>> feasible.tensor_train().ranks
        (2, 3, 2)
        """
        self.codes.require_exact("The tensor train of the feasible set")
        if not isinstance(self.codes, DiagramSet):
            raise EffortExceeded("The feasible set is exact but not one diagram, so it has no tensor train.")
        return indicator_train(self.codes.diagram, self._compiled.order)

    # --- the rules themselves ---

    def doctor(self) -> Diagnosis:
        """Examine the rules: dead and forced values, redundancy, contradiction, memory.

        Returns
        -------
        Diagnosis
            What there is to know; its text is for people, `findings()` lists what to look at.

        Examples
        --------
        >>> import hedgerow as hr
        >>> feasible = hr.FeasibleSet(hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]}), ["x < y", "x < 3"])
        >>> for finding in feasible.doctor().findings():
        ...     print(finding)
        x can never be 3.
        y can never be 1.
        Rule 'x < 3' is redundant: the other rules imply it.
        """
        return self._doctor.diagnosis()

    def _contradiction_error(self) -> InfeasibleError:
        names = self._doctor.contradiction()
        head = f"No point satisfies the rules: {approximate(self._n_points)} points, 0 feasible."
        if self.space.reals:
            head = "No point satisfies the rules, which intervals or elimination prove."
        if len(names) == 1:
            return InfeasibleError(f"{head} Rule {quoted(names)} can never hold by itself; correct or drop it.", names)
        if not names:
            return InfeasibleError(f"{head} Too many rules take part to single out which.", names)
        return InfeasibleError(f"{head} Rules {quoted(names)} contradict each other; drop or relax one of them.", names)

    # --- values and codes ---

    def check_presence(self, point: Mapping[str, Any]) -> None:
        """Refuse a point that has a value for an inactive variable, or none for an active one.

        Parameters
        ----------
        point : mapping
            A value for every variable that is active.

        Raises
        ------
        PointError
            Where the point does not fit the space or its conditions.

        Examples
        --------
        >>> import hedgerow as hr
        >>> space = hr.Space({"kind": ["a", "b"], "x": hr.Integer(1, 3, when="kind == 'b'")})
        >>> hr.FeasibleSet(space).check_presence({"kind": "a", "x": 2})
        Traceback (most recent call last):
        hedgerow.errors.PointError: x is inactive because kind is 'a', but has the value 2.
        """
        if self.space.conditional:
            conditions = [rule for rule in self.rules if rule.condition_of is not None]
            for broken in explain(self.space, conditions, slot_values(self.space, encode(self.space, point))):
                raise PointError(f"{broken.reason}.")

    def _feasible_codes(self, point: Mapping[str, Any]) -> Codes:
        codes = encode(self.space, point)
        if not self.codes.accepts(codes[None, :])[0]:
            broken = quoted(tuple(rule.name for rule in self.explain(point)))
            raise PointError(
                f"The point is not feasible: it breaks {broken}. explain(point) says why, repair(point) mends it."
            )
        return codes

    def _partial_codes(self, partial: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
        check_names(self.space, partial)
        for name, value in partial.items():
            variable = self.space.variables[name]
            start = self.space.first_slot[name]
            if value is None and variable.when is not None:
                yield from enumerate(codes_of_none(variable), start)
                continue
            if not isinstance(variable, Vector):
                yield start, encode_value(name, variable, value)
                continue
            if isinstance(variable, Shares):
                yield from ((start + place, code) for place, code in encode_known_shares(name, variable, value))
                continue
            if isinstance(variable, Permutation):
                known = known_positions(variable, name, value)
                yield from ((start + place, position - 1) for place, position in known)
                continue
            filler = variable.element.values[0]
            is_sequence = isinstance(value, Iterable) and not isinstance(value, Mapping | set | frozenset)
            given = list(value) if is_sequence else value
            filled = [filler if item is None else item for item in given] if isinstance(given, list) else given
            for offset, code in enumerate(encode_vector(name, variable, filled)):
                if given[offset] is not None:
                    yield start + offset, code

    def _points(self, rows: Codes | Sequence[Codes]) -> list[Point]:
        return [decode(self.space, row) for row in rows]

    def _by_variable(self, by_slot: Sequence[Any]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, variable in self.space.variables.items():
            start = self.space.first_slot[name]
            if isinstance(variable, Permutation):
                own = by_slot[start : start + variable.length]
                result[name] = dict(zip(variable.items, own, strict=True))
            else:
                result[name] = together(variable, by_slot, start)
        return result

    def __repr__(self) -> str:
        return f"<FeasibleSet: {self._size()}, {counted(sum(not rule.is_of_space for rule in self.rules), 'rule')}>"

    def _repr_html_(self) -> Html:
        rules = [tag("tr", tag("th", rule.name), tag("td", tag("code", rule.text))) for rule in self.rules]
        return tag("div", tag("strong", f"FeasibleSet: {self._size()}"), tag("table", *rules))

    def _size(self) -> str:
        if self.is_exact:
            return f"{approximate(self.count)} of {approximate(self._n_points)} points"
        if isinstance(self.codes, MixedSet):
            return f"{share_of(self.codes.volume)} of the space"
        return f"count unknown, of {approximate(self._n_points)} points"
