"""From marked spans to numbers, the files that keep the spans, and what is said about them."""

from __future__ import annotations

import pytest

from rejudge.exchange import ItemAnswers
from rejudge.exchange.marking import CountedSpans, MarkedOutput, count_spans
from rejudge.exchange.spans import DERIVED_FILE, SPANS_FILE, Span
from rejudge.spreadsheet import csv_rows

TEXT = "这 is an عربى text"
MINOR = Span(0, 1, severity="minor", category="Style")
MAJOR = Span(2, 4, severity="major", category="Accuracy/Omission")
LABELS = [Span.of_label(f"c{number}", 0, 1) for number in range(60)]


def marked(*spans: Span, question="errors", item="i1", texts=(TEXT,)):
    given = ItemAnswers("out.json", 7, "p0001", item, dataset="news")
    return MarkedOutput(given, question, "north", spans, texts)


def test_every_output_gets_every_number_and_every_span_its_row():
    outputs = [marked(MINOR, MAJOR), marked(MAJOR, item="i2"), marked(item="i3")]
    found = count_spans(outputs)
    numbers = {(each.submission.item, name): value for each, name, value in found.numbers}
    assert [numbers[item, "errors.count"] for item in ("i1", "i2", "i3")] == [2, 1, 0]
    assert [numbers[item, "errors.mqm"] for item in ("i1", "i2", "i3")] == [-6, -5, 0]
    head, *rows = csv_rows(found.files[SPANS_FILE].decode())
    places = [dict(zip(head, row, strict=True)) for row in rows]
    assert [(row["file"], row["item"], row["category"]) for row in places] == [
        ("out.json", "i1", "Style"),
        ("out.json", "i1", "Accuracy/Omission"),
        ("out.json", "i2", "Accuracy/Omission"),
    ]
    named = [row[0] for row in csv_rows(found.files[DERIVED_FILE].decode())[1:]]
    assert set(named) == {name for _, name, _ in found.numbers}


@pytest.mark.parametrize("outputs", [[], [marked()], [marked(), marked(question="other")]])
def test_where_nobody_marked_anything_nothing_is_counted(outputs):
    assert count_spans(outputs) == CountedSpans((), {}, ())


def test_a_question_without_any_span_gives_no_numbers_beside_one_that_has_them():
    found = count_spans([marked(MINOR), marked(question="praise")])
    assert {name.split(".")[0] for _, name, _ in found.numbers} == {"errors"}


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        ([marked(MINOR), marked()], "An answer without spans in `errors` counts as 0 errors."),
        ([marked(MINOR)], "Every answer to `errors` has spans"),
        ([marked(Span(0, 1, severity="awful"))], "there is no weight for the severity awful"),
        ([marked(Span(0, 1))], "No MQM score was computed for `errors`: spans lack a severity."),
        ([marked(*LABELS)], "`errors` has 60 categories"),
        ([marked(MINOR)], "1 span is in"),
        ([marked(MINOR, MAJOR)], "2 spans are in"),
        ([marked(Span(0, 99, severity="minor"))], "The offsets of 1 span do not fit the text"),
    ],
)
def test_what_follows_from_the_spans_is_said(outputs, said):
    assert any(said in note for note in count_spans(outputs).notes)


def test_offsets_are_not_doubted_where_there_is_no_text_to_compare_them_with():
    notes = count_spans([marked(Span(0, 99, severity="minor"), texts=())]).notes
    assert not any("do not fit" in note for note in notes)
