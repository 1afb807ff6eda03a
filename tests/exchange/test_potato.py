"""Potato: answers from user_state.json and from its exports, with the order that was shown."""

from __future__ import annotations

import json

import pytest

from rejudge.errors import FileError
from tool_exports import read, rows

STATES = ("potato/anna/user_state.json", "potato/bert/user_state.json")
ITEMS = "potato/items.jsonl"


@pytest.fixture(scope="module")
def states():
    return read("potato", *STATES, items=ITEMS)


def lines(folder, *labels: object):
    path = folder / "annotations.jsonl"
    records = [{"instance_id": f"i{n}", "user_id": "u", "labels": each, "spans": {}}
               for n, each in enumerate(labels, start=1)]  # fmt: skip
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")
    return path


def state(folder, labels, **about: object):
    path = folder / "user_state.json"
    pairs = {item: [[{"schema": scheme, "name": name}, value] for scheme, name, value in listed]
             for item, listed in labels.items()}  # fmt: skip
    content = {
        "user_id": "jane@example.org", "instance_id_ordering": list(labels),
        "instance_id_to_label_to_value": pairs, "instance_id_to_span_to_value": {}, **about,
    }  # fmt: skip
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def table(folder, *rows_: str):
    path = folder / "items.csv"
    path.write_text("id,item,system,system_a,system_b\n" + "\n".join(rows_), encoding="utf-8")
    return path


def test_likert_slider_number_and_rated_options_are_ratings(states):
    found = {(row.question, row.item): row.value for row in states.judgments.rows()
             if row.participant == "p0001" and row.system is not None}  # fmt: skip
    assert found["fluency", "i1"] == 5.0
    assert found["score", "i1"] == 70.0
    assert found["errors", "i2"] == 3.0
    assert found["rates.clarity", "i2"] == 2.0


def test_the_system_comes_from_the_table_of_items(states):
    assert {(r.item, r.system) for r in rows(states, "fluency")} == {
        ("i1", "alpha"), ("i2", "beta"), ("i3", "gamma"),
    }  # fmt: skip


def test_positions_are_those_of_the_order_in_which_items_were_given(states):
    assert {(row.item, row.position) for row in rows(states, "fluency")} >= {("i1", 1), ("i2", 2)}


def test_a_ranking_is_the_comparisons_it_implies(states):
    found = [row for row in rows(states, "order") if (row.item, row.participant) == ("i1", "p0001")]
    assert {(row.system_a, row.system_b, row.value) for row in found} == {
        ("alpha", "beta", "b"), ("alpha", "gamma", "a"), ("beta", "gamma", "a"),
    }  # fmt: skip


def test_no_id_of_a_participant_is_kept(states):
    said = repr((states.rejected, states.notes, states.unmapped))
    assert "anna" not in said
    assert "bert" not in said
    assert states.judgments.participant.labels == ("p0001", "p0002")


def test_labels_and_texts_are_counted(states):
    assert set(states.unmapped) == {
        "texts written for `why`: 4",
        "labels of `issues`: 8 (z 4, x 4)",
        "answers in words to `kind`: 4 (good 4)",
    }


@pytest.mark.parametrize("name", ["potato/annotations.csv", "potato/annotations.jsonl"])
def test_the_other_exports_hold_the_same_answers(states, name):
    found = read("potato", name, items=ITEMS)
    plain = lambda imported: sorted(  # noqa: E731 - one expression, used twice
        (row.item, row.question, str(row.value)) for row in imported.judgments.rows()
        if row.question != "better"
    )  # fmt: skip
    assert plain(found) == plain(states)
    assert any("do not say in which order" in note for note in found.notes)


@pytest.mark.parametrize(
    ("order", "answer", "value", "side"),
    [([0, 1], "A", "a", "a"), ([0, 1], "B", "b", "a"), ([1, 0], "A", "b", "b"),
     ([1, 0], "B", "a", "b"), ([1, 0], "tie", "tie", "b")],
)  # fmt: skip
def test_a_is_the_option_that_was_shown_first(tmp_path, order, answer, value, side):
    shown = {"i1": {"better": order}}
    path = state(tmp_path, {"i1": [("better", "selection", answer)]},
                 instance_id_to_presentation_order=shown)  # fmt: skip
    (row,) = read("potato", path, items=table(tmp_path, "i1,,,alpha,beta")).judgments.rows()
    assert (row.value, row.side, row.system_a, row.system_b) == (value, side, "alpha", "beta")


