"""Who judged what."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ratings import complete, uneven

from rejudge.stats import adjusted_difference, coverage_table, coverage_terms, linear_mixed


def columns(system, terms, systems):
    dummies = [(system == each).astype(float) for each in range(systems)]
    return np.column_stack(dummies + [term.column for term in terms])


def test_a_complete_table_is_even_and_needs_no_terms():
    _, system, item, participant = complete()
    found = coverage_table(system, item, participant, systems=2)
    assert found.is_even
    assert found.pair(1, 0).information_share == pytest.approx(1)
    assert [(s.judgments, s.items, s.item_share) for s in found.systems] == [(24, 6, 1), (24, 6, 1)]
    assert coverage_terms(system, item, participant, systems=2) == ()


def test_items_that_one_system_lacks_are_counted():
    y, system, item, participant = uneven()
    found = coverage_table(system, item, participant, systems=2)
    assert not found.is_even_by_item
    assert found.is_even_by_participant
    assert (found.systems[1].items, found.systems[1].item_share) == (3, 0.5)
    (pair,) = found.pairs
    assert (pair.shared_items, pair.shared_participants) == (3, 4)
    adjusted = adjusted_difference(y, system, (0, 1), item=item, participant=participant)
    assert pair.information_share == pytest.approx(adjusted.information_share)


def test_the_share_in_the_item_is_the_only_term_where_participants_are_even():
    """Items 0, 2, 4 have system 0 alone (share 1), the others half; the mean over judgments is
    (12 · 1 + 24 · ½) / 36 = ⅔."""
    _, system, item, participant = uneven()
    (term,) = coverage_terms(system, item, participant, systems=2)
    assert (term.kind, term.system) == ("item", 0)
    assert term.name == "share of system 0 in the item"
    assert term.column == pytest.approx(np.where(item % 2 == 0, 1 / 3, -1 / 6))


def test_a_mixed_model_with_the_terms_compares_within_items():
    """R 4.2.2, lme4 1.1-31, with the centred item share of system 0: difference .6666667,
    SE .3762533, criterion 76.160995; without it .7421208."""
    y, system, item, participant = uneven()
    terms = coverage_terms(system, item, participant, systems=2)
    groups = {
        "item": item,
        "participant": participant,
        "system:item": 2 * item + system,
        "system:participant": 2 * participant + system,
    }
    fixed = {"system": system} | {term.name: term.column for term in terms}
    fit = linear_mixed(y, fixed, groups)
    effect = fit.coefficient("system", 1)
    assert effect.value == pytest.approx(-2 / 3, abs=1e-6)
    assert effect.standard_error == pytest.approx(0.3762533, rel=1e-4)
    assert fit.criterion == pytest.approx(76.160995, rel=1e-6)


def test_participants_who_saw_one_system_each_give_no_terms_of_participants():
    item, participant = (part.ravel() for part in np.indices((10, 8)))
    system = participant % 2
    found = coverage_table(system, item, participant, systems=2)
    assert not found.pairs[0].is_within_participants
    assert found.pairs[0].is_within_items
    assert coverage_terms(system, item, participant, systems=2) == ()


def test_systems_without_shared_items_are_told_apart_and_the_rest_still_is_adjusted():
    """Systems 0 and 1 share items 0 to 9 unevenly, systems 2 and 3 items 10 to 19."""
    rng = np.random.default_rng(4)
    item = rng.integers(0, 20, 400)
    system = np.where(item < 10, 0, 2) + (rng.random(400) < 0.2 + 0.03 * (item % 10))
    participant = rng.integers(0, 12, 400)
    found = coverage_table(system, item, participant, systems=4)
    assert found.linked_by_items == ((0, 1), (2, 3))
    assert not found.pair(0, 2).is_within_items
    assert found.pair(0, 2).information_share == 0
    assert found.pair(2, 3).is_within_items
    terms = coverage_terms(system, item, participant, systems=4)
    assert [term.system for term in terms if term.kind == "item"] == [0, 2]
    design = columns(system, terms, 4)
    assert np.linalg.matrix_rank(design) == design.shape[1]


def test_a_chain_of_shared_items_links_systems():
    system, item = np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1])
    found = coverage_table(system, item, np.zeros(4, dtype=int), systems=3)
    ends = found.pair(0, 2)
    assert (ends.shared_items, ends.is_within_items) == (0, True)


def test_a_system_nobody_judged_has_no_coverage_and_no_term():
    _, system, item, participant = uneven()
    found = coverage_table(system, item, participant, systems=3)
    assert (found.systems[2].judgments, found.systems[2].item_share) == (0, 0)
    assert found.linked_by_items == ((0, 1), (2,))
    terms = coverage_terms(system, item, participant, systems=3)
    assert [term.system for term in terms] == [0]


@given(st.integers(0, 10_000), st.integers(2, 5))
def test_terms_have_mean_nothing_and_follow_neither_from_systems_nor_from_each_other(seed, systems):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 200))
    item, participant = rng.integers(0, 9, n), rng.integers(0, 7, n)
    system = np.minimum(rng.integers(0, systems, n), rng.integers(0, systems, n))
    terms = coverage_terms(system, item, participant, systems=systems)
    judged = np.unique(system)
    design = columns(system, terms, systems)[:, [*judged, *range(systems, systems + len(terms))]]
    assert np.linalg.matrix_rank(design) == design.shape[1]
    assert all(abs(term.column.mean()) < 1e-12 for term in terms)


def test_codes_with_wide_gaps_are_as_good_as_any():
    _, system, item, participant = uneven()
    usual = coverage_terms(system, item, participant, systems=2)
    other = coverage_terms(system, item * 10**9 + 5, participant, systems=2)
    assert other[0].column == pytest.approx(usual[0].column)
