"""Runs in one table, and rows chosen by any column."""

from __future__ import annotations

import pyarrow as pa
import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.errors import DataError, UsageError
from rejudge.judgments.judgments_csv import to_csv
from rejudge.judgments.read import Where, read_judgments, read_table

TWO_LABS = {
    "lab": ["Tilburg", "Tilburg", "Aberdeen", "Aberdeen"],
    "rater": ["r1", "r2", "r1", "r3"],
    "item": ["i1", "i1", "i1", "i1"],
    "model": ["x", "x", "x", "y"],
    "score": [1, 2, 3, 4],
}


def changed(**columns: list):
    return pa.table({**TWO_LABS, **columns})


def put(folder, table=TWO_LABS):
    path = folder / "labs.csv"
    rows = zip(*table.values(), strict=True)
    path.write_text("\n".join([",".join(table), *(",".join(map(str, r)) for r in rows)]), "utf-8")
    return path


def analysed(*words: object):
    return CliRunner().invoke(main, ["analyse", *map(str, words)])


@pytest.mark.parametrize(
    "name",
    ["lab", "Study", "run_id", "Site", "replication", "Laboratory", "Institution", "experiment"],
)
def test_a_column_of_labs_or_studies_tells_runs_apart(name):
    table = read_table(changed().rename_columns([name, "rater", "item", "model", "score"]))
    assert table.runs.words() == TWO_LABS["lab"]
    assert list(table.by_run()) == ["Tilburg", "Aberdeen"]  # in order of appearance


def test_each_run_has_its_own_rows_and_labels():
    runs = read_table(changed()).by_run()
    assert runs["Tilburg"].value.tolist() == [1, 2]
    assert runs["Tilburg"].participant.labels == ("r1", "r2")
    assert runs["Tilburg"].system.labels == ("x",)
    assert runs["Aberdeen"].system.words() == ["x", "y"]
    assert runs["Aberdeen"].kind.words() == ["real", "real"]


def test_a_run_of_a_table_is_the_table_of_that_run_alone():
    whole = read_table(changed()).by_run()["Aberdeen"]
    alone = read_judgments(changed(), where=["lab=Aberdeen"])
    assert to_csv(whole) == to_csv(alone)


def test_the_same_participant_id_in_two_labs_is_not_a_duplicate():
    assert set(read_table(changed()).judgments.kind.words()) == {"real"}
    with pytest.raises(DataError, match="judged before"):
        read_table(changed(), columns={"run": ""})


def test_a_table_without_runs_is_one_run_without_a_name():
    table = read_table(changed().drop_columns("lab"), duplicates="first")
    assert table.runs is None
    assert list(table.by_run()) == [""]


def test_a_row_without_its_run_is_refused():
    with pytest.raises(DataError, match=r"line 2: lab is empty. .*--columns run="):
        read_table(changed(lab=["A", "", "B", "B"]))


def test_a_column_of_runs_that_is_empty_throughout_tells_nothing_apart():
    assert read_table(changed(lab=["", "", "", ""]), duplicates="first").runs is None


def test_several_runs_are_never_pooled_silently():
    with pytest.raises(DataError, match="'lab' distinguishes 2 runs: 'Aberdeen', 'Tilburg'"):
        read_judgments(changed())


def test_the_command_stops_at_several_runs_and_names_the_ways_on(tmp_path):
    result = analysed(put(tmp_path), "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "rejudge compare FILE" in result.output
    assert "--where lab=Aberdeen" in result.output
    assert "--columns run=" in result.output
    assert not (tmp_path / "out").exists()


def test_one_of_the_runs_can_be_chosen_and_that_is_stated(tmp_path):
    result = analysed(put(tmp_path), "--where", "lab=Tilburg")
    assert result.exit_code == 0, result.output
    assert "Only rows with 'lab=Tilburg' are read: 2 of 4 rows." in result.stdout


def test_runs_can_be_pooled_and_that_is_stated(tmp_path):
    path = put(tmp_path, {**TWO_LABS, "rater": ["r1", "r2", "r4", "r3"]})
    result = analysed(path, "--columns", "run=")
    assert result.exit_code == 0, result.output
    assert "The rows are pooled over 'lab'" in result.stdout


# Rows by any column


@pytest.mark.parametrize(
    ("where", "values"),
    [
        (["rater=r1"], [1, 3]),
        (["rater!=r1"], [2, 4]),
        (["rater=r1", "rater=r2"], [1, 2, 3]),
        (["rater=r1", "lab=Tilburg"], [1]),
        (["RATER!=r1", "rater!=r2"], [4]),
        (["score=4"], [4]),
    ],
)
def test_conditions_on_one_column_are_alternatives_and_on_several_all_hold(where, values):
    found = read_table(changed(), columns={"run": ""}, where=where, duplicates="first")
    assert found.judgments.value.tolist() == values


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("place=x", "no column 'place'.* lab, rater"),
        ("lab=tilburg", r"no row of 'lab' holds 'tilburg'. It holds 'Aberdeen', 'Tilburg'"),
        ("lab!=Delft", "no row of 'lab' holds 'Delft'"),
    ],
)
def test_an_unknown_column_or_value_is_refused_with_what_there_is(where, said):
    with pytest.raises(DataError, match=said):
        read_table(changed(), where=[where])


def test_conditions_that_no_row_meets_together_are_refused():
    with pytest.raises(DataError, match="no row fits --where lab=Tilburg --where rater=r3"):
        read_table(changed(), where=["lab=Tilburg", "rater=r3"])


def test_a_condition_without_a_sign_is_refused():
    with pytest.raises(UsageError, match="--where Tilburg is unclear"):
        Where.parse("Tilburg")


def test_a_value_may_contain_a_sign_or_be_empty():
    assert Where.parse("note=a=b") == Where("note", "a=b")
    assert Where.parse("note!=") == Where("note", "", is_not=True)


def test_faults_among_the_chosen_rows_have_the_lines_of_the_file(tmp_path):
    path = put(tmp_path, {**TWO_LABS, "score": ["bad", 2, 3, "worse"]})
    with pytest.raises(DataError, match=r"labs.csv:5: 'worse'"):
        read_table(path, where=["lab=Aberdeen"])