@pytest.mark.parametrize(("point", "value"), [("-2", "a"), ("0", "tie"), (3, "b")])
def test_a_point_between_two_options_says_which_is_better(tmp_path, point, value):
    path = lines(tmp_path, {"better": {"scale_value": point}})
    (row,) = read("potato", path, items=table(tmp_path, "i1,,,alpha,beta")).judgments.rows()
    assert row.value == value


def test_best_and_worst_of_four_decide_five_comparisons():
    found = read("potato", "potato/best-worst.jsonl", items="potato/best-worst-items.jsonl")
    won = {(r.system_a if r.value == "a" else r.system_b, r.system_b if r.value == "a" else
            r.system_a) for r in rows(found, "quality")}  # fmt: skip
    assert won == {("beta", "delta"), ("beta", "alpha"), ("beta", "gamma"), ("alpha", "delta"),
                   ("gamma", "delta")}  # fmt: skip
    assert found.rejected[0].reason == "best and worst are not two of the systems."
    assert found.unmapped == ("spans of `errors` in the outputs of several systems: 1",)


def test_seconds_and_times_come_from_the_trace_of_behaviour(tmp_path):
    trace = {"i1": {"total_time_ms": 8500, "session_end": 1700000100.5,
                    "annotation_changes": [{"timestamp": 1700000090.0}]}}  # fmt: skip
    path = state(tmp_path, {"i1": [("fluency", "4", "4")]}, instance_id_to_behavioral_data=trace)
    (row,) = read("potato", path, columns={"system": ""}).judgments.rows()
    assert row.seconds == pytest.approx(8.5)
    assert row.submitted_at is not None
    assert row.submitted_at.timestamp() == pytest.approx(1700000090.0)


def test_several_points_of_one_scale_are_rejected_and_not_guessed(tmp_path):
    path = lines(tmp_path, {"fluency": {"4": "4", "5": "5"}}, {"fluency": {"3": "3"}})
    found = read("potato", path, columns={"system": ""})
    assert found.judgments.value.tolist() == [3.0]
    assert "several points of one scale" in found.rejected[0].reason


def test_answers_of_a_program_are_not_those_of_people(tmp_path):
    path = state(tmp_path, {"i1": [("fluency", "4", "4")]}, origin={"kind": "machine"})
    with pytest.raises(FileError, match="items labelled by a program: 1"):
        read("potato", path, columns={"system": ""})


def test_answers_on_survey_pages_are_counted(tmp_path):
    pages = {"poststudy": {"p1": [[{"schema": "age", "name": "text_box"}, "33"]]}}
    path = state(tmp_path, {"i1": [("fluency", "4", "4")]}, phase_to_page_to_label_to_value=pages)
    found = read("potato", path, columns={"system": ""})
    assert found.unmapped == ("answers on pages of the phase `poststudy`: 1",)


def test_the_files_before_version_2_name_the_participant_by_their_folder():
    path = "potato/older/carla/annotated_instances.jsonl"
    found = read("potato", path, columns={"system": ""})
    (row,) = rows(found, "fluency")
    assert (row.participant, row.value, row.seconds) == ("p0001", 4.0, 77.0)
    assert [each.value for each in rows(found, "spans.category.err")] == [1.0]
    assert "carla" not in repr((found.rejected, found.notes))


def test_a_table_can_give_items_another_name(tmp_path):
    path = lines(tmp_path, {"fluency": {"4": "4"}}, {"fluency": {"2": "2"}})
    items = table(tmp_path, "i1,s1,alpha,,", "i2,s1,beta,,")
    found = read("potato", path, items=items).judgments.rows()
    assert [(row.item, row.system) for row in found] == [("s1", "alpha"), ("s1", "beta")]


def test_rows_of_another_shape_are_rejected(tmp_path):
    path = tmp_path / "annotations.csv"
    path.write_text("instance_id,user_id,f.4\ni1,u,4\n,u,4\n\ni2,u,\n", encoding="utf-8")
    found = read("potato", path, columns={"system": ""})
    assert len(found.judgments) == 1
    assert [each.row for each in found.rejected] == [3]
