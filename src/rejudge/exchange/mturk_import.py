"""From the files of a past study on Mechanical Turk to a study, its plan and judgments."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rejudge import fingerprint
from rejudge.english import count
from rejudge.errors import FileError, Problem
from rejudge.exchange.formats import Imported, Rejected
from rejudge.exchange.mturk_files import HitAssignment, Shape, shape_of
from rejudge.exchange.mturk_hits import (
    Hit,
    HitItem,
    HitQuestion,
    find_questions,
    plain_cells,
    read_hits,
    refuse_contradictions,
)
from rejudge.exchange.mturk_layout import describe_layout, html_names
from rejudge.exchange.mturk_mapping import HitMapping, Roles, find_roles
from rejudge.exchange.mturk_results import (
    ASSIGNMENTS,
    CONDITIONS,
    AssignmentSet,
    HitAttempt,
    assignments_file,
    collect_assignments,
    conditions_file,
    conditions_of,
    hit_key,
    repeated,
)
from rejudge.exchange.mturk_study import (
    PAGE,
    OriginalPage,
    OriginalStudy,
    batch_id,
    build_study,
    page_file,
    site_of,
    system_slug,
    task_id,
)
from rejudge.exchange.survey_tables import SurveyTable
from rejudge.files.step_files import PLAN, to_bytes
from rejudge.judgments.answers import Answer, tabulate
from rejudge.judgments.table import Choice, Judgment, Judgments
from rejudge.study.page_elements import LayoutControl
from rejudge.study.page_layout import PageLayout, frame_layout, render_layout, split_name

PREVIEW = "layout_preview.html"
_LONGEST = 80  # letters of a cell in a message


@dataclass(frozen=True, slots=True)
class HitFiles:
    """The files of an import, read."""

    layout: PageLayout | None
    inputs: SurveyTable | None
    assignments: tuple[HitAssignment, ...]
    mapping: HitMapping
    file: str  # named in messages


@dataclass(frozen=True, slots=True)
class _HitAnswer:
    """One answer to one question about one item of a HIT."""

    done: HitAttempt
    batch: str
    position: int  # from 1
    item: HitItem
    asked: HitQuestion
    raw: str

    @property
    def task(self) -> str:
        return task_id(self.batch, self.position)


def import_hits(files: HitFiles) -> Imported:
    """A study with its plan and judgments; whatever cannot be used is listed."""
    return _Importer(files).read()


@dataclass(frozen=True)
class _Importer:
    """Builds a study, a plan and judgments from the files of a past study."""

    given: HitFiles
    rejected: list[Rejected] = field(default_factory=list)

    def read(self) -> Imported:
        columns, rows = self._rows()
        if not rows:
            what = "the file has a header and no rows."
            raise FileError(Problem(what, "Give the complete file.", file=self.given.file))
        shape, roles = self._shape_and_roles(columns)
        hits = read_hits(rows, columns, shape, roles=roles, mapping=self.given.mapping)
        refuse_contradictions(hits, file=self.given.file)
        keys = {tuple(_same(cell) for cell in hit.key): n for n, hit in enumerate(hits)}
        found = collect_assignments(self.given.assignments, keys, columns)
        questions, others = find_questions(
            self._controls,
            _values(self.given.assignments),
            shape=shape,
            mapping=self.given.mapping,
            options=len(roles.outputs),
        )
        conditions = conditions_of(found, self.given.mapping.assignments)
        built = build_study(
            hits,
            questions,
            mapping=self.given.mapping,
            conditions=conditions,
            source=self._source(columns, rows),
            introduction=self.given.layout.introduction if self.given.layout else (),
            page=self._page(shape, roles, questions, rows),
        )
        judgments = self._judgments(built, hits, questions, found)
        names = [batch_id(n, len(hits)) for n in range(1, len(hits) + 1)]
        files = {
            **_study_files(built),
            **self._preview(rows),
            CONDITIONS: conditions_file(found, conditions, self.given.mapping.criteria),
        }
        if found.everything:
            files[ASSIGNMENTS] = assignments_file(found, names)
        unused = [f for f in shape.fields if f not in roles.used]
        return Imported(
            judgments,
            (*found.rejected, *self.rejected),
            (*others, *(f"{name}: a column without a role" for name in unused)),
            (
                *self._notes(hits, questions, built),
                *self._layout_notes(rows, questions),
                *(found.notes if found.everything else ()),
            ),
            files,
            is_incomplete=isinstance(built, str),
        )

    @property
    def _controls(self) -> tuple[LayoutControl, ...]:
        return self.given.layout.controls if self.given.layout else ()

    def _rows(self) -> tuple[tuple[str, ...], Sequence[Mapping[str, str]]]:
        """The input: its own file, or the Input columns of the results."""
        if self.given.inputs is not None:
            columns = tuple(name for name in self.given.inputs.header if name)
            return columns, self.given.inputs.records()
        named = dict.fromkeys(name for each in self.given.assignments for name in each.inputs)
        return tuple(named), [each.inputs for each in self.given.assignments]

    def _shape_and_roles(self, columns: Sequence[str]) -> tuple[Shape, Roles]:
        asked = {control.name for control in self._controls}
        asked |= {name for each in self.given.assignments for name in each.answers}
        shape = shape_of(columns, sorted(asked), file=self.given.file)
        return shape, find_roles(shape.fields, self.given.mapping, file=self.given.file)

    def _source(self, columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> str:
        """The file that the batches were read from, and what was in it."""
        mark = fingerprint.of_json([*columns, *(row.get(c, "") for row in rows for c in columns)])
        return f"{Path(self.given.file).name} ({mark})"

    def _page(
        self,
        shape: Shape,
        roles: Roles,
        questions: Sequence[HitQuestion],
        rows: Sequence[Mapping[str, str]],
    ) -> OriginalPage | None:
        layout, mapping = self.given.layout, self.given.mapping
        if layout is None or not questions:
            return None
        cells = [plain_cells(row, mapping) for row in rows]
        content = page_file(layout, cells, sorted(roles.used))
        return OriginalPage(PAGE, content, site_of(shape, roles, questions, mapping))

    def _preview(self, rows: Sequence[Mapping[str, str]]) -> dict[str, bytes]:
        """The first HIT as people saw it, in a page that is safe to open."""
        if self.given.layout is None or not rows:
            return {}
        mapping = self.given.mapping
        page = render_layout(
            self.given.layout,
            plain_cells(rows[0], mapping),
            html_columns=html_names(self.given.layout.placeholders, mapping),
        )
        return {PREVIEW: frame_layout(page, title="The first HIT of the original").encode()}

    def _notes(
        self, hits: Sequence[Hit], questions: Sequence[HitQuestion], built: OriginalStudy | str
    ) -> Iterator[str]:
        sizes = sorted({len(hit.items) for hit in hits})
        checks = sum(item.loser is not None for hit in hits for item in hit.items)
        yield (
            f"{count(len(hits), 'HIT')} of {' or '.join(map(str, sizes))} items, {checks:,} of "
            f"them attention checks; questions: {', '.join(q.id for q in questions) or 'none'}."
        )
        yield from map(str, questions)
        yield from [built] if isinstance(built, str) else built.notes
        if not self.given.assignments and self.given.mapping.assignments is None:
            yield (
                "Without results, the number of people per HIT is unknown; the plan has 1. Write "
                "`assignments: 3`, for instance, in a mapping file."
            )
        if not self.given.mapping.unescape:
            yield "Entities such as &#44; were kept as they are."

    def _layout_notes(
        self, rows: Sequence[Mapping[str, str]], questions: Sequence[HitQuestion]
    ) -> Iterator[str]:
        if self.given.layout is not None:
            asked = {question.stem for question in questions}
            yield from describe_layout(self.given.layout, rows, self.given.mapping, asked=asked)

    # ── judgments ────────────────────────────────────────────────────────────────────────────────

    def _judgments(
        self,
        built: OriginalStudy | str,
        hits: Sequence[Hit],
        questions: Sequence[HitQuestion],
        found: AssignmentSet,
    ) -> Judgments:
        given = [answer for each in found.done for answer in self._answers(each, hits, questions)]
        if isinstance(built, str):
            return Judgments.from_rows(map(_row, given))
        rows: list[Judgment] = []
        for attempt in sorted({each.attempt for each in found.done}):
            answers = [_answer(each) for each in given if each.done.attempt == attempt]
            said = tabulate(built.study, built.plan, answers).rows()
            rows += said if attempt == 1 else map(repeated, said)
        return Judgments.from_rows(rows, systems=built.study.system_ids)

    def _answers(
        self, done: HitAttempt, hits: Sequence[Hit], questions: Sequence[HitQuestion]
    ) -> Iterator[_HitAnswer]:
        answers = done.assignment.answers
        by_place = {split_name(name): cell for name, cell in answers.items()}
        batch = batch_id(done.hit + 1, len(hits))
        for position, item in enumerate(hits[done.hit].items, start=1):
            for asked in questions:
                cell = (
                    answers.get(asked.stem)
                    if item.index is None
                    else by_place.get((asked.stem, item.index))
                )
                raw = self._raw(done, item, asked, cell)
                if raw is not None:
                    yield _HitAnswer(done, batch, position, item, asked, raw)

    def _raw(
        self, done: HitAttempt, item: HitItem, asked: HitQuestion, cell: str | None
    ) -> str | None:
        raw = None if cell is None else asked.values.get(cell, cell)
        if raw is not None and _fits(raw, asked):
            return raw
        reason = "no answer was given." if cell is None else "this is not one of the answers."
        number = "" if item.index is None else str(item.index)
        self.rejected.append(
            Rejected(
                reason,
                file=done.assignment.file,
                row=done.assignment.row,
                column=f"Answer.{asked.stem}{number}",
                value=None if cell is None else cell[:_LONGEST],
                participant=done.participant,
            )
        )
        return None


def _same(cell: str) -> str:
    return hit_key({"": cell}, ("",))[0]


def _values(assignments: Sequence[HitAssignment]) -> dict[str, Collection[str]]:
    values: dict[str, dict[str, None]] = {}
    for each in assignments:
        for name, cell in each.answers.items():
            values.setdefault(name, {})[cell] = None
    return {name: tuple(found) for name, found in values.items()}


def _study_files(built: OriginalStudy | str) -> dict[str, bytes]:
    if isinstance(built, str):
        return {}
    made_from = {"study": built.plan.study, "items": built.study.items_fingerprint}
    return {**built.files, PLAN: to_bytes(built.plan, made_from=made_from)}


def _fits(raw: str, asked: HitQuestion) -> bool:
    if asked.kind == "pairwise":
        return raw in {"a", "b", "tie"}
    try:
        value = float(raw)
    except ValueError:
        return False
    low, high = asked.bounds or (value, value)
    return low <= value <= high


def _answer(given: _HitAnswer) -> Answer:
    return Answer(
        participant=given.done.participant,
        batch=given.batch,
        task=given.task,
        question=given.asked.id,
        raw=given.raw,
        position=given.position,
        submitted_at=given.done.assignment.submitted_at,
    )


def _row(given: _HitAnswer) -> Judgment:
    """A judgment of HITs that make no study: systems by their names in the files."""
    item, raw = given.item, given.raw
    systems = [system_slug(shown.system) for shown in item.options]
    is_pair = given.asked.kind == "pairwise"
    choice: Choice = "a" if raw == "a" else "b" if raw == "b" else "tie"
    row = Judgment(
        given.done.participant,
        item.item,
        given.asked.id,
        choice if is_pair else float(raw),
        system=None if is_pair else systems[0],
        system_a=systems[0] if is_pair else None,
        system_b=systems[1] if is_pair else None,
        side="a" if is_pair else None,
        dataset=item.dataset or None,
        batch=given.batch,
        task=given.task,
        position=given.position,
        submitted_at=given.done.assignment.submitted_at,
        kind="real" if item.loser is None else "check",
    )
    return row if given.done.attempt == 1 else repeated(row)
