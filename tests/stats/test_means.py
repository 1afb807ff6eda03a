"""Means of systems.

Differences within items and participants.

Differences for each participant alone.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ratings import complete, uneven
from scipy import stats
from scipy.special import stdtr
from whys import why

from rejudge.stats import (
    Why,
    adjusted_difference,
    average_within,
    mean_by_system,
    mean_difference,
    participant_differences,
)


def test_each_judgment_counts_once():
    means = mean_by_system(
        np.array([1.0, 2.0, 6.0, 4.0]),
        np.array([0, 0, 0, 1]),
        item=np.arange(4),
        participant=np.arange(4),
        systems=2,
    )
    assert [mean.value for mean in means] == [3, 4]
    assert [mean.n for mean in means] == [3, 1]


def test_what_the_same_people_share_cancels_in_a_difference():
    """Two people, one a point higher throughout; the difference of systems is 1 for both.

    With three items each, residuals of the difference are equal and opposite within people and
    items: nothing varies, and no interval is invented.
    """
    value = np.array([2.0, 1.0] * 3 + [3.0, 2.0] * 3)
    difference = mean_difference(
        value,
        np.tile([0, 1], 6),
        (0, 1),
        item=np.tile(np.repeat(np.arange(3), 2), 2),
        participant=np.repeat([0, 1], 6),
    )
    assert difference.value == 1
    assert difference.interval is None


def test_a_paired_difference_is_the_paired_t_test():
    """One person per item sees both systems: scipy.stats.ttest_rel on the same pairs."""
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(4)
    first, second = rng.normal(0.5, 1, 20), rng.normal(0, 1, 20)
    found = mean_difference(
        np.concatenate([first, second]),
        np.repeat([0, 1], 20),
        (0, 1),
        item=np.tile(np.arange(20), 2),
        participant=np.tile(np.arange(20), 2),
    )
    assert found.p == pytest.approx(ttest_rel(first, second).pvalue)


def test_segments_become_one_score_per_output():
    """Output 0 has three sentences, output 1 has one; both weigh the same afterwards."""
    value, (output,) = average_within(np.array([1.0, 2.0, 3.0, 5.0]), np.array([0, 0, 0, 1]))
    assert value.tolist() == [2, 5]
    assert output.tolist() == [0, 1]


def test_averaging_nothing_gives_nothing():
    value, keys = average_within(np.zeros(0), np.zeros(0, dtype=int))
    assert len(value) == len(keys[0]) == 0


def regression(y, system, item, participant=None):
    """The slope on the system with dummies, by a dense least-squares solution."""
    dummies = [item[:, None] == np.unique(item)]
    if participant is not None:
        dummies.append(participant[:, None] == np.unique(participant))
    design = np.hstack([(system == 0)[:, None], *dummies]).astype(float)
    return np.linalg.lstsq(design, y, rcond=None)[0][0]


def test_in_a_complete_table_it_is_the_difference_of_means():
    """SE, df and p: derivation in `test_clusters`; lmerTest gives .2393682, 2.9996 and .04549."""
    y, system, item, participant = complete()
    found = adjusted_difference(y, system, (0, 1), item=item, participant=participant)
    assert found.value == pytest.approx(0.7916667)
    assert found.standard_error == pytest.approx(0.239357, abs=5e-7)
    assert (found.df, found.p) == pytest.approx((3, 0.045478), abs=5e-7)
    assert found.information_share == pytest.approx(1)
    assert (found.shared_items, found.is_within_participants) == (6, True)


def test_items_that_one_system_alone_has_do_not_count():
    """R 4.2.2: lm(y ~ system + factor(item) + factor(participant)) gives .666667, where the
    difference of means is 1.541667 because the second system has the three worse items. The error
    is that of three shared items and four participants (prototype: .430331, and 3 degrees of
    freedom, of which three items leave 2)."""
    y, system, item, participant = uneven()
    found = adjusted_difference(y, system, (0, 1), item=item, participant=participant)
    raw = mean_difference(y, system, (0, 1), item=item, participant=participant)
    assert raw.value == pytest.approx(1.541667, abs=5e-7)
    assert found.value == pytest.approx(2 / 3)
    assert found.standard_error == pytest.approx(0.430331, abs=5e-7)
    assert found.df == pytest.approx(2)
    assert found.p == pytest.approx(2 * stdtr(2, -(2 / 3) / 0.430331), abs=5e-6)
    assert (found.shared_items, found.items) == (3, 3)


def test_the_information_share_is_that_of_its_definition():
    """24 and 12 judgments: 24 · 12/36 = 8 in all; 3 items with 4 and 4: 3 · 16/8 = 6 within."""
    y, system, item, participant = uneven()
    found = adjusted_difference(y, system, (0, 1), item=item, participant=participant)
    assert found.information_share == pytest.approx(6 / 8)


def test_without_a_shared_item_nothing_is_claimed():
    y = np.arange(8.0)
    system = np.repeat([0, 1], 4)
    found = adjusted_difference(
        y, system, (0, 1), item=np.arange(8) // 2, participant=np.arange(8) % 2
    )
    assert found.value is None
    assert found.interval is None
    assert found.information_share == 0
    assert why(found) == [Why.DIFFERENT_ITEMS]


def test_a_system_nobody_judged_is_told():
    one = np.zeros(3, dtype=int)
    found = adjusted_difference(np.ones(3), one, (0, 1), item=np.arange(3), participant=one)
    assert found.value is None
    assert why(found) == [Why.NOT_JUDGED]


def test_few_shared_items_are_pointed_out():
    """Of 40 items the two share two: 40 and 42 judgments, 2 · 2·2/4 of 40·42/82 = .098."""
    rng = np.random.default_rng(1)
    item = np.concatenate([np.repeat(np.arange(20), 2), np.repeat(np.arange(18, 39), 2)])
    system = np.repeat([0, 1], [40, 42])
    people = rng.integers(0, 12, 82)
    found = adjusted_difference(rng.normal(size=82), system, (0, 1), item=item, participant=people)
    assert found.information_share == pytest.approx(2 / (40 * 42 / 82))
    assert found.reasons[-1].why is Why.FEW_SHARED
    assert found.reasons[-1].get("items") == 2


def test_one_shared_item_gives_a_value_without_an_interval():
    y = np.array([1.0, 4, 2, 3, 5])
    found = adjusted_difference(
        y, np.array([0, 1, 0, 1, 0]), (0, 1),
        item=np.array([0, 0, 0, 0, 1]), participant=np.array([0, 0, 1, 1, 0]),
    )  # fmt: skip
    assert found.value == pytest.approx(-2)
    assert found.interval is None


def test_people_who_saw_one_system_each_are_compared_as_by_a_t_test_of_their_means():
    """Twelve people for each system: (12 − 1) + (12 − 1) degrees of freedom, not 24 − 1."""
    from scipy.stats import ttest_ind

    person, item = (each.ravel() for each in np.indices((24, 20)))
    rng = np.random.default_rng(5)
    score = rng.normal(size=24)[person] + rng.normal(size=480)
    score -= np.bincount(item, score)[item] / 24  # items are alike, so that people alone vary
    found = adjusted_difference(score, person // 12, (0, 1), item=item, participant=person)
    means = np.bincount(person, score) / 20
    by_hand = ttest_ind(means[:12], means[12:])
    assert found.df == 22
    assert found.p == pytest.approx(by_hand.pvalue)


def test_a_person_who_saw_both_systems_links_them():
    """One degree of freedom is lost, not two."""
    person, item = (each.ravel() for each in np.indices((24, 20)))
    rng = np.random.default_rng(5)
    score = rng.normal(size=24)[person] + rng.normal(size=480)
    system = np.where(person == 0, item % 2, person // 12)
    found = mean_difference(score, system, (0, 1), item=item, participant=person)
    assert 22 < found.df <= 23


def test_people_who_saw_one_system_each_are_not_taken_out():
    """Dummies of participants would leave nothing of the system."""
    rng = np.random.default_rng(2)
    item, participant = (part.ravel() for part in np.indices((10, 8)))
    system = participant % 2
    y = rng.normal(size=80)
    found = adjusted_difference(y, system, (0, 1), item=item, participant=participant)
    assert not found.is_within_participants
    assert found.value == pytest.approx(regression(y, system, item))


@given(st.integers(0, 10_000))
def test_it_is_the_slope_of_a_regression_with_dummies(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    item, participant = rng.integers(0, 12, n), rng.integers(0, 6, n)
    system, y = rng.integers(0, 3, n), rng.integers(1, 6, n).astype(float)
    found = adjusted_difference(y, system, (0, 1), item=item, participant=participant)
    mine = system < 2
    if not found.shared_items:
        assert found.value is None  # a rare draw, of which a regression knows nothing either
        return
    parts = y[mine], system[mine], item[mine]
    people = participant[mine] if found.is_within_participants else None
    assert found.value == pytest.approx(regression(*parts, people))


def test_adding_a_constant_to_an_item_or_a_participant_changes_nothing():
    y, system, item, participant = uneven()
    usual = adjusted_difference(y, system, (0, 1), item=item, participant=participant)
    moved = y + 7.0 * (item == 3) - 4.0 * (participant == 1)
    other = adjusted_difference(moved, system, (0, 1), item=item, participant=participant)
    assert (other.value, other.standard_error) == pytest.approx((usual.value, usual.standard_error))


def test_a_long_chain_of_people_and_items_is_solved_too():
    """Each participant shares one item with the next, which is the hardest case for iterations."""
    links = 400
    participant = np.repeat(np.arange(links), 4)
    item = participant + np.tile([0, 0, 1, 1], links)
    system = np.tile([0, 1, 0, 1], links)
    rng = np.random.default_rng(3)
    y = rng.normal(size=links)[participant] + rng.normal(size=len(item)) + 0.5 * (system == 0)
    drop = rng.random(len(item)) < 0.3
    y, system, item, participant = (part[~drop] for part in (y, system, item, participant))
    found = adjusted_difference(y, system, (0, 1), item=item, participant=participant)
    assert found.is_within_participants
    assert found.value == pytest.approx(regression(y, system, item, participant), rel=1e-7)


def test_each_participants_own_difference_is_their_own_paired_t_test():
    y, system, item, participant = complete()
    found = participant_differences(y, system, (0, 1), item=item, participant=participant)
    assert [each.participant for each in found] == [0, 1, 2, 3]
    for each in found:
        mine = participant == each.participant
        first, second = y[mine & (system == 0)], y[mine & (system == 1)]
        assert each.value == pytest.approx((first - second).mean())
        assert each.p == pytest.approx(stats.ttest_rel(first, second).pvalue)
        assert each.participants == 1


def test_people_who_judged_the_systems_unevenly_on_single_items_may_be_balanced_over_all_of_them():
    """Dummies of participants change nothing here: 1.5 points on one item and 2.5 on the other."""
    found = adjusted_difference(
        np.array([1.0, 2, 0, 3, 1, 4]), np.array([0, 0, 1, 0, 1, 0]), (0, 1),
        item=np.array([0, 0, 0, 1, 1, 1]), participant=np.array([0, 1, 1, 0, 0, 1]),
    )  # fmt: skip
    assert found.value == pytest.approx(2)
    assert found.is_within_participants


def test_the_mean_of_own_differences_is_the_difference_where_everybody_judged_everything():
    y, system, item, participant = complete()
    found = participant_differences(y, system, (0, 1), item=item, participant=participant)
    assert np.mean([each.value for each in found]) == pytest.approx(0.7916667)


def test_who_saw_no_item_for_both_systems_has_no_difference():
    found = participant_differences(
        np.array([1.0, 2, 3, 4]), np.array([0, 1, 0, 1]), (0, 1),
        item=np.array([0, 0, 1, 2]), participant=np.array([5, 5, 9, 9]),
    )  # fmt: skip
    assert [(each.participant, each.value) for each in found] == [(5, -1), (9, None)]
    assert why(found[0]) == [Why.NEEDS]
    assert why(found[1]) == [Why.NONE_SHARED]


def test_the_same_difference_everywhere_has_no_interval():
    (found,) = participant_differences(
        np.array([0.1, 0.3, 0.4, 0.6]), np.array([0, 1, 0, 1]), (0, 1),
        item=np.array([0, 0, 1, 1]), participant=np.zeros(4, dtype=int),
    )  # fmt: skip
    assert found.value == pytest.approx(-0.2)
    assert found.interval is None
    assert why(found) == [Why.NO_VARIATION]
