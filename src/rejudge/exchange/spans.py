"""Marked spans of other tools: their offsets, the judgments that follow, and the files of spans.

A table of judgments holds numbers. What somebody marked in one output becomes counts (all spans,
by severity, by category) and, where severities have weights, an MQM score. The spans themselves go
to `spans.csv`, with offsets in code points where the text shows that they are right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, Literal, TypeAlias

from rejudge.english import count, verb
from rejudge.exchange.values import ItemAnswers, clean, number, shorten
from rejudge.spreadsheet import csv_text

Unit: TypeAlias = Literal["code points", "UTF-16 units", "UTF-16 units without line breaks"]

SPANS_FILE: Final = "spans.csv"
DERIVED_FILE: Final = "derived.csv"
FREITAG: Final = "Freitag et al. 2021, TACL 9, doi:10.1162/tacl_a_00437, table 4"
_WEIGHTS: Final[Mapping[str, float]] = {"major": 5.0, "minor": 1.0, "neutral": 0.0}
_SEVERITIES: Final = frozenset((*_WEIGHTS, "critical", "trivial"))
_NON_TRANSLATION, _PUNCTUATION = "non-translation", "fluency/punctuation"
_FORMULA: Final = (
    "minus the sum over the marked errors: major 5, minor 1, neutral 0, "
    "Non-translation 25, minor Fluency/Punctuation 0.1"
)
_OWN_FORMULA: Final = "minus the sum of the scores that the file gives the marked errors"
_MOST: Final = 40  # categories with a count each; more are not a fixed list
_HEAD: Final = (
    "file", "row", "participant", "dataset", "item", "system", "question", "on", "start", "end",
    "unit", "tool_start", "tool_end", "text", "missing", "severity", "category",
    "comment",
)  # fmt: skip
_UNITS: Final[tuple[Unit, ...]] = ("code points", "UTF-16 units")
_SHOWN: Final = 4  # severities in a note


@dataclass(frozen=True, slots=True)
class Span:
    """A marked part of a text, as the tool has it."""

    start: int | None = None
    end: int | None = None
    unit: Unit = "code points"
    is_end_included: bool = False
    text: str | None = None  # what was marked, where the tool says it
    severity: str | None = None
    category: str | None = None
    comment: str | None = None
    on: Literal["output", "input"] = "output"
    is_missing: bool = False  # something that the text lacks, so that no part of it is marked
    weight: float | None = None  # of the error, where the file gives it

    @classmethod
    def of_label(cls, label: object, start: object, end: object, text: object = None) -> Span:
        """A span of a tool with one kind of label, which is a severity or a category."""
        name = clean(label)
        is_severity = name is not None and name.casefold() in _SEVERITIES
        return cls(
            offset(start),
            offset(end),
            text=text if isinstance(text, str) else None,
            severity=name if is_severity else None,
            category=None if is_severity else name,
        )


@dataclass(frozen=True, slots=True)
class LocatedSpan:
    """A span by its place in code points, the end not included; None where it is not known."""

    start: int | None
    end: int | None
    text: str | None


@dataclass(frozen=True, slots=True)
class DerivedQuestion:
    """A number that was computed from spans rather than given by a participant."""

    question: str
    formula: str
    source: str


def offset(value: object) -> int | None:
    """An offset in a text; None for what is not a whole number from 0."""
    found = number(value)
    return int(found) if found is not None and found >= 0 and found == int(found) else None


# ── offsets ──────────────────────────────────────────────────────────────────────────────────────


def locate(span: Span, texts: Iterable[str]) -> LocatedSpan:
    """Where a span is in the first of these texts that fits it, counted in code points."""
    if span.start is not None and span.end is not None:
        units: tuple[Unit, ...] = (span.unit, *(each for each in _UNITS if each != span.unit))
        listed = list(texts)
        # Another unit than the tool's own is believed only if the marked text proves it.
        for unit in units if span.text is not None else units[:1]:
            for text in listed:
                found = _in_code_points(span, unit, text)
                if found is not None and span.text in (None, text[found[0] : found[1]]):
                    return LocatedSpan(*found, text[found[0] : found[1]])
    return LocatedSpan(None, None, span.text)


def _in_code_points(span: Span, unit: Unit, text: str) -> tuple[int, int] | None:
    start, end = span.start or 0, (span.end or 0) + span.is_end_included
    if unit == "code points":
        return (start, end) if start <= end <= len(text) else None
    skipped = "\r\n" if unit == "UTF-16 units without line breaks" else ""
    widths = [0 if x in skipped else 1 + (ord(x) > 0xFFFF) for x in text]
    # Of several places with one count the last is meant: a line break before it counts as read.
    places = {units: place for place, units in enumerate(accumulate(widths, initial=0))}
    if start not in places or end not in places:
        return None
    first, last = places[start], places[end]
    if skipped:  # breaks after the last character are not part of the span
        while last > first and text[last - 1] in skipped:
            last -= 1
    return (first, last) if first <= last else None


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────


def mqm_weight(span: Span) -> float | None:
    """The weight of an error in its file, or after Freitag et al. (2021); None without one."""
    if span.weight is not None:
        return span.weight
    severity, category = (span.severity or "").casefold(), (span.category or "").casefold()
    if severity not in _WEIGHTS:
        return None
    if category.startswith(_NON_TRANSLATION) and severity != "neutral":
        return 25.0
    if severity == "minor" and category.startswith(_PUNCTUATION):
        return 0.1
    return _WEIGHTS[severity]


class SpanNumbers:
    """Which numbers one question's spans give, decided from all of them."""

    def __init__(self, question: str, answers: Iterable[Sequence[Span]]) -> None:
        self._question = question
        listed = list(answers)
        every = [span for spans in listed for span in spans]
        self.has_spans = bool(every)
        weighted = [span for span in every if span.weight is not None]
        self.has_own_weights = bool(weighted)
        self._has_only_own_weights = len(weighted) == len(every)
        self.has_empty = not all(listed)
        self._severities = _names(span.severity for span in every)
        categories = _names(_top(span) for span in every)
        self._categories = categories if len(categories) <= _MOST else {}
        self.unlisted = 0 if self._categories else len(categories)
        self.without_weight = sorted(
            {span.severity or "" for span in every if mqm_weight(span) is None}
        )

    def values(self, spans: Sequence[Span]) -> Iterator[tuple[str, float]]:
        """The numbers of one answer, by question; 0 for what was not marked in it."""
        yield f"{self._question}.count", float(len(spans))
        found = Counter((span.severity or "").casefold() for span in spans)
        for name, shown in self._severities.items():
            yield self._name("severity", shown), float(found[name])
        tops = Counter((_top(span) or "").casefold() for span in spans)
        for name, shown in self._categories.items():
            yield self._name("category", shown), float(tops[name])
        if not self.without_weight:
            yield f"{self._question}.mqm", -sum(mqm_weight(span) or 0.0 for span in spans) or 0.0

    def questions(self) -> Iterator[DerivedQuestion]:
        """What the numbers are, for those who read them."""
        counted = "number of marked spans"
        yield DerivedQuestion(f"{self._question}.count", counted, "counted")
        for kind, names in (("severity", self._severities), ("category", self._categories)):
            for shown in names.values():
                formula = f"{counted} with the {kind} {shown}"
                yield DerivedQuestion(self._name(kind, shown), formula, "counted")
        if not self.without_weight:
            yield DerivedQuestion(f"{self._question}.mqm", *self._formula())

    def _formula(self) -> tuple[str, str]:
        if not self.has_own_weights:
            return _FORMULA, FREITAG
        if self._has_only_own_weights:
            return _OWN_FORMULA, "the file"
        return f"{_OWN_FORMULA}; for the others {_FORMULA}", FREITAG

    def _name(self, kind: str, shown: str) -> str:
        return f"{self._question}.{kind}.{shown}"


