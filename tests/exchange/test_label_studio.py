"""Label Studio: ratings, numbers, choices, pairs and rankings of its JSON export."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from rejudge.errors import FileError
from tool_exports import read, rows


@pytest.fixture(scope="module")
def exported():
    return read("label-studio", "label-studio.json")


def write(folder, tasks):
    path = folder / "tasks.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def task(number=1, *, result=(), data=None, **annotation: object):
    about = {"item": f"s{number}", "model": "alpha"} if data is None else data
    given = {
        "id": number, "completed_by": 7, "result": list(result), "lead_time": 3.5,
        "was_cancelled": False, "created_at": "2026-03-01T09:30:00Z", **annotation,
    }  # fmt: skip
    return {"id": number, "data": about, "annotations": [given], "predictions": []}


def rating(value, question="fluency"):
    return {"id": "r", "from_name": question, "to_name": "t", "type": "rating",
            "value": {"rating": value}}  # fmt: skip


def test_ratings_are_of_the_model_that_the_task_names(exported):
    found = {row.item: row for row in rows(exported, "fluency") if row.kind == "real"}
    assert {item: (row.system, row.value) for item, row in found.items()} == {
        "s0": ("alpha", 5.0), "s1": ("beta", 2.0), "s2": ("alpha", 3.0), "s3": ("beta", 4.0),
    }  # fmt: skip


def test_seconds_and_times_are_kept(exported):
    (first, *_) = rows(exported, "score")
    assert first.seconds == pytest.approx(12.5)
    assert first.submitted_at is not None
    assert first.submitted_at.tzinfo is UTC


def test_a_choice_that_is_a_number_is_a_rating(exported):
    assert {row.value for row in rows(exported, "meaning")} == {2.0}


def test_the_left_text_is_system_a_and_was_shown_first(exported):
    found = {row.item: row for row in rows(exported, "better") if row.kind == "real"}
    assert found["s1"].value == "a"
    assert found["s2"].value == "b"
    assert {(row.system_a, row.system_b, row.side) for row in found.values()} == {
        ("alpha", "beta", "a")
    }


def test_a_ranking_is_the_comparisons_of_the_listed_systems(exported):
    found = [row for row in rows(exported, "order") if row.item == "s1"]
    assert {(row.system_a, row.system_b, row.value) for row in found} == {
        ("alpha", "beta", "b"), ("alpha", "gamma", "a"), ("beta", "gamma", "a"),
    }  # fmt: skip
    assert len({row.task for row in found}) == 1


def test_a_second_annotation_of_one_task_replaces_the_first(exported):
    found = [row for row in rows(exported, "fluency") if row.item == "s0"]
    assert [(row.value, row.kind) for row in found] == [(1.0, "dropped"), (5.0, "real")]
    assert any("the last one counts" in note for note in exported.notes)


def test_a_skipped_task_is_rejected_with_the_reason(exported):
    (rejected,) = exported.rejected
    assert rejected.reason == "the task was skipped."
    assert (rejected.row, rejected.participant) == (2, "p0001")


def test_what_has_no_place_is_counted(exported):
    assert exported.unmapped == (
        "predictions, which are not answers: 4",
        "choices of several labels of `issues`: 5 (x, y 5)",
        "texts written for `why`: 5",
    )


def told(imported, *questions: str):
    """What was judged and how, whatever the export; the short ones list the newest first."""
    return sorted(
        (row.question, row.item, str(row.system), str(row.system_a), str(row.value), row.kind)
        for question in questions
        for row in rows(imported, question)
    )


@pytest.mark.parametrize(
    ("name", "columns"),
    [("label-studio-min.json", {}), ("label-studio.csv", {"answers": "meaning|why"})],
)
def test_the_short_exports_give_the_same_judgments(exported, name, columns):
    asked = ("fluency", "score", "meaning", "better", "order", "errors.count", "errors.mqm")
    assert told(read("label-studio", name, columns=columns), *asked) == told(exported, *asked)


def test_a_table_says_which_columns_it_took_for_data():
    found = read("label-studio", "label-studio.csv")
    assert not rows(found, "meaning")
    assert any("`meaning`" in note and "answers=NAME|NAME" in note for note in found.notes)


def test_the_short_exports_tell_texts_from_answers_however_they_look(tmp_path):
    record = {
        "outs": [{"id": "o1", "rating": 3}], "note": "[not JSON", "model": "alpha", "id": 5,
        "fluency": [{"rating": 4}], "problems": {"choices": ["x", "y"]}, "odd": [1, 2],
        "annotator": "jane@example.org", "annotation_id": 1, "lead_time": 2.5,
        "created_at": "2026-03-01T09:30:00Z",
    }  # fmt: skip
    found = read("label-studio", write(tmp_path, [record]))
    assert [(row.question, row.value) for row in found.judgments.rows()] == [("fluency", 4.0)]
    assert "jane" not in repr(found)


def test_what_belongs_to_a_region_says_more_about_its_span(tmp_path):
    at = {"start": 1, "end": 5, "text": "Text"}
    parts = [("labels", {"labels": ["Accuracy"]}), ("choices", {"choices": ["major"]}),
             ("textarea", {"text": ["wrong", "word"]})]  # fmt: skip
    result = [{"id": "r1", "from_name": f"q{kind}", "type": kind, "value": {**at, **value}}
              for kind, value in parts]  # fmt: skip
    data = {"item": "s", "model": "alpha", "text": "💩Text here"}
    found = read("label-studio", write(tmp_path, [task(result=result, data=data)]))
    assert {row.question: row.value for row in found.judgments.rows()} == {
        "qlabels.count": 1.0, "qlabels.severity.major": 1.0, "qlabels.category.Accuracy": 1.0,
        "qlabels.mqm": -5.0,
    }  # fmt: skip
    assert ",output,1,5,code points,1,5,Text,,major,Accuracy,wrong word" in (
        found.files["spans.csv"].decode()
    )


def test_who_marked_nothing_but_answered_counts_as_no_error(tmp_path):
    span = {"id": "r1", "from_name": "errors", "type": "labels",
            "value": {"start": 0, "end": 1, "text": "x", "labels": ["minor"]}}  # fmt: skip
    path = write(tmp_path, [task(1, result=[span]), task(2, result=[rating(4)]), task(3)])
    found = read("label-studio", path)
    assert {row.item: row.value for row in rows(found, "errors.count")} == {"s1": 1.0, "s2": 0.0}
    assert [each.reason for each in found.rejected] == ["the task was submitted without an answer."]


@pytest.mark.parametrize("who", [7, {"id": 7, "email": "jane@example.org"}, "7"])
def test_annotators_become_pseudonyms_however_they_are_written(tmp_path, who):
    path = write(tmp_path, [task(result=[rating(4)], completed_by=who)])
    found = read("label-studio", path)
    assert found.judgments.participant.labels == ("p0001",)
    assert "jane" not in repr(found)


def test_a_rating_of_a_region_is_not_one_of_the_output(tmp_path):
    region = {**rating(1), "value": {"start": 0, "end": 3, "rating": 1}}
    found = read("label-studio", write(tmp_path, [task(result=[rating(4), region])]))
    assert len(found.judgments) == 1
    assert found.unmapped == ("ratings of regions in `fluency`: 1 (1 1)",)


def test_an_annotation_without_an_answer_is_rejected(tmp_path):
    found = read("label-studio", write(tmp_path, [task(1, result=[rating(4)]), task(2)]))
    assert [each.reason for each in found.rejected] == ["the task was submitted without an answer."]


def test_the_system_is_found_in_a_nested_field_that_was_named(tmp_path):
    about = {"item": "s1", "made": {"by": "gamma"}}
    path = write(tmp_path, [task(result=[rating(4)], data=about)])
    found = read("label-studio", path, columns={"system": "made.by"})
    assert found.judgments.system.used() == ("gamma",)


def test_without_a_system_the_message_lists_the_fields(tmp_path):
    path = write(tmp_path, [task(result=[rating(4)], data={"text": "x", "made": {"by": "gamma"}})])
    with pytest.raises(FileError) as caught:
        read("label-studio", path)
    message = str(caught.value)
    assert "--columns system=FIELD" in message
    assert "made.by" in message
    assert "--items FILE" in message


def test_one_system_can_be_said_to_be_all_there_is(tmp_path):
    path = write(tmp_path, [task(result=[rating(4)], data={"text": "x"})])
    assert read("label-studio", path, columns={"system": ""}).judgments.system.used() == ("all",)


def test_an_item_without_a_system_among_others_is_rejected(tmp_path):
    path = write(tmp_path, [task(1, result=[rating(4)]), task(2, result=[rating(2)], data={})])
    found = read("label-studio", path)
    assert len(found.judgments) == 1
    assert [each.reason for each in found.rejected] == ["the item names no system."]


@pytest.mark.parametrize(
    "value", [None, "four", float("nan"), 1e300, True, [4], {"rating": 4}, "9" * 400]
)
def test_a_rating_that_is_not_a_usable_number_is_rejected(tmp_path, value):
    path = write(tmp_path, [task(1, result=[rating(4)]), task(2, result=[rating(value)])])
    found = read("label-studio", path)
    assert len(found.judgments) == 1
    assert len(found.rejected) == 1
    assert "is not a number" in found.rejected[0].reason


def test_tasks_of_another_shape_are_rejected_one_by_one(tmp_path):
    odd = [task(1, result=[rating(4)]), 5, None, {"data": 3}, {"id": 9, "data": {}}]
    found = read("label-studio", write(tmp_path, odd))
    assert len(found.judgments) == 1
    assert len(found.rejected) == 3


def test_other_scripts_and_characters_that_cannot_be_written_survive(tmp_path):
    about = {"item": "é\u202e\x00\ud83d s", "model": "モデル"}
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([task(result=[rating(4)], data=about)]), encoding="utf-8")
    (row,) = read("label-studio", path).judgments.rows()
    assert row.system == "モデル"
    row.item.encode()  # no half of a character is left


def test_times_that_are_not_times_are_left_empty(tmp_path):
    odd = task(result=[rating(4)], created_at="yesterday", lead_time=-3)
    (row,) = read("label-studio", write(tmp_path, [odd])).judgments.rows()
    assert (row.submitted_at, row.seconds) == (None, None)


def test_later_is_decided_by_time_and_not_by_place(tmp_path):
    early = task(1, result=[rating(1)], created_at="2026-03-01T09:00:00Z")
    late = task(1, result=[rating(5)], created_at="2026-03-01T10:00:00+00:00")
    found = read("label-studio", write(tmp_path, [late, early])).judgments
    assert found.of_kind("real").value.tolist() == [5.0]
    assert found.rows()[0].submitted_at == datetime(2026, 3, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize("model", [None, "alpha"])
def test_ranked_options_without_a_system_are_named_in_a_note(tmp_path, model):
    options = [{"id": "o1", "model": model}, {"id": "o2", "model": "beta"}]
    ranked = {"from_name": "order", "type": "ranker", "value": {"ranker": ["o2", "o1"]}}
    path = write(tmp_path, [task(result=[ranked], data={"options": options})])
    found = read("label-studio", path)
    assert any("taken as systems" in note for note in found.notes) == (model is None)
    (row,) = found.judgments.rows()
    assert {row.system_a, row.system_b} == {"beta", model or "o1"}
