"""What was asked for: some questions, a scale, a seed. The results say so and hold to it."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, drawn, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import DEFAULT_SEED, Further, FurtherTest
from rejudge.design.duration import ReadingFloor
from rejudge.errors import UsageError
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import (
    ExclusionRules,
    exclude,
    exclude_rows,
    excluded_csv,
    find_fast_batches,
)
from rejudge.judgments.table import Judgment, Judgments
from rejudge.simulate.people import judge


def two_questions() -> Judgments:
    """Four people judge fluency, 2 s a page, two of them meaning too, 60 s a page; cedar has
    judgments on meaning alone. p1 gives 9 rows on fluency, and p4 is slow on meaning."""
    rows = [
        Judgment(person, f"i{i}", "fluency", float(i + s), system=system, seconds=2.0 + i)
        for person in ("p1", "p2", "p3", "p4")
        for i in range(3)
        for s, system in enumerate(("ash", "beech"))
    ]
    rows += [
        Judgment(person, f"i{i}", "meaning", float(i), system=system, seconds=60.0 + i)
        for person in ("p1", "p2")
        for i in range(2)
        for system in ("ash", "cedar")
    ]
    return Judgments.from_rows(rows)


def test_counts_and_times_are_those_of_the_chosen_question():
    """meaning: 2 people × 2 items × 2 systems = 8 judgments; pages of 60 and 61 s."""
    results = analyse(two_questions(), questions=["meaning"])
    assert (results.flow.participants, results.flow.participants_kept) == (2, 2)
    assert (results.flow.rows, results.flow.real_rows_kept) == (8, 8)
    assert results.frame("times-pages").rows[0]["least"] >= 60
    assert results.frame("times-people").columns["participant"] == ("p1", "p2")
    assert results.questions == ("meaning",)
    assert {system for f in results.findings for system in f.systems} == {"ash", "cedar"}


def test_exclusions_are_counted_on_the_chosen_question():
    """p1 and p3 are excluded: p1 has 6 rows on fluency and 4 on meaning, p3 only 6 on fluency."""
    cleaned = exclude_rows(two_questions(), ExclusionRules(participants=("p1", "p3")))
    results = analyse(cleaned, questions=["meaning"])
    assert [(e.participant, e.rows) for e in results.flow.exclusions] == [("p1", 4)]
    assert results.signature.excluded_rows == {"named": 4}
    assert (results.flow.participants, results.flow.participants_kept) == (2, 1)
    part = cleaned.of_questions(["meaning"])
    assert len(excluded_csv(part).splitlines()) == 1 + 4
    assert part.of_questions(["meaning"]) is part
    assert len(part.of_questions(["fluency"]).collected) == 0


def test_everything_is_as_before_where_all_questions_are_named():
    table = two_questions()
    assert analyse(table, questions=["fluency", "meaning"]) == analyse(table)


def test_a_question_that_a_study_does_not_ask_is_refused():
    study = small_study(RATING)
    judgments = Judgments.from_rows([Judgment("p1", "i0", "fluency", 3.0, system="ash")])
    with pytest.raises(UsageError, match="no judgments on 'style'"):
        analyse(judgments, study=study, questions=["style"])


def test_the_fingerprint_is_that_of_the_whole_table():
    table = two_questions()
    part = analyse(table, questions=["meaning"])
    assert part.signature.judgments == analyse(table).signature.judgments
    assert part.signature.options == {"question": ("meaning",)}


def test_whatever_changes_a_number_is_kept_in_the_signature():
    results = analyse(
        two_questions(),
        level="interval",
        scale=(0, 4),
        coding="winner",
        questions=["fluency"],
        seed=7,
        further=Further(
            (FurtherTest("paired-t", "item"), FurtherTest("welch")), ("icc",), ("mean",)
        ),
    )
    assert results.signature.seed == 7
    assert results.signature.options == {
        "question": ("fluency",),
        "level": ("interval",),
        "scale": ("0..4",),
        "coding": ("winner",),
        "test": ("paired-t:item", "welch"),
        "agreement": ("icc",),
        "cases": ("mean",),
    }
    assert "scale 0..4; coding winner; test paired-t:item, welch" in results.signature.short


def test_nothing_is_said_where_nothing_was_asked_for():
    assert analyse(two_questions()).signature.options == {}


def test_there_is_one_default_seed():
    assert inspect.signature(analyse).parameters["seed"].default == DEFAULT_SEED
    assert analyse(two_questions()).signature.seed == DEFAULT_SEED


def test_a_study_restricts_its_counts_as_well():
    study = small_study(RATING, PAIRWISE)
    rows = [Judgment("p1", f"i{i}", "fluency", 3.0, system="ash") for i in range(3)]
    rows += [
        Judgment(p, "i0", "meaning", "a", system_a="ash", system_b="beech") for p in ("p2", "p3")
    ]
    judgments = Judgments.from_rows(rows, systems=study.system_ids)
    results = analyse(judgments, study=study, questions=["meaning"])
    assert (results.flow.participants, results.flow.real_rows) == (2, 2)


def test_choosing_a_question_makes_nobody_too_fast():
    """The floor is that of a whole batch, so its time is, too. Everybody is just above it."""
    study = small_study(RATING, PAIRWISE, inputs=6)
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(4))
    table = tabulate(study, plan, answers, origin="people")
    floor = ReadingFloor(study, plan)
    paces = (replace(table, seconds=np.full(len(table), n / 10)) for n in range(1, 200))
    slow_enough = next(each for each in paces if not list(find_fast_batches(each, floor)))
    cleaned = exclude(study, plan, slow_enough)
    results = analyse(cleaned, study=study, plan=plan, questions=["fluency"])
    flags = results.frame("people", "fluency").columns["flags"]
    assert not any("faster-than-reading" in own for own in flags)
