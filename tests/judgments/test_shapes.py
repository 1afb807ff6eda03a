"""Shapes of tables: rankings, wide tables and columns beside them."""

from __future__ import annotations

import json
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from rejudge.analysis.analyse import analyse
from rejudge.cli import main
from rejudge.errors import DataError
from rejudge.judgments.read import read_judgments, read_table

ORDERS = list(permutations("abc"))


def ranks(*, people=4, items=6, name="rank", extra=None):
    """Every participant ranks three systems on every item; the last of each order is worst."""
    return pd.DataFrame(
        {"participant": f"00{p}", "item": str(i), "system": system, name: place + 1,
         **({} if extra is None else extra(p, i))}
        for p in range(people)
        for i in range(items)
        for place, system in enumerate(ORDERS[(p + 2 * i) % 6])
    )  # fmt: skip


def pairs(*, people=4, items=6, positions=False):
    """The same as the comparisons that they imply, without a column of tasks."""
    rows = [
        {"participant": f"00{p}", "item": str(i), "system_a": one, "system_b": two,
         "choice": "a" if order.index(one) < order.index(two) else "b", "position": place}
        for p in range(people)
        for i in range(items)
        for order in [ORDERS[(p + 2 * i) % 6]]
        for place, (one, two) in enumerate(combinations("abc", 2), start=1)
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    return table if positions else table.drop(columns="position")


def wins(judgments):
    a, b = judgments.system_a.words(), judgments.system_b.words()
    return sorted((*(x if v else (x[1], x[0])),) for x, v in zip(zip(a, b), judgments.value))  # noqa: B905


def test_ranks_are_read_as_the_comparisons_they_imply():
    read = read_judgments(ranks())
    assert len(read) == 4 * 6 * 3
    assert wins(read) == wins(read_judgments(pairs()))
    assert any("24 answers by rank were read as 72 comparisons" in note for note in read.notes)


@pytest.mark.parametrize("table", [ranks(), pairs()], ids=["ranks", "implied comparisons"])
def test_a_ranking_counts_as_one_judgment(table):
    results = analyse(read_judgments(table))
    assert results.flow.judgments == 24


def test_both_forms_give_the_same_numbers_as_a_table_with_tasks():
    told = pairs().assign(task=lambda table: table["item"])
    values = [
        [(each.id, each.value, each.n) for each in analyse(read_judgments(table)).findings]
        for table in (told, pairs(), ranks())
    ]
    assert values[0] == values[1]
    assert {id_: value for id_, value, _ in values[2]} == pytest.approx(
        {id_.replace("choice", "rank"): value for id_, value, _ in values[0]}, nan_ok=True
    )


def test_equal_ranks_are_a_tie():
    table = pd.DataFrame(
        {"participant": ["p"] * 3, "item": ["1"] * 3, "system": list("abc"), "ranking": [1, 1, 3]}
    )
    assert sorted(read_judgments(table).value) == [0.5, 1.0, 1.0]


def test_answers_may_rank_different_numbers_of_systems():
    table = ranks().query("not (participant == '001' and system == 'c')")
    assert len(read_judgments(table)) == 3 * 6 * 3 + 6


def test_one_rank_for_each_item_stays_a_score():
    table = ranks().query("system == 'a'")
    read = read_judgments(table)
    assert not read.is_comparison.any()


def test_scores_that_happen_to_be_different_stay_scores():
    assert not read_judgments(ranks(name="score")).is_comparison.any()


def test_a_system_ranked_twice_is_refused_with_a_remedy():
    table = pd.concat([ranks(), ranks().iloc[:1]])
    with pytest.raises(DataError, match=r"ranked system 'a' twice on item '0'.*--columns task="):
        read_judgments(table)


def test_one_participant_may_rank_an_item_in_two_tasks():
    twice = pd.concat([ranks().assign(task="first"), ranks().assign(task="again")])
    read = read_judgments(twice, duplicates="first")
    assert set(read.task.used()) == {"first", "again"}


def test_pairs_that_were_judged_one_by_one_stay_choices():
    """Their positions differ, or an order contradicts itself, or chance may well have made it."""
    contradicted = pairs()
    contradicted.loc[1, "choice"] = "b" if contradicted.loc[1, "choice"] == "a" else "a"
    contradicted.loc[[0, 2], "choice"] = "b" if contradicted.loc[1, "choice"] == "a" else "a"
    for table in (pairs(positions=True), contradicted, pairs(people=2, items=3)):
        read = read_judgments(table)
        assert (read.task.codes < 0).all()


def test_pairs_of_two_systems_are_no_ranking():
    table = pairs().query("system_a == 'a' and system_b == 'b'")
    assert (read_judgments(table).task.codes < 0).all()


def test_runs_with_the_same_names_of_people_are_ranked_apart():
    table = pd.concat([ranks().assign(lab="x"), ranks().assign(lab="y")])
    read = read_judgments(table, columns={"run": ""}, where=["lab=x"])
    assert len(read) == 72
    assert np.isin(read.value, (0.0, 1.0)).all()


REMARKS = "rater,item,system,adequacy,fluency,comment\nr1,i1,x,4,5,good\nr2,i1,x,3,4,\n"


def test_further_columns_of_a_wide_table_are_read_for_each_of_its_parts(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(REMARKS)
    found = read_table(path, wide="criterion=adequacy,fluency", beside=["comment"])
    rows = zip(found.judgments.question.words(), found.beside["comment"].words(), strict=True)
    assert list(rows) == [("adequacy", "good"), ("fluency", "good"), ("adequacy", None),
                          ("fluency", None)]  # fmt: skip


def test_a_column_of_values_is_not_read_beside_them(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(REMARKS)
    with pytest.raises(DataError, match="'fluency' holds values of the wide table"):
        read_table(path, wide="criterion=adequacy,fluency", beside=["fluency"])


def test_remarks_of_a_wide_table_are_listed_once_by_command(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(REMARKS)
    words = ["analyse", path, "--wide", "criterion=adequacy,fluency", "--remarks", "comment"]
    result = CliRunner().invoke(main, [*map(str, words), "--out", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    remarks = json.loads((tmp_path / "out" / "results.json").read_text())
    assert json.dumps(remarks).count('"good"') == 1


def test_a_named_index_of_pandas_is_a_column():
    frame = pd.DataFrame(
        {"annotator": ["r1", "r2"], "item": ["i1", "i1"], "system": ["x", "x"], "score": [1, 2]}
    )
    for indexed in (frame.set_index("annotator"), frame.set_index(["annotator", "item"])):
        found = read_table(indexed)
        assert found.judgments.participant.words() == ["r1", "r2"]
        assert found.recognised.columns["participant"] == "annotator"
