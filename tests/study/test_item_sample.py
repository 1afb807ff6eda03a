"""How study.yaml says which inputs take part, and what the item file has to say for it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from item_files import items, problems
from pydantic import ValidationError

from rejudge.study.item_sample import Sample, read_mark, read_weight
from rejudge.study.model import Study
from small_study import minimal

WEIGHTED = {"inputs": 1, "method": "weighted", "column": "w"}
STRATIFIED = {"inputs": 1, "method": "stratified", "column": "genre"}
LISTED = {"method": "listed", "column": "use"}


def spec(sample: dict):
    return minimal(items={"sample": sample})


# ── study.yaml ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ({}, "number of inputs is missing"),
        ({"method": "random"}, "number of inputs is missing"),
        ({"inputs": 3, "method": "random", "balance": False}, "`balance` and `method` both say"),
        ({"inputs": 3, "column": "w"}, "`column` needs `method: stratified`"),
        ({"inputs": 3, "method": "random", "column": "w"}, "`column` needs"),
        ({"inputs": 3, "method": "random", "allocation": "equal"}, "`allocation` is for strata"),
        ({"inputs": 3, "ids": ["a"]}, "`ids` are for inputs that you choose"),
        ({"inputs": 3, "method": "weighted"}, "needs the column of the weights"),
        ({"method": "listed"}, "named by a column or by ids"),
        ({"method": "listed", "ids": ["a"], "column": "b"}, "named by a column or by ids"),
        ({"inputs": 0, "method": "random"}, "greater than or equal to 1"),
        ({"inputs": 3, "method": "best"}, "'random', 'stratified', 'weighted' or 'listed'"),
    ],
)
def test_a_sample_that_contradicts_itself_is_refused(sample, message):
    with pytest.raises(ValidationError, match=message):
        Sample.model_validate(sample)


@pytest.mark.parametrize(
    ("sample", "is_balanced"),
    [
        ({"inputs": 3}, True),
        ({"inputs": 3, "balance": False}, False),
        ({"inputs": 3, "method": "random"}, False),
        ({"inputs": 3, "method": "stratified"}, True),
        ({"inputs": 3, "method": "stratified", "allocation": "proportional"}, False),
        (STRATIFIED, False),
    ],
)
def test_datasets_are_balanced_only_where_that_is_asked_for(sample, is_balanced):
    assert Sample.model_validate(sample).is_balanced == is_balanced


# ── the item file ────────────────────────────────────────────────────────────────────────────────


def test_weights_strata_and_marks_are_read_from_the_named_column():
    texts = "id,input,a,b,{}\n1,x,y,z,{}\n2,x,y,z,{}\n"
    weights = items(texts.format("w", " 0.25 ", "1e3"), spec(WEIGHTED))
    strata = items(texts.format("genre", "новости", ""), spec(STRATIFIED))
    marks = items(texts.format("use", "Yes", "0"), spec(LISTED))
    assert [item.weight for item in weights] == [0.25, 1000]
    assert [item.stratum for item in strata] == ["новости", ""]
    assert [item.is_listed for item in marks] == [True, False]


def test_json_lines_hold_weights_as_numbers_or_texts():
    rows = [{"id": n, "input": "x", "a": "y", "b": "z", "w": w} for n, w in ((1, 2), (2, "0.5"))]
    content = "\n".join(map(json.dumps, rows))
    assert [item.weight for item in items(content, spec(WEIGHTED), "i.jsonl")] == [2, 0.5]


def test_in_a_long_file_a_weight_is_given_once_and_a_second_one_must_agree():
    header = "id,system,input,output,w\n"
    once = items(header + "1,a,x,y,2\n1,b,,z,\n", spec(WEIGHTED))
    same = items(header + "1,a,x,y,2\n1,b,,z,2.0\n", spec(WEIGHTED))
    (other,) = problems(header + "1,a,x,y,2\n1,b,,z,3\n", spec(WEIGHTED))
    assert [item.weight for item in (*once, *same)] == [2, 2]
    assert "the weight of '1' differs from the one on line 2" in other.what


@pytest.mark.parametrize("cell", ["-1", "nan", "inf", "viel", "1_000", "0,5", "[1]", "1e999"])
def test_a_weight_that_is_no_number_of_0_or_more_is_refused_with_its_line(cell):
    (problem,) = problems(f'id,input,a,b,w\n1,x,y,z,1\n2,x,y,z,"{cell}"\n', spec(WEIGHTED))
    assert problem.line == 3
    assert problem.what == f"the weight is '{cell}', not a number of 0 or more."
    assert "0 keeps an item from being selected" in problem.remedy


def test_an_empty_weight_is_refused_but_0_is_not():
    (problem,) = problems("id,input,a,b,w\n1,x,y,z,0\n2,x,y,z,\n", spec(WEIGHTED))
    assert (problem.line, problem.what) == (3, "the weight is empty.")


@pytest.mark.parametrize(
    ("cell", "weight"),
    [(1, 1.0), ("٣", 3.0), (-0.0, 0.0), (True, None), (None, None), ([1], None), (10**400, None)],
)
def test_weights_are_read_from_any_cell(cell, weight):
    assert read_weight(cell) == weight


@pytest.mark.parametrize(
    ("cell", "is_listed"),
    [("YES", True), ("x", True), (1, True), (True, True), (None, False), ("No", False), (2, None)],
)
def test_marks_are_read_from_any_cell(cell, is_listed):
    assert read_mark(cell) is is_listed


def test_a_mark_that_is_neither_yes_nor_no_is_refused():
    (problem,) = problems("id,input,a,b,use\n1,x,y,z,perhaps\n", spec(LISTED))
    assert problem.what == "'perhaps' in the column 'use' is neither yes nor no."


def test_a_missing_column_is_named_with_the_nearest_one():
    (problem,) = problems("id,input,a,b,genres\n1,x,y,z,u\n", spec(STRATIFIED))
    assert "the column 'genre' is missing, but items.sample draws by it" in problem.what
    assert problem.remedy == "Did you mean 'genres'?"


def test_ids_that_look_like_numbers_can_be_listed():
    content = "id,input,a,b\n007,x,y,z\n7,x,y,z\n8,x,y,z\n"
    found = items(content, spec({"method": "listed", "ids": ["007", 8]}))
    assert [item.id for item in found if item.is_listed] == ["007", "8"]


def test_an_unknown_listed_id_is_a_problem_of_the_study_file():
    (problem,) = problems("id,input,a,b\n007,x,y,z\n", spec({"method": "listed", "ids": [7]}))
    assert (problem.file, problem.field) == ("study.yaml", "items.sample.ids")
    assert problem.what == "there is no item '7' in i.csv."
    assert "leading zeros" in problem.remedy


def test_items_of_one_input_are_listed_together_or_not_at_all():
    content = "id,group,input,a,b,use\n1,g,x,y,z,yes\n2,g,x,y,z,no\n"
    (problem,) = problems(content, spec(LISTED))
    assert "only some items of 'g' are listed" in problem.what


def test_another_weight_changes_the_fingerprint_of_the_items():
    found = items("id,input,a,b,w\n1,x,y,z,1\n", spec(WEIGHTED))
    study = Study(spec(WEIGHTED), found, {})
    other = Study(spec(WEIGHTED), (replace(found[0], weight=2.0),), {})
    assert study.items_fingerprint != other.items_fingerprint
    assert study.design_fingerprint != other.design_fingerprint
