"""Competence of participants in an analysis: exploratory, and only where it can be told."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further
from rejudge.analysis.results import Results
from rejudge.files.step_files import read, write
from rejudge.judgments.table import Judgment, Judgments
from rejudge.tables.results import result_tables
from rejudge.tables.wording import guessing_sentences


def scored(competence=(0.9, 0.8, 0.9, 0.9, 0.0), items=60, points=3):
    """Everybody scores one system's outputs, and knows the right score with their competence."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, points, items)
    return [
        Judgment(
            f"p{p}",
            f"i{i}",
            "fluency",
            float(truth[i] if rng.random() < known else rng.integers(0, points)),
            system="s",
        )
        for i in range(items)
        for p, known in enumerate(competence)
    ]


def found(rows, further=None):
    return analyse(Judgments.from_rows(rows), further=further).competence[0]


def test_a_guesser_is_found_and_the_others_are_not():
    competence = found(scored())
    assert [row.participant for row in competence.rows if row.is_like_guessing] == ["p4"]
    assert competence.like_guessing == 1
    assert min(row.competence for row in competence.rows[:4]) > 0.6
    assert competence.rows[4].reliability == pytest.approx(0, abs=0.2)


def test_the_note_says_what_low_competence_does_not_mean():
    note = found(scored()).note
    assert note.startswith("Exploratory.")
    assert "not a reason to exclude somebody or refuse pay" in note


def test_no_other_number_depends_on_competence():
    """The guesser's judgments count as everybody's do."""
    results = analyse(Judgments.from_rows(scored()))
    assert results.flow.judged_kept == results.flow.judged == 300


def test_competence_does_not_change_with_the_order_of_rows():
    rows = scored()
    assert found(rows).rows == found(sorted(rows, key=lambda row: row.participant)).rows


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (scored((0.9, 0.8)), "Left out: with fewer than three participants"),
        (scored(items=9), "Left out: fewer than 10 outputs or pairs"),
        (scored(points=1), "Left out: everybody always gave the same answer."),
        (scored(points=40), "Left out: more than 11 different scores"),
    ],
)
def test_where_nothing_can_be_told_the_reason_is_given(rows, reason):
    competence = found(rows)
    assert competence.note.startswith(reason)
    assert competence.rows == ()


def test_a_large_table_is_left_out_by_its_estimated_time():
    competence = found(scored(), further=Further(time_limit=0.001))
    assert competence.note.startswith(
        "Left out: competence of participants would take an estimated"
    )


def test_it_is_written_and_read_back(tmp_path):
    results = analyse(Judgments.from_rows(scored()))
    write(results, tmp_path / "results.json", made_from={}, force=False)
    assert read(Results, tmp_path / "results.json").competence == results.competence


def test_every_participant_stands_in_the_table():
    results = analyse(Judgments.from_rows(scored()))
    sheet = next(each for each in result_tables(results) if each.name == "fluency-competence")
    assert [row[0] for row in sheet.rows] == ["p0", "p1", "p2", "p3", "p4"]
    assert [row[-1] for row in sheet.rows] == ["no", "no", "no", "no", "yes"]


def test_the_sentence_tells_how_many_and_that_it_proves_nothing():
    sentence = next(iter(guessing_sentences([found(scored())])))
    assert "the answers of 1 of 5 participants" in sentence
    assert "not proof of careless work" in sentence
