"""What became of a batch on the site decides whether its judgments count."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from click.testing import CliRunner

from findings_by_key import by_key
from judged_study import PAIRWISE, hand_plan, small_study
from rejudge.cli import main
from rejudge.collect.assignment import STATUSES
from rejudge.design.plan import Task
from rejudge.errors import DataError, FileError
from rejudge.findings.model import WITHOUT_EXCLUSIONS
from rejudge.judgments.answers import Answer, tabulate
from rejudge.judgments.exclusions import ExclusionRules, drop_excluded, exclude, exclude_rows
from rejudge.judgments.judgments_csv import read_csv, to_csv
from rejudge.judgments.read import read_judgments

STUDY = small_study(PAIRWISE)
ITEM = STUDY.items[0].id
PLAN = hand_plan(STUDY, Task("t1", ITEM, STUDY.system_ids[:2]), participants=1)
BATCH = PLAN.batches[0].id


def judged(**states: str | None):
    answers = [
        Answer(name, BATCH, "t1", PAIRWISE["id"], "a", position=1, state=state)  # type: ignore[arg-type]
        for name, state in states.items()
    ]
    return tabulate(STUDY, PLAN, answers)


def left_out(**states: str | None) -> dict[str, str]:
    found = exclude(STUDY, PLAN, judged(**states))
    return {each.participant: each.rule for each in found.exclusions}


@pytest.mark.parametrize(
    ("state", "rule"),
    [
        ("returned", "returned"),
        ("held", "incomplete"),
        ("expired", "incomplete"),
        ("excluded", "excluded"),
        ("surplus", "surplus"),
    ],
)
def test_work_in_such_a_state_is_left_out_by_a_rule_of_its_own(state, rule):
    assert left_out(done="submitted", other=state) == {"other": rule}


def test_work_that_was_handed_in_or_accepted_counts():
    assert left_out(p="submitted") == left_out(q="accepted") == {}


def test_a_place_that_was_added_makes_no_surplus():
    """The plan has one place; the site, which was given another, knows better."""
    assert left_out(p="submitted", q="accepted") == {}


def test_a_table_without_states_is_counted_by_the_plan():
    study = small_study(PAIRWISE, analysis={"exclude": {"surplus": True}})
    plan = hand_plan(study, Task("t1", ITEM, study.system_ids[:2]), participants=1)
    answers = [Answer(name, BATCH, "t1", PAIRWISE["id"], "a", position=1) for name in "pq"]
    found = exclude(study, plan, tabulate(study, plan, answers))
    assert [each.rule for each in found.exclusions] == ["surplus"]


def test_the_state_is_in_the_file_where_it_is_known_and_nowhere_else():
    assert "state" not in to_csv(judged(p=None))
    text = to_csv(judged(p="returned", q=None))
    assert text.splitlines()[0].endswith(",state")
    assert read_csv(text).state.words() == ["returned", None]


def test_a_file_from_before_there_were_states_opens():
    table = read_csv("participant,item,question,value,system\np,i,q,3,s\n")
    assert table.state.words() == [None]


EVERYBODY = {f"p{place}": state for place, state in enumerate(STATUSES)} | {"p8": None}


def test_a_file_of_ours_is_left_out_of_as_its_folder_is(tmp_path):
    """Somebody in each state: the file tells the same people, rules and reasons as the folder."""
    table = judged(**EVERYBODY)
    path = tmp_path / "judgments.csv"
    path.write_text(to_csv(table), "utf-8")
    read = read_judgments(path)
    assert read.state.words() == table.state.words()
    by_file, by_folder = exclude_rows(read, ExclusionRules()), exclude(STUDY, PLAN, table)
    assert by_file.exclusions == by_folder.exclusions
    assert by_file.rules == by_folder.rules
    assert len(by_file.kept) == 3  # submitted, accepted, and the one whose state is unknown


def test_the_command_counts_what_a_file_says_was_excluded(tmp_path):
    path = tmp_path / "judgments.csv"
    path.write_text(to_csv(judged(**EVERYBODY)), "utf-8")
    said = CliRunner().invoke(main, ["analyse", str(path), "--json"])
    assert said.exit_code == 0, said.output
    results = json.loads(said.stdout)
    assert results["signature"]["excluded_rows"] == {
        "excluded": 1, "incomplete": 2, "returned": 2, "surplus": 1
    }  # fmt: skip
    assert (results["flow"]["rows"], results["flow"]["rows_kept"]) == (9, 3)
    assert any(key.case == WITHOUT_EXCLUSIONS for key in by_key(results))


def test_whoever_withdrew_counts_no_more():
    assert left_out(p="submitted", q="withdrawn") == {"q": "returned"}


def test_the_site_knows_better_than_a_number_of_places(tmp_path):
    """One place is said of a table in which two people were accepted, and one was surplus."""
    path = tmp_path / "judgments.csv"
    path.write_text(to_csv(judged(p="accepted", q="accepted", r="surplus")), "utf-8")
    cleaned = exclude_rows(read_judgments(path), ExclusionRules(surplus=1))
    assert [each.participant for each in cleaned.exclusions] == ["r"]


def test_a_state_of_another_kind_is_not_ours(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("participant,item,value,state\np,i,3,Ohio\nq,i,4,Iowa\n", "utf-8")
    read = read_judgments(path)
    assert read.state.words() == [None, None]
    assert any("'state'" in note and "not read" in note for note in read.notes)
    assert len(exclude_rows(read, ExclusionRules()).kept) == 2


def test_a_state_that_was_asked_for_by_name_must_be_one_of_ours(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("participant,item,value,outcome\np,i,3,excluded\nq,i,4,lost\n", "utf-8")
    with pytest.raises(DataError, match="state is 'lost'"):
        read_judgments(path, columns={"state": "outcome"})


def test_excluded_rows_of_another_table_are_refused():
    rows = read_judgments(pa.table({"rater": ["p"], "item": ["i"], "score": [3]}))
    with pytest.raises(FileError, match="the column 'colour' is not known"):
        drop_excluded(rows, "colour,rule\nred,named\n")
