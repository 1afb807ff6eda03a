"""Paragraphs for papers: real numbers, and nothing that is not true of the study."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, checked_study, drawn, small_study
from rejudge.analysis.analyse import analyse
from rejudge.design.freeze import Change
from rejudge.design.pay import Earnings, quote_price
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import ExclusionRules, exclude, exclude_rows
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.build import outcomes_of
from rejudge.report.limitations import limitations
from rejudge.report.methods import methods
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import judge


def subject_of(study, *, origin="people", parameters=None, **designed: object):
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(1), parameters=parameters)
    cleaned = exclude(study, plan, tabulate(study, plan, answers, origin=origin))
    results = analyse(cleaned, study=study, plan=plan, seed=7)
    return Subject(results, study.spec.title, designed=PlannedStudy(study, plan, **designed))


def methods_of(subject):
    return " ".join(methods(subject, outcomes_of(subject)))


def limits_of(subject):
    return " ".join(limitations(subject, outcomes_of(subject)))


def test_methods_name_a_limit_of_the_degrees_of_freedom():
    """Everybody prefers Beech to the same degree: 2 × (6 − 1) at most."""
    rows = (
        Judgment(
            f"p{p}",
            f"i{i}",
            "fluency",
            3 + 0.2 * s + i % 3 / 4 + (0.5 if (i + s * (p + i // 2)) % 2 else -0.5),
            system=name,
        )
        for p in range(6)
        for i in range(20)
        for s, name in enumerate(("ash", "beech"))
    )
    subject = Subject(analyse(Judgments.from_rows(rows)), "table")
    assert "here limited to 10 = 2 × (6 participants − 1)" in methods_of(subject)


def test_questions_described_alike_share_a_sentence():
    """Two ratings differ in their degrees of freedom only."""
    text = methods_of(subject_of(small_study(RATING, {**RATING, "id": "ease"})))
    assert text.count("each system is described by") == 1
    assert "On fluency and ease, each system is described by the mean" in text


def test_methods_hold_the_numbers_of_the_design():
    """12 of 16 inputs, 6 of each of two datasets, in batches of 3; 3 systems make 3 pairs each."""
    text = methods_of(subject_of(small_study(PAIRWISE)))
    assert "Three systems (Ash <tree>, Beech and Cedar) were compared on 12 inputs" in text
    assert "(6 from hills and 6 from woods), drawn at random from 16" in text
    assert "4 batches of 9 tasks to judge; 3 participants were planned for each batch" in text
    assert "“Which keeps the meaning?” (choice of two outputs, ties allowed)" in text


def test_methods_name_software_fingerprints_and_seed():
    subject = subject_of(small_study(RATING))
    signature = subject.results.signature
    text = methods_of(subject)
    for part in (signature.study, signature.plan, signature.judgments, "resampling 7"):
        assert part in text
    assert f"rejudge {signature.version}" in text


def test_methods_count_who_was_left_out():
    subject = subject_of(checked_study(PAIRWISE), parameters=Parameters(careless=0.6))
    flow = subject.results.flow
    text = methods_of(subject)
    assert flow.participants_kept < flow.participants
    assert f"Of {flow.participants} participants with {flow.real_rows:,} judgments" in text
    assert f"{flow.participants_kept:,} with {flow.real_rows_kept:,}" in text
    answered = sum(check.answered for check in subject.results.checks)
    failed = sum(check.failed for check in subject.results.checks)
    assert (
        f"Each batch contained 1 check (gold); participants gave {answered} answers to these "
        f"checks, {failed} of them wrong."
    ) in text


def test_batches_that_were_given_are_not_said_to_be_drawn():
    subject = subject_of(small_study(PAIRWISE))
    assert "(plan drawn with seed " in methods_of(subject)
    plan = replace(subject.designed.plan, source="batches.csv")
    given = methods_of(replace(subject, designed=replace(subject.designed, plan=plan)))
    assert "(the batches were not drawn, but read from batches.csv)" in given
    assert "seed" not in given.replace("seed of resampling", "")


def test_every_planned_test_is_named_in_the_methods():
    tests = [{"question": "fluency", "test": each} for each in ("mixed-model", "one-way-anova")]
    text = methods_of(subject_of(small_study(RATING, analysis={"tests": tests})))
    assert (
        "Further tests were computed as planned: one-way ANOVA with Tukey’s test on fluency."
        in text
    )


def test_methods_tell_pay_and_days_where_they_are_known():
    study = small_study(
        PAIRWISE, payment={"hourly": 12, "minutes": 10, "currency": "GBP", "fee_percent": 0}
    )
    plan = drawn(study)
    quoted = quote_price(study, plan, on=date(2026, 1, 5))
    earned = Earnings("GBP", Decimal("11.50"), Decimal(12), Decimal("0.09"), 12)
    subject = replace(
        subject_of(study, quote=quoted, earned=earned, changes=(), frozen_on=date(2026, 1, 5)),
        period=(date(2026, 1, 6), date(2026, 1, 9)),
    )
    text = methods_of(subject)
    assert "Participants were promised GBP 2.00 per batch, GBP 12.00 an hour" in text
    assert (
        "Median hourly pay of 12 paid participants, by elapsed time: GBP 11.50, less than the GBP"
        in text
    )
    assert "They answered between 6 January 2026 and 9 January 2026." in text
    assert "frozen on 5 January 2026; nothing was changed afterwards" in text
    assert "Participants earned less per hour than was promised." in limits_of(subject)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (None, "The study was not frozen"),
        ((Change("title", "A", "B", "other"),), "1 change was made after the study was frozen."),
    ],
)
def test_limitations_tell_what_was_not_fixed(changes, said):
    assert said in limits_of(subject_of(small_study(PAIRWISE), changes=changes))


def test_a_frozen_study_by_people_has_no_limitation_of_that_kind():
    text = limits_of(subject_of(small_study(PAIRWISE), changes=()))
    assert "frozen" not in text
    assert "imulated" not in text


def test_simulated_judgments_are_the_first_limitation():
    text = limits_of(subject_of(small_study(PAIRWISE), origin="simulated"))
    assert text.startswith("All judgments were simulated by a program")


def test_agreement_that_is_known_only_in_percent_is_not_called_unknown():
    """Everybody always says the same: 100 % agree, and chance agreement cannot be told from it."""
    rows = [
        Judgment(f"p{p}", f"i{i}", "meaning", "a", system_a="ash", system_b="beech")
        for p in range(6)
        for i in range(8)
    ]
    table = Judgments.from_rows(rows)
    subject = Subject(analyse(exclude_rows(table, ExclusionRules())), "A table")
    assert "Agreement beyond chance is not known on meaning." in limits_of(subject)
    assert "Agreement is reported as percent agreement." in methods_of(subject)


def test_items_of_one_dataset_are_a_limitation_and_of_two_are_not():
    study = small_study(PAIRWISE)
    one = replace(study, items=tuple(replace(item, dataset="woods") for item in study.items))
    assert "All items come from one dataset (woods)." in limits_of(subject_of(one))
    assert "dataset" not in limits_of(subject_of(study))


def test_methods_and_limitations_say_how_inputs_were_selected():
    sample = {"sample": {"inputs": 12, "method": "random"}}
    subject = subject_of(small_study(RATING, items=sample))
    text = methods_of(subject)
    assert "12 of the 16 inputs in items.csv were selected at random, each with prob" in text
    assert "drawn at random out of" not in text
    plan = subject.designed.plan
    listed = replace(plan.selection, method="listed", impossible=1)
    chosen = replace(subject.designed, plan=replace(plan, selection=listed))
    limits = limits_of(replace(subject, designed=chosen))
    assert "The inputs were chosen by people, so results say nothing about other inputs." in limits
    assert "1 input of the item file could not be selected, and results do not cover it." in limits
