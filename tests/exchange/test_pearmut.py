"""Pearmut: scores and sliders of each system on each segment, from the log of a campaign."""

from __future__ import annotations

import json

import pytest

from tool_exports import read, rows


@pytest.fixture(scope="module")
def log():
    return read("pearmut", "pearmut.jsonl")


def page(folder, *pages: object):
    path = folder / "campaign.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in pages), encoding="utf-8")
    return path


def one(score=50, **about: object):
    given = {"alpha": {"score": score, "error_spans": [], "textfield": None}}
    return {"user_id": "u", "item_i": 0, "item": [{"src": "x", "tgt": {"alpha": "y"}}],
            "annotation": [given], "actions": [], **about}  # fmt: skip


def test_scores_of_both_systems_of_a_segment_are_read(log):
    found = [row for row in rows(log, "score") if row.kind == "real" and row.participant == "p0002"]
    assert [(row.item, row.system, row.value) for row in found] == [
        ("doc0-0", "alpha", 80.0), ("doc0-0", "beta", 85.0),
    ]  # fmt: skip


def test_a_page_that_is_submitted_again_replaces_the_first(log):
    found = [row for row in rows(log, "score") if (row.item, row.system) == ("doc0-0", "alpha")
             and row.participant == "p0001"]  # fmt: skip
    assert [(row.value, row.kind) for row in found] == [(70.0, "dropped"), (60.0, "real")]


def test_what_was_reset_is_not_read(log):
    assert 1.0 not in [row.value for row in rows(log, "score")]
    assert "Pages that were reset in Pearmut were not read." in log.notes


def test_tutorials_are_practice_and_random_items_are_checks(log):
    kinds = {
        row.item: (row.kind, row.passed) for row in rows(log, "score") if row.system == "alpha"
    }
    assert kinds["doc45-0"] == ("practice", None)
    assert kinds["doc40-0"] == ("check", True)


def test_sliders_are_questions_of_their_own(log):
    assert [row.value for row in rows(log, "Fluency")] == [4.0]
    assert [row.value for row in rows(log, "Adequacy")] == [80.0]


def test_seconds_are_those_of_the_page(log):
    found = [row for row in log.judgments.rows() if row.kind == "dropped"]
    assert {row.seconds for row in found} == {60.5}
    assert {row.task for row in found} == {"0"}


def test_spans_texts_and_forms_are_counted(log):
    assert log.unmapped == (
        "answers to forms about participants: 1",
        "texts written for outputs: 1",
    )


def test_a_skipped_segment_is_rejected(log):
    assert [each.reason for each in log.rejected] == ["the segment was skipped."]


def test_segments_without_an_id_are_named_by_page_and_place(tmp_path):
    (row,) = read("pearmut", page(tmp_path, one())).judgments.rows()
    assert (row.item, row.value, row.seconds) == ("0/1", 50.0, None)


@pytest.mark.parametrize(("score", "passed"), [(15, True), (50, False)])
def test_a_check_is_passed_if_its_score_lies_in_the_range(tmp_path, score, passed):
    checked = [{"src": "x", "tgt": {"alpha": "y"}, "validation": {"alpha": {"score": [0, 20]}}}]
    pages = (one(), one(score, item_i=1, item=checked))
    found = read("pearmut", page(tmp_path, *pages)).judgments.rows()
    assert [(row.kind, row.passed) for row in found] == [("real", None), ("check", passed)]


def test_a_reset_of_one_item_keeps_the_others(tmp_path):
    reset = {"user_id": "u", "item_i": 0, "annotation": "__RESET__"}
    found = read("pearmut", page(tmp_path, one(1), one(2, item_i=1), reset)).judgments
    assert found.value.tolist() == [2.0]


def test_pages_of_another_shape_are_rejected(tmp_path):
    odd = (one(), one(item="x"), one(item=[3]), one(annotation=[{"alpha": 3}]), [], {"user_id": 1})
    found = read("pearmut", page(tmp_path, *odd))
    assert len(found.judgments) == 1
    assert len(found.rejected) == 5
