"""Tests from moments are those that the analysis computes from the same table."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import pytest

from power_studies import parameters_of
from rejudge import stats
from rejudge.power import balanced, draw
from rejudge.power.balanced import moments_of
from rejudge.power.draw import PointRange, draw_scores
from rejudge.power.sizes import StudyShape

SCALE = PointRange(1, 5, 1)
SHAPES = [
    StudyShape(12, 4, 4),
    StudyShape(10, 3, 3, 3),
    StudyShape(16, 3, 12),
    StudyShape(16, 2, 8, 3),
    StudyShape(16, 1, 4),
    StudyShape(8, 3, 24),
]
STUDIES = 3


def p_of(tests):
    return tests.studies(np.zeros(0)).p


def columns_of(table, shape):
    """Value, column, item and participant of each judgment of one study."""
    column, place, item = (each.ravel() for each in np.indices(table.shape))
    block = np.repeat(np.arange(shape.blocks), shape.block_sizes)[item]
    person = block * shape.participants_per_item + place
    return table.ravel().astype(float), column, item, person


def scores_of(shape, seed=0):
    truth = parameters_of(
        *np.linspace(0.4, 0, shape.systems),
        item_difficulty=0.4,
        system_by_item=0.3,
        system_by_participant=0.15,
    )
    return draw_scores(shape, truth, SCALE, STUDIES, np.random.default_rng(seed))


def without_opinions(system, person, item):
    """What can vary at random, but for people's opinions of items: nobody simulates these."""
    groups = stats.random_groupings(system, {"participant": person, "item": item})
    return {name: codes for name, codes in groups.items() if name != "item × participant"}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_mixed_model_of_scores_is_that_of_the_analysis(shape):
    tables = scores_of(shape)
    found = balanced.mixed_model(moments_of(tables, shape))
    for study, table in enumerate(tables):
        value, system, item, person = columns_of(table, shape)
        groups = without_opinions(system, person, item)
        fit = stats.linear_mixed(value, {"system": system}, groups)
        crossed = "system × participant"
        people = crossed if crossed in groups else "participant"
        limit = stats.limit_of_df(fit, people, ("participant", "item"))
        wanted = stats.level_contrasts(fit, "system", adjust="none", df_limit=limit)
        assert found.value[study] == pytest.approx([each.value for each in wanted])
        errors, df = [each.standard_error for each in wanted], [each.df for each in wanted]
        assert found.standard_error[study] == pytest.approx(errors, rel=1e-5)
        assert found.df[study] == pytest.approx(df, rel=1e-4)
        p = [each.test.p for each in wanted]
        assert p_of(found)[study] == pytest.approx(p, rel=1e-3)


@pytest.mark.parametrize("shape", SHAPES[:4], ids=str)
def test_the_cluster_robust_difference_of_scores_is_that_of_the_analysis(shape):
    tables = scores_of(shape)
    found = balanced.cluster_robust(moments_of(tables, shape))
    for study, table in enumerate(tables):
        value, system, item, person = columns_of(table, shape)
        for place, pair in enumerate(combinations(range(shape.systems), 2)):
            wanted = stats.adjusted_difference(value, system, pair, item=item, participant=person)
            assert found.standard_error[study, place] == pytest.approx(wanted.standard_error)
            assert found.df[study, place] == pytest.approx(wanted.df)


def means_by(code, table, shape, system):
    value, column, item, person = columns_of(table, shape)
    units = {"item": item, "participant": person, "judgment": np.arange(len(value))}[code]
    rows = column == system
    _, unit = np.unique(units[rows], return_inverse=True)
    return np.bincount(unit, value[rows]) / np.bincount(unit)


@pytest.mark.parametrize("unit", ["item", "participant", "judgment"])
@pytest.mark.parametrize("shape", SHAPES[:4], ids=str)
def test_t_tests_by_unit_are_those_of_the_analysis(shape, unit):
    tables = scores_of(shape)
    moments = moments_of(tables, shape)
    welch = partial(stats.t_test, equal_variances=False)
    tests = (
        (balanced.paired_t(moments, unit), stats.paired_t_test),
        (balanced.pooled_t(moments, unit), stats.t_test),
        (balanced.welch(moments, unit), welch),
    )
    for study, table in enumerate(tables):
        sides = [means_by(unit, table, shape, system) for system in (0, 1)]
        for found, wanted in tests:
            assert p_of(found)[study, 0] == pytest.approx(wanted(*sides).p)


