"""Compact tables of findings for the terminal."""

from __future__ import annotations

import pytest

from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further
from rejudge.analysis.outline import Grouping
from rejudge.judgments.table import Judgment, Judgments
from rejudge.tables.compact import case_findings, group_findings, question_findings


def judged(people: int = 6, items: int = 8) -> Judgments:
    return Judgments.from_rows(
        Judgment(f"p{p}", f"i{i}", "fluency", float(1 + (2 * p + 3 * i + s) % 5), system=system)
        for p in range(people)
        for i in range(items)
        for s, system in enumerate(("ash", "beech"))
    )


@pytest.fixture(scope="module")
def results():
    groups = Grouping("role", "items", {f"i{i}": ("agent", "user")[i % 2] for i in range(8)})
    further = Further(cases=("each", "majority"))
    return analyse(judged(), further=further, groupings=[groups])


def test_scores_come_first_and_each_finding_is_under_its_test(results):
    table = question_findings(results, "fluency", {"ash": "Ash"})
    assert table.column("under")[:2] == ("mean", "mean")
    assert table.column("finding")[:3] == ("Ash", "beech", "Ash – beech")
    assert str(table.column("under")[2]).startswith("headline: mixed-model, difference of means")


def test_the_level_of_the_intervals_is_in_the_heading(results):
    table = question_findings(results, "fluency", {})
    assert "95 % interval" in [column.heading for column in table.columns]


def test_changes_per_task_have_three_decimals_and_other_values_all_their_digits(results):
    means = {f.systems[0]: f.value for f in results.select("fluency", "mean")}
    table = question_findings(results, "fluency", {})
    assert table.rows[0][2] == means["ash"]


def test_coefficients_have_a_second_row_for_new_participants(results):
    names = question_findings(results, "fluency", {}).column("finding")
    place = names.index("krippendorff-alpha")
    assert names[place + 1] == "  for new participants"


def test_groups_have_their_systems_and_pairs(results):
    table = group_findings(results, results.groups[0], {})
    assert set(table.column("under")) == {"fluency, agent", "fluency, user"}
    assert table.column("finding")[:3] == ("ash", "beech", "ash – beech (paired-t)")


def test_cases_are_below_what_they_are_cases_of(results):
    table = case_findings(results, {})
    assert table.column("finding")[:2] == ("each", "majority")
    assert table.column("under")[0] == "fluency, ash, mean"


def test_an_analysis_without_cases_has_no_rows():
    assert not case_findings(analyse(judged()), {}).rows
