"""Qualtrics: writes a survey in its Advanced Format, and reads the responses it exports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from pathlib import Path

from rejudge.design.plan import Plan, answer_parts
from rejudge.english import count
from rejudge.errors import DataError, FileError, Problem
from rejudge.exchange.form_controls import answer_of
from rejudge.exchange.formats import Exported, Imported, Rejected
from rejudge.exchange.qualtrics_judgments import (
    Attempt,
    SessionSet,
    file_notes,
    lists_of,
    session_files,
    sort_sessions,
    unmapped_columns,
)
from rejudge.exchange.qualtrics_mapping import (
    MappedTag,
    is_mapping,
    mapping_from_tags,
    no_mapping,
    read_mapping,
)
from rejudge.exchange.qualtrics_responses import Responses, Session, is_export, read_responses
from rejudge.exchange.qualtrics_survey import (
    CONSENT,
    LIST,
    PARTICIPANT,
    URL_IDS,
    SurveyQuestion,
    survey_questions,
    write_survey,
)
from rejudge.exchange.survey_tables import (
    SurveyTable,
    first_text,
    parse_survey_table,
    read_survey_table,
)
from rejudge.judgments.answers import Answer, tabulate
from rejudge.judgments.judgments_csv import to_csv
from rejudge.judgments.table import COLUMNS, Judgment, Judgments
from rejudge.spreadsheet import csv_rows, csv_text
from rejudge.study.model import Study

_PEOPLE = (*URL_IDS, PARTICIPANT, "participant_id", "participantid", "ppt", "pid", "rater", "id")
_FRAME = frozenset({CONSENT, LIST})  # asked by every survey, and no judgment
_LONGEST = 80  # letters of a cell in a message
_OURS = re.compile(r"b\d+t\d+q\d+(?:p\d+)?_([0-9a-f]{6})")


class Qualtrics:
    """The format `qualtrics`."""

    name = "qualtrics"
    title = "Qualtrics"

    def recognises(self, file: Path) -> bool:
        """Whether the beginning has the three header rows, or is a mapping of export tags."""
        text = first_text(file)
        if not text:
            return False
        if _is_qsf(text):
            return True
        try:
            rows = parse_survey_table(text.encode(), file=str(file)).rows
        except FileError:
            return False
        return is_export(rows) or '"ImportId"' in text or is_mapping(rows[0])

    def read(self, files: Sequence[Path], *, study: Study | None, plan: Plan | None) -> Imported:
        """Judgments of the plan, or of what a mapping file or the export tags say."""
        _refuse_survey_files(files)
        tables = [read_survey_table(file) for file in files]
        exports = [table for table in tables if is_export(table.rows)]
        mappings = [table for table in tables if table not in exports and is_mapping(table.header)]
        _refuse_strangers([t for t in tables if t not in exports and t not in mappings], exports)
        responses = [read_responses(table, person_columns=_PEOPLE) for table in exports]
        if study is not None and plan is not None:
            return _StudyReader(study, plan, exports[0].file).read(responses)
        mapped: dict[str, MappedTag] = {}
        for table in mappings:
            mapped |= read_mapping(table)
        return _read_mapped(responses, mapped, file=exports[0].file)

    def write(self, study: Study, plan: Plan, *, people: Sequence[str]) -> Exported:
        """The survey for all people: Qualtrics has one link for everybody."""
        exported = write_survey(study, plan)
        if not people:
            return exported
        note = "People's names are not included: everybody gets the same survey."
        return replace(exported, notes=(*exported.notes, note))


FORMAT = Qualtrics()


def _is_qsf(text: str) -> bool:
    """Whether a text begins as a survey file of Qualtrics does."""
    return text.lstrip()[:1] == "{" and '"SurveyEntry"' in text[:2000]


def _refuse_survey_files(files: Sequence[Path]) -> None:
    for file in files:
        if _is_qsf(first_text(file)):
            what = "this is a survey file (QSF): it has questions but no answers."
            remedy = "Export the responses as CSV (Data & Analysis, Export data), and give that."
            raise FileError(Problem(what, remedy, file=str(file)))


def _refuse_strangers(strangers: Sequence[SurveyTable], exports: Sequence[SurveyTable]) -> None:
    problems = [
        Problem(
            "this is neither a Qualtrics export (three header rows) nor a mapping file "
            "(tag, item, question, system).",
            "Export the responses again as CSV, and leave all three header rows in place.",
            file=table.file,
        )
        for table in strangers
    ]
    if not exports and not problems:
        problems = [Problem("no file with responses was given.", "Give the export as well.")]
    if problems:
        raise FileError(*problems)


def _refuse_nothing(found: SessionSet, *, file: str) -> None:
    if found.attempts:
        return
    left = f"{count(len(found.unfinished), 'unfinished session')} and "
    left += count(len(found.previews), "preview or test session")
    what = f"no finished session has an answer that can be used; there are {left}."
    raise FileError(Problem(what, "Wait for responses, and export them again.", file=file))


# ── surveys that rejudge wrote ───────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _StudyReader:
    """Reads answers to the survey of a plan."""

    study: Study
    plan: Plan
    file: str
    rejected: list[Rejected] = field(default_factory=list)

    def read(self, responses: Sequence[Responses]) -> Imported:
        asked = {each.tag: each for each in survey_questions(self.study, self.plan)}
        tags = {tag for each in responses for tag in each.tags}
        self._refuse_other_plans(tags, asked)
        responses, declined = _without_declined(responses)
        found = sort_sessions(responses, lambda tag: asked[tag].batch.id if tag in asked else None)
        _refuse_nothing(found, file=self.file)
        reads_text = _reads_text(responses, found, asked)
        answers = [
            (attempt.number, answer)
            for attempt in found.attempts
            for answer in self._answers(attempt, asked, reads_text=reads_text)
        ]
        judgments = self._judgments(answers)
        notes = (*file_notes(responses), _choice_note(reads_text=reads_text))
        return Imported(
            judgments,
            (*found.rejected, *self.rejected),
            tuple(unmapped_columns(responses, lambda tag: tag in asked or tag in _FRAME)),
            (*notes, *declined, *found.notes, *_gaps(found, asked)),
            session_files(found, asked.__contains__),
        )

    def _refuse_other_plans(self, tags: set[str], asked: Mapping[str, SurveyQuestion]) -> None:
        if tags & set(asked):
            return
        others = sorted({mark[1] for tag in tags if (mark := _OURS.fullmatch(tag))})
        if others:
            what = f"the survey was written from another plan ({others[0]}…)."
            remedy = f"Restore that plan; this one is {self.plan.fingerprint}."
        else:
            what = "no column belongs to the plan of this study."
            remedy = (
                "Export the survey again with `rejudge export STUDY --to qualtrics`, or read the "
                "file without the study and with a mapping file."
            )
        raise FileError(Problem(what, remedy, file=self.file))

    def _answers(
        self, attempt: Attempt, asked: Mapping[str, SurveyQuestion], *, reads_text: bool
    ) -> Iterator[Answer]:
        """The answers of one list in one session; what cannot be read is noted."""
        values: dict[tuple[str, str], dict[str, str]] = {}
        first: dict[tuple[str, str], SurveyQuestion] = {}
        for tag in attempt.tags:
            each = asked[tag]
            raw = _raw(each, attempt.session.answers[tag], reads_text=reads_text)
            key = (each.task.id, each.question.id)
            first.setdefault(key, each)
            if raw is None:
                self._reject(attempt, tag, "this is not one of the choices.")
            else:
                values.setdefault(key, {})[each.control.name] = raw
        for key, given in values.items():
            each = first[key]
            parts = answer_parts(self.plan, each.task, each.question)
            raw = answer_of(each.question, given, parts)
            if raw is not None and self._is_sound(attempt, each, raw, parts):
                yield _answer(attempt, each, raw)

    def _is_sound(self, attempt: Attempt, asked: SurveyQuestion, raw: str, parts: int) -> bool:
        try:
            asked.question.parse(raw, parts)
        except DataError as error:
            self._reject(attempt, asked.tag, str(error))
            return False
        return True

    def _reject(self, attempt: Attempt, tag: str, reason: str) -> None:
        session = attempt.session
        self.rejected.append(
            Rejected(
                reason,
                file=session.file,
                row=session.row,
                column=tag,
                value=session.answers[tag][:_LONGEST],
                participant=attempt.participant,
            )
        )

    def _judgments(self, answers: Sequence[tuple[int, Answer]]) -> Judgments:
        """First attempts as they are, later ones as repeats."""
        numbers = sorted({number for number, _ in answers})
        rows: list[Judgment] = []
        for number in numbers:
            said = tabulate(self.study, self.plan, (a for n, a in answers if n == number)).rows()
            rows += said if number == 1 else map(_again, said)
        return Judgments.from_rows(rows, systems=self.study.system_ids)


def _without_declined(
    responses: Sequence[Responses],
) -> tuple[list[Responses], list[str]]:
    """Sessions of people who did not consent are not used, whatever else they answered."""
    kept = [
        replace(each, sessions=tuple(s for s in each.sessions if not _is_declined(s)))
        for each in responses
    ]
    gone = sum(len(each.sessions) for each in responses) - sum(len(x.sessions) for x in kept)
    return kept, [f"{count(gone, 'session')} without consent left out."] if gone else []


def _is_declined(session: Session) -> bool:
    return session.answers.get(CONSENT, "").casefold() in {"2", "no"}


def _gaps(found: SessionSet, asked: Mapping[str, SurveyQuestion]) -> Iterator[str]:
    needed = Counter(each.batch.id for each in asked.values())
    gaps = [needed[attempt.batch] - len(attempt.tags) for attempt in found.attempts]
    missing = sum(gaps)
    if missing:
        lists = sum(gap > 0 for gap in gaps)
        yield (
            f"{count(missing, 'answer')} missing in {count(lists, 'finished list')}: check that "
            "every question forces a response."
        )


def _again(row: Judgment) -> Judgment:
    """A judgment of a list that was done before; its checks were met before, too."""
    return replace(row, kind="dropped" if row.kind == "check" else "repeat")


def _answer(attempt: Attempt, asked: SurveyQuestion, raw: str) -> Answer:
    return Answer(
        participant=attempt.participant,
        batch=asked.batch.id,
        task=asked.task.id,
        question=asked.question.id,
        raw=raw,
        position=asked.position,
        submitted_at=attempt.session.ended_at,
        seconds=attempt.seconds,
    )


def _reads_text(
    responses: Sequence[Responses], found: SessionSet, asked: Mapping[str, SurveyQuestion]
) -> bool:
    """Whether choices are exported as text: from the frame of the file, or else from the cells."""
    kinds = {each.has_choice_text for each in responses if each.is_certain}
    if len(kinds) > 1:
        what = "some files have choices as text and others as numbers."
        raise FileError(Problem(what, "Export all of them in the same way."))
    if kinds:
        return kinds.pop()
    cells = [(asked[tag], a.session.answers[tag]) for a in found.attempts for tag in a.tags]
    as_text = sum(_raw(each, cell, reads_text=True) is not None for each, cell in cells)
    as_number = sum(_raw(each, cell, reads_text=False) is not None for each, cell in cells)
    return as_text > as_number


def _raw(asked: SurveyQuestion, cell: str, *, reads_text: bool) -> str | None:
    """The raw value of a cell; None if it is not one of the choices."""
    options = asked.control.options
    if not options:
        return cell
    if reads_text:
        words = " ".join(unescape(cell).split())
        return next((o.raw for o in options if " ".join(o.label.split()) == words), None)
    codes = dict(zip(map(str, asked.codes), options, strict=True))
    found = codes.get(cell.removesuffix(".0"))
    return None if found is None else found.raw


def _choice_note(*, reads_text: bool) -> str:
    return f"Choices were read as {'text' if reads_text else 'numbers'}."


# ── other people's surveys ───────────────────────────────────────────────────────────────────────


def _read_mapped(
    responses: Sequence[Responses], mapped: Mapping[str, MappedTag], *, file: str
) -> Imported:
    tags = tuple(dict.fromkeys(tag for each in responses for tag in each.tags))
    known = {tag: mapped[tag] for tag in tags if tag in mapped}
    if not mapped:
        known = mapping_from_tags(tags)
    if not known:
        raise no_mapping(tags, file=file)
    lists = _lists(responses, known)
    found = sort_sessions(responses, lists.get)
    _refuse_nothing(found, file=file)
    rejected: list[Rejected] = []
    rows = [row for each in found.attempts for row in _mapped_rows(each, known, rejected)]
    judgments = Judgments.from_rows(row for _, row in rows)
    beside = _further_columns(judgments, [known[tag].further for tag, _ in rows])
    absent = len(set(mapped) - set(known))
    gone = [f"{count(absent, 'tag')} of the mapping file not in the export."] if absent else []
    return Imported(
        judgments,
        (*found.rejected, *rejected),
        tuple(unmapped_columns(responses, known.__contains__)),
        (*file_notes(responses), *found.notes, *gone, *([_FURTHER] if beside else [])),
        {**session_files(found, known.__contains__), **beside},
    )


_TABLE = "table.csv"
_FURTHER = (
    f"Further columns of the mapping are beside the judgments in {_TABLE}: analyse that file to "
    "group by them (--by) or to use them in a model (--model)."
)


def _further_columns(
    judgments: Judgments, further: Sequence[Mapping[str, str]]
) -> dict[str, bytes]:
    """The judgments with the further columns of their tags, as a file; none without columns."""
    names = [name for name in dict.fromkeys(n for each in further for n in each)
             if name not in COLUMNS]  # fmt: skip
    if not names:
        return {}
    head, *lines = csv_rows(to_csv(judgments))
    rows = [
        [*line, *(each.get(name, "") for name in names)]
        for line, each in zip(lines, further, strict=True)
    ]
    return {_TABLE: csv_text([[*head, *names], *rows]).encode("utf-8")}


def _lists(responses: Sequence[Responses], known: Mapping[str, MappedTag]) -> dict[str, str]:
    """The list of each tag: as the mapping says, or as sessions show."""
    if all(each.batch for each in known.values()):
        return {tag: each.batch for tag, each in known.items()}
    return lists_of(responses, tuple(known))


def _mapped_rows(
    attempt: Attempt, known: Mapping[str, MappedTag], rejected: list[Rejected]
) -> Iterator[tuple[str, Judgment]]:
    session = attempt.session
    for tag in attempt.tags:
        each, cell = known[tag], session.answers[tag]
        value = each.value(cell)
        if value is None:
            rejected.append(_not_a_value(attempt, tag))
            continue
        again = attempt.number > 1 and each.judged.kind == "real"
        judged = replace(
            each.judged,
            participant=attempt.participant,
            value=value,
            batch=attempt.batch,
            submitted_at=session.ended_at,
            seconds=attempt.seconds,
            kind="repeat" if again else each.judged.kind,
        )
        yield tag, judged


def _not_a_value(attempt: Attempt, tag: str) -> Rejected:
    return Rejected(
        "this is not a value of the scale.",
        "Add it to the column `choices` of the mapping file, as text=value.",
        attempt.session.file,
        attempt.session.row,
        tag,
        attempt.session.answers[tag][:_LONGEST],
        attempt.participant,
    )
