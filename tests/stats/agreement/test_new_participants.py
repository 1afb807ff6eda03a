"""Intervals of agreement for new participants too.

Percent agreement for new participants, by formula.
"""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.stats import (
    Why,
    cohen_kappas,
    count_table,
    fleiss_kappa,
    krippendorff_alpha,
    new_participants_interval,
    percent_agreement,
)
from rejudge.stats.agreement.new_participants import percent_for_new_participants


def rng():
    return np.random.default_rng(7)


def study(chance, units, people, *, strictness=0.6):
    """Five-point ratings: what the unit deserves, how strict the person is, and chance."""
    worth = chance.normal(size=(units, 1))
    bias = strictness * chance.normal(size=(1, people))
    rating = np.clip(np.round(3 + worth + bias + 0.7 * chance.normal(size=(units, people))), 1, 5)
    unit, person = np.indices(rating.shape)
    return unit.ravel(), person.ravel(), rating.ravel()


@pytest.fixture
def ratings():
    return study(np.random.default_rng(5), 60, 6)


def test_the_value_is_that_of_all_judgments(ratings):
    unit, _, value = ratings
    table = count_table(unit, value)
    one = new_participants_interval(*ratings, "percent", rng=rng())
    two = new_participants_interval(*ratings, "percent-per-pair", rng=rng())
    three = new_participants_interval(*ratings, "krippendorff-alpha", measured="ordinal", rng=rng())
    four = new_participants_interval(*ratings, "fleiss-kappa", rng=rng())
    percent = percent_agreement(table)
    assert one.value == pytest.approx(percent.value)
    assert two.value == pytest.approx(percent.per_pair)
    assert three.value == pytest.approx(krippendorff_alpha(table, "ordinal", rng=rng()).value)
    assert four.value == pytest.approx(fleiss_kappa(table, rng=rng()).value)
    assert (one.n, one.judgments) == (60, 360)


@pytest.mark.parametrize(
    ("measure", "weights"),
    [
        ("cohen-kappa", "none"),
        ("cohen-kappa-linear", "linear"),
        ("cohen-kappa-quadratic", "quadratic"),
    ],
)
def test_the_mean_kappa_is_that_of_all_pairs(ratings, measure, weights):
    found = new_participants_interval(*ratings, measure, rng=rng(), replicates=50)
    assert found.value == pytest.approx(
        cohen_kappas(*ratings, weights=weights, rng=rng(), replicates=1).value
    )
    assert found.interval.low < found.value < found.interval.high


def test_the_interval_is_wider_than_that_for_these_participants():
    """In most studies, and by a third in the middle one: in some people hardly differ."""
    ratios = []
    for seed in range(15):
        unit, person, value = study(np.random.default_rng(seed), 60, 6)
        these = krippendorff_alpha(count_table(unit, value), "ordinal", rng=rng()).interval
        new = new_participants_interval(
            unit, person, value, "krippendorff-alpha", measured="ordinal", rng=rng()
        ).interval
        ratios.append((new.high - new.low) / (these.high - these.low))
    assert np.median(ratios) > 1.1
    assert min(ratios) > 0.95


def test_the_interval_is_that_of_resampling_rows_and_columns_one_by_one():
    """The same quantiles by the definition: draw people, keep distinct ones, draw units."""
    unit, person, value = study(np.random.default_rng(6), 40, 5)
    matrix = value.reshape(40, 5)
    chance = np.random.default_rng(8)
    drawn = []
    for _ in range(600):
        kept = matrix[:, np.unique(chance.integers(0, 5, 5))]
        kept = kept[chance.integers(0, 40, 40)]
        table = count_table(np.indices(kept.shape)[0].ravel(), kept.ravel())
        found = percent_agreement(table).value
        drawn.append(np.nan if found is None else found)
    plain = np.nanquantile(drawn, [0.025, 0.975])
    found = new_participants_interval(
        unit, person, value, "percent", rng=rng(), replicates=600
    ).interval
    assert [found.low, found.high] == pytest.approx(plain, abs=5)


@pytest.mark.parametrize("people", [2, 3, 4])
def test_fewer_than_five_people_do_not_show_how_far_others_would_differ(people):
    found = new_participants_interval(*study(rng(), 30, people), "percent", rng=rng())
    assert found.value is not None
    assert found.interval is None
    assert f"{people} participants cannot show how much people differ" in found.note


def test_five_people_have_an_interval():
    found = new_participants_interval(*study(rng(), 30, 5), "percent", rng=rng())
    assert found.interval is not None
    assert found.note == ""


