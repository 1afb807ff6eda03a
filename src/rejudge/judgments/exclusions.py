"""Whose judgments are left out, by rules fixed before anybody was asked; nothing vanishes.

Each rule is one object in `RULES`: whom it meets, what readers call it, how it is typed for a
table and how a plan describes it. They are applied in that order; a row is left out by the first
that fits.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from rejudge.collect.assignment import Status
from rejudge.design.duration import ReadingFloor
from rejudge.design.plan import Plan
from rejudge.english import count as counted
from rejudge.errors import DataError, FileError, Problem, UsageError
from rejudge.judgments.answers import check_results, words_of
from rejudge.judgments.duplicates import combine_codes, which_counts
from rejudge.judgments.judgments_csv import read_csv, row_hashes, to_csv
from rejudge.judgments.table import Judgments
from rejudge.spreadsheet import csv_rows, csv_text
from rejudge.study.analysis_plan import Exclude
from rejudge.study.model import Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows: TypeAlias = NDArray[np.bool_]

Rule: TypeAlias = str  # the id of one of RULES

LEAST_TASKS = 10  # fewer tell nothing about straight-lining


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Which judgments of a participant are left out: by which rule, why, and how many rows."""

    participant: str
    batch: str | None  # None: not one batch but all, or single answers
    rule: Rule
    reason: str
    rows: int


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
    """Apply the study's rules.

    A rule leaves out a participant, a batch of one, or, as `faster-than` does, single answers.
    """
    return _apply(RuleInput(judgments, study, plan), rules_of(study))


def exclude_rows(judgments: Judgments, rules: ExclusionRules) -> Cleaned:
    """Apply rules to a table without a study.

    What our site knew of a batch holds as in a study, where the table has its `state`. A rule that
    the table cannot answer, or a name that it does not have, is refused.
    """
    refuse_unanswerable(judgments, rules)
    return exclude_from_run(judgments, rules)


def exclude_from_run(judgments: Judgments, rules: ExclusionRules) -> Cleaned:
    """The same for one run of a table: its rules were looked at for the whole of it."""
    return _apply(RuleInput(judgments), rules)


def rules_of(study: Study) -> Exclude:
    """What a study states about exclusions."""
    return study.spec.analysis.exclude if study.spec.analysis else Exclude()


def stated_rules(limits: Exclude | ExclusionRules) -> dict[ExclusionRule, Any]:
    """The rules that a study or a table states, each with what it states: their types differ."""
    found = {rule: getattr(limits, rule.key, None) for rule in RULES if rule.key}
    return {rule: limit for rule, limit in found.items() if limit not in {None, False, ()}}


def excluded_csv(cleaned: Cleaned) -> str:
    """The left-out rows as in judgments.csv, each with its rule in front."""
    head, *lines = csv_rows(to_csv(cleaned.excluded))
    ruled = ([rule, *line] for rule, line in zip(cleaned.rules, lines, strict=True))
    return csv_text((["rule", *head], *ruled))


def drop_excluded(collected: Judgments, excluded: str) -> Judgments:
    """All that was collected without the rows of `excluded.csv`.

    Rows are distinguished by all their columns; of equal rows as many go as are excluded.
    """
    import numpy as np

    head, *rows = csv_rows(excluded) or [[]]
    if not rows:
        return collected
    at = head.index("rule") if "rule" in head else len(head)
    try:
        gone = read_csv(csv_text([*row[:at], *row[at + 1 :]] for row in (head, *rows)))
    except DataError as error:
        remedy = "`rejudge analyse` writes the file again."
        raise FileError(
            *(replace(each, remedy=remedy, file="excluded.csv") for each in error.problems)
        ) from None
    wanted = row_hashes(gone)
    wanted.sort()
    hashes = row_hashes(collected)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    nth = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)  # among equal rows, from 0
    many = np.searchsorted(wanted, ordered, "right") - np.searchsorted(wanted, ordered)
    keep = np.ones(len(collected), dtype=np.bool_)
    keep[order[nth < many]] = False
    return collected.take(keep)


