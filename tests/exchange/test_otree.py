"""oTree: the fields of players as answers, by round, with page times where they are given."""

from __future__ import annotations

import shutil

import pytest

from rejudge.errors import FileError
from tool_exports import EXPORTS, read, rows

HEAD = "participant.code,participant._is_bot,participant.visited,player.id_in_group,player.payoff"


def write(folder, head, *lines: str, name="ratings.csv"):
    path = folder / name
    path.write_text("\n".join((f"{HEAD},{head},subsession.round_number", *lines)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def app():
    return read("otree", "otree-ratings.csv")


def test_fields_of_players_are_questions_and_their_other_fields_say_what_was_judged(app):
    found = [row for row in app.judgments.rows() if (row.participant, row.item) == ("p0001", "s2")]
    said = {row.question: (row.value, row.system or (row.system_a, row.system_b)) for row in found}
    assert said == {
        "fluency": (2.0, "beta"), "sure": (1.0, "beta"), "preferred": ("a", ("beta", "alpha")),
    }  # fmt: skip


def test_the_wide_file_of_all_apps_holds_the_same(app):
    wide = read("otree", "otree-wide.csv")
    assert sorted(map(str, wide.judgments.rows())) == sorted(map(str, app.judgments.rows()))


def test_rounds_are_positions(app):
    assert {row.position for row in rows(app, "fluency")} == {1, 2, 3}


def test_answers_of_bots_are_simulated(app):
    assert app.judgments.simulated == len(app.judgments)
    assert any("bots" in note for note in app.notes)


def test_texts_are_counted(app):
    assert app.unmapped == ('answers in words to `why`: 9 (because, "so" yes 9)',)


def test_page_times_give_seconds_and_the_time_of_submission(tmp_path):
    path = tmp_path / "ratings_2026-11-17.csv"
    shutil.copy(EXPORTS / "otree-ratings.csv", path)
    found = rows(read("otree", path, "otree-page-times.csv"), "fluency")
    spent = {(row.participant, row.position): row.seconds for row in found}
    assert spent["p0001", 1] == 11.0
    assert spent["p0003", 3] == 33.0
    assert all(row.submitted_at is not None for row in found)


def test_page_times_alone_hold_no_answers():
    with pytest.raises(FileError, match="no judgments"):
        read("otree", "otree-page-times.csv")


def test_participants_who_never_began_are_counted(tmp_path):
    path = write(tmp_path, "player.item,player.system,player.fluency",
                 "abc,0,1,1,0.0,s1,alpha,4,1", "def,0,0,1,0.0,s1,alpha,,1")  # fmt: skip
    found = read("otree", path)
    assert found.judgments.value.tolist() == [4.0]
    assert found.unmapped == ("rounds of participants who never began: 1",)


def test_without_a_field_of_items_rounds_are_taken_and_a_note_says_so(tmp_path):
    path = write(tmp_path, "player.model,player.fluency", "abc,0,1,1,0.0,alpha,4,2")
    found = read("otree", path)
    assert found.judgments.item.used() == ("round 2",)
    assert "No field names the items: rounds were taken for items." in found.notes


def test_a_field_of_another_name_can_be_said_to_be_the_system(tmp_path):
    path = write(tmp_path, "player.condition,player.item,player.fluency", "abc,0,1,1,0.0,x,s1,4,1")
    found = read("otree", path, columns={"system": "condition"})
    assert found.judgments.system.used() == ("x",)
    assert found.judgments.question.used() == ("fluency",)


def test_codes_of_participants_are_nowhere_in_what_is_imported(app):
    assert set(app.judgments.participant.labels) == {"p0001", "p0002", "p0003"}
