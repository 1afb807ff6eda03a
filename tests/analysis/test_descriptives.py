"""Counts of scores, wins and disputed units."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judged_rows import chosen, frame_of, rated
from judged_study import RATING, analysed, small_study
from rejudge.analysis.analyse import analyse
from rejudge.findings.model import Group
from rejudge.judgments.table import Judgments


def test_points_that_nobody_gave_are_counted_as_0():
    """ash: 1, 1, 3 of a scale from 1 to 4; beech: 4."""
    rows = [rated(f"p{n}", f"i{n}", "ash", value) for n, value in enumerate((1, 1, 3))]
    scores = frame_of([*rows, rated("p0", "i0", "beech", 4)], "scores", scale=(1, 4))
    assert scores.facts["kind"] == "points"
    assert scores.columns["score"] == ("1", "2", "3", "4") * 2
    assert scores.columns["count"] == (2, 0, 1, 0, 0, 0, 0, 1)
    assert scores.columns["percent"][:4] == pytest.approx((200 / 3, 0, 100 / 3, 0))


def test_a_slider_is_counted_in_ten_equal_bins():
    """An edge belongs to the bin above, the last one to the last bin."""
    rows = [rated(f"p{n}", f"i{n}", "ash", value) for n, value in enumerate((0, 9.5, 10, 100))]
    scores = frame_of(rows, "scores", scale=(0, 100))
    assert scores.facts["kind"] == "bins"
    assert scores.columns["high"] == pytest.approx(tuple(range(10, 101, 10)))
    assert scores.columns["count"] == (2, 1, 0, 0, 0, 0, 0, 0, 0, 1)


def test_the_win_matrix_has_both_directions_and_pairs_that_never_met():
    rows = [
        chosen("p1", "i0", "a"),
        chosen("p2", "i0", "tie"),
        chosen("p1", "i1", "b"),
        chosen("p1", "i2", "a", ("beech", "cedar")),
    ]
    cells = {
        (row["row"], row["column"]): (row["wins"], row["losses"], row["ties"], row["win_percent"])
        for row in frame_of(rows, "wins").rows
    }
    assert len(cells) == 6
    assert cells["ash", "beech"] == (1, 1, 1, 50)
    assert cells["beech", "cedar"] == (1, 0, 0, 100)
    assert cells["cedar", "beech"] == (0, 1, 0, 0)
    assert cells["ash", "cedar"] == (0, 0, 0, None)


def test_units_come_with_the_most_disputed_first():
    """Sample variances: i0 of 1 and 5 is 8; i1 of 3 and 4 is ½; i2 of one judgment has none."""
    rows = [
        rated("p1", "i1", "ash", 3),
        rated("p2", "i1", "ash", 4),
        rated("p1", "i0", "ash", 1),
        rated("p2", "i0", "ash", 5),
        rated("p1", "i2", "ash", 5),
    ]
    units = frame_of(rows, "units")
    assert units.columns["item"] == ("i0", "i1", "i2")
    assert units.columns["disagreement"] == (8, 0.5, None)
    assert units.columns["largest_difference"] == (4, 1, None)
    assert units.columns["contribution_rank"][0] == 1
    assert "1 were judged once." in units.notes


def test_what_units_take_off_alpha_adds_up():
    results = analysed(small_study(RATING))
    alpha = next(f for f in results.findings if f.by == "krippendorff-alpha" and not f.systems)
    parts = [part or 0 for part in results.frame("units", "fluency").columns["contribution"]]
    assert 1 - sum(parts) == pytest.approx(alpha.value)


def test_means_are_normalised_by_the_declared_ends_alone():
    """2 and 4 of 1 to 5: (3 − 1) / 4 = ½."""
    rows = [rated("p1", "i0", "ash", 2), rated("p1", "i1", "ash", 4)]
    spreads = [
        next(f.spread for f in analyse(Judgments.from_rows(rows), scale=scale).findings if f.spread)
        for scale in ((1, 5), None)
    ]
    assert [spread.normalised for spread in spreads] == [0.5, None]
    assert [spread.z for spread in spreads] == [0, 0]


def test_scores_are_counted_for_each_of_several_datasets_on_one_scale():
    """News has only 1 and 2, wiki only 4; both are counted on the points that occur in all."""
    rows = [
        rated("p1", "i0", "ash", 1, dataset="news"),
        rated("p1", "i1", "ash", 2, dataset="news"),
        rated("p1", "i2", "ash", 4, dataset="wiki"),
    ]
    results = analyse(Judgments.from_rows(rows), scale=(1, 4))
    news, wiki = (
        results.frame("scores", "fluency", (Group("dataset", name),)) for name in ("news", "wiki")
    )
    assert news.columns["low"] == wiki.columns["low"] == (1, 2, 3, 4)
    assert (news.columns["count"], wiki.columns["count"]) == ((1, 1, 0, 0), (0, 0, 0, 1))


def test_one_dataset_is_not_told_apart():
    rows = [rated("p1", "i0", "ash", 1, dataset="news")]
    assert not any(frame.group for frame in analyse(Judgments.from_rows(rows)).frames)


def test_outputs_identical_to_their_input_are_counted_for_every_system():
    study = small_study(RATING)
    copies = (replace(it, outputs=(f"  {it.input} ", *it.outputs[1:])) for it in study.items)
    found = analysed(replace(study, items=tuple(copies))).frame("copied-inputs").columns
    assert found["system"] == study.system_ids
    assert found["outputs"] == (12, 12, 12)
    assert found["identical"] == (12, 0, 0)
    assert found["share"] == (100, 0, 0)


def test_outputs_that_two_systems_share_are_counted_for_each_pair():
    study = small_study(RATING)
    same = (
        replace(it, outputs=(it.outputs[0], it.outputs[0], it.outputs[2])) for it in study.items
    )
    found = analysed(replace(study, items=tuple(same))).frame("identical-outputs").columns
    assert found["identical"] == (12, 0, 0)
    assert found["items"] == (12, 12, 12)
    assert not len(analysed(study).frame("identical-outputs"))


def test_a_table_without_a_study_has_no_inputs_to_compare_with():
    assert not len(frame_of([rated("p1", "i0", "ash", 1)], "copied-inputs"))
