"""Scores and errors of the WMT metrics tasks: the n-th line of a system is its n-th segment."""

from __future__ import annotations

import pytest

from tool_exports import read, rows


def test_errors_become_scores_of_the_segment_at_their_place():
    found = read("mtme", "en-de.mqm.seg.rating")
    assert [(r.item, r.system, r.value, r.dataset) for r in rows(found, "mqm.mqm")] == [
        ("2", "alpha", -5.0, "en-de"), ("1", "beta", 0.0, "en-de"),
        ("2", "beta", pytest.approx(-0.1), "en-de"),
    ]  # fmt: skip
    assert found.unmapped == ("outputs that nobody judged: 1",)
    assert "The files do not say who judged." in found.notes
    assert ",input,,,code points,0,3," in found.files["spans.csv"].decode()


def test_scores_are_read_when_asked_for(tmp_path):
    path = tmp_path / "en-cs.esa.seg.score"
    path.write_text("alpha\t80\nalpha\tNone\nbeta\t75.5\nbeta\tx\n\n", "utf-8")
    found = read("mtme", path)
    assert [(r.item, r.system, r.value) for r in rows(found, "esa")] == [
        ("1", "alpha", 80.0), ("1", "beta", 75.5),
    ]  # fmt: skip
    assert [each.reason for each in found.rejected] == ["'x' is not a number."]


def test_a_third_column_names_the_rater(tmp_path):
    path = tmp_path / "en-de.mqm.seg.rating"
    path.write_text('a\t{"errors": []}\tjane\na\t{"errors": [{"severity": "minor"}]}\tjoe\n')
    found = read("mtme", path)
    assert [(r.participant, r.item, r.value) for r in rows(found, "mqm.count")] == [
        ("p0001", "1", 0.0), ("p0002", "1", 1.0),
    ]  # fmt: skip


def test_errors_that_are_cut_off_are_rejected(tmp_path):
    path = tmp_path / "en-de.mqm.seg.rating"
    path.write_text('a\t{"errors": [{"severity": "minor"}]}\na\t{"errors": [{"se\n')
    assert [each.row for each in read("mtme", path).rejected] == [2]


def test_the_scores_that_a_file_gives_its_errors_count(tmp_path):
    """Errors of the source cost nothing there, though their severity is major."""
    path = tmp_path / "en-de.mqm.seg.rating"
    path.write_text(
        'a\t{"errors": [{"category": "Source issue", "severity": "major", "score": 0}, '
        '{"category": "Accuracy/Omission", "severity": "major", "score": 5}, '
        '{"category": "Style", "severity": "critical", "score": 10}]}\n'
    )
    found = read("mtme", path)
    assert [row.value for row in rows(found, "mqm.mqm")] == [-15.0]
    assert any("own scores in the file" in note for note in found.notes)
    derived = found.files["derived.csv"].decode()
    assert "mqm.mqm,minus the sum of the scores that the file gives the marked errors" in derived
