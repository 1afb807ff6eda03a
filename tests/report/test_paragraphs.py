"""Paragraphs for papers: real numbers, and nothing that is not true of the study."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, checked_study, drawn, small_study
from rejudge.analysis import Detectable, Sensitivity, analyse
from rejudge.design import Change, Earnings, quote
from rejudge.judgments import (
    ExclusionRules,
    Judgment,
    Judgments,
    exclude,
    exclude_rows,
    tabulate,
)
from rejudge.report import Designed, Subject
from rejudge.report.build import outcomes_of
from rejudge.report.effect_size import d_size, win_size
from rejudge.report.files import prose_files
from rejudge.report.limitations import limitations
from rejudge.report.methods import methods
from rejudge.report.people import earned_sentences
<<<<<<< HEAD
from rejudge.report.power import power_sentences
from rejudge.simulate import People, judge
=======
from rejudge.report.power import reach_sentences
from rejudge.simulate import SimulatedPeople, judge
>>>>>>> merge-cli


def subject_of(study, *, origin="people", people=None, **designed: object):
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(1), people=people)
    cleaned = exclude(study, plan, tabulate(study, plan, answers, origin=origin))
    results = analyse(cleaned, study=study, plan=plan, seed=7)
    return Subject(results, study.spec.title, designed=Designed(study, plan, **designed))


def methods_of(subject):
    return " ".join(methods(subject, outcomes_of(subject)))


def limits_of(subject):
    return " ".join(limitations(subject, outcomes_of(subject)))


def test_methods_hold_the_numbers_of_the_design():
    """12 of 16 inputs, 6 of each of two datasets, in batches of 3; 3 systems make 3 pairs each."""
    text = methods_of(subject_of(small_study(PAIRWISE)))
    assert "Three systems (Ash <tree>, Beech and Cedar) were compared on 12 inputs" in text
    assert "(6 from hills and 6 from woods), drawn at random out of 16" in text
    assert "4 batches of 9 tasks to judge; 3 participants were to do each batch" in text
    assert "“Which keeps the meaning?” (choice of two outputs, ties allowed)" in text


def test_methods_name_software_fingerprints_and_seed():
    subject = subject_of(small_study(RATING))
    signature = subject.results.signature
    text = methods_of(subject)
    for part in (signature.study, signature.plan, signature.judgments, "resampling 7"):
        assert part in text
    assert f"rejudge {signature.version}" in text


def test_methods_count_who_was_left_out():
    subject = subject_of(checked_study(PAIRWISE), people=SimulatedPeople(careless=0.6))
    flow = subject.results.flow
    text = methods_of(subject)
    assert flow.participants_kept < flow.participants
    assert f"Of {flow.participants} participants with {flow.real_rows:,} judgments" in text
    assert f"{flow.participants_kept:,} with {flow.real_rows_kept:,}" in text
    assert "Each batch held 1 check (gold)" in text


def test_methods_tell_pay_and_days_where_they_are_known():
    study = small_study(
        PAIRWISE, payment={"hourly": 12, "minutes": 10, "currency": "GBP", "fee_percent": 0}
    )
    plan = drawn(study)
    quoted = quote(study, plan, on=date(2026, 1, 5))
    earned = Earnings("GBP", Decimal("11.50"), Decimal(12), Decimal("0.09"), 12)
    subject = replace(
        subject_of(study, quote=quoted, earned=earned, changes=(), frozen_on=date(2026, 1, 5)),
        period=(date(2026, 1, 6), date(2026, 1, 9)),
    )
    text = methods_of(subject)
    assert "Participants were promised GBP 2.00 per batch, GBP 12.00 an hour" in text
    assert (
        "Median hourly pay of 12 paid participants, by the clock: GBP 11.50, less than the GBP 12"
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
    assert "How far participants agree beyond chance on meaning is not known." in limits_of(subject)
    assert "Agreement is given by percent agreement." in methods_of(subject)


def test_items_of_one_dataset_are_a_limitation_and_of_two_are_not():
    study = small_study(PAIRWISE)
    one = replace(study, items=tuple(replace(item, dataset="woods") for item in study.items))
    assert "All items come from one dataset (woods)." in limits_of(subject_of(one))
    assert "dataset" not in limits_of(subject_of(study))


def detecting(*sizes: float | None, correction="holm"):
    return [
        Sensitivity(
            finding=f"f{place}",
            question="fluency",
            by="cluster-robust",
            systems=("ash", "beech"),
            unit="points of the scale",
            n=10,
            standard_error=1.0,
            df=5,
            tests=len(sizes),
            correction=correction,
            detects=(Detectable(0.8, 0.05, is_corrected=True, difference=size),),
        )
        for place, size in enumerate(sizes)
    ]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (detecting(1.5), "of 1.50 points of the scale with 80\u202f% power."),
        (detecting(1.5, correction="tukey"), "with 80\u202f% power at the corrected level."),
        (
            detecting(1.5, 2.0, correction="none"),
            "2.00 points of the scale, by pair, with 80\u202f%",
        ),
        (detecting(1.5, 2.0), "with 80\u202f% power at the corrected level."),
        (detecting(1.5, None, None), "; for 2 of 3 pairs, none that the scale allows."),
        (detecting(None, None), "no true difference that the scale allows would be found"),
    ],
)
def test_what_could_be_detected_is_told_of_every_pair_and_at_its_level(found, said):
    (sentence,) = power_sentences(found)
    assert said in sentence


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (50, "very small"),
        (56, "small"),
        (36, "medium"),
        (64, "medium"),
        (71, "large"),
        (0, "large"),
    ],
)
def test_shares_of_wins_have_the_names_of_vargha_and_delaney(value, size):
    """Vargha & Delaney (2000): 0.56 is small, 0.64 medium, 0.71 large, and so below one half."""
    assert win_size(value) == size


@pytest.mark.parametrize(
    ("value", "size"),
    [(0.1, "very small"), (0.2, "small"), (-0.5, "medium"), (0.8, "large")],
)
def test_standardised_differences_have_the_names_of_cohen(value, size):
    """Cohen (1988): 0.2 is small, 0.5 medium, 0.8 large."""
    assert d_size(value) == size


def test_paragraphs_are_written_for_latex_and_for_markdown():
    files = prose_files("methods", ["“A_b” won 50\u202f% of R&D.", "So."])
    assert files["methods.tex"] == b"``A\\_b'' won 50\\,\\% of R\\&D. So.\n"
    assert files["methods.md"].decode() == "“A\\_b” won 50\u202f% of R&D. So.\n"


def test_times_that_are_too_short_are_not_reported_as_pay():
    said = " ".join(earned_sentences(Earnings("EUR", Decimal("912.22"), Decimal(12), None, 8)))
    assert "912" not in said
    assert said.startswith("The recorded times of 8 paid participants, by the clock, are implausib")
    kept = " ".join(earned_sentences(Earnings("EUR", Decimal("12.50"), Decimal(12), None, 1)))
    assert kept == (
        "Median hourly pay of 1 paid participant, by the clock: EUR 12.50, not less than the "
        "EUR 12 promised."
    )
