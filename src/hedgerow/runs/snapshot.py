"""A study as read at one moment. Reading changes nothing: no storage is made, no trial taken up, no rule recorded.

No sampler is built either. Where the storage is a SQLite file, even Optuna is not loaded.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow import schema
from hedgerow.errors import RuleWarning, StudyError
from hedgerow.optuna.trials import TrialReader, TrialRows
from hedgerow.runs.changes import edits_in_words, file_changes, method_changes, methods_in_words
from hedgerow.runs.growth import before_by_slot, growth_in_words, removed_by_slot, space_changes
from hedgerow.runs.problem import Problem
from hedgerow.runs.same_problem import check_same_problem, engine_again, rule_changes
from hedgerow.runs.sqlite_reader import StudyRecord, UnknownLayout, read_study
from hedgerow.runs.status import Status, believed, by_hand, reasons_of, status_of
from hedgerow.runs.urls import file_of, without_password
from hedgerow.schema import StoredTrial
from hedgerow.space.encoding import decode

if TYPE_CHECKING:
    from hedgerow.feasible import FeasibleSet


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A study at one moment: what its trials tell, its attributes, and what follows from them."""

    problem: Problem
    read: TrialRows
    attrs: Mapping[str, Any]

    @property
    def trials(self) -> Sequence[StoredTrial]:
        """All trials."""
        return self.read.trials

    @cached_property
    def feasible(self) -> FeasibleSet:
        """The feasible set of the problem, compiled when somebody asks for it."""
        from hedgerow.feasible import FeasibleSet  # noqa: PLC0415 - counts and the best point need no diagram

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuleWarning)
            engine = engine_again(self.problem, self.attrs)
            return FeasibleSet(
                self.problem.space, self.problem.rules, node_budget=self.problem.node_budget, engine=engine
            )

    @cached_property
    def status(self) -> Status:
        """The counts and the best of the study."""
        status = status_of(self.read, self.problem, self.problem.keeps_rules)
        return believed(status, self.problem, self.read.told, lambda: self.feasible)

    @property
    def rule_changes(self) -> list[dict[str, Any]]:
        """The rules over time, as they were recorded."""
        return list(self.attrs.get(schema.RULES, []))

    @property
    def rule_changes_with_file(self) -> list[dict[str, Any]]:
        """The rules over time; those of the file come last, though nobody may have run with them yet."""
        return rule_changes(self.problem, self.attrs, len(self.trials))

    @property
    def space_changes(self) -> list[dict[str, Any]]:
        """The changes of the space over time; that of the file comes last, though nobody may have run with it yet."""
        return space_changes(self.problem, self.attrs, len(self.trials))

    @property
    def method_changes(self) -> list[dict[str, Any]]:
        """Where the method changed, as the trials say."""
        return method_changes(self.trials)

    @property
    def file_changes(self) -> list[dict[str, Any]]:
        """The files that measure over time; as they are now comes last, though no run may have used them yet."""
        return file_changes(self.problem, self.attrs, len(self.trials)) if schema.MEASURED_BY in self.attrs else []

    @property
    def changes(self) -> list[str]:
        """What changed on the way besides the rules, in words."""
        words = self.growth, methods_in_words(self.method_changes), self._edits
        return [said for said in words if said]

    def news(self) -> list[str]:
        """Return in words what a run that begins now does otherwise than those before it."""
        words: list[str | None] = [self.growth] if self.is_growing else []
        with_mine = method_changes(self.trials, self.problem.method)
        if len(with_mine) > len(self.method_changes):
            words.append(methods_in_words(with_mine))
        if len(self.file_changes) > len(self.attrs.get(schema.MEASURED_FILES, ())):
            words.append(self._edits)
        return [said for said in words if said]

    @property
    def _edits(self) -> str | None:
        return edits_in_words(self.file_changes, self.problem.file)

    @property
    def is_growing(self) -> bool:
        """Whether the space of the file is another than the study's, and nobody has run with it yet."""
        return bool(self.attrs.get(schema.SPACE)) and self.attrs[schema.SPACE] != self.problem.space.to_dict()

    @property
    def growth(self) -> str | None:
        """What became of the trials when the space changed; None where it has not."""
        return growth_in_words(self.space_changes, self.read)

    @property
    def pending_by_hand(self) -> list[dict[str, Any]]:
        """The trials that somebody evaluates by hand, each with its point."""
        space = self.problem.space
        return [{"trial": claim.number, "point": decode(space, claim.row)} for claim in by_hand(self.read)]

    @property
    def forbidden_by_hand(self) -> list[int]:
        """The trials by hand whose points break a rule as the rules are now."""
        claims = by_hand(self.read)
        kept = self.problem.keeps_rules(claim.row for claim in claims)
        return [claim.number for claim, is_kept in zip(claims, kept, strict=True) if not is_kept]

    def latest_reasons(self, n: int) -> list[str]:
        """Return why the latest failed trials failed, the last first, each reason once."""
        return reasons_of(self.read, n)


def read_snapshot(problem: Problem, *, is_through_optuna: bool = False) -> Snapshot:
    """Read the study of a problem; StudyError where there is none yet, or it is about another problem.

    What is read through Optuna has the moments at which trials began and ended in local time.
    """
    record = _record(problem, is_through_optuna)
    if record is None:
        where = f"The storage {without_password(problem.storage)} has no study '{problem.study}'."
        raise StudyError(f"{where} {_how_to_begin(problem)}")
    return _snapshot(problem, record)


def read_or_empty(problem: Problem) -> Snapshot:
    """Read the study of a problem; one that has not begun has no trials."""
    file = file_of(problem.storage)
    has_begun = file is None or file.exists()
    record = _record(problem, is_through_optuna=False) if has_begun else None
    return _snapshot(problem, record or StudyRecord(problem.goals.objectives.directions))


def _snapshot(problem: Problem, record: StudyRecord) -> Snapshot:
    before = before_by_slot(problem, record.attrs)
    check_same_problem(problem, record.directions, record.attrs)
    reader = TrialReader(problem.space, problem.goals.objectives.names)
    reader.before, reader.removed = before, removed_by_slot(problem, record.attrs)
    return Snapshot(problem, reader.read(record.trials), record.attrs)


def snapshot_of(
    problem: Problem, trials: Iterable[StoredTrial], attrs: Mapping[str, Any], feasible: FeasibleSet
) -> Snapshot:
    """Return trials that somebody holds in memory as a snapshot, with a feasible set that is compiled already."""
    snapshot = Snapshot(problem, TrialReader(problem.space, problem.goals.objectives.names).read(trials), attrs)
    vars(snapshot)["feasible"] = feasible
    return snapshot


def _record(problem: Problem, is_through_optuna: bool) -> StudyRecord | None:
    file = file_of(problem.storage)
    if file is not None and not file.exists():
        raise StudyError(f"There is no storage {file} yet. {_how_to_begin(problem)}")
    if file is not None and problem.storage.startswith("sqlite") and not is_through_optuna:
        try:
            return read_study(Path(file), problem.study)
        except UnknownLayout:
            pass
    from hedgerow.runs.storage import read_study as read_through_optuna  # noqa: PLC0415 - takes a second to load

    return read_through_optuna(problem.storage, problem.study)


def _how_to_begin(problem: Problem) -> str:
    how = "hedgerow run FILE" if problem.has_objective else "hedgerow ask FILE and hedgerow tell FILE POINT VALUE"
    return f"Make trials first: {how}."