# How rules are applied


@dataclass(frozen=True, eq=False, slots=True)
class RuleInput:
    """What a rule is applied to: judgments that count so far, of a study or of a table."""

    judgments: Judgments
    study: Study | None = None
    plan: Plan | None = None


def _apply(given: RuleInput, limits: Exclude | ExclusionRules) -> Cleaned:
    """Apply the rules in their order and divide the rows."""
    import numpy as np

    judgments, stated = given.judgments, stated_rules(limits)
    ruled = np.full(len(judgments), -1, dtype=np.int64)  # the place of the verdict on each row
    verdicts: list[Exclusion] = []
    is_dropped = judgments.is_of_kind("dropped")
    for rule in RULES:
        if rule.key and rule not in stated and not rule.is_always:
            continue
        limit = stated.get(rule)
        if rule.rows is not None:
            fits, reason = rule.rows(judgments, limit)
            rows = fits & (ruled < 0)
            place, found = _by_person(judgments.take(rows), rule.id, reason)
            ruled[rows] = len(verdicts) + place
        elif rule.find is not None:
            seen = ruled < 0 if rule.is_last else ~is_dropped
            found = list(rule.find(replace(given, judgments=judgments.take(seen)), limit))
            place = _first_fitting(judgments, found)
            rows = (place >= 0) & (ruled < 0)
            ruled[rows] = len(verdicts) + place[rows]
        verdicts += found
    return _divide(judgments, ruled, verdicts)


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


# Rules of a table without a study


@dataclass(frozen=True, slots=True)
class ExclusionRules:
    """Whose judgments are left out of a table that has no study; every rule is off by default.

    `incomplete`: fewer real judgments than this in a batch. `failed_checks`: so many failed checks
    or more (the table says which were `passed`, or what was `expected`). `chose`: whoever preferred
    one of these systems, such as a distractor.
    `surplus`: so many participants were planned for each batch. The others as in a study.
    """

    participants: tuple[str, ...] = ()
    incomplete: int | None = None
    failed_checks: int | None = None
    chose: tuple[str, ...] = ()
    straight_lining: float | None = None
    too_fast_total_seconds: float | None = None
    surplus: int | None = None
    faster_than_seconds: float | None = None

    @classmethod
    def parse(cls, rules: Iterable[str]) -> ExclusionRules:
        """Read rules such as `failed_checks=1` and `chose=distractor`; names with commas."""
        read: dict[str, Any] = {}  # the rules' types differ
        by_option = {rule.key: rule for rule in RULES if rule.read}
        for typed in rules:
            name, _, given = typed.partition("=")
            if name == "faster_than_reading":
                raise UsageError(
                    "faster_than_reading needs the texts, which a table of judgments does not "
                    "have. Analyse the study's folder, or write too_fast_total_seconds=120."
                )
            if name not in by_option:
                known = ", ".join(field.name for field in fields(cls))
                raise UsageError(f"there is no rule '{name}'. The rules are {known}.")
            try:
                reader = by_option[name].read or str
                read[name] = reader(given)
            except ValueError:
                remedy = f"Write {name}={by_option[name].example}."
                raise UsageError(f"'{typed}' is not a rule. {remedy}") from None
        return cls(**read)


def refuse_unanswerable(judgments: Judgments, rules: ExclusionRules) -> None:
    """Refuse rules about people or systems that the table does not have, or columns it lacks."""
    problems = [
        Problem(f"--exclude {rule}: {what}.", remedy)
        for rule, what, remedy in _unanswerable(judgments, rules)
    ]
    if problems:
        raise DataError.of(problems)


