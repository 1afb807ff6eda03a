"""Judgments collected elsewhere: whatever the kind of file, the same table comes out."""

from __future__ import annotations

from pathlib import Path

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property_settings import examples
from rejudge.errors import DataError, FileError, UsageError
from rejudge.judgments.read import read_judgments, read_table
from rejudge.judgments.shapes import Wide
from rejudge.judgments.table import Judgments

RATINGS = {
    "rater": ["001", "001", "002", "002"],
    "item_id": ["07", "8", "07", "8"],
    "model": ["m1", "m2", "m1", "m2"],
    "criterion": ["fluency"] * 4,
    "score": [3, 1, 4, 2],
}


def put(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def comparisons(*cells: str, head: str = "participant,item,system_a,system_b,choice") -> str:
    lines = [f"p,i{number},x,y,{cell}" for number, cell in enumerate(cells)]
    return "\n".join([head, *lines]) + "\n"


# Where tables come from


def mixed_jsonl_file(folder):
    """A column with numbers and words."""
    text = pd.DataFrame(RATINGS).to_json(orient="records", lines=True)
    return put(folder, text.replace('"score":3', '"score":"3"'), "table.jsonl")


SOURCES = [
    mixed_jsonl_file,
    lambda _: pd.DataFrame(RATINGS), lambda _: pl.DataFrame(RATINGS), lambda _: pa.table(RATINGS),
    lambda _: pl.LazyFrame(RATINGS), lambda _: nw.from_native(pl.DataFrame(RATINGS)),
    lambda _: pd.DataFrame(RATINGS).astype({"rater": "category", "score": "float64"}),
    lambda _: pd.DataFrame(RATINGS).astype({"score": "object"}),
]  # fmt: skip


@pytest.mark.parametrize("make", SOURCES)
def test_every_kind_of_table_gives_the_same_judgments(make, tmp_path):
    found = read_judgments(make(tmp_path))
    assert found.participant.words() == ["001", "001", "002", "002"]
    assert found.item.words() == ["07", "8", "07", "8"]
    assert found.system.words() == ["m1", "m2", "m1", "m2"]
    assert found.question.labels == ("fluency",)
    assert found.value.tolist() == [3, 1, 4, 2]
    assert set(found.kind.words()) == {"real"}


def test_numbers_as_ids_are_read_as_they_would_be_written():
    """pandas makes floats of whole numbers when one is missing elsewhere in the column."""
    frame = pd.DataFrame({"rater": [1.0, 2.0], "item": [10, 11], "score": [1, 2]})
    found = read_judgments(frame)
    assert (found.participant.labels, found.item.labels) == (("1", "2"), ("10", "11"))


def test_a_frame_of_several_types_in_one_column_is_read_as_words():
    frame = pd.DataFrame({"rater": ["a", 1], "item": ["i", "i"], "score": [1, 2]})
    assert read_judgments(frame).participant.labels == ("1", "a")


def test_what_is_no_table_is_refused_in_words():
    with pytest.raises(DataError, match="a int is not a table"):
        read_judgments(5)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        read_judgments(tmp_path / "none.csv")


# Which column is what


def test_two_columns_that_fit_equally_are_named_both():
    frame = pd.DataFrame({**RATINGS, "annotator": ["a"] * 4})
    with pytest.raises(DataError, match="'rater' and 'annotator' could each be the participant"):
        read_judgments(frame)


def test_our_own_name_comes_before_other_spellings():
    frame = pd.DataFrame({**RATINGS, "participant": ["a", "b", "c", "d"]})
    assert read_table(frame).recognised.ignored == ("rater",)


def test_a_vague_name_counts_only_where_no_clearer_one_is():
    frame = pd.DataFrame({**RATINGS, "id": [1, 2, 3, 4], "label": ["x"] * 4})
    assert read_table(frame).recognised.ignored == ("id", "label")


def test_columns_can_be_told_and_turned_off():
    frame = pd.DataFrame({"who": ["p"], "what": ["i"], "mark": [2], "model": ["m"]})
    columns = {"participant": "who", "item": "what", "value": "mark", "system": ""}
    found = read_judgments(frame, columns=columns)
    assert found.system.labels == ("all",)


def test_columns_that_are_not_there_are_all_named():
    with pytest.raises(DataError) as caught:
        read_judgments(pd.DataFrame(RATINGS), columns={"value": "mark", "rater": "x"})
    assert "no column 'mark'" in str(caught.value)
    assert "'rater' is not a role" in str(caught.value)


def test_a_table_without_systems_and_question_says_so():
    found = read_judgments(pd.DataFrame({"rater": ["p"], "item": ["i"], "score": [1]}))
    assert (found.system.labels, found.question.labels) == (("all",), ("judgment",))
    assert found.notes == (
        "Columns read: participant=rater, item=item, value=score.",
        "No column names the systems, so all are one system, 'all'.",
        "No column names the question, so it is called 'judgment'.",
    )


# Comparisons


@pytest.mark.parametrize(
    ("cells", "preferences"),
    [
        (["a", "b", "tie"], [1, 0, 0.5]),
        (["A", "B", "Tie"], [1, 0, 0.5]),
        (["left", "right", "equal"], [1, 0, 0.5]),
        (["1", "2", "0"], [1, 0, 0.5]),
        (["1.0", "2.0", "0.0"], [1, 0, 0.5]),
        (["1", "0", "0.5"], [1, 0, 0.5]),
        (["system_a", "system_b", "no preference"], [1, 0, 0.5]),
        (["Model A", "Model B", "tie (bothbad)"], [1, 0, 0.5]),
        (["x", "y", "neither"], [1, 0, 0.5]),
        (["X", "Y", "both"], [1, 0, 0.5]),
    ],
)
def test_choices_in_many_spellings_say_the_same(tmp_path, cells, preferences):
    found = read_judgments(put(tmp_path, comparisons(*cells)))
    assert found.value.tolist() == preferences


def test_zero_and_one_are_preferences_for_the_first_and_it_is_said(tmp_path):
    found = read_judgments(put(tmp_path, comparisons("1", "0")))
    assert found.value.tolist() == [1, 0]
    assert any("1 is read as system_a" in note for note in found.notes)


def test_winner_and_loser_are_a_comparison():
    frame = pd.DataFrame({"judge": ["p"], "item": ["i"], "winner": ["y"], "loser": ["x"]})
    (row,) = read_judgments(frame).rows()
    assert (row.system_a, row.system_b, row.value, row.side) == ("y", "x", "a", None)


def test_a_winner_beside_two_models_is_the_answer():
    frame = pd.DataFrame(
        {"judge": ["p"] * 2, "item": ["i", "j"], "model_a": ["x", "y"], "model_b": ["y", "x"],
         "winner": ["model_b", "tie"]}
    )  # fmt: skip
    found = read_judgments(frame)
    assert found.value.tolist() == [0, 0.5]


def test_the_order_counts_as_shown_where_a_pair_stands_both_ways_round():
    frame = pd.DataFrame(
        {"rater": ["p", "p"], "item": ["i", "j"], "system_a": ["x", "y"], "system_b": ["y", "x"],
         "choice": ["a", "a"]}
    )  # fmt: skip
    found = read_judgments(frame)
    assert found.side.words() == ["a", "a"]
    assert any("shown first" in note for note in found.notes)


def test_left_was_shown_first(tmp_path):
    text = comparisons("left", head="participant,item,left,right,choice")
    assert read_judgments(put(tmp_path, text)).side.words() == ["a"]


def test_a_table_sorted_by_names_says_nothing_about_sides(tmp_path):
    found = read_judgments(put(tmp_path, comparisons("a", "b")))
    assert found.side.words() == [None, None]


# What is missing and what is wrong


def test_rows_without_a_value_are_left_out_and_counted(tmp_path):
    found = read_judgments(put(tmp_path, comparisons("a", "", "NA", "b")))
    assert found.value.tolist() == [1, 0]
    assert "2 of 4 rows have no value and are left out." in found.notes


def test_every_fault_is_named_by_line_at_once(tmp_path):
    text = (
        "participant,item,system_a,system_b,choice,seconds\n"
        'p,"i\n1",x,y,a,1\n'
        "\n"
        "p,i2,x,y,maybe,1\n"
        ",i3,x,y,a,1\n"
        "p,i4,x,x,a,1\n"
        "p,i5,x,,a,soon\n"
    )
    with pytest.raises(DataError) as caught:
        read_judgments(put(tmp_path, text))
    found = [(problem.line, problem.what) for problem in caught.value.problems]
    assert found == [
        (5, "'maybe' is not an outcome of a comparison."),
        (6, "participant is empty."),
        (7, "'x' is compared with itself."),
        (8, "a judgment is of one `system` (a rating) or of `system_a` and `system_b`."),
        (8, "seconds is 'soon'."),
    ]
    assert all(problem.remedy and problem.file for problem in caught.value.problems)


def test_words_are_no_scores_but_yes_and_no_are(tmp_path):
    head = {"rater": ["p", "p"], "item": ["i", "j"]}
    assert read_judgments(pd.DataFrame({**head, "answer": ["yes", "No"]})).value.tolist() == [1, 0]
    with pytest.raises(DataError, match="words instead of scores"):
        read_judgments(pd.DataFrame({**head, "answer": ["good", "bad"]}))
    with pytest.raises(DataError, match="line 1: 'good' is not a number"):
        read_judgments(pd.DataFrame({**head, "answer": ["good", 4]}))


def test_an_empty_table_gives_no_judgments(tmp_path):
    assert len(read_judgments(put(tmp_path, comparisons()))) == 0


def test_cells_that_hold_lists_are_refused(tmp_path):
    text = '{"rater": "p", "item": "i", "score": [1, 2]}\n'
    with pytest.raises(DataError, match="'score' holds lists"):
        read_judgments(put(tmp_path, text, "table.jsonl"))


# Kinds


def test_an_expected_answer_says_whether_a_check_was_passed():
    frame = pd.DataFrame(
        {"rater": ["p"] * 3, "item": ["i", "j", "k"], "system_a": ["x"] * 3, "system_b": ["y"] * 3,
         "choice": ["a", "b", "a"], "expected": ["left", "x", ""], "control": [1, 1, 0]}
    )  # fmt: skip
    assert read_judgments(frame).passed.tolist() == [1, 0, -1]


# Wide tables


def test_one_column_per_criterion_is_melted():
    frame = pd.DataFrame(
        {"rater": ["p", "q"], "item": ["i", "i"], "model": ["m", "m"], "fluency": [1, 2],
         "meaning": [3, None]}
    )  # fmt: skip
    found = read_judgments(frame, wide=Wide.parse("criterion=fluency,meaning"))
    said = [(row.participant, row.question, row.value) for row in found.rows()]
    assert said == [("p", "fluency", 1.0), ("p", "meaning", 3.0), ("q", "fluency", 2.0)]
    assert "1 of 4 rows have no value and are left out." in found.notes


@pytest.mark.parametrize("wide", ["participant=r1,r2,r3", "participant=r*"])
def test_one_column_per_participant_is_melted(wide, tmp_path):
    path = put(tmp_path, "item,system,r1,r2,r3\ni,m,1,,3\nj,m,4,5,6\n")
    found = read_judgments(path, wide=Wide.parse(wide), question="fluency")
    said = [(row.item, row.participant, row.value) for row in found.rows()]
    assert said == [("i", "r1", 1.0), ("i", "r3", 3.0), ("j", "r1", 4.0), ("j", "r2", 5.0),
                    ("j", "r3", 6.0)]  # fmt: skip


@pytest.mark.parametrize("wide", ["numbered", "numbered=*{n}"])
def test_numbered_columns_of_a_crowd_platform_are_melted(wide, tmp_path):
    head = "HITId,WorkerId,WorkTimeInSeconds"
    head += "".join(
        f",Input.item{n},Input.system_a{n},Input.system_b{n},Answer.choice{n}" for n in range(3)
    )
    lines = ["h1,W1,60,i,x,y,A,j,y,x,A,k,x,y,B", "h1,W2,70,i,x,y,B,j,y,x,,k,x,y,B"]
    path = put(tmp_path, "\n".join([head, *lines]))
    found = read_judgments(path, wide=Wide.parse(wide))
    said = [(r.participant, r.batch, r.item, r.position, r.value) for r in found.rows()]
    assert said == [
        ("W1", "h1", "i", 1, "a"),
        ("W1", "h1", "j", 2, "a"),
        ("W1", "h1", "k", 3, "b"),
        ("W2", "h1", "i", 1, "b"),
        ("W2", "h1", "k", 3, "b"),
    ]


def test_patterns_say_which_numbered_columns_belong():
    frame = pd.DataFrame(
        {"rater": ["p"], "item0": ["i"], "item1": ["j"], "score_0": [1], "score_1": [2],
         "age2": [30]}
    )  # fmt: skip
    found = read_judgments(frame, wide=Wide.parse("numbered=item{n},score_{n}"))
    assert [(row.item, row.value) for row in found.rows()] == [("i", 1.0), ("j", 2.0)]


def test_a_fault_in_a_wide_table_names_the_line_of_the_file(tmp_path):
    path = put(tmp_path, "item,system,r1,r2\ni,m,1,2\nj,m,4,x\n")
    with pytest.raises(DataError, match=r"table.csv:3: 'x' is not a number"):
        read_judgments(path, wide=Wide.parse("participant=r1,r2"))


@pytest.mark.parametrize("text", ["columns=a,b", "criterion", ""])
def test_a_way_of_being_wide_that_is_not_known_is_refused(text):
    with pytest.raises(UsageError):
        Wide.parse(text)


def test_columns_of_a_wide_table_that_are_not_there_are_named():
    with pytest.raises(DataError, match="no column 'meaning'"):
        read_judgments(pd.DataFrame(RATINGS), wide=Wide.parse("criterion=meaning"))
    with pytest.raises(DataError, match="no numbered columns"):
        read_judgments(pd.DataFrame(RATINGS), wide=Wide.parse("numbered"))


# Twice


def test_items_that_stand_in_two_datasets_are_told():
    frame = pd.DataFrame(
        {"rater": ["p", "q"], "item": ["1", "1"], "dataset": ["d", "e"], "score": [1, 2]}
    )
    assert any("more than one dataset" in note for note in read_judgments(frame).notes)


# Properties


ROWS = st.lists(
    st.tuples(st.sampled_from("pqr"), st.sampled_from("ijkl"), st.integers(1, 5)), max_size=20
)


@settings(max_examples=examples(50))
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_columns_does_not_matter(rows, shuffler):
    names = ["rater", "item", "score"]
    shuffler.shuffle(names)
    frame = pl.DataFrame(
        {
            "rater": [r[0] for r in rows],
            "item": [r[1] for r in rows],
            "score": [r[2] for r in rows],
        },
        schema={"rater": pl.String, "item": pl.String, "score": pl.Int64},
    )
    found = [
        read_judgments(each, duplicates="repeat", duplicate_share=1)
        for each in (frame, frame.select(names))
    ]
    assert found[0].rows() == found[1].rows()


# Published tables


def test_the_ratings_of_definitions_are_recognised_with_their_second_attempts(published):
    """van Miltenburg et al. 2024: 2,010 ratings by ten raters; 90 of them are of a second pass."""
    found = read_judgments(published("august2022_miltenburg2024")[0] / "judgments.csv")
    assert len(found) == 2010
    assert (len(found.of_kind("real")), len(found.of_kind("repeat"))) == (1920, 90)
    assert found.participant.labels == tuple(f"{number:03d}" for number in range(1, 11))
    assert found.system.labels == ("DEXPERT", "GEDI", "SVM-RERANK")
    assert len(found.item.labels) == 300


def test_the_comparisons_of_paraphrases_are_recognised_with_their_controls(published):
    """Arvan & Parde 2025: 123 raters with 30 comparisons and 2 controls each."""
    found = read_judgments(published("hosking2021_arvan2025")[0] / "judgments.csv")
    assert (len(found.of_kind("real")), len(found.of_kind("check"))) == (123 * 30, 123 * 2)
    assert set(np.unique(found.value).tolist()) == {0.0, 1.0}
    assert isinstance(found, Judgments)


def winners_first(n: int) -> pd.DataFrame:
    """Every row names the winner first: x wins on even items, y on odd ones."""
    pairs = [("x", "y") if item % 2 == 0 else ("y", "x") for item in range(n)]
    return pd.DataFrame(
        {"rater": "p", "item": [f"i{k}" for k in range(n)], "system_a": [a for a, _ in pairs],
         "system_b": [b for _, b in pairs], "choice": "a"}
    )  # fmt: skip


def test_a_table_that_names_the_winner_first_does_not_show_the_order():
    found = read_judgments(winners_first(10))
    assert set(found.side.words()) == {None}
    assert any("seems to name the winner or the loser" in note for note in found.notes)


def test_one_choice_for_the_second_shows_that_the_order_is_not_that_of_winners():
    frame = winners_first(10)
    frame.loc[3, "choice"] = "b"
    assert read_judgments(frame).side.words() == ["a"] * 10
