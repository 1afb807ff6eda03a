"""How many p values a plan corrects together: the same before and after the answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judged_study import (
    BEST_WORST,
    PAIRWISE,
    RATING,
    SEGMENTS,
    SLIDER,
    analysed,
    drawn,
    of_rows,
    scored,
    small_study,
)
from rejudge.findings.model import Key
from rejudge.findings.planned_keys import planned_keys
from rejudge.lint.rules import check
from rejudge.power.detectable import detectable_differences
from rejudge.power.plan import plan_tests

LABELS = {**RATING, "points": 3, "measured": "nominal"}


def study_of(*tests: dict, question=RATING, **analysis: object):
    listed = [{"question": question["id"], **test} for test in tests]
    return small_study(question, analysis={"tests": listed, **analysis})


CLUSTERED, MIXED = {"test": "cluster-robust"}, {"test": "mixed-model"}
ONE_PAIR = {"test": "mixed-model", "pairs": [["ash", "beech"]]}


def _tested(key: Key) -> Key:
    """A key; of a group without the test, which depends on what the group's data allow."""
    return replace(key, measure="", method="") if key.group_name else key


@pytest.mark.parametrize(
    ("study", "number"),
    [
        (study_of(MIXED), 3),
        (study_of(MIXED, CLUSTERED), 6),
        (study_of(CLUSTERED, {"test": "friedman"}), 4),
        (study_of(MIXED, groups=["dataset"]), 3 + 2 * 3 + 3),
        (study_of(MIXED, CLUSTERED, groups=["dataset"]), 6 + 2 * 3 + 3),
        (study_of(ONE_PAIR, groups=["dataset"]), 1 + 2 * 1 + 1),
        (study_of({"test": "friedman"}, groups=["dataset"]), 1 + 3),
        (study_of(MIXED, question=PAIRWISE, groups=["dataset"]), 3 + 2 * 3 + 3),
        (study_of(MIXED, question=BEST_WORST), 3),
        (study_of({"test": "joint-mixed-model"}, question=BEST_WORST, groups=["dataset"]), 3 + 9),
        (study_of(CLUSTERED, question=LABELS), 3 * 3),
        (study_of(CLUSTERED, MIXED, {"test": "friedman"}, question=LABELS), 3 * 3),
        (study_of(CLUSTERED, question=LABELS, groups=["dataset"]), 3 * 3),
        (study_of({**CLUSTERED, "pairs": [["ash", "beech"]]}, question=LABELS), 3),
        (study_of({"test": "paired-t"}, question=SLIDER, groups=["dataset"]), 3 + 2 * 3 + 3),
        (study_of(MIXED, question=SEGMENTS, groups=["dataset"]), 3 + 2 * 3 + 3),
        (study_of(MIXED, CLUSTERED, groups=["dataset"], correction="none"), 6 + 2 * 3 + 3),
    ],
    ids=lambda each: "" if isinstance(each, int) else "study",
)
def test_the_plan_counts_as_many_p_values_as_the_analysis_corrects(study, number):
    """Three systems are three pairs. Two datasets: the headline of each pair in both of them, and
    whether they differ. Three labels: each has its share."""
    results = analysed(study)
    found = results.select(group=None)
    corrected = [f for f in found if f.is_planned and f.p_adjusted is not None]
    planned = planned_keys(study, drawn(study))
    assert len(set(planned)) == len(planned) == number
    assert {_tested(key) for key in planned} == {_tested(each.key) for each in corrected}
    assert len(corrected) == number


def test_power_and_check_count_tests_within_groups():
    study = study_of(MIXED, groups=["dataset"])
    plan = drawn(study)
    assert plan_tests(study, plan=plan).comparisons == 12
    (found,) = detectable_differences(study, plan)
    assert (found.tests, found.level) == (12, 0.05 / 12)


def test_without_a_correction_no_test_is_corrected():
    study = study_of(MIXED, groups=["dataset"], correction="none")
    (found,) = detectable_differences(study, drawn(study))
    assert (found.tests, found.level) == (1, 0.05)
    (warning,) = [each for each in check(study, drawn(study)) if each.code == "R606"]
    assert "12 comparisons are planned" in warning.message


def test_the_power_of_shares_of_labels_is_not_simulated():
    questions = ({**LABELS, "id": "kind"}, RATING)
    tests = [{"question": "kind", **CLUSTERED}, {"question": "fluency", **MIXED}]
    study = small_study(*questions, analysis={"tests": tests})
    found = plan_tests(study)
    assert (found.questions, found.comparisons) == (("fluency",), 9 + 3)
    assert "their labels have no order: kind" in found.notes[-1]


def test_the_notes_say_how_many_planned_tests_have_a_result():
    study = study_of(CLUSTERED, MIXED)
    every = analysed(study)
    assert not [note for note in every.notes if "planned test" in note]
    rows = [
        scored(f"p{p}", f"i{i}", system, float((p * i + len(system)) % 5))
        for p in range(6)
        for i in range(8)
        for system in ("ash", "beech")
    ]
    fewer = of_rows(study, rows)
    assert any(note.startswith("2 of 6 planned tests have a result") for note in fewer.notes)