def _unanswerable(judgments: Judgments, rules: ExclusionRules) -> Iterator[tuple[str, str, str]]:
    """The rule, what the table lacks for it, and the remedy."""
    given = [each.name for each in fields(rules) if getattr(rules, each.name) not in {None, ()}]
    if not len(judgments):
        return
    if given and not (judgments.participant.codes >= 0).any():
        yield given[0], "it is not known who judged", "Name the column: --columns participant=…."
        return
    yield from _strangers("participants", rules.participants, judgments.participant.used())
    systems = (*judgments.system_a.used(), *judgments.system_b.used())
    yield from _strangers("chose", rules.chose, systems)
    has = {
        "passed": bool((judgments.passed >= 0).any()),
        "seconds": bool((judgments.seconds >= 0).any()),
        "batch": bool((judgments.batch.codes >= 0).any()),
    }
    for rule in RULES:
        if rule.key in given and not has.get(rule.column, True):
            remedy = f"Name the column if there is one: --columns {rule.column}=…."
            what = f"no column was recognised as the {_LACKED[rule.column]}"
            yield rule.key, what, remedy


_LACKED: Mapping[str, str] = {
    "passed": "`passed` or `expected` of a check",
    "seconds": "`seconds`",
    "batch": "`batch`",
}


def _strangers(
    rule: str, names: Sequence[str], known: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.6) or sorted(known)[:6]
            listed = ", ".join(f"'{each}'" for each in near)
            there = f"There are {len(set(known)):,} others, such as {listed}." if near else ""
            yield f"{rule}={name}", f"there is no '{name}' in the table", there


# Whom the rules meet


def _exclude_named(given: RuleInput, names: Sequence[str]) -> Iterator[Exclusion]:
    """Those who are left out by name."""
    judgments = given.judgments
    for person in judgments.participant.labels:
        if person in names:
            yield Exclusion(person, None, "named", "left out by name", 0)


def _exclude_state(judgments: Judgments, *states: Status) -> Iterator[Exclusion]:
    """Batches that our site knows, or a table says, to be in one of these states."""
    import numpy as np

    wanted = [judgments.state.code(state) for state in states]
    rows = np.flatnonzero(np.isin(judgments.state.codes, wanted))
    visit = combine_codes([judgments.participant.codes, judgments.batch.codes])[rows]
    _, first = np.unique(visit, return_index=True)
    for row in rows[first].tolist():
        rule, reason = _STATES[judgments.state.labels[judgments.state.codes[row]]]
        yield from _exclude_visit(judgments, row, rule, reason)


_STATES: Mapping[str, tuple[Rule, str]] = {
    "held": ("incomplete", "has not handed in the batch"),
    "expired": ("incomplete", "did not hand in the batch"),
    "returned": ("returned", "gave the batch back"),
    "withdrawn": ("returned", "withdrew from the study"),
    "excluded": ("excluded", "was excluded while the study ran"),
    "surplus": ("surplus", "finished when all places of the batch were taken"),
}


def _exclude_incomplete(given: RuleInput, limit: int | None) -> Iterator[Exclusion]:
    """Batches that were not finished: by their state, by the plan, or by a number of judgments."""
    yield from _exclude_state(given.judgments, "held", "expired")
    if limit and given.study is not None and given.plan is not None:
        yield from _exclude_unanswered(given.study, given.plan, given.judgments)
    elif limit:
        yield from _exclude_shorter(given.judgments, limit)


def _exclude_shorter(judgments: Judgments, least: int) -> Iterator[Exclusion]:
    """Batches in which a participant gave fewer real judgments than this."""
    import numpy as np

    visit = combine_codes([judgments.participant.codes, judgments.batch.codes])
    _, first, which = np.unique(visit, return_index=True, return_inverse=True)
    done = np.bincount(which[judgments.is_of_kind("real")], minlength=len(first))
    for found in np.flatnonzero(done < least).tolist():
        reason = f"gave {done[found]} of {least} judgments"
        yield from _exclude_visit(judgments, first[found], "incomplete", reason)


