"""Votes counted in parts give the numbers of all votes at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from parallel_work import PicklingExecutor
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further, FurtherTest
from rejudge.analysis.votes import analyse_votes
from rejudge.errors import DataError
from rejudge.findings.model import Finding
from rejudge.judgments import votes
from rejudge.judgments.read import read_judgments
from rejudge.judgments.votes import vote_columns
from rejudge.parallel import executor_for
from rejudge.stats.preference import vote_sums

STRENGTHS = Further(tests=(FurtherTest("bradley-terry"),))


def _table(rows: int, seed: int, *, systems: int = 4, items: int, people: int) -> dict[str, Any]:
    """Votes as lists, without two of one person on the same item and pair."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, systems, rows)
    second = (first + 1 + rng.integers(0, systems - 1, rows)) % systems
    item = rng.integers(0, items, rows)
    person = np.minimum(rng.zipf(1.7, rows), people)
    pair = np.minimum(first, second) * systems + np.maximum(first, second)
    _, kept = np.unique(np.stack([item, person, pair]), axis=1, return_index=True)
    better = np.where(first < second, "model_a", "model_b")
    chance = rng.random(rows)
    winner = np.where(chance < 0.55, better, np.where(chance < 0.8, "tie (bothbad)", "model_b"))
    return {
        "question_id": [f"Frage-{each} 問" for each in item[kept]],
        "judge": person[kept].tolist(),
        "model_a": [f"système {each}" for each in first[kept]],
        "model_b": [f"système {each}" for each in second[kept]],
        "winner": winner[kept].tolist(),
    }


def _write(folder: Path, table: dict[str, Any] | pa.Table) -> Path:
    path = folder / "votes.parquet"
    made = table if isinstance(table, pa.Table) else pa.table(table)
    parquet.write_table(made, path, row_group_size=70)
    return path


def _by_id(findings: tuple[Finding, ...]) -> dict[str, Finding]:
    return {each.id: each for each in findings}


def _same_numbers(ours: Finding, theirs: Finding, *, but: tuple[str, ...] = ()) -> None:
    assert (ours.n, ours.items, ours.participants, ours.tally, ours.note) == (
        theirs.n,
        theirs.items,
        theirs.participants,
        theirs.tally,
        theirs.note,
    )
    for name in {"value", "standard_error", "df", "p", "p_adjusted"}.difference(but):
        expected = getattr(theirs, name)
        wanted = None if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert getattr(ours, name) == wanted, name
    if theirs.interval is None or ours.interval is None:
        assert theirs.interval is ours.interval
    elif "df" not in but:
        assert ours.interval.low == pytest.approx(theirs.interval.low, rel=1e-9)
        assert ours.interval.high == pytest.approx(theirs.interval.high, rel=1e-9)


@pytest.mark.parametrize(
    ("rows", "items", "people"),
    [
        (300, 60, 20),  # items and participants crossed
        (200, 100_000, 15),  # each item once, as in an arena
        (250, 8, 100_000),  # few items, some people with most of the votes
        (40, 40, 3),  # so few that some pairs have one cluster
        (3, 3, 3),
    ],
)
def test_votes_counted_in_parts_give_the_numbers_of_all_at_once(
    tmp_path, monkeypatch, rows, items, people
):
    """But for the df of a system's wins where somebody voted on several pairs of one item: how many
    votes an item has from one participant is then known on average only."""
    monkeypatch.setattr(votes, "_AT_ONCE", 50)  # several parts
    path = _write(tmp_path, _table(rows, seed=rows, items=items, people=people))
    counted = analyse_votes(vote_columns(path))
    ordinary = _by_id(analyse(read_judgments(path), further=STRENGTHS).findings)
    compared = [f for f in counted.findings if f.by in {"wins", "best-worst", "cluster-robust"}]
    assert len(compared) == sum(f.by in {"wins", "best-worst", "cluster-robust"}
                                for f in ordinary.values() if f.systems)  # fmt: skip
    for finding in compared:
        is_rough = finding.by != "cluster-robust" and items < 100_000
        _same_numbers(finding, ordinary[finding.id], but=("df", "p") if is_rough else ())
    strengths = [f for f in counted.findings if f.by == "bradley-terry"]
    for finding in strengths:
        assert finding.value == pytest.approx(ordinary[finding.id].value, abs=1e-9)


def test_errors_of_strengths_are_close_to_those_with_the_full_correction(tmp_path):
    path = _write(tmp_path, _table(1500, seed=5, items=1_000_000, people=1_000_000))
    counted = analyse_votes(vote_columns(path))
    ordinary = _by_id(analyse(read_judgments(path), further=STRENGTHS).findings)
    strengths = [f for f in counted.findings if f.by == "bradley-terry"]
    assert len(strengths) == 4 + 6
    for finding in strengths:
        expected = ordinary[finding.id].standard_error
        assert finding.standard_error == pytest.approx(expected, rel=0.1)