def _top(span: Span) -> str | None:
    """The top level of a category: Accuracy of Accuracy/Omission."""
    return None if span.category is None else span.category.split("/")[0].strip() or None


def _names(found: Iterable[str | None]) -> dict[str, str]:
    """Names by how they are compared, as they were first written, in order."""
    names: dict[str, str] = {}
    for name in found:
        if name:
            names.setdefault(name.casefold(), name)
    return dict(sorted(names.items()))


# ── files ────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A span with the judgment that it belongs to."""

    place: tuple[str | int | None, ...]  # file, row, participant, dataset, item, system, question
    span: Span
    texts: tuple[str, ...] = ()  # in which it may have been marked


def spans_csv(rows: Sequence[SpanRow]) -> tuple[bytes, int]:
    """The file of all spans, and how many of them do not fit their text."""
    lines: list[tuple[Any, ...]] = [_HEAD]
    misfits = 0
    for row in rows:
        span = row.span
        found = LocatedSpan(None, None, None) if span.is_missing else locate(span, row.texts)
        is_open = found.start is None and span.start is not None
        misfits += bool(row.texts) and is_open and not span.is_missing
        own = f"{span.unit}, end included" if span.is_end_included else span.unit
        unit = None if span.start is None else own if is_open else "code points"
        missing = "yes" if span.is_missing else None
        lines.append((*row.place, span.on, found.start, found.end, unit, span.start, span.end,
                      found.text, missing, span.severity, span.category, span.comment))  # fmt: skip
    return csv_text(lines).encode(), misfits


