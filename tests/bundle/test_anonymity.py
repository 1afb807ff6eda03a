"""Rows about participants: nobody can be singled out, whatever was asked."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.bundle.anonymity import OTHER, ParticipantTable, refuse_small_groups, refuse_unknown
from rejudge.errors import FileError, UsageError


def table_of(**columns: list[str | None]):
    """A table of participants p0, p1, … with these columns."""
    numbers = range(len(next(iter(columns.values()))))
    return ParticipantTable.from_answers(
        {f"p{n}": {name: cells[n] for name, cells in columns.items()} for n in numbers}
    )


def message_of(table, least=5):
    with pytest.raises(FileError) as caught:
        refuse_small_groups(table, least=least)
    return str(caught.value)


def test_groups_are_combinations_of_all_columns():
    table = table_of(age=["18–30"] * 5 + ["31–45"] * 5, sex=["f", "m"] * 5)

    assert table.smallest_group == 2
    assert table.without(("sex",)).smallest_group == 5
    assert "10 participants of 10 are in a group of fewer than 5 by age and sex" in message_of(
        table
    )


def test_enough_of_each_is_accepted():
    table = table_of(age=["18–30"] * 5 + ["31–45"] * 5)

    refuse_small_groups(table, least=5)
    assert "smallest group has 5 participants" in message_of(table, least=6)


def test_a_missing_answer_is_an_answer():
    table = table_of(sex=["f"] * 6 + [None, "", "  "])

    assert table.smallest_group == 3
    assert "3 participants of 9 are" in message_of(table)


def test_one_participant_is_a_group_of_one():
    assert "1 participant of 1 is in a group" in message_of(table_of(sex=["f"]))


def test_nothing_told_is_nothing_to_refuse():
    refuse_small_groups(ParticipantTable((), {"p1": (), "p2": ()}), least=5)
    refuse_small_groups(ParticipantTable(("age",), {}), least=5)
    assert ParticipantTable.from_answers({}).smallest_group is None


def test_free_text_singles_people_out_and_the_remedy_is_to_drop_it():
    table = table_of(sex=["f"] * 10, town=[f"near the {n}th bridge" for n in range(10)])

    assert table.smallest_group == 1
    assert "--coarsen-column 'town'" in message_of(table)  # all of them become one
    assert table.coarsen(("town",), least=5).groups == {("f", OTHER): 10}


def test_the_remedy_names_one_column_where_that_is_enough():
    table = table_of(a=["x", "y"] * 6, b=["u", "u", "v", "v"] * 3)

    assert table.smallest_group == 3
    assert "--drop-column 'a' leaves it out, which is enough" in message_of(table)


def test_the_remedy_is_general_where_no_single_step_is_enough():
    halves = ["f"] * 4 + ["m"] * 4
    table = table_of(a=["x", "y"] * 8, b=["u", "u", "v", "v"] * 4, c=halves * 2)

    assert "Leave out columns" in message_of(table)


def test_numbers_become_decades_before_rare_ones_are_merged():
    table = table_of(age=["18", "19", "11", "15", "12", "13", "23", "29", "21", "22", "20", "71"])
    coarse = table.coarsen(("age",), least=5)

    assert coarse.groups == {("10–19",): 6, (OTHER,): 6}  # one of 70 hides among those of 20
    assert table_of(age=["-3.5", "nan", "7"]).coarsen(("age",), least=1).groups.total() == 3


def test_what_is_merged_is_never_too_small_itself():
    table = table_of(land=["GB"] * 9 + ["US"] * 5 + ["CA"])
    coarse = table.coarsen(("land",), least=5)

    assert coarse.groups == {("GB",): 9, (OTHER,): 6}


def test_an_unknown_column_is_named_with_those_that_there_are():
    table = table_of(age=["1"], sex=["f"])

    with pytest.raises(UsageError, match="'age'"):
        refuse_unknown(table, ["agee"], "--drop-column")
    refuse_unknown(table, ["age", "sex"], "--drop-column")


def test_the_file_is_a_table_that_no_spreadsheet_executes():
    table = table_of(note=["=1+1", 'said "no", twice', None, "日本\nx"])
    rows = list(csv.reader(io.StringIO(table.to_csv().decode())))

    assert rows[0] == ["participant", "note"]
    assert not rows[1][1].startswith("=")
    assert [row[1] for row in rows[2:]] == ['said "no", twice', "", "日本 x"]


CELLS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from(["1", "25", "9", None])),
    min_size=1,
    max_size=40,
)


@given(CELLS, st.integers(1, 7))
def test_coarse_columns_hold_for_themselves(rows, least):
    table = table_of(a=[row[0] for row in rows], b=[row[1] for row in rows])
    coarse = table.coarsen(("a", "b"), least=least)

    assert list(coarse.rows) == list(table.rows)
    for name in table.columns:
        alone = coarse.without({*table.columns} - {name})
        assert alone.smallest_group >= min(least, len(rows))


@given(CELLS, st.integers(1, 7))
def test_what_is_accepted_has_no_small_group(rows, least):
    table = table_of(a=[row[0] for row in rows], b=[row[1] for row in rows])
    sizes = [list(table.rows.values()).count(row) for row in table.rows.values()]

    if min(sizes) >= least:
        refuse_small_groups(table, least=least)
    else:
        message_of(table, least)