def _exclude_failed_checks(given: RuleInput, limit: int) -> Iterator[Exclusion]:
    """Those who failed so many checks, by the plan, or by what the table itself says."""
    import numpy as np

    judgments = given.judgments
    if given.study is not None and given.plan is not None:
        yield from _exclude_failed_planned_checks(given.study, given.plan, judgments, limit)
        return
    checks = judgments.of_kind("check")
    people = len(judgments.participant.labels)
    met = np.bincount(checks.participant.codes[checks.passed >= 0], minlength=people)
    wrong = np.bincount(checks.participant.codes[checks.passed == 0], minlength=people)
    for code in np.flatnonzero(wrong >= limit).tolist():
        reason = f"failed {wrong[code]} of {met[code]} checks"
        yield Exclusion(judgments.participant.labels[code], None, "failed-checks", reason, 0)


def _exclude_choosers(given: RuleInput, systems: Sequence[str]) -> Iterator[Exclusion]:
    """Those who preferred one of these systems to another, ever."""
    import numpy as np

    judgments = given.judgments
    a, b = judgments.system_a, judgments.system_b
    winner = np.where(judgments.value == 1, a.recode(systems), -1)
    winner = np.where((judgments.value == 0) & judgments.is_comparison, b.recode(systems), winner)
    found: dict[int, int] = {}
    for row in np.flatnonzero(judgments.is_comparison & (winner >= 0)).tolist():
        found.setdefault(int(judgments.participant.codes[row]), int(winner[row]))
    for person, system in sorted(found.items()):
        reason = f"chose '{systems[system]}'"
        yield Exclusion(judgments.participant.labels[person], None, "chose", reason, 0)


def _exclude_straight_lining(given: RuleInput, share: float) -> Iterator[Exclusion]:
    """Those whose most frequent answer to each question makes up so much of their answers.

    Of a comparison the answer is the side; where it is unknown, system_a counts as shown first.
    """
    import numpy as np

    judgments = given.judgments
    real = judgments.of_kind("real")
    if not len(real):
        return
    people = len(real.participant.labels)
    _, said = np.unique(_answers(real), return_inverse=True)
    asked = combine_codes([real.participant.codes, real.question.codes])
    _, first, counts = np.unique(
        combine_codes([asked, said]), return_index=True, return_counts=True
    )
    groups, group = np.unique(asked[first], return_inverse=True)
    most = np.zeros(len(groups), dtype=np.int64)
    np.maximum.at(most, group, counts)
    owner = np.zeros(len(groups), dtype=np.int64)
    owner[group] = real.participant.codes[first]
    same = np.bincount(owner, weights=most, minlength=people)
    every = np.bincount(real.participant.codes, minlength=people)
    enough = _tasks_of(real) >= LEAST_TASKS
    for code in np.flatnonzero(enough & (same >= share * every - 1e-9)).tolist():
        reason = f"gave the same answer in {same[code]:.0f} of {every[code]} judgments"
        yield Exclusion(real.participant.labels[code], None, "straight-lining", reason, 0)


def _exclude_fast(given: RuleInput, limit: float) -> Iterator[Exclusion]:
    """Batches done in less time than this; where a task's time is unknown, so is the total."""
    import numpy as np

    judgments = given.judgments
    pages = combine_codes([judgments.participant.codes, judgments.batch.codes, *_task(judgments)])
    _, first = np.unique(pages, return_index=True)
    visit = combine_codes([judgments.participant.codes, judgments.batch.codes])[first]
    visits, place, which = np.unique(visit, return_index=True, return_inverse=True)
    seconds = np.bincount(which, weights=judgments.seconds[first], minlength=len(visits))
    for found in np.flatnonzero(seconds < limit).tolist():
        reason = f"took {seconds[found]:.0f} s in all, less than {limit:g} s"
        yield from _exclude_visit(judgments, first[place[found]], "too-fast", reason)


@dataclass(frozen=True, slots=True)
class FastBatch:
    """A batch done faster than its texts can be read."""

    participant: str
    batch: str
    tasks: int
    seconds: float
    least: float  # seconds, for somebody who reads what they judge


