"""A plan from the batches of an earlier study: its tasks, their order and their sides.

Whatever does not fit the study is found before anything is used, with its line: unknown items and
systems, texts that are not those of the item file, tasks that occur twice.
"""

from __future__ import annotations

import html
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rejudge import fingerprint
from rejudge.design.batch_table import (
    BatchRow,
    BatchTable,
    OptionCells,
    melt,
    read_separated,
    whole_number,
)
from rejudge.design.checks import CheckReader
from rejudge.design.draw import with_segments
from rejudge.design.participant_lists import ParticipantLists, read_lists
from rejudge.design.plan import Batch, Plan, Task, people_needed
from rejudge.english import count, did_you_mean, join_quoted, shorten, verb
from rejudge.errors import DesignError, Problem
from rejudge.platforms import platform
from rejudge.study.items import page_text
from rejudge.study.model import Item, Study
from rejudge.tables_in import NamedFile

BATCH_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_SHOWN = 20  # problems that are listed one by one
_YES = frozenset({"1", "yes", "true", "y", "x", "calibration"})
_JOINS = ("-", "_", ":", "/", ".", " ", "")


@dataclass(frozen=True, slots=True)
class GivenPlan:
    """A plan made from given batches, and what a reader should know about how they were read."""

    plan: Plan
    remarks: tuple[str, ...]


def plan_from_batches(
    study: Study, batches: NamedFile, participants: NamedFile | None = None
) -> GivenPlan:
    """The plan that a table of batches describes; DesignError with every problem of the files.

    `participants` says how many people do each batch, or who does which batches.
    """
    table = melt(read_separated(batches), study, file=batches.name)
    reader = _TaskReader(study, batches.name)
    given = reader.batches(table.rows)
    problems = [*table.problems, *reader.problems]
    lists = ParticipantLists()
    if participants is not None:
        lists, wrong = read_lists(
            participants,
            None if table.problems else [n for n, b in given.items() if not b.is_calibration],
        )
        problems += wrong
    if given and not problems:
        problems += _contradictions(study, given, lists, participants)
    if problems:
        raise DesignError(*_first(problems))
    plan = _plan(study, given, reader, lists, source=_source(batches))
    return GivenPlan(with_segments(study, plan), tuple(_remarks(study, plan, table, reader)))


def _source(batches: NamedFile) -> str:
    return f"{batches.name} ({fingerprint.of_bytes(batches.content)})"


@dataclass(frozen=True, slots=True)
class _GivenBatch:
    """The tasks of one batch in their order, and what the table says about the batch."""

    line: int
    tasks: tuple[Task, ...]
    participants: int | None
    is_calibration: bool


def _plan(
    study: Study,
    given: Mapping[str, _GivenBatch],
    reader: _TaskReader,
    lists: ParticipantLists,
    *,
    source: str,
) -> Plan:
    design = study.spec.design
    usual = design.participants_per_batch
    sizes = {
        name: lists.sizes.get(name) or batch.participants or usual
        for name, batch in given.items()
        if not batch.is_calibration
    }
    share = lists.most_batches or design.batches_per_participant
    places = sum(sizes.values())
    people = len(lists.lists or ()) or people_needed(places, max(sizes.values(), default=1), share)
    batches = tuple(
        Batch(name, batch.tasks, sizes.get(name, people), batch.is_calibration)
        for name, batch in sorted(given.items(), key=lambda pair: not pair[1].is_calibration)
    )
    return Plan(
        study=study.design_fingerprint,
        seed=design.seed,
        order="listed",
        batches_per_participant=share,
        batches=batches,
        texts=reader.checks.texts,
        segments={},
        conflicts=_conflicts(study, batches) if design.inputs == "apart" else {},
        notes=tuple(_notes(batches)),
        source=source,
        lists=lists.lists,
    )


def _conflicts(study: Study, batches: Sequence[Batch]) -> dict[str, tuple[str, ...]]:
    """Batches that show the same input; nobody may have both."""
    inputs = {
        b.id: {study.item[task.item].group for task in b.real}
        for b in batches
        if not b.is_calibration
    }
    found = {
        one: tuple(other for other in inputs if other != one and inputs[one] & inputs[other])
        for one in inputs
    }
    return {one: others for one, others in found.items() if others}


