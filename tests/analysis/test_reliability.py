"""Variance components of a question, and how reliably a study tells its systems apart."""

from __future__ import annotations

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, SEGMENTS, analysed, small_study
from rejudge.analysis import Results, analyse
from rejudge.files import read, write
from rejudge.judgments import Judgment, Judgments
from rejudge.stats import g_study, reliability
from rejudge.tables import result_tables


def crossed(systems=3, items=6, people=4):
    """Everybody scores everything, with more variance between items than anywhere else."""
    rng = np.random.default_rng(8)
    level = 2 * rng.normal(size=items)
    return [
        Judgment(f"p{p}", f"i{i}", "fluency", float(level[i] + s + rng.normal()), system=f"s{s}")
        for s in range(systems)
        for i in range(items)
        for p in range(people)
    ]


def of_rows(rows):
    return analyse(Judgments.from_rows(rows)).reliability[0]


def test_a_crossed_table_has_the_parts_and_the_reliability_of_its_g_study():
    rows = crossed()
    found = of_rows(rows)
    facets = {
        "system": np.array([int(row.system[1:]) for row in rows]),
        "item": np.array([int(row.item[1:]) for row in rows]),
        "participant": np.array([int(row.participant[1:]) for row in rows]),
    }
    study = g_study(np.array([row.value for row in rows]), facets)
    assert [part.variance for part in found.parts] == pytest.approx(
        [part.variance for part in study.parts]
    )
    expected = reliability(study, "system", {"item": 6, "participant": 4})
    assert found.now.relative == pytest.approx(expected.relative)
    assert found.now.absolute == pytest.approx(expected.absolute)
    assert (found.now.participants, found.now.items, found.now.judgments) == (4, 6, 24)


def test_more_participants_or_items_make_systems_more_reliable():
    found = of_rows(crossed())
    for points in (found.by_participants, found.by_items):
        values = [point.relative for point in points]
        assert values == sorted(values)
    assert [point.participants for point in found.by_participants] == [2, 4, 6, 8, 16]
    assert [point.judgments for point in found.by_items] == [12, 24, 36, 48, 96]


def test_an_incomplete_design_counts_the_judgments_that_it_has():
    """Each item by two of four people: 12 judgments of each system, not 24."""
    rows = [row for row in crossed() if int(row.participant[1:]) // 2 == int(row.item[1:]) % 2]
    found = of_rows(rows)
    assert found.now.judgments == 12


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([row for row in crossed() if row.system == "s0"], "only one system"),
        ([row for row in crossed() if row.participant == "p0"], "only one participant"),
        ([row for row in crossed() if row.item == "i0"], "only one item"),
        (
            [row for row in crossed(items=4) if row.participant[1:] == row.item[1:]],
            "cannot all be separated",
        ),
    ],
)
def test_what_is_undefined_says_why(rows, reason):
    found = of_rows(rows)
    assert found.now is None
    assert found.by_participants == ()
    assert reason in found.note


def test_systems_that_were_judged_on_different_items_have_no_reliability():
    """s2 has the three harder items alone: their difficulty would count as part of the system."""
    rows = crossed()
    hard = {"i0", "i1", "i2"}
    found = of_rows([row for row in rows if row.system != "s2" or row.item in hard])
    assert found.now is None
    assert "judged on different items" in found.note


def test_choices_have_no_parts():
    found = analysed(small_study(PAIRWISE)).reliability[0]
    assert (found.parts, found.now) == ((), None)
    assert "loss of another" in found.note


def test_the_numbers_are_stored_read_back_and_written_as_tables(tmp_path):
    results = analysed(small_study(RATING, SEGMENTS))
    path = tmp_path / "results.json"
    write(results, path, made_from={}, force=False)
    again = read(Results, path)
    assert again.reliability == results.reliability
    tables = {sheet.name: sheet for sheet in result_tables(again)}
    assert len(tables["variance"].rows) == 14
    assert {row[0] for row in tables["reliability"].rows} == {"fluency", "facts"}