def test_more_people_than_judge_one_unit_are_resampled_too():
    """Sixty people in batches, three for each unit, as on a platform."""
    chance = np.random.default_rng(4)
    unit, person = np.repeat(np.arange(400), 3), np.repeat(np.arange(400) // 20, 3) * 3
    person += np.tile(np.arange(3), 400)
    value = np.clip(np.repeat(chance.integers(1, 6, 400), 3) + chance.integers(-1, 2, 1200), 1, 5)
    found = new_participants_interval(unit, person, value, "percent", rng=rng(), replicates=100)
    assert found.interval.low < found.value < found.interval.high
    assert found.note == ""


def test_fleiss_kappa_has_the_interval_of_alpha_moved_to_its_scale():
    """1 − κ = (1 − α) · n/(n − 1), of 40 judgments; batches are no obstacle."""
    chance = np.random.default_rng(4)
    unit, person = np.repeat(np.arange(20), 2), np.tile([0, 1, 2, 3, 4], 8)
    value = chance.integers(1, 3, 40)
    found = new_participants_interval(unit, person, value, "fleiss-kappa", rng=rng())
    alpha = new_participants_interval(unit, person, value, "krippendorff-alpha", rng=rng())
    assert 1 - found.interval.high == pytest.approx((1 - alpha.interval.high) * 40 / 39)
    assert 1 - found.interval.low == pytest.approx((1 - alpha.interval.low) * 40 / 39)


def test_undefined_agreement_has_no_interval():
    unit, person = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    constant = new_participants_interval(unit, person, np.ones(4), "krippendorff-alpha", rng=rng())
    alone = new_participants_interval(unit, unit, np.arange(4.0), "percent", rng=rng())
    nobody = new_participants_interval(unit[:0], unit[:0], np.zeros(0), "percent", rng=rng())
    one = new_participants_interval(unit[:2], person[:2], np.arange(2.0), "percent", rng=rng())
    assert (constant.value, alone.value, nobody.value) == (None, None, None)
    assert [reason.why for reason in alone.reasons] == [Why.REPEATS]
    assert (one.value, one.interval) == (0, None)


@pytest.mark.slow
@pytest.mark.parametrize(("people", "strictness"), [(4, 0.6), (5, 0.6), (5, 1.0), (10, 0.6)])
def test_the_interval_covers_what_new_people_and_units_would_give(people, strictness):
    """150 studies of 100 units; truth from three very large studies. Nominal 95 %; standard error
    1.8 points."""
    chance = np.random.default_rng(12)
    truth_table = [study(chance, 500, 400, strictness=strictness) for _ in range(3)]
    truth = np.mean(
        [krippendorff_alpha(count_table(u, v), "interval", rng=chance, replicates=1).value
         for u, _, v in truth_table]
    )  # fmt: skip
    covered = 0
    for _ in range(150):
        found = new_participants_interval(
            *study(chance, 100, people, strictness=strictness),
            "krippendorff-alpha",
            measured="interval",
            rng=chance,
        ).interval
        covered += found.low <= truth <= found.high
    assert covered / 150 >= 0.87


def small_study(rng, units, people, each, *, strictness=0.6):
    """Scores of 0 to 4; each unit is judged by so many of the people."""
    unit = np.repeat(np.arange(units), each)
    person = np.concatenate([rng.choice(people, each, replace=False) for _ in range(units)])
    latent = rng.normal(0, 1, units)[unit] + rng.normal(0, strictness, people)[person]
    return unit, person, np.digitize(latent + rng.normal(0, 0.7, len(unit)), [-1.2, -0.4, 0.4, 1.2])


@pytest.mark.parametrize("per_pair", [False, True])
def test_percent_agreement_is_that_of_all_judgments(per_pair):
    unit, person, value = small_study(np.random.default_rng(1), 80, 30, 4)
    rows = np.random.default_rng(2).random(len(unit)) < 0.8
    table = count_table(unit[rows], value[rows])
    found = percent_for_new_participants(unit[rows], person[rows], value[rows], per_pair=per_pair)
    whole = percent_agreement(table)
    assert found.value == pytest.approx(whole.per_pair if per_pair else whole.value)
    assert (found.n, found.judgments) == (whole.n, whole.judgments)


def test_two_people_who_always_agree_half_of_the_time_are_counted_by_hand():
    """Four units, judged by the same three: pairs that agree are 3, 1, 1 and 0 of 3."""
    unit = np.repeat(np.arange(4), 3)
    person = np.tile(np.arange(3), 4)
    value = np.array([1, 1, 1, 1, 1, 2, 2, 2, 3, 1, 2, 3])
    found = percent_for_new_participants(unit, person, value)
    assert found.value == pytest.approx(100 * (3 + 1 + 1 + 0) / 12)


def test_very_many_kinds_of_unit_take_the_formula(monkeypatch):
    columns = small_study(np.random.default_rng(3), 400, 60, 3)
    resampled = new_participants_interval(*columns, "percent", rng=np.random.default_rng(1))
    monkeypatch.setattr("rejudge.stats.agreement.new_participants.MANY_KINDS", 100)
    found = new_participants_interval(*columns, "percent", rng=np.random.default_rng(1))
    assert found == percent_for_new_participants(*columns)
    assert found.value == pytest.approx(resampled.value)


def test_what_cannot_vary_has_no_interval():
    alone = percent_for_new_participants(np.arange(3), np.arange(3), np.arange(3))
    assert alone.value is None
    same = percent_for_new_participants(np.repeat([0, 1], 3), np.tile([0, 1, 2], 2), np.ones(6))
    assert (same.value, same.interval) == (100, None)
    one = percent_for_new_participants(np.zeros(3, int), np.arange(3), np.array([1, 1, 2]))
    assert one.interval is None


@pytest.mark.slow
@pytest.mark.parametrize(("units", "people", "each"), [(100, 40, 3), (200, 200, 3), (100, 10, 10)])
def test_the_interval_of_percent_agreement_covers_what_new_people_and_units_would_give(
    units, people, each
):
    """The truth is the mean over large studies; 300 studies, so that ±3 errors are ±3.8 %."""
    rng = np.random.default_rng(7)
    truth = np.mean(
        [percent_for_new_participants(*small_study(rng, 4000, 3000, 2)).value for _ in "abc"]
    )
    ends = [
        percent_for_new_participants(*small_study(rng, units, people, each)).interval
        for _ in range(300)
    ]
    assert 0.91 <= np.mean([end.low <= truth <= end.high for end in ends]) <= 0.99
