"""Columns with numbers, and answers however a form sent them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import FileError
from rejudge.exchange.mturk_files import flatten_answers, melt, shape_of
from rejudge.study.page_layout import split_name


def test_the_longest_run_of_digits_is_the_number() -> None:
    assert split_name("ix10") == ("ix", 10)
    assert split_name("output_3") == ("output", 3)
    assert split_name("ix") == ("ix", None)


def test_a_missing_column_is_named() -> None:
    columns = [f"{f}{i}" for f in ("input", "output") for i in range(4)]
    columns.remove("output2")
    with pytest.raises(FileError, match="output2"):
        shape_of(columns, (), file="x.csv")


def test_two_names_of_one_number_are_refused() -> None:
    with pytest.raises(FileError, match="same number"):
        shape_of(["input1", "input01", "output1", "output01"], (), file="x.csv")


def test_two_outputs_of_one_item_are_not_two_items() -> None:
    shape = shape_of(["input", "system1", "system2", "output1", "output2"], ["better"], file="x")
    assert shape.indices == ()


@given(
    st.integers(2, 40), st.lists(st.sampled_from("abcdxyz"), min_size=2, max_size=4, unique=True)
)
def test_melting_keeps_every_cell(items: int, stems: list[str]) -> None:
    row = {f"{stem}{i}": f"{stem}-{i}" for i in range(items) for stem in stems} | {"shared": "s"}
    records = list(melt(row, shape_of(list(row), (), file="x.csv")))
    assert records == [{**{s: f"{s}-{i}" for s in stems}, "shared": "s"} for i in range(items)]


def test_answers_arrive_however_the_form_sent_them() -> None:
    sent = {
        "taskAnswers": json.dumps(
            [{"q1": {"a": True, "b": False}, "n": 3, "kind": {"label": "x"}}]
        ),
        "sentiment.label": "Positive",
        "topics.sports": "true",
        "topics.news": "true",
        "topics.other": "false",
        "plain": " 4 ",
        "empty": "",
    }
    assert flatten_answers(sent) == {
        "q1": "a", "n": "3", "kind": "x", "sentiment": "Positive", "topics": "sports|news",
        "plain": "4",
    }  # fmt: skip


def test_broken_json_is_no_answer() -> None:
    assert flatten_answers({"taskAnswers": "[{"}) == {}
