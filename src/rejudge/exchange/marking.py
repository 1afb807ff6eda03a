"""From the spans that people marked to judgments, and to the files that keep the spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rejudge.english import count, verb
from rejudge.exchange.item_answers import ItemAnswers
from rejudge.exchange.spans import (
    DERIVED_FILE,
    SPANS_FILE,
    DerivedQuestion,
    Span,
    SpanNumbers,
    SpanRow,
    derived_csv,
    spans_csv,
)
from rejudge.exchange.values import shorten

_SHOWN: Final = 4  # severities in a note


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
