"""MQM ratings: errors marked in the text become counts and scores, after Freitag et al. (2021)."""

from __future__ import annotations

import pytest

from rejudge.errors import FileError
from rejudge.spreadsheet import csv_rows
from tool_exports import read, rows


@pytest.fixture(scope="module")
def rated():
    return read("mqm", "mqm.tsv")


def scores(imported, question="errors.mqm"):
    return {(r.item, r.system, r.participant): r.value for r in rows(imported, question)}


def spans(imported):
    head, *lines = csv_rows(imported.files["spans.csv"].decode())
    return [dict(zip(head, line, strict=True)) for line in lines]


def write(folder, *lines: tuple[str, ...]):
    path = folder / "ratings.tsv"
    path.write_text("".join("\t".join(line) + "\n" for line in lines), "utf-8")
    return path


def line(category="Style/Awkward", severity="minor", target="<v>x</v>", source="s"):
    return ("alpha", "doc", "1", "1", "r", source, target, category, severity)


def test_a_segment_scores_minus_the_sum_of_its_weights(rated):
    """Table 4: minor punctuation 0.1, major 5, non-translation 25, neutral 0."""
    assert scores(rated) == {
        ("news-1/1", "alpha", "p0001"): pytest.approx(-5.1),
        ("news-1/1", "beta", "p0001"): 0.0,
        ("news-1/2", "alpha", "p0001"): -5.0,
        ("news-1/2", "beta", "p0002"): -25.0,
    }


def test_the_formula_and_its_source_stand_next_to_the_numbers(rated):
    head, *lines = csv_rows(rated.files["derived.csv"].decode())
    assert head == ["question", "formula", "source"]
    (mqm,) = [each for each in lines if each[0] == "errors.mqm"]
    assert "Freitag et al. 2021" in mqm[2]
    assert {each[0] for each in lines} == {row.question for row in rated.judgments.rows()}


def test_marks_become_offsets_in_the_text_without_them(rated):
    found = [(each["on"], each["start"], each["end"], each["text"]) for each in spans(rated)]
    assert found[:3] == [("output", "11", "15", "Nein"), ("output", "0", "2", "Er"),
                         ("input", "4", "7", "old")]  # fmt: skip


def test_a_mark_that_is_not_closed_gives_no_offsets_and_still_counts(rated):
    (broken,) = [each for each in spans(rated) if each["severity"] == "Neutral"]
    assert (broken["start"], broken["category"]) == ("", "Style/Awkward")
    assert scores(rated, "errors.count")["news-1/2", "beta", "p0002"] == 2.0


def test_quotes_are_letters_and_never_join_lines(rated):
    assert len(rows(rated, "errors.count")) == 4


def test_a_file_without_a_header_is_read_and_planted_errors_are_left_out():
    found = read("mqm", "mqm-viewer.tsv")
    assert set(scores(found).values()) == {-1.0, 0.0}
    assert found.unmapped == ("errors planted to test raters: 1",)
    (row,) = [row for row in rows(found, "errors.mqm") if row.system == "alpha"]
    assert row.submitted_at is not None
    assert row.submitted_at.timestamp() == 1771311000


def test_a_severity_without_a_weight_gives_counts_and_no_score(tmp_path):
    found = read("mqm", write(tmp_path, line(severity="critical")))
    assert not rows(found, "errors.mqm")
    assert [row.value for row in rows(found, "errors.severity.critical")] == [1.0]
    assert any("no weight for the severity critical" in note for note in found.notes)


def test_severities_and_categories_are_compared_without_case(tmp_path):
    path = write(tmp_path, line(severity="Major"), line("style/awkward", "MAJOR"))
    found = read("mqm", path)
    assert [row.value for row in rows(found, "errors.severity.Major")] == [2.0]
    assert [row.value for row in rows(found, "errors.category.Style")] == [2.0]


def test_two_marks_of_one_error_are_one_span_over_both(tmp_path):
    (span,) = spans(read("mqm", write(tmp_path, line(target="a <v>b</v> c <v>d</v> e"))))
    assert (span["start"], span["end"], span["text"]) == ("2", "7", "b c d")


def test_lines_that_are_cut_off_are_rejected(tmp_path):
    path = write(tmp_path, line(), ("alpha", "doc", "1"))
    assert [each.row for each in read("mqm", path).rejected] == [2]


def test_a_header_alone_has_no_judgments(tmp_path):
    head = ("system", "doc", "rater", "source", "target", "category", "severity")
    with pytest.raises(FileError, match="no judgments"):
        read("mqm", write(tmp_path, head))
