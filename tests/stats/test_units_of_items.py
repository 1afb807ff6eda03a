"""Agreement where several units belong to one item: sentences of a text, pairs of a ranking."""

from __future__ import annotations

import numpy as np
import pytest
from whys import why

from rejudge.stats import (
    Why,
    alpha_jackknife,
    cohen_kappas,
    count_table,
    fleiss_kappa,
    krippendorff_alpha,
    new_participants_interval,
    percent_agreement,
)


def rng():
    return np.random.default_rng(3)


def texts(seed=1, *, items=30, people=3, sentences=1):
    """Scores by everybody: units, participants, values, items; sentences of a text are alike."""
    chance = np.random.default_rng(seed)
    item, person = (part.ravel() for part in np.indices((items, people)))
    heard = 3 + chance.normal(size=items)[item] + 0.7 * chance.normal(size=len(item))
    value = np.clip(np.round(heard), 1, 5)
    unit = np.concatenate([item + items * copy for copy in range(sentences)])
    return unit, np.tile(person, sentences), np.tile(value, sentences), np.tile(item, sentences)


def half(interval):
    return (interval.high - interval.low) / 2


def test_repeating_each_sentence_changes_no_interval():
    """The items are the same, and so is what is known about them."""
    unit, _, value, item = texts()
    five, _, values, items = texts(sentences=5)
    once, often = count_table(unit, value, item=item), count_table(five, values, item=items)
    narrow, wide = (percent_agreement(table).interval for table in (once, often))
    assert half(wide) == pytest.approx(half(narrow))
    by_one, by_five = (alpha_jackknife(table, "nominal").interval for table in (once, often))
    assert half(by_five) == pytest.approx(half(by_one), rel=0.01)


def test_without_items_repeated_sentences_pretend_to_know_more():
    five, _, values, items = texts(sentences=5)
    narrow = percent_agreement(count_table(five, values)).interval
    right = percent_agreement(count_table(five, values, item=items)).interval
    assert half(right) > 2 * half(narrow)


def test_one_unit_for_each_item_is_the_jackknife_over_units():
    unit, _, value, item = texts()
    plain = alpha_jackknife(count_table(unit, value), "ordinal").interval
    found = krippendorff_alpha(count_table(unit, value, item=item), "ordinal", rng=rng()).interval
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))


def test_leaving_out_items_by_the_definition():
    unit, _, value, item = texts(sentences=3)
    table = count_table(unit, value, item=item)
    rest = (count_table(unit[item != each], value[item != each]) for each in range(30))
    found = [krippendorff_alpha(one, "ordinal", rng=rng(), replicates=2).value for one in rest]
    without = np.array(found)
    error = (29 / 30 * np.sum((without - without.mean()) ** 2)) ** 0.5
    interval = krippendorff_alpha(table, "ordinal", rng=rng()).interval
    assert half(interval) == pytest.approx(2.0452296 * error)  # t(.975, 29)


def test_fleiss_kappa_has_the_interval_of_nominal_alpha():
    unit, _, value, item = texts(sentences=2)
    table = count_table(unit, value, item=item)
    n = table.judgments
    alpha = krippendorff_alpha(table, "nominal", rng=rng()).interval
    kappa = fleiss_kappa(table, rng=rng()).interval
    assert 1 - kappa.low == pytest.approx((1 - alpha.low) * n / (n - 1))


def test_the_mean_of_kappas_is_as_sure_as_items_are_many():
    unit, person, value, item = texts()
    five, people, values, items = texts(sentences=5)
    once = cohen_kappas(unit, person, value, item=item, rng=rng()).interval
    often = cohen_kappas(five, people, values, item=items, rng=rng()).interval
    assert half(often) == pytest.approx(half(once))
    resampled = cohen_kappas(unit, person, value, rng=rng()).interval
    assert half(once) == pytest.approx(half(resampled), rel=0.25)


def test_new_participants_are_drawn_with_items():
    unit, person, value, _ = texts(people=8)
    five, people, values, items = texts(people=8, sentences=5)
    once = new_participants_interval(unit, person, value, "percent", rng=rng()).interval
    drawn = new_participants_interval(five, people, values, "percent", item=items, rng=rng())
    assert half(drawn.interval) == pytest.approx(half(once), rel=0.15)
    fleiss = new_participants_interval(five, people, values, "fleiss-kappa", item=items, rng=rng())
    assert fleiss.interval is not None


def test_units_of_one_item_alone_have_no_interval():
    unit, _, value, _ = texts()
    one = np.zeros(len(unit), dtype=int)
    table = count_table(unit, value, item=one)
    assert why(percent_agreement(table)) == [Why.NEEDS]
    assert why(krippendorff_alpha(table, "nominal", rng=rng())) == [Why.NEEDS]
    person = texts()[1]
    assert why(cohen_kappas(unit, person, value, item=one, rng=rng())) == [Why.NEEDS]


@pytest.mark.parametrize("measured", ["nominal", "ordinal", "interval", "ratio"])
def test_of_very_many_items_the_influence_stands_in_for_leaving_out(measured, monkeypatch):
    unit, _, value, item = texts(items=300, sentences=3)
    table = count_table(unit, value, item=item)
    exact = krippendorff_alpha(table, measured, rng=rng()).interval
    monkeypatch.setattr("rejudge.stats.agreement.alpha._MOST_LEFT_OUT", 0)
    quick = krippendorff_alpha(table, measured, rng=rng()).interval
    assert half(quick) == pytest.approx(half(exact), rel=0.02)