def _notes(batches: Sequence[Batch]) -> Iterator[str]:
    main = [batch for batch in batches if not batch.is_calibration]
    sizes = {len(batch.tasks) for batch in main}
    if len(sizes) > 1:
        yield f"Batches are not equally long: {min(sizes)} to {max(sizes)} tasks."
    people = {batch.participants for batch in main}
    if len(people) > 1:
        yield f"Batches are done by different numbers of people: {min(people)} to {max(people)}."
    times = Counter((t.item, tuple(sorted(t.options))) for b in main for t in b.real)
    several = sum(number > 1 for number in times.values())
    if several:
        yield f"{count(several, 'task')} of {len(times):,} occur in more than one batch."


def _remarks(study: Study, plan: Plan, table: BatchTable, reader: _TaskReader) -> Iterator[str]:
    shape = "one row per batch" if table.has_one_row_per_batch else "one row per task"
    yield f"{plan.source} has {shape}; order and sides are kept as they are."
    if reader.matched_by_input:
        were = verb(reader.matched_by_input, "was", "were")
        yield f"{count(reader.matched_by_input, 'task')} {were} matched to items by their input."
    if not reader.has_texts:
        yield "The file has no texts, so only the ids of items and systems were compared."
    used = {task.item for task in plan.tasks()}
    absent = [item.id for item in study.items if item.id not in used]
    if absent:
        are = verb(len(absent), "is", "are")
        yield f"{count(len(absent), 'item')} of {len(study.items):,} {are} in no batch."
    shown = {task.check for task in plan.tasks()}
    missing = [check.id for check in study.spec.checks if check.id not in shown]
    if missing:
        yield f"No batch has a check {join_quoted(missing)}; nobody will be excluded by it."
    if table.unused:
        yield f"Columns that were not needed: {join_quoted(table.unused)}."


def _contradictions(
    study: Study,
    given: Mapping[str, _GivenBatch],
    lists: ParticipantLists,
    file: NamedFile | None,
) -> Iterator[Problem]:
    recruitment = study.spec.recruitment
    if lists.lists and (recruitment.open or platform(recruitment.platform).link_ids):
        yield Problem(
            "named participants need personal links, but the study is open to others.",
            "Set `recruitment: {platform: link}` in study.yaml.",
            file=None if file is None else file.name,
        )
    if all(batch.is_calibration for batch in given.values()):
        yield Problem(
            "every batch is calibration, which leaves none to judge afterwards.",
            "Mark only the shared batch.",
        )
    for name, size in lists.sizes.items():
        stated = given[name].participants
        if stated is not None and stated != size:
            yield Problem(
                f"the batch '{name}' has {stated} participants in the batches and {size} here.",
                "Give the number in one place only.",
                file=None if file is None else file.name,
            )


def _first(problems: Sequence[Problem]) -> list[Problem]:
    ordered = sorted(dict.fromkeys(problems), key=lambda p: (p.file or "", p.line or 0))
    more = len(ordered) - _SHOWN
    rest = [Problem(f"and {count(more, 'more problem')}.")] if more > 0 else []
    return [*ordered[:_SHOWN], *rest]


