"""Answers to our own survey become the judgments that were given."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from qualtrics_files import (
    ALL_KINDS,
    NOON,
    answered,
    at_end,
    export,
    random_answers,
    same,
    session,
    write,
)
from rejudge.design.draw import draw
from rejudge.design.plan import Plan
from rejudge.errors import FileError
from rejudge.exchange.qualtrics import FORMAT
from rejudge.exchange.qualtrics_survey import survey_questions
from rejudge.judgments.answers import tabulate
from rejudge.study.model import Study
from small_study import ITEMS, parse_files


@pytest.fixture(scope="module")
def study() -> Study:
    return parse_files({"study.yaml": ALL_KINDS, "items.csv": ITEMS})


@pytest.fixture(scope="module")
def plan(study: Study) -> Plan:
    return draw(study)


@pytest.mark.parametrize("choices", ["numbers", "text"])
def test_responses_become_the_judgments_that_were_given(
    tmp_path: Path, study: Study, plan: Plan, choices: str
) -> None:
    as_text = choices == "text"
    rows, given_answers = [], []
    for number, batch in enumerate(plan.batches):
        answers = random_answers(study, plan, batch.id, f"00{number}", seed=number)
        row = session(f"00{number}", answered(study, plan, answers, as_text=as_text), number=number)
        rows.append(row | ({"Finished": "True", "Status": "IP Address"} if as_text else {}))
        given_answers += at_end(answers)
    file = write(tmp_path, export(rows))
    imported = FORMAT.read([file], study=study, plan=plan)
    assert imported.rejected == ()
    assert same(imported.judgments, tabulate(study, plan, given_answers))


@pytest.mark.parametrize("choices", ["numbers", "text"])
def test_choices_are_recognised_by_content_where_no_column_says_what_they_are(
    tmp_path: Path, study: Study, plan: Plan, choices: str
) -> None:
    answers = random_answers(study, plan, plan.batches[0].id, "001", seed=1)
    cells = answered(study, plan, answers, as_text=choices == "text")
    row = session("001", cells, number=1) | {"Finished": "", "Status": ""}
    row["Finished"] = "done"
    text = export([row]).replace('"Finished"', '"Ended"', 1)
    imported = FORMAT.read([write(tmp_path, text)], study=study, plan=plan)
    assert f"Choices were read as {choices}." in imported.notes
    assert same(imported.judgments, tabulate(study, plan, at_end(answers)))


def test_dates_are_converted_from_the_zone_of_the_third_row(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    answers = random_answers(study, plan, plan.batches[0].id, "001", seed=1)
    row = session("001", answered(study, plan, answers), number=1, zone="Europe/Amsterdam")
    file = write(tmp_path, export([row], zone="Europe/Amsterdam"))
    imported = FORMAT.read([file], study=study, plan=plan)
    assert {row.submitted_at for row in imported.judgments.rows()} == {
        datetime(2023, 9, 20, 12, 7, tzinfo=UTC)
    }


def test_previews_are_counted_and_unfinished_sessions_kept_apart(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    rows = [
        session("001", cells, number=1),
        session("", cells, number=2, status="1"),
        session("002", dict(list(cells.items())[:3]), number=3, finished=False),
    ]
    imported = FORMAT.read([write(tmp_path, export(rows))], study=study, plan=plan)
    assert imported.judgments.participant.used() == ("001",)
    assert "1 preview or test session left out." in imported.notes
    left = list(csv.DictReader(io.StringIO(imported.files["unfinished.csv"].decode())))
    assert [row["participant"] for row in left] == ["002"] * 3
    times = csv.DictReader(io.StringIO(imported.files["sessions.csv"].decode()))
    assert [row["standing"] for row in times] == ["finished", "unfinished", "preview"]


def test_a_list_done_again_is_kept_as_repeats_whatever_the_order_of_rows(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    batch = plan.batches[0].id
    first = random_answers(study, plan, batch, "001", seed=1)
    again = random_answers(study, plan, batch, "001", seed=2)
    rows = [
        session("001", answered(study, plan, again), number=2, start=NOON + timedelta(days=1)),
        session("001", answered(study, plan, first), number=1),
    ]
    imported = FORMAT.read([write(tmp_path, export(rows))], study=study, plan=plan)
    expected = tabulate(study, plan, at_end(first))
    assert same(imported.judgments.of_kind("real"), expected.of_kind("real"))
    assert len(imported.judgments.of_kind("repeat")) == len(tabulate(study, plan, again))


def test_people_who_did_not_consent_are_left_out(tmp_path: Path, study: Study, plan: Plan) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    rows = [
        session("001", cells | {"consent": "1"}, number=1),
        session("002", cells | {"consent": "2"}, number=2),
    ]
    imported = FORMAT.read([write(tmp_path, export(rows))], study=study, plan=plan)
    assert imported.judgments.participant.used() == ("001",)
    assert "1 session without consent left out." in imported.notes
    assert imported.unmapped == ()


def test_a_session_of_seven_days_keeps_all_its_seconds(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    row = session("001", cells, number=1, seconds=7 * 86400 + 5)
    imported = FORMAT.read([write(tmp_path, export([row]))], study=study, plan=plan)
    (times,) = csv.DictReader(io.StringIO(imported.files["sessions.csv"].decode()))
    assert float(times["seconds"]) == 7 * 86400 + 5


def test_personal_columns_and_platform_ids_are_nowhere_in_the_result(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    person = "5f3a" * 6
    private = {
        "IPAddress": "192.0.2.7",
        "RecipientEmail": "ada@example.org",
        "RecipientLastName": "Lovelace",
    }
    row = session(person, cells | private, number=1, column="PROLIFIC_PID")
    imported = FORMAT.read([write(tmp_path, export([row]))], study=study, plan=plan)
    whole = repr((imported.judgments.rows(), imported.notes, imported.unmapped, imported.files))
    assert (
        "Personal columns were left out: IPAddress, RecipientEmail, RecipientLastName."
        in imported.notes
    )
    assert not any(word in whole for word in (person, "192.0.2.7", "ada@", "Lovelace"))
    assert imported.judgments.participant.used() == ("p001",)


def test_a_key_gives_the_same_pseudonym_in_every_import(
    tmp_path: Path, study: Study, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REJUDGE_PSEUDONYM_KEY", "a secret of this test")
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    rows = [
        session(name, cells, number=n, column="PROLIFIC_PID")
        for n, name in enumerate(["x@y", "z@y"])
    ]
    one = FORMAT.read([write(tmp_path, export(rows))], study=study, plan=plan)
    two = FORMAT.read([write(tmp_path, export(rows[1:]), "two.csv")], study=study, plan=plan)
    assert set(two.judgments.participant.used()) < set(one.judgments.participant.used())


def test_a_choice_that_does_not_exist_is_rejected_with_its_place(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    tag = next(a.tag for a in survey_questions(study, plan) if a.question.id == "fluency")
    cells[tag] = "9"
    imported = FORMAT.read(
        [write(tmp_path, export([session("001", cells, number=1)]))], study=study, plan=plan
    )
    (rejected,) = imported.rejected
    assert (rejected.row, rejected.column, rejected.value) == (4, tag, "9")


def test_a_typed_number_out_of_range_is_rejected(tmp_path: Path, study: Study, plan: Plan) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    tag = next(a.tag for a in survey_questions(study, plan) if a.question.id == "overall")
    cells[tag] = "101"
    imported = FORMAT.read(
        [write(tmp_path, export([session("001", cells, number=1)]))], study=study, plan=plan
    )
    assert [each.column for each in imported.rejected] == [tag]


def test_answers_to_another_plan_are_refused(tmp_path: Path, study: Study, plan: Plan) -> None:
    files = {"study.yaml": ALL_KINDS.replace("seed: 3", "seed: 4"), "items.csv": ITEMS}
    other = parse_files(files)
    cells = answered(other, draw(other), random_answers(other, draw(other), "b01", "001", seed=1))
    file = write(tmp_path, export([session("001", cells, number=1)]))
    with pytest.raises(FileError, match="another plan"):
        FORMAT.read([file], study=study, plan=plan)


def test_rows_that_occur_in_two_exports_count_once(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    text = export([session("001", cells, number=1)])
    files = [write(tmp_path, text, name) for name in ("a.csv", "b.csv")]
    imported = FORMAT.read(files, study=study, plan=plan)
    assert not len(imported.judgments.of_kind("repeat"))
    assert "1 row occurred in several files and counted once." in imported.notes


def test_ids_that_differ_by_zeros_are_pointed_out(tmp_path: Path, study: Study, plan: Plan) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    rows = [session(name, cells, number=n) for n, name in enumerate(["2", "002"])]
    imported = FORMAT.read([write(tmp_path, export(rows))], study=study, plan=plan)
    assert any("2 and 002 may be one person" in note for note in imported.notes)


def test_an_export_without_a_finished_session_is_refused(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    row = session("001", cells, number=1, finished=False)
    with pytest.raises(FileError, match="1 unfinished session and 0 preview"):
        FORMAT.read([write(tmp_path, export([row]))], study=study, plan=plan)


def test_an_export_without_rows_is_refused(tmp_path: Path, study: Study, plan: Plan) -> None:
    tags = [asked.tag for asked in survey_questions(study, plan)]
    with pytest.raises(FileError, match="no finished session"):
        FORMAT.read([write(tmp_path, export([], tags=tags))], study=study, plan=plan)


def test_with_a_key_a_number_that_was_given_out_stays_whoever_else_took_part(
    tmp_path: Path, study: Study, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REJUDGE_PSEUDONYM_KEY", "a secret of this test")
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    rows = [session(name, cells, number=n) for n, name in enumerate(["007", "x@y"])]
    mixed = FORMAT.read([write(tmp_path, export(rows))], study=study, plan=plan)
    alone = FORMAT.read([write(tmp_path, export(rows[:1]), "b.csv")], study=study, plan=plan)
    assert "007" in mixed.judgments.participant.used()
    assert alone.judgments.participant.used() == ("007",)
    assert "x@y" not in mixed.judgments.participant.used()


def test_one_odd_id_leaves_the_numbers_that_were_given_out(
    tmp_path: Path, study: Study, plan: Plan
) -> None:
    cells = answered(study, plan, random_answers(study, plan, plan.batches[0].id, "001", seed=1))
    names = ["TESTER17012024", "007", "008"]
    rows = [session(name, cells, number=n) for n, name in enumerate(names)]
    imported = FORMAT.read([write(tmp_path, export(rows))], study=study, plan=plan)
    assert set(imported.judgments.participant.used()) == {"other001", "007", "008"}
    assert "Numbers that were given out are kept; other001 stands for another id." in imported.notes