def find_fast_batches(judgments: Judgments, floor: ReadingFloor) -> Iterator[FastBatch]:
    """Batches done faster than their texts can be read, as far as they were done.

    Where the time of a task is unknown, or the plan does not have it, nothing is said.
    """
    import numpy as np

    known = np.flatnonzero((judgments.batch.codes >= 0) & (judgments.task.codes >= 0))
    person, batch = judgments.participant.codes[known], judgments.batch.codes[known]
    task = judgments.task.codes[known]
    _, first = np.unique(combine_codes([person, batch, task]), return_index=True)
    visits, which = np.unique(combine_codes([person, batch])[first], return_inverse=True)
    seconds = np.bincount(which, weights=judgments.seconds[known[first]], minlength=len(visits))
    order = np.argsort(which, kind="stable")
    pages = np.split(known[first[order]], np.flatnonzero(np.diff(which[order])) + 1)
    for spent, rows in zip(seconds.tolist(), pages if len(visits) else [], strict=True):
        name = judgments.batch.labels[judgments.batch.codes[rows[0]]]
        tasks = [judgments.task.labels[code] for code in judgments.task.codes[rows].tolist()]
        least = floor.seconds(name, tasks)
        if least is not None and spent < least:
            who = judgments.participant.labels[judgments.participant.codes[rows[0]]]
            yield FastBatch(who, name, len(tasks), spent, least)


def _exclude_faster_than_reading(given: RuleInput, _limit: object) -> Iterator[Exclusion]:
    """The same as reasons to leave these batches out."""
    if given.study is None or given.plan is None:
        return
    for each in find_fast_batches(given.judgments, ReadingFloor(given.study, given.plan)):
        reason = (
            f"took {each.seconds:.0f} s for {each.tasks} tasks, which cannot be read in less than "
            f"{each.least:.0f} s"
        )
        yield Exclusion(each.participant, each.batch, "faster-than-reading", reason, 0)


def _exclude_surplus(given: RuleInput, number: int) -> Iterator[Exclusion]:
    if given.plan is not None:
        planned = {batch.id: batch.participants for batch in given.plan.batches}
    else:
        planned = dict.fromkeys(given.judgments.batch.labels, number)
    yield from _exclude_beyond(given.judgments, planned)


def _exclude_beyond(judgments: Judgments, planned: Mapping[str, int]) -> Iterator[Exclusion]:
    """Those who finished a batch after as many others as were planned for it.

    By the time of their last answer; where times are unknown, by the order of the table. Of
    batches that our site handed out, it has kept count.
    """
    import numpy as np

    judgments = judgments.take(judgments.state.codes < 0)
    known = np.flatnonzero(judgments.batch.codes >= 0)
    visit = combine_codes([judgments.batch.codes, judgments.participant.codes])[known]
    visits, first, which = np.unique(visit, return_index=True, return_inverse=True)
    moment = judgments.submitted_at[known].astype(np.int64)
    last = np.full(len(visits), np.iinfo(np.int64).min)
    np.maximum.at(last, which, moment)
    order = np.lexsort((first, last))
    met: dict[str, int] = {}
    for found in order.tolist():
        row = known[first[found]]
        batch = judgments.batch.labels[judgments.batch.codes[row]]
        place = met[batch] = met.get(batch, 0) + 1
        if place > planned.get(batch, place):
            person = judgments.participant.labels[judgments.participant.codes[row]]
            reason = f"was number {place} of {planned[batch]} planned for batch {batch}"
            yield Exclusion(person, batch, "surplus", reason, 0)


def _exclude_visit(judgments: Judgments, row: int, rule: Rule, reason: str) -> Iterator[Exclusion]:
    """The batch of a row, or all of its participant in a table without batches."""
    person, batch = judgments.participant, judgments.batch
    name = batch.labels[batch.codes[row]] if batch.codes[row] >= 0 else None
    if name is not None or not batch.labels:  # what is outside the batches is not a batch
        yield Exclusion(person.labels[person.codes[row]], name, rule, reason, 0)


