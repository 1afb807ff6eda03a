"""The rules by which judgments are left out, each an object that finds whom it meets and why."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from rejudge.collect.assignment import Status
from rejudge.design.duration import ReadingFloor
from rejudge.design.plan import Plan
from rejudge.errors import DataError, Problem, UsageError
from rejudge.judgments.answers import check_results, words_of
from rejudge.judgments.duplicates import combine_codes
from rejudge.judgments.table import Judgments
from rejudge.study.analysis_plan import Exclude
from rejudge.study.model import Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Rule: TypeAlias = Literal[
    "duplicates-first", "duplicates-last", "named", "returned", "incomplete", "failed-checks",
    "chose", "excluded", "straight-lining", "too-fast", "faster-than-reading", "surplus",
    "faster-than",
]  # fmt: skip

LEAST_TASKS = 10  # fewer tell nothing about straight-lining


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Which judgments of a participant are left out: by which rule, why, and how many rows."""

    participant: str
    batch: str | None  # None: not one batch but all, or single answers
    rule: Rule
    reason: str
    rows: int


@dataclass(frozen=True, slots=True)
class FastBatch:
    """A batch done faster than its texts can be read."""

    participant: str
    batch: str
    tasks: int
    seconds: float
    least: float  # seconds, for somebody who reads what they judge


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
        by_option = {rule.option: rule for rule in RULES if rule.option}
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
                read[name] = by_option[name].read(given)
            except ValueError:
                remedy = f"Write {name}={by_option[name].example}."
                raise UsageError(f"'{typed}' is not a rule. {remedy}") from None
        return cls(**read)


@dataclass(frozen=True, eq=False, slots=True)
class RuleInput:
    """What a rule is applied to: judgments that count so far, and the rules of a table or study."""

    judgments: Judgments
    limits: ExclusionRules
    study: Study | None = None
    plan: Plan | None = None

    @property
    def of_study(self) -> Exclude:
        """The study's rules."""
        planned = self.study.spec.analysis if self.study else None
        return planned.exclude if planned else Exclude()


@dataclass(frozen=True, slots=True)
class ExclusionRule:
    """One rule: whom it meets, what readers call it, and how it is typed for a table."""

    id: Rule
    label: str
    find: Callable[[RuleInput, Any], Iterator[Exclusion]] | None = None  # with what was typed
    option: str = ""  # of `ExclusionRules`
    read: Callable[[str], Any] = str
    example: str = ""
    column: str = ""  # that a table must have
    frees_place: bool = True  # whether somebody else takes the place in the batch
    is_last: bool = False  # whether only those count whom no rule before it met

    def limit(self, given: RuleInput) -> Any:
        """What a table or study states for the rule; None: nothing."""
        stated = getattr(given.limits, self.option) if self.option else None
        return None if stated == () else stated


