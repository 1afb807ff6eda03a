"""The same thing judged twice: refused, or settled by a policy."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property_settings import examples
from rejudge.errors import DataError, UsageError
from rejudge.judgments.judgments_csv import to_csv
from rejudge.judgments.read import read_judgments


def put(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


TWICE = pd.DataFrame(
    {"rater": ["p", "q", "p", "p"], "item": ["i"] * 4, "system_a": ["x", "x", "y", "x"],
     "system_b": ["y", "y", "x", "y"], "choice": ["a", "a", "a", "b"]}
)  # fmt: skip


def test_a_second_judgment_of_the_same_thing_is_refused_with_an_example():
    """p judged the pair x, y three times, once the other way round: two too many."""
    with pytest.raises(DataError, match=r"2 of 4 judgments repeat what .* of item 'i' by 'p'"):
        read_judgments(TWICE)


@pytest.mark.parametrize(
    ("policy", "values", "kinds"),
    [
        ("first", [1, 1], ["real", "real", "dropped", "dropped"]),
        ("last", [1, 0], ["dropped", "real", "dropped", "real"]),
        ("repeat", [1, 1], ["real", "real", "repeat", "repeat"]),
    ],
)
def test_a_policy_settles_what_was_judged_twice(policy, values, kinds):
    found = read_judgments(TWICE, duplicates=policy)
    assert found.of_kind("real").value.tolist() == values
    assert found.kind.words() == kinds
    assert any(note.startswith("2 judgments of what") for note in found.notes)


@pytest.mark.parametrize("policy", ["first", "last"])
def test_what_was_dropped_stays_so_in_our_own_file(policy, tmp_path):
    found = read_judgments(TWICE, duplicates=policy)
    again = read_judgments(put(tmp_path, to_csv(found)))
    assert again.rows() == found.rows()


def test_a_policy_that_is_none_is_refused():
    with pytest.raises(UsageError, match="The policies are error, first, last, repeat"):
        read_judgments(TWICE, duplicates="mean")


def test_repeats_and_checks_are_no_duplicates():
    frame = TWICE.assign(attempt=[1, 1, 2, 3])
    assert len(read_judgments(frame)) == 4


ROWS = st.lists(
    st.tuples(st.sampled_from("pqr"), st.sampled_from("ijkl"), st.integers(1, 5)), max_size=20
)


@settings(max_examples=examples(50))
@given(ROWS)
def test_repeats_and_firsts_add_up_to_the_table(rows):
    frame = pl.DataFrame(
        {
            "rater": [r[0] for r in rows],
            "item": [r[1] for r in rows],
            "score": [r[2] for r in rows],
        },
        schema={"rater": pl.String, "item": pl.String, "score": pl.Int64},
    )
    first, last, repeat = (
        read_judgments(frame, duplicates=policy, duplicate_share=1)
        for policy in ("first", "last", "repeat")
    )
    counted = [len(each.of_kind("real")) for each in (first, last, repeat)]
    assert counted == [len({row[:2] for row in rows})] * 3
    values = [row[2] for row in rows]
    assert first.value.tolist() == last.value.tolist() == repeat.value.tolist() == values