def _answers(real: Judgments) -> NDArray[np.float64]:
    """Scores, and of comparisons how far they went to the option shown first."""
    import numpy as np

    is_second = real.is_comparison & (real.side.codes == real.side.code("b"))
    return np.where(is_second, 1 - real.value, real.value)


def _task(judgments: Judgments) -> list[NDArray[np.integer]]:
    """What tells the pages of a batch apart: the task or, where none is named, what it shows."""
    import numpy as np

    is_named = judgments.task.codes >= 0
    shown = (judgments.item, judgments.system, judgments.system_a, judgments.system_b)
    return [judgments.task.codes, *(np.where(is_named, -1, part.codes) for part in shown)]


def _tasks_of(real: Judgments) -> NDArray[np.int64]:
    """How many tasks each participant did."""
    import numpy as np

    keys = combine_codes([real.participant.codes, real.batch.codes, *_task(real)])
    _, first = np.unique(keys, return_index=True)
    people = len(real.participant.labels)
    return np.bincount(real.participant.codes[first], minlength=people)


def _exclude_unanswered(study: Study, plan: Plan, judgments: Judgments) -> Iterator[Exclusion]:
    answered: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for person, batch, task, question in words_of(
        judgments, "participant", "batch", "task", "question"
    ):
        answered.setdefault((person, batch), set()).add((task, question))
    asked = {
        batch.id: {
            (task.id, question.id)
            for task in batch.real
            for question in study.questions_beside(len(task.options))
            if question.required
        }
        for batch in plan.batches
    }
    for (person, batch), given in answered.items():
        missing = len(asked.get(batch, set()) - given)
        if missing:
            reason = (
                f"{missing} of {len(asked[batch])} required answers of batch {batch} are missing"
            )
            yield Exclusion(person, batch, "incomplete", reason, 0)


def _exclude_failed_planned_checks(
    study: Study, plan: Plan, judgments: Judgments, limit: int
) -> Iterator[Exclusion]:
    only_flags = {check.id for check in study.spec.checks if check.on_fail == "flag"}
    met: dict[str, int] = {}
    failed: dict[str, int] = {}
    for result in check_results(plan, judgments):
        if result.check not in only_flags:
            person = result.participant
            met[person] = met.get(person, 0) + 1
            failed[person] = failed.get(person, 0) + (not result.is_right)
    for person, count in failed.items():
        if count >= limit:
            reason = f"failed {count} of {met[person]} checks"
            yield Exclusion(person, None, "failed-checks", reason, 0)


def _in_state(*states: Status) -> Finder:
    return lambda given, _limit: _exclude_state(given.judgments, *states)


def _faster_than(judgments: Judgments, limit: float) -> tuple[Rows, str]:
    """Answers that came faster than the rule allows; an unknown time is not fast."""
    return judgments.seconds < limit, f"answers in less than {limit:g} s"


def _judged_again(which: Literal["first", "last"]) -> Callable[[Judgments, None], tuple[Rows, str]]:
    """Rows that were dropped when the table was read, where this one of equal things counts."""

    def rows(judgments: Judgments, _limit: None) -> tuple[Rows, str]:
        dropped = judgments.is_of_kind("dropped")
        is_policy = bool(dropped.any()) and which_counts(judgments) == which
        reason = f"judged the same thing more than once; the {which} judgment counts"
        return dropped & is_policy, reason

    return rows


# The rules

