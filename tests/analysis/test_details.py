"""What lies behind the findings of a question."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, SLIDER, analysed, small_study
from rejudge.analysis import analyse
from rejudge.judgments import Judgment, Judgments


def rated(participant, item, system, value, **columns: Any):
    return Judgment(participant, item, "fluency", value, system=system, **columns)


def chosen(participant, item, value, pair=("ash", "beech"), **columns: Any):
    return Judgment(
        participant, item, "meaning", value, system_a=pair[0], system_b=pair[1], **columns
    )


def details_of(rows, **asked: Any):
    return analyse(Judgments.from_rows(rows), **asked).details[0]


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


def test_a_straight_line_is_flagged_from_ten_judgments_on():
    rows = [rated("p1", f"i{k}", "ash", 3) for k in range(10)]
    ten, nine = (details_of(some).people.rows[0] for some in (rows, rows[:9]))
    assert (ten.longest_run, ten.modal_share) == (10, 100)
    assert (ten.flags, nine.flags) == (("one-answer",), ())


def test_a_pull_to_one_side_is_flagged_by_the_corrected_exact_test():
    """Ten of ten: p = 2 / 2¹⁰; one participant alone needs no correction."""
    rows = [chosen("p1", f"i{k}", "ab"[k % 2], side="ab"[k % 2]) for k in range(10)]
    row = details_of(rows).people.rows[0]
    assert (row.first_shown, row.first_shown_n) == (100, 10)
    assert row.first_shown_p == pytest.approx(2 / 1024)
    assert "one-side" in row.flags


def test_self_consistency_is_counted_for_each_participant():
    rows = [rated("p1", f"i{k}", "ash", k) for k in range(4)]
    again = [rated("p1", f"i{k}", "ash", min(k, 2), kind="repeat") for k in range(4)]
    row = details_of([*rows, *again]).people.rows[0]
    assert (row.judgments, row.repeats, row.same_again) == (4, 4, 75)


def test_the_mean_correlation_is_over_the_others():
    """p1 and p2 say the same, p3 the opposite: 1 and −1, so 0, 0 and −1 on average."""
    rows = [
        rated(who, f"i{k}", "ash", value)
        for k in range(4)
        for who, value in (("p1", k), ("p2", k), ("p3", 3 - k))
    ]
    people = details_of(rows).people
    assert people.measure == "spearman"
    assert [row.correlation for row in people.rows] == pytest.approx([0, 0, -1])
    assert [row.others for row in people.rows] == [2, 2, 2]
    assert [pair.value for pair in people.pairs] == pytest.approx([1, -1, -1])


def test_a_crowd_has_no_pairs_but_means_over_others():
    rng = np.random.default_rng(1)
    rows = [
        rated(f"p{who}", f"i{k}", "ash", int(rng.integers(1, 6)))
        for k in range(4)
        for who in range(61)
    ]
    people = details_of(rows).people
    assert (people.pairs, people.total) == ((), 61)
    assert "more than 60" in people.note
    assert any(row.correlation is not None for row in people.rows)


def test_the_time_of_a_page_counts_once_and_is_added_up_exactly():
    """Two questions share each page; the clock runs over midnight, with one long pause."""
    start = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)
    moments = [start, start + timedelta(seconds=60), start + timedelta(seconds=7260)]
    rows = [
        replace(rated("p1", f"i{k}", "ash", 3), question=question, task=f"t{k}", seconds=10.0 + k,
                submitted_at=moments[k])
        for k in range(3)
        for question in ("fluency", "ease")
    ]  # fmt: skip
    times = analyse(Judgments.from_rows(rows)).times
    spent = times.rows[0]
    assert (times.pages, spent.pages, spent.seconds) == (3, 3, 33)
    assert (spent.wall_seconds, spent.active_seconds, spent.pauses) == (7260, 360, 1)
    assert times.shares[-1].share == 1
    assert next(mark.seconds for mark in times.quantiles if mark.share == 0.5) == 11


def test_one_time_throughout_a_batch_is_the_time_of_the_batch():
    rows = [rated("p1", f"i{k}", "ash", 3, seconds=90.0, batch="b1") for k in range(4)]
    assert analyse(Judgments.from_rows(rows)).times.pages == 1


def test_without_times_there_are_none_and_the_note_says_so():
    times = analyse(Judgments.from_rows([rated("p1", "i0", "ash", 3)])).times
    assert (times.pages, times.quantiles, times.rows) == (0, (), ())
    assert times.note == "No page has a time."


def test_means_are_normalised_by_the_declared_ends_alone():
    """2 and 4 of 1 to 5: (3 − 1) / 4 = ½."""
    rows = [rated("p1", "i0", "ash", 2), rated("p1", "i1", "ash", 4)]
    spreads = [
        next(f.spread for f in analyse(Judgments.from_rows(rows), scale=scale).findings if f.spread)
        for scale in ((1, 5), None)
    ]
    assert [spread.normalised for spread in spreads] == [0.5, None]
    assert [spread.z for spread in spreads] == [0, 0]


@pytest.mark.parametrize("question", [PAIRWISE, RATING, SLIDER], ids=lambda q: q["kind"])
def test_details_are_no_findings(question):
    """They never enter a family of tests."""
    results = analysed(small_study(question))
    assert {details.question for details in results.details} == {question["id"]}
    assert results.details[0].people.total == results.flow.participants_kept


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


def test_a_participants_pages_have_least_median_most_and_spread():
    """10, 20 and 60 seconds: SD √700."""
    rows = [
        rated("p1", f"i{n}", "ash", 1, task=f"t{n}", seconds=s) for n, s in enumerate((10, 20, 60))
    ]
    (spent,) = analyse(Judgments.from_rows(rows)).times.rows
    assert (spent.least, spent.median, spent.most) == (10, 20, 60)
    assert spent.sd == pytest.approx(700**0.5)


def test_times_have_percentiles_up_to_the_95th_and_means_by_batch_and_participant():
    """p1: 10 and 20 in b1, p2: 30 and 60 in b1, p3: 40 in b2; totals 30, 90 and 40."""
    seen = (
        ("p1", "b1", 10),
        ("p1", "b1", 20),
        ("p2", "b1", 30),
        ("p2", "b1", 60),
        ("p3", "b2", 40),
    )
    rows = [
        rated(who, f"i{n}", "ash", 1, task=f"t{n}", batch=batch, seconds=s)
        for n, (who, batch, s) in enumerate(seen)
    ]
    times = analyse(Judgments.from_rows(rows)).times
    assert [mark.share for mark in times.quantiles] == [0.05, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95]
    first, second = times.batches
    assert (first.batch, first.participants, first.pages) == ("b1", 2, 4)
    assert (first.mean, first.median, first.least, first.most) == (60, 60, 30, 90)
    assert first.mean_of_pages == 30
    assert (second.participants, second.mean) == (1, 40)
    assert times.mean_of_participants == pytest.approx(160 / 3)
    assert [row.mean for row in times.rows] == [15, 45, 40]


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


def test_a_list_that_was_done_twice_has_two_times_of_a_whole_list():
    """The second pass took longer; both are one page each, not one page per judgment."""
    rows = [
        rated("p1", f"i{n}", "ash", 1, batch="b1", kind=kind, seconds=seconds)
        for kind, seconds in (("real", 100.0), ("repeat", 300.0))
        for n in range(5)
    ]
    results = analyse(Judgments.from_rows(rows))
    assert [(page.page, page.n, page.most) for page in results.way.pages] == [("batch", 2, 300)]


def test_each_participant_has_the_share_of_their_judgments_that_most_others_share():
    """i0: 3 3 3 5, so that p1 to p3 are with the majority of the others and p4 is not. i1: 2 2 4 4,
    where the others of each are 2:1 for the other score, so that nobody is. i2: p1 alone."""
    said = {"i0": (3, 3, 3, 5), "i1": (2, 2, 4, 4), "i2": (1,)}
    rows = [
        rated(f"p{n}", item, "ash", value)
        for item, values in said.items()
        for n, value in enumerate(values, start=1)
    ]
    found = details_of(rows).people.rows
    assert [(row.participant, row.with_majority, row.with_majority_n) for row in found] == [
        ("p1", 50, 2),
        ("p2", 50, 2),
        ("p3", 50, 2),
        ("p4", 0, 2),
    ]
