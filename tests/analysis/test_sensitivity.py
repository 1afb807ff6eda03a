"""What a study could detect, how its intervals would narrow, and how reliable it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, SEGMENTS, analysed, by_id, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.results import Results
from rejudge.files.step_files import read, write
from rejudge.judgments.table import Judgment, Judgments
from rejudge.simulate.parameters import Parameters
from rejudge.stats import g_study, reliability, smallest_detectable
from rejudge.tables.results import result_tables

PEOPLE = ("p1", "p2", "p3", "p4")


def rated(values: dict[tuple[str, str], tuple[float, float]]):
    """Scores of ash and beech by participant and item."""
    return [
        Judgment(person, item, "fluency", score, system=system)
        for (person, item), scores in values.items()
        for system, score in zip(("ash", "beech"), scores, strict=True)
    ]


def mixed_bag():
    return rated(
        {
            (person, f"i{n}"): (1 + (n * k) % 4, 1 + (n + 2 * k) % 4)
            for k, person in enumerate(PEOPLE, start=1)
            for n in range(6)
        }
    )


def table(rows, **asked: Any):
    return analyse(Judgments.from_rows(rows), **asked)


def test_each_comparison_says_what_it_could_detect():
    """By the standard error of the finding, at 5 % and, with three pairs planned, at 5/3 %."""
    results = analysed(small_study(PAIRWISE))
    assert len(results.sensitivity) == 3
    for each in results.sensitivity:
        finding = by_id(results)[each.finding]
        assert (each.tests, each.correction, each.unit) == (3, "holm", "percentage points")
        assert (each.standard_error, each.df) == (finding.standard_error, finding.df)
        wanted = smallest_detectable(each.standard_error, each.df, power=0.9, alpha=0.05 / 3)
        assert each.smallest(0.9) == pytest.approx(wanted)
        assert each.smallest(0.9) > each.smallest(0.8) > each.smallest(0.8, corrected=False)


def test_the_observed_difference_does_not_matter():
    """Two studies with the same errors, in one of which beech is better by a point more."""
    near = mixed_bag()
    far = [replace(row, value=row.value + (row.system == "beech")) for row in near]
    first, second = (table(rows).sensitivity[0] for rows in (near, far))
    assert first.smallest() == pytest.approx(second.smallest())


def test_without_a_plan_headline_and_check_are_shown():
    results = table(mixed_bag())
    assert [each.by for each in results.sensitivity] == ["paired-t", "cluster-robust"]
    assert results.sensitivity[0].unit == "points of the scale"
    assert not results.sensitivity[0].is_planned


@pytest.mark.parametrize("test", ["sign-flip", "wilcoxon", "mann-whitney"])
def test_a_test_without_a_standard_error_points_to_the_one_that_has_it(test):
    question = PAIRWISE if test == "sign-flip" else RATING
    study = small_study(question, analysis={"tests": [{"question": question["id"], "test": test}]})
    found = analysed(study).sensitivity
    planned = [each for each in found if each.by == test]
    assert planned
    assert all(each.smallest() is None and "cluster-robust" in each.note for each in planned)
    assert [each for each in found if each.by == "cluster-robust" and not each.is_planned]


@pytest.mark.parametrize(
    "test", ["t-test", "welch", "paired-t", "mixed-model", "ordinal-mixed-model", "one-way-anova"]
)
def test_every_test_with_a_standard_error_says_what_it_could_detect(test):
    study = small_study(RATING, analysis={"tests": [{"question": "fluency", "test": test}]})
    found = [each for each in analysed(study).sensitivity if each.by == test]
    assert len(found) == 3
    assert all(each.smallest() is not None for each in found)


def test_tukeys_differences_have_a_critical_value_of_their_own():
    study = small_study(
        RATING, analysis={"tests": [{"question": "fluency", "test": "one-way-anova"}]}
    )
    tukey = next(each for each in analysed(study).sensitivity if each.by == "one-way-anova")
    assert (tukey.tests, tukey.correction) == (1, "tukey")
    assert tukey.smallest() > tukey.smallest(corrected=False)


def test_a_difference_that_the_scale_does_not_have_is_not_given():
    """Two people and large errors: nothing within four points would be found."""
    rows = rated({("p1", "i0"): (1, 5), ("p1", "i1"): (2, 1), ("p2", "i0"): (5, 1),
                  ("p2", "i1"): (3, 5)})  # fmt: skip
    each = table(rows, scale=(1, 5)).sensitivity[0]
    assert each.standard_error is not None
    assert each.smallest() is None
    assert "largest difference on the scale" in each.note


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (rated({("p1", f"i{n}"): (1 + n % 3, 2) for n in range(5)}), "two participants"),
        (rated({(p, f"i{n}"): (3, 3) for p in PEOPLE for n in range(3)}), "do not vary"),
    ],
    ids=["one participant", "no variation"],
)
def test_what_cannot_be_told_has_a_note(rows, why):
    results = table(rows)
    check = results.sensitivity[-1]
    assert (check.by, check.detects) == ("cluster-robust", ())
    assert why in check.note
    assert results.precision[0].by_participants == ()
    assert why in results.precision[0].note


def test_precision_is_the_interval_of_the_finding_it_names_where_cells_are_missing():
    """Where systems were judged on different items, they are compared within items."""
    kept = [
        row
        for n, row in enumerate(mixed_bag())
        if n % 5 and (row.item, row.system) != ("i1", "ash")
    ]
    results = analyse(Judgments.from_rows(kept), scale=(1, 5))
    (precision,) = results.precision
    finding = by_id(results)[precision.finding]
    half = (finding.interval.high - finding.interval.low) / 2
    people = next(p for p in precision.by_participants if p.participants == finding.participants)
    items = next(p for p in precision.by_items if p.items == finding.items)
    assert (people.half_width, items.half_width) == (pytest.approx(half), pytest.approx(half))


def test_precision_begins_with_the_interval_of_the_study():
    results = table(mixed_bag())
    precision = results.precision[0]
    interval = by_id(results)[precision.finding].interval
    now = next(point for point in precision.by_participants if point.participants == 4)
    assert now.half_width == pytest.approx((interval.high - interval.low) / 2)
    assert (now.items, now.judgments, now.cost) == (6, 48, None)
    assert [point.participants for point in precision.by_participants] == [2, 4, 6, 8, 16]
    assert [point.items for point in precision.by_items] == [3, 6, 9, 12, 24]
    assert [point.judgments for point in precision.by_items] == [24, 48, 72, 96, 192]


def test_what_makes_the_interval_wide_adds_up():
    results = table(mixed_bag())
    parts = results.precision[0]
    error = by_id(results)[parts.finding].standard_error
    total = parts.from_items + parts.from_participants + parts.from_rest
    assert total * 4 / 3 == pytest.approx(error**2)  # G/(G − 1) of four people


def test_cost_is_that_of_the_study_in_proportion():
    """GBP 3 to each of the participants and a fee of 10 % are 3.30 for one."""
    study = small_study(PAIRWISE, payment={"reward": 3, "currency": "GBP", "fee_percent": 10})
    precision = analysed(study).precision[0]
    assert precision.currency == "GBP"
    for point in precision.by_participants:
        assert point.cost == pytest.approx(3.3 * point.participants)


def test_an_unpaid_study_has_no_cost():
    precision = analysed(small_study(PAIRWISE)).precision[0]
    assert precision.currency is None
    assert all(point.cost is None for point in precision.by_participants)


def test_results_with_all_of_it_are_read_as_they_were_written(tmp_path):
    results = analysed(small_study(RATING), parameters=Parameters(careless=0.2))
    write(results, tmp_path / "results.json", made_from={}, force=False)
    assert read(Results, tmp_path / "results.json") == results


def crossed(systems=3, items=6, people=4):
    """Everybody scores everything, with more variance between items than anywhere else."""
    rng = np.random.default_rng(8)
    level = 2 * rng.normal(size=items)
    return [
        Judgment(f"p{p}", f"i{i}", "fluency", float(level[i] + s + rng.normal()), system=f"s{s}")
        for s in range(systems)
        for i in range(items)
        for p in range(people)
    ]


def of_rows(rows):
    """The variance components, and reliability by what grows."""
    results = analyse(Judgments.from_rows(rows))
    question = results.questions[0]
    return results.frame("variance", question), results.frame("reliability", question)


def sizes(frame, grows_by):
    return [row for row in frame.rows if row["grows_by"] == grows_by]


def test_a_crossed_table_has_the_parts_and_the_reliability_of_its_g_study():
    rows = crossed()
    variance, found = of_rows(rows)
    facets = {
        "system": np.array([int(row.system[1:]) for row in rows]),
        "item": np.array([int(row.item[1:]) for row in rows]),
        "participant": np.array([int(row.participant[1:]) for row in rows]),
    }
    study = g_study(np.array([row.value for row in rows]), facets)
    parts = tuple(part.variance for part in study.parts)
    assert variance.columns["variance"] == pytest.approx(parts)
    expected = reliability(study, "system", {"item": 6, "participant": 4})
    (now,) = sizes(found, "now")
    assert now["relative"] == pytest.approx(expected.relative)
    assert now["absolute"] == pytest.approx(expected.absolute)
    assert (now["participants"], now["items"], now["judgments"]) == (4, 6, 24)


def test_more_participants_or_items_make_systems_more_reliable():
    _, found = of_rows(crossed())
    people, items = sizes(found, "participants"), sizes(found, "items")
    for rows in (people, items):
        values = [row["relative"] for row in rows]
        assert values == sorted(values)
    assert [row["participants"] for row in people] == [2, 4, 6, 8, 16]
    assert [row["judgments"] for row in items] == [12, 24, 36, 48, 96]


def test_an_incomplete_design_counts_the_judgments_that_it_has():
    """Each item by two of four people: 12 judgments of each system, not 24."""
    rows = [row for row in crossed() if int(row.participant[1:]) // 2 == int(row.item[1:]) % 2]
    _, found = of_rows(rows)
    assert sizes(found, "now")[0]["judgments"] == 12


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([row for row in crossed() if row.system == "s0"], "only one system"),
        ([row for row in crossed() if row.participant == "p0"], "only one participant"),
        ([row for row in crossed() if row.item == "i0"], "only one item"),
        (
            [row for row in crossed(items=4) if row.participant[1:] == row.item[1:]],
            "cannot all be separated",
        ),
    ],
)
def test_what_is_undefined_says_why(rows, reason):
    _, found = of_rows(rows)
    assert found.rows == ()
    assert reason in " ".join(found.notes)


def test_systems_that_were_judged_on_different_items_have_no_reliability():
    """s2 has the three harder items alone: their difficulty would count as part of the system."""
    rows = crossed()
    hard = {"i0", "i1", "i2"}
    _, found = of_rows([row for row in rows if row.system != "s2" or row.item in hard])
    assert found.rows == ()
    assert "judged on different items" in found.notes[0]


def test_choices_have_no_parts():
    results = analysed(small_study(PAIRWISE))
    found = results.frame("reliability", "meaning")
    assert found.rows == results.frame("variance", "meaning").rows == ()
    assert "another's loss" in found.notes[0]


def test_the_numbers_are_stored_read_back_and_written_as_tables(tmp_path):
    results = analysed(small_study(RATING, SEGMENTS))
    path = tmp_path / "results.json"
    write(results, path, made_from={}, force=False)
    again = read(Results, path)
    assert again.frames == results.frames
    tables = {sheet.name: sheet for sheet in result_tables(again)}
    assert len(tables["variance"].rows) == 14
    assert {row[0] for row in tables["reliability"].rows} == {"fluency", "facts"}


def test_an_error_without_degrees_of_freedom_detects_nothing():
    """One item and three participants: the model has an error but no test."""
    scores = {("p1", "i0"): (5, 2), ("p2", "i0"): (1, 2), ("p3", "i0"): (3, 5)}
    tests = [{"question": "fluency", "test": "mixed-model"}]
    study = small_study(RATING, analysis={"tests": tests})
    table = Judgments.from_rows(rated(scores), systems=study.system_ids)
    found = analyse(table, study=study, seed=1)

    (planned,) = (each for each in found.sensitivity if each.by == "mixed-model")
    assert planned.detects == ()
    assert "No test" in planned.note
