"""Counts of scores, wins and disputed units."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judged_rows import chosen, details_of, rated
from judged_study import RATING, analysed, small_study
from rejudge.analysis.analyse import analyse
from rejudge.judgments.table import Judgments


def test_points_that_nobody_gave_are_counted_as_0():
    """ash: 1, 1, 3 of a scale from 1 to 4; beech: 4."""
    rows = [rated(f"p{n}", f"i{n}", "ash", value) for n, value in enumerate((1, 1, 3))]
    scores = details_of([*rows, rated("p0", "i0", "beech", 4)], scale=(1, 4)).scores
    ash, beech = scores.systems
    assert (scores.kind, scores.at) == ("points", (1, 2, 3, 4))
    assert (ash.counts, beech.counts) == ((2, 0, 1, 0), (0, 0, 0, 1))
    assert ash.shares == pytest.approx((200 / 3, 0, 100 / 3, 0))


def test_a_slider_is_counted_in_ten_equal_bins():
    """An edge belongs to the bin above, the last one to the last bin."""
    rows = [rated(f"p{n}", f"i{n}", "ash", value) for n, value in enumerate((0, 9.5, 10, 100))]
    scores = details_of(rows, scale=(0, 100)).scores
    assert scores.kind == "bins"
    assert scores.at == pytest.approx(tuple(range(0, 101, 10)))
    assert scores.systems[0].counts == (2, 1, 0, 0, 0, 0, 0, 0, 0, 1)


def test_the_win_matrix_has_both_directions_and_pairs_that_never_met():
    rows = [
        chosen("p1", "i0", "a"),
        chosen("p2", "i0", "tie"),
        chosen("p1", "i1", "b"),
        chosen("p1", "i2", "a", ("beech", "cedar")),
    ]
    cells = {(duel.row, duel.column): duel for duel in details_of(rows).duels}
    assert len(cells) == 6
    duel = cells["ash", "beech"]
    assert (duel.wins, duel.losses, duel.ties, duel.win_percent) == (1, 1, 1, 50)
    assert cells["beech", "cedar"].win_percent == 100
    assert cells["cedar", "beech"].win_percent == 0
    assert cells["ash", "cedar"].win_percent is None


def test_units_come_with_the_most_disputed_first():
    """Sample variances: i0 of 1 and 5 is 8; i1 of 3 and 4 is ½; i2 of one judgment has none."""
    rows = [
        rated("p1", "i1", "ash", 3),
        rated("p2", "i1", "ash", 4),
        rated("p1", "i0", "ash", 1),
        rated("p2", "i0", "ash", 5),
        rated("p1", "i2", "ash", 5),
    ]
    units = details_of(rows).units
    assert [(row.item, row.disagreement) for row in units.rows] == [
        ("i0", 8),
        ("i1", 0.5),
        ("i2", None),
    ]
    assert units.rows[0].contribution_rank == 1
    assert "1 were judged once" in units.note


def test_what_units_take_off_alpha_adds_up():
    results = analysed(small_study(RATING))
    alpha = next(f for f in results.findings if f.by == "krippendorff-alpha" and not f.systems)
    parts = [row.contribution or 0 for row in results.details[0].units.rows]
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
    news, wiki = details_of(rows, scale=(1, 4)).scores_by_dataset
    assert (news.dataset, wiki.dataset) == ("news", "wiki")
    assert news.scores.at == wiki.scores.at == (1, 2, 3, 4)
    assert news.scores.systems[0].counts == (1, 1, 0, 0)
    assert wiki.scores.systems[0].counts == (0, 0, 0, 1)


def test_one_dataset_is_not_told_apart():
    assert details_of([rated("p1", "i0", "ash", 1, dataset="news")]).scores_by_dataset == ()


def test_outputs_identical_to_their_input_are_counted_for_every_system():
    study = small_study(RATING)
    copies = (replace(it, outputs=(f"  {it.input} ", *it.outputs[1:])) for it in study.items)
    found = analysed(replace(study, items=tuple(copies))).copied
    assert [each.system for each in found] == list(study.system_ids)
    assert [each.outputs for each in found] == [12, 12, 12]
    assert [each.identical for each in found] == [12, 0, 0]
    assert [each.share for each in found] == [100, 0, 0]


def test_a_table_without_a_study_has_no_inputs_to_compare_with():
    assert analyse(Judgments.from_rows([rated("p1", "i0", "ash", 1)])).copied == ()