def comparisons_of(table, shape):
    value, column, item, person = columns_of(table, shape)
    first, second = (np.array(side) for side in zip(*combinations(range(shape.systems), 2)))  # noqa: B905
    return stats.Comparisons(
        first=first[column],
        second=second[column],
        preference=(value + 1) / 2,
        item=item,
        participant=person,
        systems=shape.systems,
    )


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_models_of_choices_are_those_of_the_analysis(shape):
    truth = parameters_of(*np.linspace(0.4, 0, shape.systems), position_bias=0.4)
    rng = np.random.default_rng(5)
    tables = draw.draw_choices(shape, truth, STUDIES, rng, has_ties=True)
    sides = draw.sides(shape)
    alone = balanced.pair_models(
        moments_of(draw.without_sides(tables, sides, is_shared=False), shape), side_df=1
    )
    joint = balanced.joint_model(
        moments_of(draw.without_sides(tables, sides, is_shared=True), shape), side_df=1
    )
    robust = balanced.cluster_robust_pairs(moments_of(tables, shape), unit=50.0)
    for study, table in enumerate(tables):
        rows = comparisons_of(table, shape)
        side = np.broadcast_to(sides[:, None, :], table.shape).ravel()
        of_pair = stats.pair_model(rows, (0, 1), side=side).contrasts[0]
        of_all = stats.choice_model(rows, side=side, adjust="none").contrasts[0]
        rate = stats.pair_rates(rows)[0]
        for found, wanted, near in ((alone, of_pair, 1e-4), (joint, of_all, 1e-4)):
            assert found.value[study, 0] == pytest.approx(wanted.value - 50, abs=1e-4)
            assert found.standard_error[study, 0] == pytest.approx(wanted.standard_error, rel=near)
            assert found.df[study, 0] == pytest.approx(wanted.df, rel=1e-3)
        assert robust.standard_error[study, 0] == pytest.approx(rate.standard_error)


@pytest.mark.parametrize("shape", [SHAPES[1], SHAPES[3]], ids=str)
def test_models_of_whole_judgments_are_those_of_the_analysis(shape):
    rng = np.random.default_rng(6)
    seen = draw.draw_ranked(shape, parameters_of(0.3, 0, 0), STUDIES, rng)
    ranks = draw.ranking_scores(draw.implied_choices(seen), shape.systems)
    for tables in (ranks, draw.best_worst_scores(seen)):
        found = balanced.set_model(moments_of(tables, shape))
        for study, table in enumerate(tables):
            score, system, item, person = columns_of(table, shape)
            sets = stats.JudgedSets(item * 1000 + person, system, score, item, person, 3)
            wanted = stats.set_model(sets, adjust="none").contrasts
            errors = [each.standard_error for each in wanted]
            assert found.value[study] == pytest.approx([each.value for each in wanted])
            assert found.standard_error[study] == pytest.approx(errors, rel=1e-5)


def test_blocks_that_differ_by_an_item_are_nearly_those_of_the_analysis():
    shape = StudyShape(50, 3, 12)
    assert len(set(shape.block_sizes)) == 2
    tables = scores_of(shape)
    found = balanced.mixed_model(moments_of(tables, shape))
    for study, table in enumerate(tables):
        value, system, item, person = columns_of(table, shape)
        groups = without_opinions(system, person, item)
        fit = stats.linear_mixed(value, {"system": system}, groups)
        (wanted,) = stats.level_contrasts(fit, "system", adjust="none")
        assert found.value[study, 0] == pytest.approx(wanted.value, abs=0.01)
        assert found.standard_error[study, 0] == pytest.approx(wanted.standard_error, rel=0.02)


@pytest.mark.parametrize("test", balanced.SCORE_TESTS.values())
def test_scores_that_never_vary_have_no_p(test):
    shape = StudyShape(6, 3, 6)
    constant = np.ones((2, 2, 3, 6), dtype=np.float32)
    assert np.isnan(p_of(test(moments_of(constant, shape), "item"))).all()
