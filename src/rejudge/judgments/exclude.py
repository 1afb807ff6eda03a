"""Whose answers are left out, by the rules fixed before anybody was asked; nothing vanishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rejudge.design.plan import Plan
from rejudge.errors import FileError, Problem
from rejudge.judgments.duplicates import which_counts
from rejudge.judgments.judgments_csv import to_csv
from rejudge.judgments.rules import (
    RULES,
    Exclusion,
    ExclusionRules,
    Rule,
    RuleInput,
    is_hasty,
    refuse_unanswerable,
)
from rejudge.judgments.table import Judgments
from rejudge.spreadsheet import csv_rows, csv_text
from rejudge.study.analysis_plan import Exclude
from rejudge.study.model import Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_DROPPED: Mapping[str, Rule] = {"first": "duplicates-first", "last": "duplicates-last"}


@dataclass(frozen=True, eq=False, slots=True)
class Cleaned:
    """The judgments that count, those that do not, and for each of the latter its rule."""

    collected: Judgments  # kept and excluded together
    kept: Judgments
    excluded: Judgments
    rules: tuple[Rule, ...]  # one for each excluded row
    exclusions: tuple[Exclusion, ...]
    ruled: NDArray[np.int64] | None = None  # by collected row: which exclusion, −1 for none

    @property
    def is_kept(self) -> NDArray[np.bool_] | None:
        """Which collected rows count; None where no rules were applied."""
        return None if self.ruled is None else self.ruled < 0

    def of_questions(self, questions: Sequence[str]) -> Cleaned:
        """What was kept and excluded of the judgments on these questions; on all if none."""
        import numpy as np

        if not questions:
            return self
        asked = [self.collected.question.code(name) for name in questions]
        rows = np.isin(self.collected.question.codes, asked)
        if rows.all():
            return self
        if self.ruled is not None:
            return _divide(self.collected.take(rows), self.ruled[rows], self.exclusions)
        is_out = np.isin(self.excluded.question.codes, asked)
        return replace(
            self,
            collected=self.collected.take(rows),
            kept=self.kept.take(np.isin(self.kept.question.codes, asked)),
            excluded=self.excluded.take(is_out),
            rules=tuple(rule for rule, out in zip(self.rules, is_out, strict=True) if out),
        )


def exclude(study: Study, plan: Plan, judgments: Judgments) -> Cleaned:
    """Apply the study's rules in the order of `RULES`; a row is left out by the first that fits.

    A rule leaves out a participant, a batch of one, or, as `faster-than` does, single answers.
    """
    rules = study.spec.analysis.exclude if study.spec.analysis else Exclude()
    limits = ExclusionRules(
        participants=rules.participants,
        failed_checks=rules.failed_checks,
        straight_lining=rules.straight_lining,
        too_fast_total_seconds=rules.too_fast_total_seconds,
        faster_than_seconds=rules.faster_than_seconds,
    )
    return _apply_rules(RuleInput(judgments, limits, study, plan))


def exclude_rows(judgments: Judgments, rules: ExclusionRules) -> Cleaned:
    """Apply rules to a table without a study, in the order in which they are named there.

    What our site knew of a batch holds as in a study, where the table has its `state`. A rule that
    the table cannot answer, or a name that it does not have, is refused.
    """
    refuse_unanswerable(judgments, rules)
    return exclude_from_run(judgments, rules)


def exclude_from_run(judgments: Judgments, rules: ExclusionRules) -> Cleaned:
    """The same for one run of a table: its rules were looked at for the whole of it."""
    return _apply_rules(RuleInput(judgments, rules))


def excluded_csv(cleaned: Cleaned) -> str:
    """The left-out rows as in judgments.csv, each with its rule in front."""
    head, *lines = csv_rows(to_csv(cleaned.excluded))
    ruled = ([rule, *line] for rule, line in zip(cleaned.rules, lines, strict=True))
    return csv_text((["rule", *head], *ruled))


def _apply_rules(given: RuleInput) -> Cleaned:
    """Set aside what was dropped when it was read, apply the rules to the rest, divide the rows."""
    import numpy as np

    judgments = given.judgments
    is_dropped = judgments.is_of_kind("dropped")
    found, verdicts = _match_rules(replace(given, judgments=judgments.take(~is_dropped)))
    if not is_dropped.any():
        return _divide(judgments, found, verdicts)
    one = which_counts(judgments)
    reason = f"judged the same thing more than once; the {one} judgment counts"
    which, dropped = _by_person(judgments.take(is_dropped), _DROPPED[one], reason)
    ruled = np.empty(len(judgments), dtype=np.int64)
    ruled[is_dropped] = which
    ruled[~is_dropped] = np.where(found < 0, -1, found + len(dropped))
    return _divide(judgments, ruled, [*dropped, *verdicts])


def _match_rules(given: RuleInput) -> tuple[NDArray[np.int64], list[Exclusion]]:
    """For each row the place of the first verdict that fits, −1 for none, and the verdicts."""
    judgments, verdicts = given.judgments, list[Exclusion]()
    for rule in RULES:
        limit = rule.limit(given)
        if rule.find is None or (rule.option and limit is None):
            continue
        met = _first_fitting(judgments, verdicts) >= 0 if rule.is_last else None
        rest = given if met is None else replace(given, judgments=judgments.take(~met))
        verdicts += rule.find(rest, limit)
    ruled = _first_fitting(judgments, verdicts)
    limit = given.limits.faster_than_seconds
    if limit is not None:  # the only rule on single answers
        hasty_rows = is_hasty(judgments, limit) & (ruled < 0)
        reason = f"answers in less than {limit:g} s"
        which, hasty = _by_person(judgments.take(hasty_rows), "faster-than", reason)
        ruled[hasty_rows] = len(verdicts) + which
        verdicts += hasty
    return ruled, verdicts


def _first_fitting(judgments: Judgments, verdicts: Sequence[Exclusion]) -> NDArray[np.int64]:
    """For each row the place of the first verdict on its participant or batch; −1 for none."""
    import numpy as np

    if not verdicts:
        return np.full(len(judgments), -1, dtype=np.int64)
    person, batch = judgments.participant, judgments.batch
    people = np.full(len(person.labels) + 1, len(verdicts), dtype=np.int64)
    place = {name: code for code, name in enumerate(person.labels)}
    batches = {name: code for code, name in enumerate(batch.labels)}
    visits: dict[int, int] = {}
    size = len(batch.labels) + 1
    for number, verdict in enumerate(verdicts):
        code = place[verdict.participant]
        if verdict.batch is None:
            people[code] = min(people[code], number)
        else:
            visits.setdefault(code * size + batches[verdict.batch] + 1, number)
    ruled = people[person.codes]
    if visits:
        visit = person.codes.astype(np.int64) * size + batch.codes + 1
        keys, which = np.unique(visit, return_inverse=True)
        own = np.array([visits.get(key, len(verdicts)) for key in keys.tolist()])
        ruled = np.minimum(ruled, own[which])
    return np.where(ruled == len(verdicts), -1, ruled)


def _by_person(
    judgments: Judgments, rule: Rule, reason: str
) -> tuple[NDArray[np.int64], list[Exclusion]]:
    """One verdict for each participant of single rows, and for each row the place of its own."""
    import numpy as np

    people, which = np.unique(judgments.participant.codes, return_inverse=True)
    names = judgments.participant.labels
    return which, [Exclusion(names[code], None, rule, reason, 0) for code in people.tolist()]


def _divide(
    judgments: Judgments, ruled: NDArray[np.int64], verdicts: Sequence[Exclusion]
) -> Cleaned:
    import numpy as np

    is_out = ruled >= 0
    rows = np.bincount(ruled[is_out], minlength=len(verdicts))
    place = np.append(np.cumsum(rows > 0) - 1, -1)  # among those that have rows; −1 stays
    return Cleaned(
        collected=judgments,
        kept=judgments.take(~is_out),
        excluded=judgments.take(is_out),
        rules=tuple(verdicts[number].rule for number in ruled[is_out].tolist()),
        exclusions=tuple(
            replace(verdict, rows=int(count))
            for verdict, count in zip(verdicts, rows, strict=True)
            if count
        ),
        ruled=place[ruled],
    )


def drop_excluded(collected: Judgments, excluded: str) -> Judgments:
    """All that was collected without the rows of `excluded.csv`.

    Rows are distinguished by all their columns; of equal rows as many go as are excluded.
    """
    import numpy as np

    head, *rows = csv_rows(excluded) or [[]]
    if not rows:
        return collected
    columns = [name for name in head if name != "rule"]
    names, *lines = csv_rows(to_csv(collected))
    unknown = [name for name in columns if name not in names]
    if unknown:
        what = f"judgments have no column '{unknown[0]}'."
        raise FileError(
            Problem(what, "`rejudge analyse` writes the file again.", file="excluded.csv")
        )
    gone = Counter(_cells(head, row, columns) for row in rows)
    keep = np.ones(len(collected), dtype=np.bool_)
    for place, line in enumerate(lines):
        key = _cells(names, line, columns)
        if gone[key] > 0:
            gone[key] -= 1
            keep[place] = False
    return collected.take(keep)


def _cells(head: list[str], row: list[str], columns: list[str]) -> tuple[str, ...]:
    """The cells of some columns; a column that a table does not have is empty."""
    by_name = dict(zip(head, row, strict=False))
    return tuple(by_name.get(name, "") for name in columns)
