"""Offsets of spans in every unit, and the numbers that follow from what was marked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.exchange.spans import (
    DERIVED_FILE,
    SPANS_FILE,
    CountedSpans,
    MarkedOutput,
    Span,
    SpanNumbers,
    SpanRow,
    count_spans,
    locate,
    mqm_weight,
    spans_csv,
)
from rejudge.exchange.values import ItemAnswers
from rejudge.spreadsheet import csv_rows

# "annotation" is at 12–22 in code points and at 13–23 in UTF-16 (Label Studio, issue 1347).
TEXT = "💩This is an annotation."
UTF16 = "UTF-16 units"
UNBROKEN = "UTF-16 units without line breaks"


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@pytest.mark.parametrize(
    "span",
    [
        Span(12, 22),
        Span(12, 22, text="annotation"),
        Span(13, 23, unit=UTF16),
        Span(13, 22, unit=UTF16, is_end_included=True),
        Span(13, 22, unit=UNBROKEN, is_end_included=True),
        Span(13, 23, text="annotation"),  # the text shows that the unit is another one
        Span(12, 22, unit=UTF16, text="annotation"),
    ],
)
def test_a_span_is_found_in_code_points_whatever_the_unit(span):
    found = locate(span, [TEXT])
    assert (found.start, found.end, found.text) == (12, 22, "annotation")


@pytest.mark.parametrize(
    "span",
    [
        Span(12, 99),
        Span(5, 2),
        Span(None, 4),
        Span(1, 3, unit=UTF16),  # in the middle of a pair
        Span(12, 22, text="announcement"),
    ],
)
def test_a_span_that_does_not_fit_has_no_place(span):
    found = locate(span, [TEXT])
    assert (found.start, found.end) == (None, None)


def test_a_span_is_looked_for_in_every_text_of_the_item():
    assert locate(Span(0, 3, text="two"), ["one", "two"]).text == "two"


@given(st.text(max_size=30), st.data())
def test_every_slice_of_every_text_is_found_again(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    span = Span(units(text[:start]), units(text[:end]), unit=UTF16)
    found = locate(span, [text])
    assert (found.start, found.end, found.text) == (start, end, text[start:end])


@given(st.text(alphabet="ab💩\n", min_size=1, max_size=12), st.data())
def test_line_breaks_that_a_tool_does_not_count_stay_in_the_text(text, data):
    places = [place for place, letter in enumerate(text) if letter != "\n"]
    if not places:
        return
    first, last = sorted(data.draw(st.sampled_from(places)) for _ in range(2))
    before, until = (units(text[:place].replace("\n", "")) for place in (first, last))
    span = Span(before, until + units(text[last]) - 1, unit=UNBROKEN, is_end_included=True)
    found = locate(span, [text])
    assert (found.start, found.end) == (first, last + 1)


@pytest.mark.parametrize(
    ("severity", "category", "weight"),
    [
        ("major", "Accuracy/Omission", 5), ("Minor", "Style", 1), ("NEUTRAL", "x", 0),
        ("minor", "Fluency/Punctuation", 0.1), ("major", "Fluency/Punctuation", 5),
        ("major", "Non-translation!", 25), ("critical", "Accuracy", None), (None, "Accuracy", None),
    ],
)  # fmt: skip
def test_weights_are_those_of_table_4(severity, category, weight):
    assert mqm_weight(Span(severity=severity, category=category)) == weight


def test_an_answer_without_spans_has_zeros_for_everything():
    numbers = SpanNumbers("e", [[Span(severity="minor", category="Style")], []])
    assert dict(numbers.values([])) == {
        "e.count": 0.0, "e.severity.minor": 0.0, "e.category.Style": 0.0, "e.mqm": 0.0,
    }  # fmt: skip
    assert str(dict(numbers.values([]))["e.mqm"]) == "0.0"  # never −0


def test_labels_named_like_the_numbers_do_not_take_their_place():
    numbers = SpanNumbers("e", [[Span.of_label(name, 0, 1) for name in ("count", "mqm", "minor")]])
    names = [name for name, _ in numbers.values([])]
    assert len(names) == len(set(names))
    assert [each.question for each in numbers.questions()] == names


def test_labels_without_end_are_counted_together():
    spans = [Span.of_label(f"word {number}", 0, 1) for number in range(60)]
    numbers = SpanNumbers("e", [spans])
    assert dict(numbers.values(spans)) == {"e.count": 60.0}
    assert numbers.unlisted == 60


def test_offsets_that_do_not_fit_are_kept_as_the_tool_wrote_them():
    content, misfits = spans_csv(
        [SpanRow(("f", 1, "p", None, "i", "s", "q"), Span(90, 95, unit=UTF16), ("short",))]
    )
    head, row = csv_rows(content.decode())
    cells = dict(zip(head, row, strict=True))
    assert misfits == 1
    assert (cells["start"], cells["tool_start"], cells["unit"]) == ("", "90", UTF16)


def test_a_text_that_looks_like_a_formula_stays_a_text():
    span = Span(0, 5, text="=1+1)", comment="@cmd")
    content, _ = spans_csv([SpanRow(("f", 1, "p", None, "i", "s", "q"), span, ("=1+1)",))])
    assert b",=1" not in content
    assert csv_rows(content.decode())[1][-1] == "@cmd"


MIXED_SCRIPTS = "这 is an عربى text"
MINOR = Span(0, 1, severity="minor", category="Style")
MAJOR = Span(2, 4, severity="major", category="Accuracy/Omission")
LABELS = [Span.of_label(f"c{number}", 0, 1) for number in range(60)]


def marked(*spans: Span, question="errors", item="i1", texts=(MIXED_SCRIPTS,)):
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
