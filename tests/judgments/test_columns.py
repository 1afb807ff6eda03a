"""Which column is what: stated, suggested where it is unsure, and never passed over silently."""

from __future__ import annotations

import pyarrow as pa
import pytest
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.errors import DataError
from rejudge.judgments.read import read_judgments, read_table
from rejudge.judgments.shapes import Wide


def ratings(system: str = "Sys.", *, systems: int = 3, **others: list) -> pa.Table:
    """Four people score the same six texts of each system."""
    rows = [(p, i, s) for p in range(4) for i in range(6) for s in range(systems)]
    return pa.table(
        {
            "Rater": [f"r{p}" for p, _, _ in rows],
            "Item": [f"i{i}" for _, i, _ in rows],
            system: [f"s{s}" for _, _, s in rows],
            "Score": [(p + i + s) % 5 for p, i, s in rows],
            **others,
        }
    )


@pytest.mark.parametrize("name", ["Sys.", "SYSTEMS", "Model Name", "sys_id", "Models"])
def test_punctuation_case_and_plural_do_not_hide_a_system(name):
    assert read_table(ratings(name)).recognised.columns["system"] == name


@pytest.mark.parametrize(
    ("columns", "role", "name"),
    [
        ({"Annotators": "p", "items": "i", "scores": "1"}, "participant", "Annotators"),
        ({"Evaluator Name": "p", "items": "i", "scores": "1"}, "item", "items"),
        ({"ResponseId": "p", "Sample ID": "i", "Ratings": "1"}, "value", "Ratings"),
    ],
)
def test_common_spellings_are_recognised(columns, role, name):
    table = pa.table({column: [cell] for column, cell in columns.items()})
    assert read_table(table).recognised.columns[role] == name


def test_which_columns_were_read_and_which_ignored_is_the_first_note():
    table = ratings("model", comment=["-"] * 72)
    assert read_judgments(table).notes[0] == (
        "Columns read: participant=Rater, item=Item, system=model, value=Score; ignored: comment."
    )


def test_many_ignored_columns_are_counted():
    table = ratings("model", **{f"Q{n}": ["-"] * 72 for n in range(40)})
    assert read_judgments(table).notes[0].endswith("Q11 and 28 others.")


def test_a_wide_table_names_the_columns_it_has():
    wide = pa.table({"item": ["i"], "model": ["m"], "r1": [4], "r2": [5]})
    found = read_judgments(wide, wide=Wide.parse("participant=r*"))
    assert "participant=name of the column" in found.notes[0]
    assert "value=r1, r2" in found.notes[0]


@pytest.mark.parametrize("name", ["Sytem", "MT system", "Syst", "NLG-Model (anon.)", "systm_id"])
def test_a_column_that_may_be_the_system_is_suggested_and_not_passed_over(name):
    with pytest.raises(DataError, match=r"may be the system: --columns .*system=") as caught:
        read_judgments(ratings(name))
    assert name in str(caught.value)
    assert "--columns system=." in str(caught.value)


def test_the_suggestion_can_be_taken_or_turned_down():
    taken = read_judgments(ratings("MT system"), columns={"system": "MT system"})
    assert taken.system.labels == ("s0", "s1", "s2")
    off = read_judgments(ratings("MT system", systems=1), columns={"system": ""})
    assert off.system.labels == ("all",)


@pytest.mark.parametrize("name", ["system output", "model_response", "comment", "ecosystemic"])
def test_a_column_of_texts_is_not_suggested_as_the_system(name):
    assert read_judgments(ratings(name, systems=1)).system.labels == ("all",)


# So many duplicates


@pytest.mark.parametrize("policy", ["error", "first", "last", "repeat"])
def test_a_table_of_duplicates_is_refused_whatever_the_policy(policy):
    """Three systems under a name that says nothing: two of three rows seem to be duplicates."""
    with pytest.raises(DataError, match=r"48 of 72 judgments repeat") as caught:
        read_judgments(ratings("Gruppe"), duplicates=policy)
    assert "'Gruppe', which is ignored, distinguishes them" in str(caught.value)
    assert "--columns system=Gruppe" in str(caught.value)
    assert "--duplicate-share 0.67" in str(caught.value)


def test_two_systems_that_no_column_tells_apart_are_enough():
    with pytest.raises(DataError, match=r"24 of 48 judgments repeat"):
        read_judgments(ratings("Gruppe", systems=2), duplicates="last")


def test_duplicates_can_be_allowed_up_to_a_share():
    found = read_judgments(ratings("Gruppe"), duplicates="last", duplicate_share=0.67)
    assert len(found.of_kind("real")) == 24


def test_a_column_with_a_value_of_its_own_in_each_row_is_not_suggested():
    table = ratings("Gruppe", systems=2, row=[str(n) for n in range(48)]).drop_columns("Gruppe")
    with pytest.raises(DataError, match="Name the missing one with --columns"):
        read_judgments(table, duplicates="last")


def test_repeats_of_every_third_item_are_accepted():
    table = ratings("model")
    again = pa.concat_tables([table, table.slice(0, 24)])
    assert len(read_judgments(again, duplicates="repeat").of_kind("repeat")) == 24


def test_the_command_writes_nothing_from_a_table_of_duplicates(tmp_path):
    lines = ["Rater,Item,Gruppe,Score"]
    lines += [f"r{p},i{i},g{g},{(p + i + g) % 5}" for p in range(4) for i in range(5)
              for g in range(3)]  # fmt: skip
    (tmp_path / "messy.csv").write_text("\n".join(lines), "utf-8")
    out = tmp_path / "out"
    words = ["analyse", str(tmp_path / "messy.csv"), "--duplicates", "last", "--out", str(out)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert "40 of 60 judgments repeat" in result.output
    assert not out.exists()