Finder: TypeAlias = Callable[[RuleInput, Any], Iterator[Exclusion]]  # with what is stated


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExclusionRule:
    """One rule: whom it meets, what readers call it, and how it is stated."""

    id: Rule
    label: str
    find: Finder | None = None  # whose batches, or all of whose answers, are left out
    rows: Callable[[Judgments, Any], tuple[Rows, str]] | None = None  # single answers, and why
    key: str = ""  # in a study's `exclude` and in --exclude; empty: it always applies
    is_always: bool = False  # whether it also applies where nothing is stated
    read: Callable[[str], Any] | None = None  # of what is typed after --exclude key=
    example: str = ""
    column: str = ""  # that a table must have
    planned: Callable[[Any], str] | None = None  # in words of a plan
    by: Literal["", "time", "checks", "answers"] = ""  # what shows whom it meets
    frees_place: bool = True  # whether somebody else takes the place in the batch
    is_last: bool = False  # whether only those count whom no rule before it met


def _names(given: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    if not names:
        raise ValueError(given)
    return names


def _number(kind: type[float], most: float = 1e300) -> Callable[[str], float]:
    """A reader of numbers above 0."""

    def read(given: str) -> float:
        found = kind(given)
        if not 0 < found <= most:
            raise ValueError(given)
        return found

    return read


_BEYOND = "batches beyond the planned number"
RULES: Final = (
    ExclusionRule(
        id="duplicates-first", label="judged again; the first judgment counts",
        rows=_judged_again("first"), frees_place=False,
    ),
    ExclusionRule(
        id="duplicates-last", label="judged again later; the last judgment counts",
        rows=_judged_again("last"), frees_place=False,
    ),
    ExclusionRule(
        id="named", label="left out by name", find=_exclude_named,
        key="participants", read=_names, example="p7,p9",
        planned=lambda names: f"{counted(len(names), 'participant')} by name",
    ),
    ExclusionRule(
        id="returned", label="batches given back", find=_in_state("returned", "withdrawn")
    ),
    ExclusionRule(
        id="incomplete", label="batches not finished", find=_exclude_incomplete,
        key="incomplete", is_always=True, read=_number(int), example="30",
        planned=lambda _: "batches that were not finished",
    ),
    ExclusionRule(
        id="failed-checks", label="failed checks", find=_exclude_failed_checks,
        key="failed_checks", read=_number(int), example="1", column="passed", by="checks",
        planned=lambda most: f"participants who failed {counted(most, 'check')} or more",
    ),
    ExclusionRule(
        id="chose", label="a system nobody should choose was chosen", find=_exclude_choosers,
        key="chose", read=_names, example="distractor", by="answers",
    ),
    ExclusionRule(
        id="excluded", label="batches excluded while the study ran", find=_in_state("excluded")
    ),
    ExclusionRule(id="surplus", label=_BEYOND, find=_in_state("surplus"), frees_place=False),
    ExclusionRule(
        id="straight-lining", label="always the same answer", find=_exclude_straight_lining,
        key="straight_lining", read=_number(float, 1.0), example="0.95", by="answers",
        planned=lambda share: "participants who gave the same answer in "
        f"{100 * share:g} % of their tasks or more",
    ),
    ExclusionRule(
        id="too-fast", label="batches done too fast", find=_exclude_fast,
        key="too_fast_total_seconds", read=_number(float), example="120", column="seconds",
        by="time", planned=lambda limit: f"batches done in less than {limit:g} seconds",
    ),
    ExclusionRule(
        id="faster-than-reading", label="batches done faster than they can be read",
        find=_exclude_faster_than_reading, key="faster_than_reading", by="time",
        planned=lambda _: "batches done faster than their texts can be read",
    ),
    ExclusionRule(
        id="surplus", label=_BEYOND, find=_exclude_surplus, key="surplus", read=_number(int),
        example="3", column="batch", frees_place=False, is_last=True,
        planned=lambda _: "batches done after as many participants as planned",
    ),
    ExclusionRule(
        id="faster-than", label="answers given too fast", rows=_faster_than,
        key="faster_than_seconds", read=_number(float), example="1.5", column="seconds",
        by="time", frees_place=False, is_last=True,
        planned=lambda limit: f"answers given in less than {limit:g} seconds",
    ),
)  # fmt: skip
RULE_LABELS: Final[Mapping[str, str]] = {rule.id: rule.label for rule in RULES}