def _names(given: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    if not names:
        raise ValueError(given)
    return names


def _number(kind: type[float], most: float) -> Callable[[str], float]:
    """A reader of numbers above 0."""

    def read(given: str) -> float:
        found = kind(given)
        if not 0 < found <= most:
            raise ValueError(given)
        return found

    return read


_LARGEST = 1e300
_count, _amount, _share = _number(int, _LARGEST), _number(float, _LARGEST), _number(float, 1.0)


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
        if rule.option in given and not has.get(rule.column, True):
            remedy = f"Name the column if there is one: --columns {rule.column}=…."
            what = f"no column was recognised as the {_LACKED[rule.column]}"
            yield rule.option, what, remedy


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


def _exclude_incomplete(given: RuleInput, least: int) -> Iterator[Exclusion]:
    """Batches in which a participant gave fewer real judgments than this."""
    import numpy as np

    judgments = given.judgments
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


def _exclude_faster_than_reading(given: RuleInput, _limit: None) -> Iterator[Exclusion]:
    """The same as reasons to leave these batches out, if the study says so."""
    if given.study is None or given.plan is None or not given.of_study.faster_than_reading:
        return
    for each in find_fast_batches(given.judgments, ReadingFloor(given.study, given.plan)):
        reason = (
            f"took {each.seconds:.0f} s for {each.tasks} tasks, which cannot be read in less than "
            f"{each.least:.0f} s"
        )
        yield Exclusion(each.participant, each.batch, "faster-than-reading", reason, 0)


def _exclude_surplus(given: RuleInput, number: int) -> Iterator[Exclusion]:
    yield from _exclude_beyond(given.judgments, dict.fromkeys(given.judgments.batch.labels, number))


def _exclude_beyond_plan(given: RuleInput, _limit: None) -> Iterator[Exclusion]:
    if given.plan is not None and given.of_study.surplus:
        planned = {batch.id: batch.participants for batch in given.plan.batches}
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


def is_hasty(judgments: Judgments, limit: float) -> NDArray[np.bool_]:
    """Which answers came faster than the rule allows; an unknown time is not fast."""
    import numpy as np

    return np.asarray(judgments.seconds < limit)


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


def _exclude_unfinished(given: RuleInput, _limit: None) -> Iterator[Exclusion]:
    yield from _exclude_state(given.judgments, "held", "expired")
    if given.study is not None and given.plan is not None and given.of_study.incomplete:
        yield from _exclude_unanswered(given.study, given.plan, given.judgments)


def _in_state(*states: Status) -> Callable[[RuleInput, None], Iterator[Exclusion]]:
    return lambda given, _limit: _exclude_state(given.judgments, *states)


_BEYOND = "batches beyond the planned number"
# In the order in which they are applied; a row is left out by the first that fits.
RULES: Final = (
    ExclusionRule(
        "duplicates-first", "judged again; the first judgment counts", frees_place=False
    ),
    ExclusionRule(
        "duplicates-last", "judged again later; the last judgment counts", frees_place=False
    ),
    ExclusionRule(
        "named", "left out by name", _exclude_named, "participants", _names, "p7,p9"
    ),
    ExclusionRule("returned", "batches given back", _in_state("returned", "withdrawn")),
    ExclusionRule("incomplete", "batches not finished", _exclude_unfinished),
    ExclusionRule(
        "incomplete", "batches not finished", _exclude_incomplete, "incomplete", _count, "30"
    ),
    ExclusionRule(
        "failed-checks", "failed checks", _exclude_failed_checks, "failed_checks", _count, "1",
        column="passed",
    ),
    ExclusionRule(
        "chose", "a system nobody should choose was chosen", _exclude_choosers, "chose", _names,
        "distractor",
    ),
    ExclusionRule("excluded", "batches excluded while the study ran", _in_state("excluded")),
    ExclusionRule("surplus", _BEYOND, _in_state("surplus"), frees_place=False),
    ExclusionRule(
        "straight-lining", "always the same answer", _exclude_straight_lining, "straight_lining",
        _share, "0.95",
    ),
    ExclusionRule(
        "too-fast", "batches done too fast", _exclude_fast, "too_fast_total_seconds", _amount,
        "120", column="seconds",
    ),
    ExclusionRule(
        "faster-than-reading", "batches done faster than they can be read",
        _exclude_faster_than_reading,
    ),
    ExclusionRule(
        "surplus", _BEYOND, _exclude_beyond_plan, frees_place=False, is_last=True
    ),
    ExclusionRule(
        "surplus", _BEYOND, _exclude_surplus, "surplus", _count, "3", column="batch",
        frees_place=False, is_last=True,
    ),
    ExclusionRule(
        "faster-than", "answers given too fast", None, "faster_than_seconds", _amount, "1.5",
        column="seconds", frees_place=False, is_last=True,
    ),
)  # fmt: skip
RULE_LABELS: Final[Mapping[str, str]] = {rule.id: rule.label for rule in RULES}
