"""From assignments to answers: which count, whose they are, and how the original was run."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import median
from typing import Any, Final

from rejudge.english import count
from rejudge.errors import FileError, Problem
from rejudge.exchange.formats import Rejected
from rejudge.exchange.mturk_files import HitAssignment
from rejudge.exchange.mturk_mapping import Criteria
from rejudge.exchange.mturk_study import Conditions
from rejudge.exchange.pseudonyms import describe_pseudonyms, pseudonym_key, pseudonyms
from rejudge.judgments.table import Judgment
from rejudge.spreadsheet import csv_text
from rejudge.study.yaml_file import write_yaml

ASSIGNMENTS: Final = "assignments.csv"
CONDITIONS: Final = "original_conditions.yaml"
_REJECTED: Final = "rejected"
_NOT_TAKEN: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"  # of somebody who only looked at a HIT
_LATE = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class HitAttempt:
    """An assignment that counts: whose it is, of which HIT, and which attempt it was."""

    participant: str  # pseudonym
    hit: int  # place in the list of HITs
    attempt: int  # 1 counts, the others are repeats
    assignment: HitAssignment


@dataclass(frozen=True, slots=True)
class AssignmentSet:
    """All assignments of an import, sorted."""

    done: tuple[HitAttempt, ...]
    people: Mapping[str, str]  # pseudonym by worker
    everything: tuple[HitAssignment, ...]
    rejected: tuple[Rejected, ...]
    notes: tuple[str, ...]


def collect_assignments(
    assignments: Sequence[HitAssignment],
    keys: Mapping[tuple[str, ...], int],
    columns: Sequence[str],
) -> AssignmentSet:
    """Decide which assignments count. `keys` gives the place of a HIT by its cells."""
    taken = [a for a in assignments if a.id != _NOT_TAKEN]
    distinct = _distinct(taken)
    _refuse_different_inputs(distinct)
    ordered = sorted(distinct, key=lambda a: (a.submitted_at or _LATE, a.file, a.row))
    key = pseudonym_key()
    people = dict(pseudonyms((a.worker for a in ordered), key=key))
    kept = [a for a in ordered if a.status.casefold() != _REJECTED]
    known = [a for a in kept if hit_key(a.inputs, columns) in keys]
    strangers = [a for a in kept if hit_key(a.inputs, columns) not in keys]
    done = tuple(_done(known, keys, columns, people))
    again = len(taken) - len(distinct)
    notes = [
        *([f"{count(again, 'row')} occurred again and counted once."] if again else ()),
        *_status_notes(ordered),
        *_number_notes(distinct),
        *_worker_notes(done),
        describe_pseudonyms("Worker ids", key=key),
    ]
    rejected = tuple(_stranger(a, people[a.worker]) for a in strangers)
    return AssignmentSet(done, people, tuple(ordered), rejected, tuple(notes))


def hit_key(cells: Mapping[str, str], columns: Sequence[str]) -> tuple[str, ...]:
    """What a HIT showed; line ends differ between the files of one batch."""
    return tuple(_plain(cells.get(column, "")) for column in columns)


def _plain(cell: str) -> str:
    return cell.replace("\r\n", "\n").replace("\r", "\n").strip()


def conditions_of(found: AssignmentSet, assignments: int | None) -> Conditions:
    """How the original was run, for study.yaml."""
    wanted = [a.wanted for a in found.everything if a.wanted is not None]
    per_worker = Counter(each.participant for each in found.done)
    rewards = Counter(_dollars(a.about["Reward"]) for a in found.everything)
    seconds = [each.assignment.seconds for each in found.done if each.assignment.seconds]
    titles = [a.about["Title"] for a in found.everything if a.about["Title"]]
    return Conditions(
        assignments=assignments or max(wanted, default=1),
        hits_per_worker=max(per_worker.values(), default=1),
        reward=rewards.most_common(1)[0][0] if rewards else None,
        minutes=median(seconds) / 60 if seconds else None,
        title=titles[0] if titles else "",
    )


def conditions_file(found: AssignmentSet, conditions: Conditions, criteria: Criteria) -> bytes:
    """What has to be reported when the study is repeated elsewhere."""
    per_worker = sorted(Counter(each.participant for each in found.done).values())
    moments = sorted(a.submitted_at for a in found.everything if a.submitted_at)
    limits = [a.about["AssignmentDurationInSeconds"] for a in found.everything]
    record: dict[str, Any] = {
        "platform": "Amazon Mechanical Turk (closed on 2026-09-30)",
        "assignments_per_hit": conditions.assignments,
        "reward_usd": conditions.reward,
        "median_minutes": None if conditions.minutes is None else round(conditions.minutes, 1),
        "minutes_allowed": _minutes(limits[0]) if limits else None,
        "first_submission": moments[0].isoformat() if moments else None,
        "last_submission": moments[-1].isoformat() if moments else None,
        "assignments_by_status": dict(Counter(a.status for a in found.everything)),
        "workers": len(per_worker),
        "hits_per_worker": (
            {"least": per_worker[0], "median": median(per_worker), "most": per_worker[-1]}
            if per_worker
            else None
        ),
        "repeat_workers": criteria.repeat_workers or None,
        "failed_checks": criteria.failed_checks or None,
        "approval_percent": criteria.approval_percent,
        "previous_submissions": criteria.previous_submissions,
        "regions": list(criteria.regions) or None,
    }
    head = "# How the original was run. null: its files do not say; look into the paper.\n"
    return (head + write_yaml(record)).encode()


def assignments_file(found: AssignmentSet, names: Sequence[str]) -> bytes:
    """Times and status of every assignment, under pseudonyms; `names` are those of the HITs."""
    places = {each.assignment.id: each for each in found.done}
    head = ("participant", "batch", "attempt", "status", "accepted_at", "submitted_at", "seconds")
    rows = []
    for each in found.everything:
        done = places.get(each.id)
        times = [t.isoformat() if t else None for t in (each.accepted_at, each.submitted_at)]
        whose = (names[done.hit], done.attempt) if done else (None, None)
        rows.append((found.people[each.worker], *whose, each.status, *times, each.seconds))
    return csv_text([head, *rows]).encode()


def repeated(row: Judgment) -> Judgment:
    """A judgment of a HIT that was done before; its checks were met before, too."""
    return replace(row, kind="dropped" if row.kind == "check" else "repeat")


def _distinct(assignments: Iterable[HitAssignment]) -> list[HitAssignment]:
    """Every assignment once; files of one batch may overlap."""
    by_id: dict[str, HitAssignment] = {}
    problems = []
    for each in assignments:
        before = by_id.setdefault(each.id, each)
        if (before.worker, before.answers, before.hit) != (each.worker, each.answers, each.hit):
            what = "this AssignmentId occurs twice with different answers."
            problems.append(Problem(what, "Keep one row.", each.file, field=f"row {each.row}"))
    if problems:
        raise FileError(*problems[:20])
    return list(by_id.values())


def _refuse_different_inputs(assignments: Iterable[HitAssignment]) -> None:
    first: dict[str, HitAssignment] = {}
    problems = []
    for each in assignments:
        before = first.setdefault(each.hit, each)
        columns = sorted({*before.inputs, *each.inputs})
        if hit_key(before.inputs, columns) != hit_key(each.inputs, columns):
            what = f"the Input columns differ from row {before.row}, which is of the same HIT."
            remedy = "Use the file as it was downloaded."
            problems.append(Problem(what, remedy, each.file, field=f"row {each.row}"))
    if problems:
        raise FileError(*problems[:20])


def _done(
    kept: Iterable[HitAssignment],
    keys: Mapping[tuple[str, ...], int],
    columns: Sequence[str],
    people: Mapping[str, str],
) -> Iterator[HitAttempt]:
    times: Counter[tuple[str, int]] = Counter()
    for each in kept:
        place = keys[hit_key(each.inputs, columns)]
        times[each.worker, place] += 1
        yield HitAttempt(people[each.worker], place, times[each.worker, place], each)


def _stranger(assignment: HitAssignment, participant: str) -> Rejected:
    return Rejected(
        "its Input columns are not a row of the input file.",
        "Give the input file that these results belong to.",
        assignment.file,
        assignment.row,
        participant=participant,
    )


def _status_notes(assignments: Sequence[HitAssignment]) -> Iterator[str]:
    out = sum(each.status.casefold() == _REJECTED for each in assignments)
    if out:
        yield f"{count(out, 'rejected assignment')} left out."
    waiting = sum(each.status.casefold() == "submitted" for each in assignments)
    if waiting:
        yield f"{count(waiting, 'assignment')} kept that the requester had not reviewed."


def _number_notes(assignments: Sequence[HitAssignment]) -> Iterator[str]:
    """Whether every HIT has as many assignments as were asked for."""
    rows: dict[str, list[HitAssignment]] = defaultdict(list)
    for each in assignments:
        rows[each.hit].append(each)
    odd = [hit for hit, each in rows.items() if each[0].wanted not in {None, len(each)}]
    if odd:
        yield (
            f"{count(len(odd), 'HIT')} of {len(rows):,} have more or fewer assignments than "
            "MaxAssignments says."
        )


def _worker_notes(done: Sequence[HitAttempt]) -> Iterator[str]:
    if not done:
        return
    per_worker = sorted(Counter(each.participant for each in done).values())
    yield (
        f"{count(len(per_worker), 'worker')} did {count(len(done), 'assignment')}: "
        f"{per_worker[0]} to {per_worker[-1]} each, median {median(per_worker):g}."
    )
    again = sum(each.attempt > 1 for each in done)
    if again:
        yield (
            f"{count(again, 'assignment')} of a HIT that the same worker had done before kept as "
            "repeats; the first counts."
        )


def _dollars(reward: str) -> float | None:
    found = re.search(r"\d+(?:\.\d+)?", reward)
    return None if found is None else float(found[0])


def _minutes(seconds: str) -> float | None:
    return round(int(seconds) / 60, 1) if seconds.isdecimal() else None
