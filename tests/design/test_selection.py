"""Which inputs take part: by chance, by strata, by weights or by hand, with known probabilities."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from studies import make_study

from property_settings import examples
from rejudge.design.draw import draw
from rejudge.design.freeze import changes_since_freeze, freeze
from rejudge.design.plan import Plan
from rejudge.design.sampling import Chance
from rejudge.design.selection import (
    Selection,
    _certain_inputs,
    _systematic,
    proportional_quotas,
    select_inputs,
)
from rejudge.errors import DesignError
from rejudge.files.step_files import PLAN, read, write
from rejudge.study.analysis_plan import Analysis
from rejudge.study.item_sample import Sample
from rejudge.study.model import Study

FEW = settings(max_examples=examples(40))
_OF_20 = "5 of the 20 inputs in items.csv were selected"
WEIGHTS = st.one_of(
    st.floats(0, 1e308, allow_subnormal=True),
    st.sampled_from([0.0, 1.0, 1e-300, 5e-324, 1e300]),
    st.integers(0, 10).map(float),
)


def study_with(sample: dict, *, weights=(), strata=(), listed=(), **shape: Any) -> Study:
    """A study whose items have these weights, strata or marks, in their order."""
    plain = make_study(**shape)
    items = [
        replace(
            item,
            weight=float(weights[n]) if weights else None,
            stratum=strata[n] if strata else None,
            is_listed=bool(listed[n]) if listed else False,
        )
        for n, item in enumerate(plain.items)
    ]
    chosen = plain.spec.items.model_copy(update={"sample": Sample.model_validate(sample)})
    return replace(plain, spec=plain.spec.model_copy(update={"items": chosen}), items=tuple(items))


def selection_of(study: Study, seed: int = 1) -> Selection:
    found = select_inputs(study, Chance(seed))[1]
    assert found is not None
    return found


def weighted(weights, size: int, **shape: Any) -> Study:
    sample = {"inputs": size, "method": "weighted", "column": "w"}
    return study_with(sample, weights=weights, inputs=len(weights), **shape)


def test_a_study_that_names_no_method_has_no_selection():
    assert draw(make_study(inputs=30, datasets=3, sample=12)).selection is None


# ── known probabilities ──────────────────────────────────────────────────────────────────────────


class _Given(Chance):
    """Chance that is told what to do."""

    def __init__(self, order: tuple[str, ...], start: int) -> None:
        super().__init__(0)
        self._order, self._start = order, start

    def stream(self, *_path: str | int) -> _Given:
        return self

    def shuffle(self, _things: object) -> list[str]:
        return list(self._order)

    def below(self, _n: int) -> int:
        return self._start


@pytest.mark.parametrize(
    ("weights", "size"), [((1, 1, 1, 1), 2), ((1, 2, 3, 4), 2), ((1, 2, 2, 3, 3), 3)]
)
def test_over_all_orders_and_starts_inputs_are_selected_in_proportion_to_their_weights(
    weights, size
):
    """Every order and every start is equally likely, so counting them gives the probability."""
    of = {str(n): weight for n, weight in enumerate(weights)}
    total, counts = sum(weights), Counter()
    orders = list(itertools.permutations(of))
    for order in orders:
        for start in range(total):
            names = _systematic(of, size, _Given(order, start))
            assert len(names) == size
            counts.update(names)
    cases = len(orders) * total
    assert {name: Fraction(counts[name], cases) for name in of} == {
        name: Fraction(size * weight, total) for name, weight in of.items()
    }


@FEW
@given(st.lists(WEIGHTS, min_size=1, max_size=30), st.integers(1, 30), st.integers(0, 2**32))
def test_a_weighted_sample_has_its_size_and_probabilities_of_the_weights(weights, size, seed):
    possible = sum(w > 0 for w in weights)
    study = weighted(weights, size)
    if size > min(possible, len(weights)):
        with pytest.raises(DesignError, match="are requested, but"):
            select_inputs(study, Chance(seed))
        return
    found = selection_of(study, seed)
    of = {f"i{n}": w for n, w in enumerate(weights)}
    assert len(found.selected) == size
    assert all(0 < each.probability <= 1 and of[each.input] > 0 for each in found.selected)
    uncertain = [each for each in found.selected if each.probability < 1]
    for one, two in itertools.pairwise(uncertain):
        assert Fraction(one.probability) * Fraction(of[two.input]) == pytest.approx(
            float(Fraction(two.probability) * Fraction(of[one.input])), rel=1e-9
        )
    assert found.impossible == len(weights) - possible
    assert 1 - 1e-9 <= found.effective_inputs <= size + 1e-9


@FEW
@given(st.lists(st.integers(1, 1000), min_size=2, max_size=40), st.data())
def test_the_probabilities_of_all_inputs_sum_to_the_size_of_the_sample(weights, data):
    size = data.draw(st.integers(1, len(weights)))
    of = {str(n): weight for n, weight in enumerate(weights)}
    certain = _certain_inputs(of, size)
    rest = {name: weight for name, weight in of.items() if name not in certain}
    left, total = size - len(certain), sum(rest.values())
    shares = [Fraction(left * weight, total) for weight in rest.values()]
    assert len(certain) + sum(shares) == size
    assert all(share < 1 for share in shares)


def test_stored_probabilities_are_the_frequencies_of_many_draws():
    """200 seeds: the draws are always the same, so this never fails by chance (5 SD allowed)."""
    weights = [0.5, 1, 1, 2, 3, 4, 8, 0.25, 1.5, 30]
    counts, stored = Counter(), {}
    for seed in range(200):
        found = selection_of(weighted(weights, 4), seed)
        counts.update(each.input for each in found.selected)
        stored |= {each.input: each.probability for each in found.selected}
    assert stored["i9"] == 1
    assert len(stored) == len(weights)
    for name, share in stored.items():
        assert abs(counts[name] / 200 - share) <= 5 * math.sqrt(share * (1 - share) / 200)


@FEW
@given(st.integers(1, 40), st.data())
def test_equal_weights_are_a_simple_random_sample(inputs, data):
    size = data.draw(st.integers(1, inputs))
    weight = data.draw(st.floats(1e-300, 1e300))
    found = selection_of(weighted([weight] * inputs, size), data.draw(st.integers(0, 999)))
    plain = selection_of(study_with({"inputs": size, "method": "random"}, inputs=inputs))
    assert found.has_equal_probabilities
    assert plain.has_equal_probabilities
    assert found.selected[0].probability == pytest.approx(plain.selected[0].probability)
    assert found.effective_inputs == pytest.approx(size)


def test_one_huge_weight_is_certain_and_leaves_the_others_their_places():
    found = selection_of(weighted([1e9, 1, 1, 1, 1], 2))
    by_input = {each.input: each.probability for each in found.selected}
    assert by_input.pop("i0") == 1
    assert list(by_input.values()) == [0.25]
    assert found.certain == 1
    # weights 1 and 4: (1 + 4)² / (1 + 16)
    assert found.effective_inputs == pytest.approx(25 / 17)
    assert found.design_effect == pytest.approx(2 * 17 / 25)


def test_the_weights_of_items_that_share_an_input_add_up():
    study = weighted([1, 1, 3, 3, 0, 4], 1, items_per_input=1)
    grouped = replace(
        study, items=tuple(replace(i, group=f"g{n // 2}") for n, i in enumerate(study.items))
    )
    share = {
        each.input: each.probability
        for seed in range(60)
        for each in selection_of(grouped, seed).selected
    }
    assert share == {"g0": 2 / 12, "g1": 6 / 12, "g2": 4 / 12}


# ── strata ───────────────────────────────────────────────────────────────────────────────────────


def test_equal_numbers_from_unequal_strata_have_unequal_probabilities():
    strata = ["news"] * 30 + ["法律"] * 10
    sample = {"inputs": 10, "method": "stratified", "column": "genre"}
    found = selection_of(study_with(sample, strata=strata, inputs=40))
    assert Counter((e.stratum, e.probability) for e in found.selected) == {
        ("news", 5 / 30): 5,
        ("法律", 0.5): 5,
    }
    assert found.strata == {"news": 30, "法律": 10}
    assert not found.has_equal_probabilities


def test_proportional_numbers_have_equal_probabilities():
    sample = {"inputs": 8, "method": "stratified", "column": "genre", "allocation": "proportional"}
    found = selection_of(study_with(sample, strata=["a"] * 30 + ["b"] * 10, inputs=40))
    assert Counter(e.stratum for e in found.selected) == {"a": 6, "b": 2}
    assert found.has_equal_probabilities


def test_without_a_column_strata_are_the_datasets():
    found = selection_of(study_with({"inputs": 6, "method": "stratified"}, inputs=30, datasets=3))
    assert Counter(e.stratum for e in found.selected) == {"set0": 2, "set1": 2, "set2": 2}


@FEW
@given(
    st.dictionaries(st.text("abcdef", min_size=1), st.integers(1, 60), min_size=1, max_size=8),
    st.integers(1, 300),
    st.integers(),
)
def test_proportional_quotas_use_every_place_and_are_near_the_exact_share(sizes, wanted, seed):
    total = min(wanted, sum(sizes.values()))
    quota = proportional_quotas(sizes, total, Chance(seed))
    assert sum(quota.values()) == total
    assert all(0 <= quota[name] <= sizes[name] for name in sizes)
    assert total < len(sizes) or min(quota.values()) >= 1
    whole = sum(sizes.values())
    above = [quota[n] - total * sizes[n] / whole for n in sizes if quota[n] > 1]
    assert max(above, default=0) < 1


def test_a_stratum_that_gets_no_place_is_named():
    sample = {"inputs": 2, "method": "stratified", "column": "g"}
    study = study_with(sample, strata=["a", "b", "c", "c"], inputs=4)
    sampled, found = select_inputs(study, Chance(1))
    assert found.impossible in (1, 2)
    assert "results do not cover it" in sampled.notes[0]


# ── listed ───────────────────────────────────────────────────────────────────────────────────────


def test_listed_inputs_take_part_and_have_no_probability():
    study = study_with({"method": "listed", "column": "use"}, listed=[1, 0, 1, 0], inputs=4)
    sampled, found = select_inputs(study, Chance(1))
    assert [each.group for each in sampled.chosen] == ["i0", "i2"]
    assert [each.group for each in sampled.spare] == ["i1", "i3"]
    assert [each.probability for each in found.selected] == [None, None]
    assert (found.effective_inputs, found.design_effect) == (None, None)
    assert not found.has_equal_probabilities


@pytest.mark.parametrize(
    ("sample", "listed", "message"),
    [
        ({"method": "listed", "column": "use"}, [0, 0], "no item is listed in the column 'use'"),
        ({"method": "listed", "ids": ["x"]}, [0, 0], "no item is listed in items.sample.ids"),
        ({"method": "listed", "column": "use", "inputs": 2}, [1, 0], "2 inputs are requested"),
        ({"method": "random", "inputs": 3}, [0, 0], "3 inputs are requested, but items.csv has 2"),
    ],
)
def test_a_sample_that_cannot_be_drawn_says_why(sample, listed, message):
    with pytest.raises(DesignError, match=message):
        draw(study_with(sample, listed=listed, inputs=2))


def test_more_inputs_than_have_a_weight_cannot_be_drawn():
    with pytest.raises(DesignError, match="only 2 of 4 have a weight above 0 in the column 'w'"):
        draw(weighted([0, 1, 0, 1], 3))


# ── the plan ─────────────────────────────────────────────────────────────────────────────────────


def test_a_plan_keeps_the_probabilities_in_its_file_and_its_fingerprint(tmp_path):
    plan = draw(weighted([1, 2, 3, 4, 5, 6, 7, 8], 5, systems=2))
    write(plan, tmp_path / PLAN, made_from={}, force=False)
    again = read(Plan, tmp_path / PLAN)
    assert again == plan
    assert again.selection.weights == plan.selection.weights
    changed = replace(plan, selection=replace(plan.selection, inputs=9))
    assert changed.fingerprint != plan.fingerprint


def test_inputs_that_were_not_selected_serve_as_checks():
    study = weighted([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 5, systems=2,
                     checks=[{"id": "gold", "kind": "gold", "question": "meaning"}])  # fmt: skip
    plan = draw(study)
    judged = {task.item for task in plan.tasks() if task.is_real}
    assert judged == set(plan.selection.weights)
    assert all(task.item not in judged for task in plan.tasks() if not task.is_real)


@pytest.mark.parametrize(
    ("study", "words"),
    [
        (
            study_with({"inputs": 5, "method": "random"}, inputs=20),
            f"{_OF_20} at random, each with probability 0.25.",
        ),
        (
            weighted([100, *[1] * 19], 5),
            (
                f"{_OF_20} with probabilities in proportion to 'w' (1 with certainty), with an "
                "effective sample size of 4.384 (design effect 1.14)."
            ),
        ),
        (
            study_with({"inputs": 5, "method": "stratified"}, inputs=20, datasets=1),
            (
                f"{_OF_20} at random from 1 stratum by dataset, equally, with an effective sample "
                "size of 5 (design effect 1.00)."
            ),
        ),
        (
            study_with({"method": "listed", "ids": ["i1"]}, listed=[0, 1], inputs=2),
            (
                "1 of the 2 inputs in items.csv was selected by the researchers, who listed them "
                "in study.yaml."
            ),
        ),
    ],
)
def test_a_selection_is_described_in_a_sentence(study, words):
    """Weighted: one weight of 1 and four of 19/4, so that n is 20² / (1 + 4 · 4.75²)."""
    assert selection_of(study).describe("items.csv") == words


def test_a_limit_beyond_64_bits_is_drawn_evenly():
    """The top bit of a number below 2¹⁰⁰ is set in half of 400 draws, SD 10; 5 SD allowed."""
    chance = Chance(5)
    numbers = [chance.below(2**100) for _ in range(400)]
    assert all(0 <= number < 2**100 for number in numbers)
    assert abs(sum(number >> 99 for number in numbers) - 200) < 50


def test_a_weight_that_is_changed_after_the_freeze_is_named_with_its_item():
    study = weighted([1, 2, 3, 4], 2)
    analysis = Analysis(tests=[{"question": "meaning", "test": "cluster-robust"}])
    study = replace(study, spec=study.spec.model_copy(update={"analysis": analysis}))
    record = freeze(study, draw(study), at=datetime(2026, 1, 1, tzinfo=UTC))
    items = (replace(study.items[0], weight=9.0), *study.items[1:])
    found = changes_since_freeze(record, replace(study, items=items), draw(study))
    assert [change.path for change in found] == ["items[i0]"]
