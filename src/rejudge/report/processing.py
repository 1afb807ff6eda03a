"""The record of processing: which data about people a study stores, why, and for how long.

Only what the study says or what follows from it is stated. Whatever it does not say is “not
stated”, with the key of study.yaml that would say it. The page is not legal advice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from rejudge.english import count
from rejudge.platforms import platform
from rejudge.report.blocks import Facts, Report, Section
from rejudge.study.conduct import Erasure, Processing
from rejudge.study.model import Spec, Study
from rejudge.version import __version__

_ERASED: Final[dict[Erasure, str]] = {
    "platform-ids": "platform ids and their hashes",
    "times": "times, events and browser information",
    "free-text": "free-text answers",
    "everything": "all data about participants",
}


@dataclass(frozen=True, slots=True)
class StoredAmounts:
    """How much about people a database and its folder hold at one time."""

    participants: int
    platform_ids: int
    answers: int
    events: int
    free_texts: int
    withdrawn: int
    demographics: tuple[str, ...] = ()  # columns that were fetched from the platform


def processing_record(study: Study, stored: StoredAmounts | None, *, on: date) -> Report:
    """The record as of a day; `stored` is None before data collection."""
    spec = study.spec
    extra = spec.processing or Processing()
    sections = (
        Section("responsible", "Who is responsible", (Facts(tuple(_responsible(spec, extra))),)),
        Section("purpose", "Purpose", (Facts(tuple(_purpose(study, extra))),)),
        Section("people", "People and their data", (Facts(tuple(_data(study, stored))),)),
        Section("recipients", "Who receives data", (Facts(tuple(_recipients(spec, extra))),)),
        Section("retention", "How long data are kept", (Facts(tuple(_retention(spec))),)),
        Section("safeguards", "Safeguards", (Facts(tuple(_safeguards(extra))),)),
    )
    missing = sum("not stated" in text for each in sections for _, text in _facts(each))
    answer = [
        f"What the study “{_line(spec.title)}” stores about people, as of {on.isoformat()}. "
        "Computed from study.yaml" + (" and the database." if stored else "; nobody came yet."),
        "This page is a draft for a record of processing activities. It is not legal advice.",
    ]
    if missing:
        answer.append(f"{count(missing, 'fact')} not stated: complete study.yaml.")
    return Report(
        title=f"Record of processing: {_line(spec.title)}",
        language="en",
        is_simulated=False,
        answer=tuple(answer),
        figure=None,
        numbers=(),
        sections=sections,
        signature=f"rejudge {__version__}, study {study.fingerprint}",
        kicker="Data protection",
        first="Overview",
    )


def record_markdown(report: Report) -> str:
    """The same record as Markdown."""
    lines = [f"# {_escape(report.title)}", *map(_escape, report.answer)]
    for section in report.sections:
        rows = "\n".join(f"| {_escape(name)} | {_escape(text)} |" for name, text in _facts(section))
        lines += [f"## {section.title}", f"| | |\n| --- | --- |\n{rows}"]
    return "\n\n".join([*lines, _escape(report.signature)]) + "\n"


def _responsible(spec: Spec, extra: Processing) -> Iterator[tuple[str, str]]:
    yield "Controller", _stated(extra.controller, "processing.controller")
    contact = f"{spec.contact.name}, {spec.contact.email}" if spec.contact else ""
    yield "Contact for participants", _stated(contact, "contact")
    yield "Data protection officer", _stated(extra.officer, "processing.officer")
    yield "Ethics approval", _stated(spec.ethics, "ethics")


def _purpose(study: Study, extra: Processing) -> Iterator[tuple[str, str]]:
    spec = study.spec
    yield "Purpose", _stated(extra.purpose, "processing.purpose")
    asked = "; ".join(_line(question.prompt) for question in spec.questions)
    yield (
        "What people do",
        f"They judge outputs of {count(len(spec.systems), 'system')}. Asked: {asked}",
    )
    yield "Legal basis", _stated(extra.legal_basis, "processing.legal_basis")
    has_page = bool(study.pages.get("consent", "").strip())
    yield (
        "Consent",
        f"People read {spec.pages.consent} and agree or decline before anything is asked; the time "
        "and the version of the text are stored."
        if has_page
        else f"There is no consent page: write {spec.pages.consent}.",
    )


def _data(study: Study, stored: StoredAmounts | None) -> Iterator[tuple[str, str]]:
    spec = study.spec
    source = platform(spec.recruitment.platform)
    yield (
        "People",
        (f"Participants recruited {source.recruited}" if source.recruited else "Participants")
        + _amount(stored, "participants", "participant"),
    )
    yield (
        "Platform ids",
        (
            f"Ids that the links of {source.title} carry, in a separate table"
            if source.link_ids
            else "The names in personal links, in a separate table"
        )
        + _amount(stored, "platform_ids", "id"),
    )
    yield "Pseudonyms", "Participant numbers, and keyed hashes of the ids"
    yield (
        "Answers",
        "Judgments, and answers to practice and checks" + _amount(stored, "answers", "answer"),
    )
    yield (
        "Times",
        "When pages were shown and answered, and how often answers changed"
        + _amount(stored, "events", "event"),
    )
    yield "Browsers", "Kind of device, language and time zone"
    screening = spec.recruitment.screening
    if screening is not None and screening.questions:
        yield "Screening questions", "; ".join(_line(each.prompt) for each in screening.questions)
    questions = [_line(each.prompt) for each in spec.site.exit_questions]
    yield "Closing questions", "; ".join(questions) or "None are asked"
    yield "Free text", _free_text(spec) + _amount(stored, "free_texts", "answer")
    fetched = ", ".join(stored.demographics) if stored else ""
    yield "Demographics from the platform", fetched or "None were fetched"
    yield (
        "Network addresses",
        (
            "Never stored. For open links a keyed hash is kept until the work is handed in, a day "
            "at most"
        ),
    )
    yield (
        "Withdrawals",
        "Only a participant number and counts" + _amount(stored, "withdrawn", "person", "people"),
    )


def _free_text(spec: Spec) -> str:
    asked = [each.id for each in spec.site.exit_questions if each.kind == "text"]
    remarks = ["remarks at the end"] if spec.site.comment else []
    return ", ".join((*remarks, *asked)) or "None is asked"


def _recipients(spec: Spec, extra: Processing) -> Iterator[tuple[str, str]]:
    source = platform(spec.recruitment.platform)
    sends = f"{source.title} learns who finished, by a completion code" if source.link_ids else ""
    yield "Platform", sends or "No platform takes part"
    yield "Others", _stated(extra.recipients, "processing.recipients")
    yield "Third parties on the pages", "None: no page loads anything from elsewhere"
    yield "Published", "Bundles contain judgments under pseudonyms and no platform ids"
    yield "Where the data are", _stated(extra.location, "processing.location")
    yield "Transfers to other countries", _stated(extra.transfers, "processing.transfers")


def _retention(spec: Spec) -> Iterator[tuple[str, str]]:
    kept = spec.retention
    if kept is None:
        yield "Deletion", _stated("", "retention")
        return
    when = kept.until.isoformat() if kept.until else f"{count(kept.days or 0, 'day')} after the "
    yield "Deletion", when if kept.until else f"{when}last answer"
    yield "What is deleted", "; ".join(_ERASED[each] for each in kept.erased)
    yield "On request", "Export and deletion by receipt code, at any time"


def _safeguards(extra: Processing) -> Iterator[tuple[str, str]]:
    yield "Pseudonyms", "Platform ids are separated from answers on arrival"
    yield "Access", "The dashboard needs a personal link; downloads of ids are logged with a reason"
    yield "Deletion", "Deleted rows are overwritten in the SQLite file; backups are not touched"
    yield (
        "Rights of participants",
        ("A receipt code on the last page identifies the data without the platform's id"),
    )
    yield "Others", _stated(extra.safeguards, "processing.safeguards")


def _amount(stored: StoredAmounts | None, name: str, one: str, many: str | None = None) -> str:
    if stored is None:
        return ""
    number: int = getattr(stored, name)
    words = count(number, one) if many is None else f"{number:,} {one if number == 1 else many}"
    return f" ({words} stored)"


def _stated(text: str, key: str) -> str:
    return _line(text) or f"not stated (`{key}` in study.yaml)"


def _line(text: str) -> str:
    return " ".join(text.split())


def _escape(text: str) -> str:
    """Text that Markdown shows as it is, in a table too."""
    for mark in "\\`*_[]<>|#":
        text = text.replace(mark, f"\\{mark}")
    return _line(text)


def _facts(section: Section) -> Iterable[tuple[str, str]]:
    return (row for block in section.blocks if isinstance(block, Facts) for row in block.rows)
