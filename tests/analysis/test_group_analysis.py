"""Estimates and tests within groups of items or participants."""

from __future__ import annotations

import numpy as np
import pytest

from judged_study import BEST_WORST, PAIRWISE, RATING, SEGMENTS, analysed, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further
from rejudge.analysis.outline import Grouping, grouping_of
from rejudge.analysis.results import Results
from rejudge.errors import UsageError
from rejudge.findings.model import Finding, Group
from rejudge.judgments.table import Coded, Judgment, Judgments

ROLES = {f"i{i}": ("agent", "user")[i % 2] for i in range(12)}


def rows(people: int = 6, items: int = 12, systems=("both", "multi", "none"), seed: int = 5):
    rng = np.random.default_rng(seed)
    lift = {"both": 0.8, "multi": 0.0, "none": -0.4}
    return [
        Judgment(
            f"p{p}",
            f"i{i}",
            "fluency",
            float(np.clip(round(3 + lift[s] * (1 + i % 2) + rng.normal(0, 0.9)), 1, 5)),
            system=s,
        )
        for p in range(people)
        for i in range(items)
        for s in systems
    ]


def by_role(judgments, **more: object):
    grouping = Grouping("role", "items", ROLES)
    return analyse(Judgments.from_rows(judgments), groupings=[grouping], scale=(1, 5), **more)


def of_group(results: Results, name: str) -> tuple[Finding, ...]:
    """The findings within one role."""
    return results.select(group=(Group("role", name),))


def interactions(results: Results, column: str = "role") -> list[Finding]:
    """The tests of whether differences differ between the groups of a column."""
    return [f for f in results.of_column(column) if f.measure == "interaction"]


def test_estimates_and_headlines_of_a_group_are_those_of_its_judgments_alone():
    judged = rows()
    results = by_role(judged)
    agents = [row for row in judged if ROLES[row.item] == "agent"]
    alone = analyse(Judgments.from_rows(agents), scale=(1, 5))
    own = {f.id: f for f in of_group(results, "agent")}
    means = {f.id: f for f in alone.select("fluency", "mean")}
    headlines = {f.id: f for f in alone.findings if f.role == "headline"}
    assert set(own) == {f"{name}@role=agent" for name in (*means, *headlines)}
    for name, expected in (means | headlines).items():
        assert own[f"{name}@role=agent"].value == pytest.approx(expected.value)
        assert own[f"{name}@role=agent"].p == pytest.approx(expected.p)
    (groups,) = results.groups
    assert [(size.name, size.judgments, size.items) for size in groups.sizes] == [
        ("agent", 108, 6),
        ("user", 108, 6),
    ]


def test_groups_of_a_table_are_exploratory_and_corrected_by_test_and_question_over_groups():
    """Three pairs in two groups: the smallest of six p times six, by Holm."""
    found = by_role(rows()).of_column("role")
    tested = [f for f in found if f.role == "headline"]
    smallest = min(tested, key=lambda f: f.p)
    assert len(tested) == 6
    assert not any(f.is_planned for f in found)
    assert smallest.p_adjusted == pytest.approx(min(1, 6 * smallest.p))
    apart = [f for f in found if f.measure == "interaction"]
    least = min(apart, key=lambda f: f.p)
    assert len(apart) == 3
    assert least.p_adjusted == pytest.approx(min(1, 3 * least.p))


def test_a_small_group_is_corrected_together_with_the_large_ones():
    """One item of its own: a paired t test by participant, in one family with the mixed models."""
    judged = rows(items=13)
    where = {**ROLES, "i12": "alone"}
    found = analyse(
        Judgments.from_rows(judged), groupings=[Grouping("role", "items", where)], scale=(1, 5)
    ).of_column("role")
    tested = [f for f in found if f.role == "headline"]
    assert {f.by for f in tested} == {"mixed-model", "paired-t"}
    ordered = sorted(tested, key=lambda f: f.p)
    steps = [(9 - place) * f.p for place, f in enumerate(ordered)]
    holm = [min(1, max(steps[: place + 1])) for place in range(9)]
    assert [f.p_adjusted for f in ordered] == pytest.approx(holm)


def test_groups_change_nothing_about_the_findings_of_a_table():
    judged = rows()
    plain = analyse(Judgments.from_rows(judged), scale=(1, 5))
    results = by_role(judged)
    assert results.of_column("role")
    assert results.select() == plain.findings


def test_only_the_named_pairs_are_compared_within_groups_and_between_them():
    results = by_role(rows(), further=Further(pairs=(("multi", "both"),)))
    pairs = {f.systems for f in results.of_column("role") if len(f.systems) == 2}
    assert pairs == {("multi", "both")}