def test_votes_without_participants_are_clustered_by_item(tmp_path):
    table = _table(120, seed=3, items=1_000_000, people=9)
    del table["judge"]
    path = _write(tmp_path, table)
    counted = analyse_votes(vote_columns(path))
    ordinary = _by_id(analyse(read_judgments(path), further=STRENGTHS).findings)
    for finding in (f for f in counted.findings if f.by in {"wins", "cluster-robust"}):
        _same_numbers(finding, ordinary[finding.id])
    assert counted.flow.participants is None


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.set_column(1, "judge", t["judge"].cast(pa.string())),
        lambda t: t.set_column(1, "judge", t["judge"].cast(pa.string()).dictionary_encode()),
        lambda t: t.set_column(0, "question_id", t["question_id"].cast(pa.large_string())),
        lambda t: t.set_column(2, "model_a", t["model_a"].dictionary_encode()),
        lambda t: t.rename_columns(["item", "participant", "system_a", "system_b", "value"]),
        lambda t: t.append_column("language", pa.array(["ru"] * len(t))),
    ],
)
def test_types_and_names_of_columns_change_no_number(tmp_path, change):
    table = pa.table(_table(150, seed=2, items=30, people=12))
    plain = analyse_votes(vote_columns(_write(tmp_path, table)))
    other = analyse_votes(vote_columns(_write(tmp_path, change(table))))
    for ours, theirs in zip(other.findings, plain.findings, strict=True):
        assert ours.id == theirs.id
        _same_numbers(ours, theirs)  # hashes differ, and with them the order of sums


def test_rows_without_an_answer_are_left_out_and_counted(tmp_path):
    table = _table(150, seed=2, items=30, people=12)
    table["winner"] = [None if place % 10 == 0 else each for place, each in
                       enumerate(table["winner"])]  # fmt: skip
    path = _write(tmp_path, table)
    counted = analyse_votes(vote_columns(path))
    ordinary = _by_id(analyse(read_judgments(path), further=STRENGTHS).findings)
    for finding in (f for f in counted.findings if f.by == "cluster-robust"):
        _same_numbers(finding, ordinary[finding.id])
    missing = sum(each is None for each in table["winner"])
    assert any(note.startswith(f"{missing} of ") for note in counted.notes)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("winner", "model_c", "'model_c' is not an outcome of a comparison. .2 rows like this"),
        ("model_a", None, "a vote names only one system, or none. .2 rows"),
        ("judge", None, "participant is empty. .2 rows"),
        ("question_id", "", "item is empty. .2 rows"),
    ],
)
def test_wrong_cells_are_counted_and_the_first_is_named(tmp_path, column, value, message):
    table = _table(150, seed=2, items=30, people=12)
    table[column] = [value if place in {90, 100} else each for place, each in
                     enumerate(table[column])]  # fmt: skip
    with pytest.raises(DataError, match=message) as caught:
        analyse_votes(vote_columns(_write(tmp_path, table)))
    assert caught.value.problems[0].line == 91


def test_a_system_against_itself_is_refused(tmp_path):
    table = _table(60, seed=2, items=30, people=12)
    table["model_b"][7] = table["model_a"][7]
    with pytest.raises(DataError, match="compared with itself"):
        analyse_votes(vote_columns(_write(tmp_path, table)))


def test_repeated_votes_are_refused(tmp_path):
    table = {name: [*cells, *cells[:2]] for name, cells in
             _table(60, seed=2, items=30, people=12).items()}  # fmt: skip
    with pytest.raises(DataError, match="2 votes repeat an earlier one"):
        analyse_votes(vote_columns(_write(tmp_path, table)))


@pytest.mark.parametrize("rows", [0, 1])
def test_a_table_without_a_comparison_to_make(tmp_path, rows):
    table = pa.table({"item": pa.array(["1"] * rows, pa.string()), "participant": ["p"] * rows,
                      "system_a": pa.array(["x"] * rows, pa.string()),
                      "system_b": pa.array(["y"] * rows, pa.string()),
                      "value": pa.array([None] * rows, pa.string())})  # fmt: skip
    with pytest.raises(DataError, match="no row of the table contains a vote"):
        analyse_votes(vote_columns(_write(tmp_path, table)))


def test_lists_in_a_column_are_refused(tmp_path):
    table = _table(20, seed=2, items=30, people=12)
    table["winner"] = [[each] for each in table["winner"]]
    with pytest.raises(DataError, match="'winner' holds values of the type list"):
        analyse_votes(vote_columns(_write(tmp_path, table)))


@pytest.mark.parametrize("people", [100_000, 3])
def test_votes_that_are_grouped_in_pieces_change_no_number(tmp_path, monkeypatch, people):
    """Three people give nearly all votes, or one: a piece ends where a cluster ends."""
    path = _write(tmp_path, _table(400, seed=7, items=25, people=people))
    at_once = analyse_votes(vote_columns(path))
    monkeypatch.setattr(vote_sums, "_CHUNK", 10)
    in_pieces = analyse_votes(vote_columns(path))
    for ours, theirs in zip(in_pieces.findings, at_once.findings, strict=True):
        _same_numbers(ours, theirs)


def test_parts_on_other_processes_change_no_number(tmp_path, monkeypatch):
    monkeypatch.setattr(votes, "_AT_ONCE", 100)
    path = _write(tmp_path, _table(400, seed=1, items=80, people=30))
    alone = analyse_votes(vote_columns(path))
    assert analyse_votes(vote_columns(path), executor=PicklingExecutor()) == alone


@pytest.mark.slow
def test_processes_change_no_number(tmp_path, monkeypatch):
    monkeypatch.setattr(votes, "_AT_ONCE", 100)
    path = _write(tmp_path, _table(400, seed=1, items=80, people=30))
    alone = analyse_votes(vote_columns(path))
    with executor_for(processes=2) as executor:
        shared = analyse_votes(vote_columns(path), executor=executor)
    assert shared == alone
