"""The planned analysis of a study, from answers to findings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judged_study import (
    PAIRWISE,
    analysed,
    by_id,
    checked_study,
    chosen,
    drawn,
    of_rows,
    scored,
    small_study,
)
from property_settings import examples
from rejudge.analysis.analyse import analyse
from rejudge.errors import DataError
from rejudge.findings.model import WITHOUT_EXCLUSIONS
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import ExclusionRules, exclude, exclude_rows
from rejudge.judgments.table import Judgments
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import judge


def test_planned_tests_that_cannot_be_computed_are_listed_with_the_reason_and_not_replaced():
    """An ordinal mixed model needs scores; the intraclass correlation too."""
    tests = [{"question": "meaning", "test": t} for t in ("cluster-robust", "ordinal-mixed-model")]
    analysis = {"tests": tests, "agreement": ["percent", "icc"]}
    found = by_id(analysed(small_study(PAIRWISE, analysis=analysis)))
    missing = [found[f"meaning.{name}"] for name in ("ordinal-mixed-model", "icc")]
    assert [finding.value for finding in missing] == [None, None]
    assert all("scores" in finding.note or "score " in finding.note for finding in missing)
    assert all(finding.is_planned for finding in missing)
    assert "meaning.krippendorff-alpha" not in found


def test_without_a_plan_everything_is_exploratory():
    study = small_study(PAIRWISE)
    unplanned = replace(study, spec=study.spec.model_copy(update={"analysis": None}))
    results = analysed(unplanned)
    assert not any(finding.is_planned for finding in results.findings)


def test_p_values_are_corrected_over_the_pairs_of_a_question():
    """Three pairs: the smallest p times 3, by Holm."""
    findings = [
        finding
        for finding in analysed(small_study(PAIRWISE)).findings
        if finding.by == "cluster-robust" and len(finding.systems) == 2
    ]
    smallest = min(findings, key=lambda finding: finding.p)
    assert smallest.p_adjusted == pytest.approx(min(1, 3 * smallest.p))
    assert smallest.is_supported == (smallest.p_adjusted < 0.05)


def test_agreement_is_given_by_pair_of_systems_and_for_new_people():
    found = by_id(analysed(small_study(PAIRWISE)))
    assert found["meaning.percent.ash.beech"].systems == ("ash", "beech")
    whole = found["meaning.krippendorff-alpha"]
    new, these = whole.interval_for_new_people, whole.interval
    assert new.high - new.low > these.high - these.low


def test_scores_and_comparisons_are_given_without_exclusions_too_and_a_change_is_named():
    """Four people prefer ash with one exception; four careless ones prefer beech."""
    study = small_study(PAIRWISE)
    rows = [
        chosen(f"p{p}", f"i{i}", ("a" if (p < 4) ^ (p == i) else "b"))
        for p in range(8)
        for i in range(12)
    ]
    table = Judgments.from_rows(rows, systems=study.system_ids)
    cleaned = exclude_rows(table, ExclusionRules(participants=("p4", "p5", "p6", "p7")))
    results = analyse(cleaned, study=study)
    without = {f.key.in_case("") for f in results.select(case=WITHOUT_EXCLUSIONS)}
    assert without == {f.key for f in results.select() if f.systems and f.measure != "agreement"}
    (changed,) = [each for each in results.depends if "cluster-robust" in each.finding]
    assert changed.choice == "exclusions"
    assert changed.outcomes == {"with": "first", "without": "open"}


def test_who_judges_the_same_again_is_compared_with_himself():
    """Three of four choices are the same again, though two were shown the other way round."""
    first = [chosen("p1", f"i{i}", value) for i, value in enumerate("aabb")]
    second = [
        replace(chosen("p1", f"i{i}", value, pair), kind="repeat", task="again")
        for i, (value, pair) in enumerate(
            [("a", ("ash", "beech")), ("b", ("beech", "ash")), ("a", ("beech", "ash")),
             ("a", ("ash", "beech"))]
        )
    ]  # fmt: skip
    found = by_id(analyse(Judgments.from_rows([*first, *second])))
    again = found["meaning.self-consistency.percent"]
    assert (again.value, again.n) == (75, 4)


def test_nothing_left_out_is_not_analysed_twice():
    assert analysed(small_study(PAIRWISE)).select(case=WITHOUT_EXCLUSIONS) == ()


def test_the_pull_of_the_first_side_is_measured():
    """Shown first and chosen: p1 on i0 (side a, a), p2 on i1 (side b, b); not: p1 on i1 (b, a)."""
    rows = [
        chosen("p1", "i0", "a", side="a"),
        chosen("p2", "i1", "b", side="b"),
        chosen("p1", "i1", "a", side="b"),
        chosen("p2", "i0", "a"),
    ]
    finding = by_id(of_rows(small_study(PAIRWISE), rows))["meaning.first-shown"]
    assert finding.value == pytest.approx(200 / 3)
    assert finding.n == 3


def test_three_participants_in_all_are_pointed_out():
    rows = [
        chosen(f"p{person}", f"i{item}", "ab"[(item * person) % 2])
        for item in range(8)
        for person in range(3)
    ]
    finding = by_id(of_rows(small_study(PAIRWISE), rows))["meaning.cluster-robust.ash.beech"]
    assert finding.note.startswith("Only 3 participants in all")


def test_a_second_judgment_of_the_same_thing_is_refused():
    rows = [chosen("p1", "i0", "a"), chosen("p1", "i0", "b")]
    with pytest.raises(DataError, match="made twice by the same participant") as caught:
        of_rows(small_study(PAIRWISE), rows)
    assert "repeat" in caught.value.problems[0].remedy


def test_judgments_of_another_study_are_refused():
    rows = [
        chosen("p1", "i0", "a", ("ash", "oak")),
        chosen("p1", "elsewhere", "a"),
        scored("p1", "i0", "ash", 3.0),
    ]
    with pytest.raises(DataError) as caught:
        of_rows(small_study(PAIRWISE), rows)
    said = str(caught.value)
    assert "'oak'" in said
    assert "'elsewhere'" in said
    assert "'fluency'" in said


def test_nothing_judged_gives_undefined_numbers_with_reasons():
    results = of_rows(small_study(PAIRWISE), [])
    assert all(finding.value is None and finding.note for finding in results.findings)


def test_the_flow_adds_up_and_says_that_people_were_simulated():
    results = analysed(checked_study(PAIRWISE), parameters=Parameters(careless=0.4))
    flow = results.flow
    assert flow.rows - flow.rows_kept == sum(each.rows for each in flow.exclusions)
    assert flow.rows - flow.rows_kept == sum(results.signature.excluded_rows.values())
    assert flow.participants - flow.participants_kept == len(flow.exclusions) > 0
    assert flow.is_simulated
    assert flow.simulated_rows == flow.rows


@settings(max_examples=examples(8))
@given(st.permutations(range(36)))
def test_the_order_of_rows_does_not_matter(order):
    study = small_study(PAIRWISE, inputs=12, design={"participants_per_batch": 1})
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(1))
    results = [
        analyse(exclude(study, plan, tabulate(study, plan, each)), study=study, plan=plan)
        for each in (answers, [answers[place] for place in order])
    ]
    assert results[0].signature == results[1].signature
    for usual, other in zip(results[0].findings, results[1].findings, strict=True):
        assert other.value == pytest.approx(usual.value)
        assert other.p == pytest.approx(usual.p)


def test_participants_can_be_renamed():
    study = small_study(PAIRWISE)
    rows = [
        chosen(f"p{person}", f"i{item}", "ab"[(item + person) % 3 == 0])
        for item in range(9)
        for person in range(6)
    ]
    renamed = [replace(row, participant=f"x{9 - int(row.participant[1:])}") for row in rows]
    assert of_rows(study, rows).findings == of_rows(study, renamed).findings


@pytest.mark.slow
def test_a_true_difference_is_found_and_an_invented_one_is_not():
    """40 simulated studies each: with equal systems at most 10 % false alarms in any pair."""
    study = small_study(PAIRWISE, inputs=24)
    plan = drawn(study)

    def alarms(quality: dict[str, float]) -> int:
        results = (
            analyse(exclude(study, plan, tabulate(study, plan, answers)), study=study, plan=plan)
            for answers in (
                judge(study, plan, rng=np.random.default_rng(seed), parameters=Parameters(quality))
                for seed in range(40)
            )
        )
        return sum(any(f.is_supported for f in each.findings) for each in results)

    assert alarms({"ash": 0.0, "beech": 0.0, "cedar": 0.0}) <= 4
    assert alarms({"ash": 1.0, "beech": 0.0, "cedar": -1.0}) >= 38