def test_planned_groups_are_one_family_with_the_planned_tests():
    """One pair, over all and in two datasets, and the interaction: four p values."""
    tests = [{"question": "fluency", "test": "paired-t", "pairs": [["ash", "beech"]]}]
    study = small_study(RATING, analysis={"tests": tests, "groups": ["dataset"]})
    results = analysed(study)
    (groups,) = results.groups
    assert groups.is_planned
    planned = [
        f
        for f in results.select(group=None)
        if f.is_planned and f.p is not None and len(f.systems) == 2
    ]
    smallest = min(planned, key=lambda f: f.p)
    assert len(planned) == 2 + len(groups.sizes)
    assert smallest.p_adjusted == pytest.approx(min(1, len(planned) * smallest.p))
    sensitivity = next(each for each in results.sensitivity if each.is_planned)
    assert sensitivity.tests == len(planned)


@pytest.mark.parametrize("question", [PAIRWISE, RATING, SEGMENTS, BEST_WORST])
def test_every_kind_of_question_has_groups(question):
    tests = [{"question": question["id"], "test": "mixed-model"}]
    results = analysed(small_study(question, analysis={"tests": tests, "groups": ["dataset"]}))
    (groups,) = results.groups
    assert len(groups.sizes) == 2
    for size in groups.sizes:
        mine = results.select(group=(Group("dataset", size.name),))
        assert {*(f.systems[0] for f in mine if len(f.systems) == 1)} == {"ash", "beech", "cedar"}
        assert len([f for f in mine if f.role == "headline"]) == 3
    apart = interactions(results, "dataset")
    assert len(apart) == 3
    assert all(f.p is not None and f.population for f in apart)


def test_a_difference_between_groups_that_is_there_is_found():
    """The advantage of both over none is twice as large in one role: 2.4 and 1.2 points."""
    results = by_role(rows(people=12))
    apart = next(f for f in interactions(results) if f.systems == ("both", "none"))
    assert apart.is_supported
    assert apart.effect.value < 0  # agent minus user
    assert apart.effect.interval.high < 0


def test_with_few_participants_groups_are_compared_by_item_for_these_participants():
    apart = interactions(by_role(rows(people=3)))
    assert {f.population for f in apart} == {"items"}
    assert all("Welch's t test" in f.method for f in apart)


def test_a_group_with_too_little_data_is_listed_with_the_reason():
    judged = [
        row
        for row in rows()
        if ROLES[row.item] == "agent" or (row.item, row.participant) == ("i1", "p0")
    ]
    users = [f for f in of_group(by_role(judged), "user") if f.role == "headline"]
    assert len(users) == 3
    assert all(f.p is None and f.note for f in users)


def test_a_group_with_one_system_is_listed_with_the_reason():
    judged = [row for row in rows() if ROLES[row.item] == "agent" or row.system == "both"]
    results = by_role(judged)
    notes = [f.note for f in of_group(results, "user") if not f.systems]
    assert notes == ["Undefined: only one system was judged in this group."]
    assert all(f.p is None and f.note for f in interactions(results))


def test_a_column_groups_items_or_participants_as_it_belongs_to_them():
    judged = Judgments.from_rows(rows(people=4, items=6))
    of_items = Coded.of([ROLES[row.item] for row in judged.rows()])
    of_people = Coded.of([f"c{int(row.participant[1:]) % 2}" for row in judged.rows()])
    assert grouping_of("role", judged, of_items).of == "items"
    assert grouping_of("country", judged, of_people).of == "participants"
    assert grouping_of("country", judged, of_people).names == ("c0", "c1")


def test_a_column_that_belongs_to_neither_is_refused():
    judged = Judgments.from_rows(rows(people=4, items=6))
    systems = Coded.of([row.system for row in judged.rows()])
    with pytest.raises(UsageError, match="differs between judgments of the same item"):
        grouping_of("system", judged, systems)


def test_a_column_with_one_value_or_too_many_is_refused():
    judged = Judgments.from_rows(rows(people=2, items=60))
    with pytest.raises(UsageError, match="is 'x' in all rows"):
        grouping_of("all", judged, Coded.of(["x"] * len(judged)))
    with pytest.raises(UsageError, match="has 60 different values"):
        grouping_of("item", judged, judged.item)


def test_judgments_without_a_group_are_counted():
    judged = rows()
    grouping = Grouping("role", "items", {k: v for k, v in ROLES.items() if k != "i0"})
    (groups,) = analyse(Judgments.from_rows(judged), groupings=[grouping]).groups
    assert groups.without_group == 18