def derived_csv(questions: Iterable[DerivedQuestion]) -> bytes:
    """The file that says what each derived number is and where its formula is from."""
    rows = [(each.question, each.formula, each.source) for each in questions]
    return csv_text([("question", "formula", "source"), *rows]).encode()


@dataclass(frozen=True, slots=True)
class MarkedOutput:
    """What somebody marked in one output, which may be nothing."""

    submission: ItemAnswers
    question: str
    system: str
    spans: tuple[Span, ...]
    texts: tuple[str, ...]  # in which the spans may be

    @property
    def place(self) -> tuple[str | int | None, ...]:
        """The first columns of its rows in the file of spans."""
        given = self.submission
        return (given.file, given.row, given.participant, given.dataset, given.item, self.system,
                self.question)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CountedSpans:
    """The numbers that follow from spans, by output and name, and what is kept beside them."""

    numbers: tuple[tuple[MarkedOutput, str, float], ...]
    files: Mapping[str, bytes]
    notes: tuple[str, ...]


def count_spans(marked: Sequence[MarkedOutput]) -> CountedSpans:
    """Judgments from what was marked; a question for which nobody marked anything gives none."""
    by_question: dict[str, list[MarkedOutput]] = {}
    for each in marked:
        by_question.setdefault(each.question, []).append(each)
    numbers: list[tuple[MarkedOutput, str, float]] = []
    derived: list[DerivedQuestion] = []
    rows: list[SpanRow] = []
    notes: list[str] = []
    for question, outputs in by_question.items():
        named = SpanNumbers(question, (each.spans for each in outputs))
        if not named.has_spans:
            continue
        derived += named.questions()
        notes += _notes(question, named)
        for each in outputs:
            numbers += ((each, name, value) for name, value in named.values(each.spans))
            rows += (SpanRow(each.place, span, each.texts) for span in each.spans)
    if not rows:
        return CountedSpans((), {}, ())
    content, misfits = spans_csv(rows)
    files = {SPANS_FILE: content, DERIVED_FILE: derived_csv(derived)}
    return CountedSpans(tuple(numbers), files, (*notes, *_file_notes(len(rows), misfits)))


def _notes(question: str, named: SpanNumbers) -> Iterator[str]:
    if named.has_empty:
        yield f"An answer without spans in `{question}` counts as 0 errors."
    else:
        yield f"Every answer to `{question}` has spans: texts without any may be missing here."
    if named.has_own_weights:
        yield (
            f"The MQM score of `{question}` is the sum of the errors' own scores in the file; an "
            "error without one has the usual weight."
        )
    if named.without_weight:
        listed = ", ".join(map(shorten, filter(None, named.without_weight[:_SHOWN])))
        why = f"there is no weight for the severity {listed}" if listed else "spans lack a severity"
        yield f"No MQM score was computed for `{question}`: {why}."
    if named.unlisted:
        yield (
            f"`{question}` has {named.unlisted:,} categories: they are in {SPANS_FILE}, and only "
            "all spans were counted."
        )


def _file_notes(spans: int, misfits: int) -> Iterator[str]:
    yield (
        f"{count(spans, 'span')} {verb(spans, 'is', 'are')} in {SPANS_FILE}; {DERIVED_FILE} says "
        "which numbers follow from spans, and how."
    )
    if misfits:
        yield (
            f"The offsets of {count(misfits, 'span')} do not fit the text: they are kept as the "
            "tool wrote them."
        )
