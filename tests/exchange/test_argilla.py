"""Argilla: ratings, labels and rankings in the three shapes of its records."""

from __future__ import annotations

import json

import pytest

from tool_exports import read, rows


def lines(folder, *records: object):
    path = folder / "records.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")
    return path


def record(*given: tuple[str, object, str], **about: object):
    responses: dict[str, list] = {}
    for question, value, user in given:
        responses.setdefault(question, []).append({"value": value, "user_id": user})
    return {"id": "r1", "fields": {"text": "x"}, "metadata": {"model": "alpha"},
            "suggestions": {}, "responses": responses, **about}  # fmt: skip


def test_ratings_are_of_the_model_in_the_metadata():
    found = rows(read("argilla", "argilla-records.json"), "quality")
    assert [(row.participant, row.item, row.system, row.value) for row in found[:3]] == [
        ("p0001", "s0", "alpha", 4.0), ("p0002", "s0", "alpha", 5.0), ("p0001", "s0", "beta", 3.0),
    ]  # fmt: skip


def test_the_nested_shape_says_that_it_has_no_status():
    assert any("discarded or are drafts" in n for n in read("argilla", "argilla.json").notes)


def test_discarded_responses_and_drafts_are_rejected_in_the_flat_shape():
    found = read("argilla", "argilla-flat.jsonl")
    assert [each.reason for each in found.rejected] == [
        "the response was discarded.", "the response is a draft.",
    ] * 2  # fmt: skip
    assert found.judgments.value.tolist() == [4.0, 4.0]
    assert not any("discarded or are drafts" in note for note in found.notes)


def test_the_flat_shape_of_a_real_export_is_read_like_the_nested_one():
    nested = read("argilla", "argilla-records.json")
    flat = read("argilla", "argilla-records-flat.jsonl")
    kept = [row for row in rows(nested, "quality") if row.participant == "p0001"]
    assert [(r.item, r.system, r.value) for r in rows(flat, "quality")] == [
        (r.item, r.system, r.value) for r in kept
    ]
    assert flat.unmapped[0] == "suggestions of models, which are not answers: 4"


def test_a_ranking_of_fields_is_one_of_the_systems_that_metadata_names():
    found = [row for row in rows(read("argilla", "argilla.json"), "order") if row.kind == "real"]
    assert {(row.system_a, row.system_b, row.value) for row in found} == {("alpha", "beta", "b")}


def test_equal_ranks_are_ties():
    found = rows(read("argilla", "argilla-older.jsonl"), "order")
    outcomes = {(row.system_a, row.system_b): row.value for row in found if row.item == "e0"}
    assert outcomes == {("alpha", "beta"): "b", ("alpha", "gamma"): "tie", ("beta", "gamma"): "a"}


def test_a_list_of_labels_is_not_taken_for_a_ranking(tmp_path):
    path = lines(tmp_path, record(("quality", 3, "u"), ("problems", ["toxic", "rude"], "u")))
    found = read("argilla", path)
    assert found.judgments.question.used() == ("quality",)
    assert found.unmapped == ("labels of `problems`: 2 (toxic 1, rude 1)",)


def test_a_list_of_the_systems_that_an_item_names_is_a_ranking(tmp_path):
    about = {"metadata": {"systems": ["alpha", "beta", "gamma"]}}
    path = lines(tmp_path, record(("order", ["gamma", "alpha", "beta"], "u"), **about))
    found = rows(read("argilla", path), "order")
    assert {(row.system_a, row.system_b, row.value) for row in found} == {
        ("alpha", "beta", "a"), ("alpha", "gamma", "b"), ("beta", "gamma", "b"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("word", "value"),
    [("A", "a"), ("response B", "b"), ("beta", "b"), ("Alpha", "a"), ("no preference", "tie"),
     ("both bad", "tie"), ("left", "a"), ("2", "b")],
)  # fmt: skip
def test_a_label_says_which_of_two_systems_is_better(tmp_path, word, value):
    about = {"metadata": {"model_a": "alpha", "model_b": "beta"}}
    (row,) = rows(
        read("argilla", lines(tmp_path, record(("better", word, "u"), **about))), "better"
    )
    assert (row.value, row.system_a, row.system_b, row.side) == (value, "alpha", "beta", None)


def test_responses_as_the_server_keeps_them_are_read(tmp_path):
    given = {"user_id": "u", "values": {"quality": {"value": 5}}, "status": "submitted"}
    path = lines(tmp_path, {**record(), "responses": [given]})
    assert read("argilla", path).judgments.value.tolist() == [5.0]


def test_spans_and_words_are_counted():
    assert read("argilla", "argilla.json").unmapped == (
        "suggestions of models, which are not answers: 4",
        "labels of `problems`: 8 (toxic 4, rude 4)",
        "answers in words to `comment`: 4 (nicht schlecht 4)",
    )


def test_the_ids_of_users_are_nowhere_in_what_is_imported():
    found = read("argilla", "argilla-records-flat.jsonl")
    assert "00000000-0000" not in repr((found.rejected, found.notes, found.unmapped))
    assert set(found.judgments.participant.labels) == {"p0001"}


def test_a_text_that_one_person_wrote_is_not_repeated(tmp_path):
    path = lines(tmp_path, record(("quality", 3, "u"), ("why", "call me: jane@example.org", "u")))
    assert read("argilla", path).unmapped == ("answers in words to `why`: 1",)
