"""Votes of arenas: battles as they are published, and as a server logs them."""

from __future__ import annotations

import json

import pytest

from tool_exports import read


@pytest.fixture(scope="module")
def battles():
    return read("arena", "arena.json")


def test_the_winner_is_one_of_the_two_models_or_nobody(battles):
    found = battles.judgments.rows()
    assert [row.value for row in found] == ["a", "b", "tie", "tie"] * 2
    assert (found[1].system_a, found[1].system_b, found[1].side) == ("beta", "alpha", "a")


def test_both_bad_is_a_tie_and_a_note_says_so(battles):
    assert "Votes that both answers are bad were read as ties." in battles.notes


def test_votes_that_do_not_count_are_rejected_with_the_reason(battles):
    assert [each.reason for each in battles.rejected] == [
        "the names of the models were visible.",
        "'??' is not an outcome of a battle.",
        "'alpha' is compared with itself.",
        "a model has no name.",
    ]


def test_judges_become_pseudonyms(battles):
    assert set(battles.judgments.participant.labels) == {"p0001", "p0002", "p0003"}


def test_the_log_of_a_server_is_read_without_its_network_addresses():
    found = read("arena", "fastchat.jsonl")
    assert [row.value for row in found.judgments.rows()] == ["a", "b", "tie", "tie"]
    assert found.unmapped == ("lines of the log that are not votes: 1 (chat 1)",)
    assert "192.0.2" not in repr((found.rejected, found.notes, found.unmapped))
    assert set(found.judgments.participant.labels) == {"p0001", "p0002"}


def test_a_table_with_one_column_for_each_outcome_is_read():
    found = read("arena", "arena-kaggle.csv")
    assert [(row.item, row.value) for row in found.judgments.rows()] == [
        ("30192", "a"), ("53567", "b"), ("65089", "tie"),
    ]  # fmt: skip
    assert "The files do not say who judged." in found.notes


def test_sessions_stand_in_for_participants_where_there_are_no_others():
    found = read("arena", "arena-140k.json")
    assert [(row.participant, row.position, row.value) for row in found.judgments.rows()] == [
        ("p0001", 1, "a"), ("p0001", 2, "tie"), ("p0002", 1, "a"), ("p0002", 2, "tie"),
    ]  # fmt: skip
    assert any("sessions" in note for note in found.notes)


def test_battles_without_an_id_are_numbered(tmp_path):
    path = tmp_path / "battles.json"
    vote = {"model_a": "x", "model_b": "y", "winner": "model_b", "judge": "j", "anony": True}
    path.write_text(json.dumps([vote, vote]), encoding="utf-8")
    assert [row.item for row in read("arena", path).judgments.rows()] == ["battle 1", "battle 2"]


@pytest.mark.parametrize("states", [[], [1, 2], [{}, {}], "x", None])
def test_a_vote_without_two_models_is_never_counted(tmp_path, states):
    path = tmp_path / "log.jsonl"
    good = {"tstamp": 1, "type": "leftvote", "models": ["", ""], "ip": "192.0.2.1",
            "states": [{"model_name": "x"}, {"model_name": "y"}]}  # fmt: skip
    lines = (good, {**good, "states": states})
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
    found = read("arena", path)
    assert len(found.judgments) == 1
    assert len(found.rejected) + len(found.unmapped) == 1


def test_the_turns_of_one_question_are_items_of_their_own(tmp_path):
    path = tmp_path / "human.json"
    vote = {"question_id": 81, "model_a": "x", "model_b": "y", "judge": "expert_0"}
    votes = [{**vote, "winner": "model_a", "turn": 1}, {**vote, "winner": "tie", "turn": 2}]
    path.write_text(json.dumps(votes), encoding="utf-8")
    found = read("arena", path).judgments.rows()
    assert [(row.item, row.value, row.kind) for row in found] == [
        ("81, turn 1", "a", "real"), ("81, turn 2", "tie", "real"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("winner", "value"), [("model_b", "b"), ("MODEL_A", "a"), ("y", "b"), ("both_bad", "tie")]
)
def test_a_winner_is_a_side_or_the_name_of_a_model(tmp_path, winner, value):
    path = tmp_path / "battles.json"
    vote = {"model_a": "x", "model_b": "y", "winner": winner, "judge": "j"}
    path.write_text(json.dumps([vote]), encoding="utf-8")
    (row,) = read("arena", path).judgments.rows()
    assert row.value == value