class _TaskReader:
    """Turns rows into tasks. A fault is noted and the next row read, so that all are found."""

    def __init__(self, study: Study, file: str) -> None:
        self.problems: list[Problem] = []
        self.matched_by_input = 0
        self.has_texts = False
        self.checks = CheckReader(study)
        self._study = study
        self._file = file
        self._widths = {q.shows(len(study.system_ids)) for q in study.spec.questions}
        self._systems = _names_of_systems(study)
        self._by_input: dict[str, list[Item]] = defaultdict(list)
        for item in study.items:
            self._by_input[page_text(item.input)].append(item)

    def batches(self, rows: Iterable[BatchRow]) -> dict[str, _GivenBatch]:
        """All batches in the order of the file."""
        by_batch: dict[str, list[BatchRow]] = defaultdict(list)
        for row in rows:
            by_batch[row.batch].append(row)
        self._refuse_similar_names(by_batch)
        return {name: self._batch(name, own) for name, own in by_batch.items()}

    def _refuse_similar_names(self, by_batch: Mapping[str, Sequence[BatchRow]]) -> None:
        seen: dict[str, str] = {}
        for name, rows in by_batch.items():
            if BATCH_NAME.fullmatch(name) is None:
                remedy = (
                    "Use at most 64 letters, digits, - and _, beginning with a letter or digit."
                )
                self._complain(rows[0], f"{name[:70]!r} cannot name a batch.", remedy)
            other = seen.setdefault(name.casefold(), name)
            if other != name:
                what = f"the batches '{other}' and '{name}' differ only in capitals."
                self._complain(rows[0], what, "Spell the name of a batch the same way in all rows.")

    def _batch(self, name: str, rows: Sequence[BatchRow]) -> _GivenBatch:
        ordered = self._in_order(rows)
        digits = max(2, len(str(len(ordered))))
        tasks: list[Task] = []
        first: dict[tuple[str, tuple[str, ...]], tuple[Task, BatchRow]] = {}
        for place, row in enumerate(ordered, start=1):
            task = self._task(f"{name}-{place:0{digits}}", row)
            if task is None:
                continue
            key = (task.item, tuple(sorted(task.options)))
            before = first.setdefault(key, (task, row))
            if before[0] is not task and task.kind != "check":
                task = self._repeat(task, row, before)
            elif task.kind == "repeat":
                self._complain(row, "no earlier task matches this repeat.", "Check the order.")
            tasks.append(task)
        return _GivenBatch(
            rows[0].line,
            tuple(tasks),
            self._participants(name, rows),
            any(row.cells.get("calibration", "").casefold() in _YES for row in rows)
            or name == "calibration",
        )

    def _in_order(self, rows: Sequence[BatchRow]) -> list[BatchRow]:
        """By position where the table has one, else as the rows come."""
        if not any("position" in row.cells for row in rows):
            return list(rows)
        seen: dict[int, BatchRow] = {}
        for row in rows:
            given = row.cells.get("position", "")
            place = whole_number(given)
            if place is None:
                what = f"the position {given!r} is not a whole number."
                self._complain(row, what, "Number the tasks of a batch, or leave the column out.")
                continue
            before = seen.setdefault(place, row)
            if before is not row:
                what = (
                    f"position {given} of batch '{row.batch}' is also used on line {before.line}."
                )
                self._complain(row, what, "Give each task a position of its own.")
        return [seen[place] for place in sorted(seen)]

    def _participants(self, name: str, rows: Sequence[BatchRow]) -> int | None:
        given = {row.cells["participants"]: row for row in rows if "participants" in row.cells}
        if len(given) > 1:
            what = f"batch '{name}' has different numbers of participants: {join_quoted(given)}."
            self._complain(list(given.values())[1], what, "Give the same number in all its rows.")
        for text, row in given.items():
            size = whole_number(text)
            if size:
                return size
            what = f"{text[:70]!r} is not a number of participants."
            self._complain(row, what, "Write a whole number from 1 to 999999.")
        return None

    def _task(self, name: str, row: BatchRow) -> Task | None:
        item = self._item(row)
        if item is None:
            return None
        self._compare(row, "input", item.input, row.cells.get("input"))
        self._compare(row, "reference", item.reference or "", row.cells.get("reference"))
        known = [self._systems.get(option.system.casefold()) for option in row.options]
        if len(row.options) not in self._widths:
            what = f"this shows {count(len(row.options), 'output')}, which no question asks about."
            self._complain(
                row, what, f"The questions show {_widths_in_words(self._widths)} at a time."
            )
            return None
        if "check" in row.cells or None in known:
            return self._check(name, row, item, known)
        options = [system for system in known if system is not None]
        if len(set(options)) < len(options):
            self._complain(row, "the same system is shown twice.", "Check the columns of systems.")
        for option, system in zip(row.options, options, strict=True):
            self._compare_output(row, item, system, option)
        is_repeat = row.cells.get("kind", "").casefold() == "repeat"
        return Task(name, item.id, tuple(options), "repeat" if is_repeat else "real")

    def _check(
        self, name: str, row: BatchRow, item: Item, known: Sequence[str | None]
    ) -> Task | None:
        """A task whose right answer is known, or a system that the study does not have."""
        found = self.checks.read(name, row, item, known)
        if isinstance(found, Task):
            return found
        what, remedy = found.what, found.remedy
        unknown = [o.system for o, s in zip(row.options, known, strict=True) if s is None]
        if unknown and "check" not in row.cells and not self.checks.is_likely(row, item, known):
            what = f"the study has no system {join_quoted(unknown)}."
            remedy = did_you_mean(unknown[0], self._systems) or (
                f"The systems are {join_quoted(self._study.system_ids)}."
            )
        self._complain(row, what, remedy)
        return None

    def _repeat(self, task: Task, row: BatchRow, before: tuple[Task, BatchRow]) -> Task:
        if task.kind != "repeat":
            place = f"on line {before[1].line}" if not row.slot else f"as task {before[1].slot}"
            self._complain(
                row,
                f"batch '{row.batch}' already shows '{task.item}' with these systems {place}.",
                "Remove one, or write repeat in a column `kind` if it is shown twice on purpose.",
            )
        return replace(task, kind="repeat", repeats=before[0].id)

    def _item(self, row: BatchRow) -> Item | None:
        given, dataset = row.cells.get("item", ""), row.cells.get("dataset", "")
        names = [given, *(f"{dataset}{join}{given}" for join in _JOINS if dataset and given)]
        fitting = [self._study.item[name] for name in names if name in self._study.item]
        text = row.cells.get("input")
        if fitting and (text is None or len(fitting) == 1 or _is_text(fitting[0].input, text)):
            return fitting[0]
        if text is not None:
            alike = self._by_input.get(page_text(text)) or self._by_input.get(
                page_text(html.unescape(text)), []
            )
            alike = [i for i in alike if not dataset or i.dataset in {"", dataset}] or alike
            if len(alike) == 1:
                self.matched_by_input += 1
                return alike[0]
            if len(alike) > 1 and not given:
                what = f"{count(len(alike), 'item')} have this input, such as '{alike[0].id}'."
                self._complain(row, what, "Add a column `item` with the ids of the item file.")
                return None
        named = f"'{given}'" if given else "with this input"
        remedy = did_you_mean(given, self._study.item) if given else ""
        self._complain(
            row,
            f"the study has no item {named}.",
            remedy or f"Use the ids of {self._study.spec.items.file}, or add the item there.",
        )
        return None

    def _compare_output(self, row: BatchRow, item: Item, system: str, option: OptionCells) -> None:
        ours = self._study.output(item.id, system) or ""
        self._compare(row, f"output of '{system}'", ours, option.text)

    def _compare(self, row: BatchRow, what: str, ours: str, given: str | None) -> None:
        if given is None:
            return
        self.has_texts = True
        if not _is_text(ours, given):
            self._complain(
                row,
                f"the {what} differs from the one in {self._study.spec.items.file}: "
                f"“{shorten(page_text(given), 60)}” here, “{shorten(page_text(ours), 60)}” there.",
                "Correct the text in one of the two, or the id of the item.",
            )

    def _complain(self, row: BatchRow, what: str, remedy: str) -> None:
        field = f"task {row.slot}" if row.slot else None
        self.problems.append(Problem(what, remedy, file=self._file, line=row.line, field=field))


def _names_of_systems(study: Study) -> dict[str, str]:
    """Systems by id, column and name; capitals do not matter unless ids differ only in them."""
    names: dict[str, str] = {}
    for system in study.spec.systems:
        for name in (system.id, system.output_column, system.label):
            names.setdefault(name.casefold(), system.id)
    return names


def _is_text(ours: str, given: str) -> bool:
    """Whether two texts are the same on a page; layouts of MTurk had their entities written out."""
    return page_text(ours) in {page_text(given), page_text(html.unescape(given))}


def _widths_in_words(widths: Iterable[int]) -> str:
    return " or ".join(count(width, "output") for width in sorted(widths))
