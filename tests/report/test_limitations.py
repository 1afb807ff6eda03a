"""A study's own report: whether collection is finished, and what became of its claims."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, drawn, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.results import Places
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.build import build, outcomes_of
from rejudge.report.limitations import limitations
from rejudge.report.subject import PlannedStudy, Subject
from rejudge.simulate.people import judge


@pytest.fixture(scope="module")
def judged():
    """Every place of the plan is filled: study, plan and answers."""
    study = small_study(RATING, inputs=6)
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(4))
    return study, plan, tabulate(study, plan, answers, origin="people")


def analysed(judged, keep=None, **fields: None):
    """The results where only some rows were collected."""
    study, plan, table = judged
    rows = [row for row in table.rows() if keep is None or keep(row)]
    rows = [Judgment(**{**fields_of(row), **fields}) for row in rows]
    judgments = Judgments.from_rows(rows, systems=study.system_ids)
    return analyse(exclude(study, plan, judgments), study=study, plan=plan)


def fields_of(row):
    return {name: getattr(row, name) for name in Judgment.__dataclass_fields__}


def subject_of(judged, results) -> Subject:
    study, plan, _ = judged
    return Subject(results, study.spec.title, designed=PlannedStudy(study, plan))


def told_of(people: int, items: int) -> str:
    """The limitations of a table of ratings by so many people."""
    rng = np.random.default_rng(1)
    rows = [
        Judgment(f"p{person}", f"i{item}", "fluency", float(rng.integers(1, 6)), system=system)
        for person in range(people)
        for item in range(items)
        for system in ("ash", "beech")
    ]
    results = analyse(Judgments.from_rows(rows))
    subject = Subject(results, "A table")
    return " ".join(limitations(subject, outcomes_of(subject)))


def test_a_test_that_generalises_is_not_denied_by_the_limitations():
    told = told_of(people=8, items=12)
    assert "too few" not in told
    assert "The generalisation to other people is based on 8 participants: the intervals" in told
    assert "The generalisation to other texts is based on 12 items: the intervals" in told


def test_fewer_than_five_are_too_few_to_generalise():
    told = told_of(people=4, items=4)
    assert "Only 4 participants were analysed, too few to generalise to other people." in told
    assert "Only 4 items were judged, too few to generalise to other texts." in told


def test_a_finished_collection_says_nothing(judged):
    _, plan, _ = judged
    results = analysed(judged)
    assert results.flow.places == Places(plan.places, plan.places)
    assert not results.flow.is_unfinished
    assert "not finished" not in " ".join(build(subject_of(judged, results), pictures=()).answer)


def test_missing_places_are_told_at_the_top_and_in_the_limitations(judged):
    """One participant of one batch did not come."""
    _, plan, table = judged
    first = table.rows()[0]
    results = analysed(
        judged, lambda row: (row.participant, row.batch) != (first.participant, first.batch)
    )
    assert results.flow.places == Places(plan.places, plan.places - 1)
    said = (
        f"Collection is not finished: {plan.places - 1} of {plan.places} planned places are filled."
    )
    subject = subject_of(judged, results)
    assert build(subject, pictures=()).answer[0] == said
    told = limitations(subject, outcomes_of(subject))
    assert f"{said} All numbers may still change." in told


def test_a_batch_that_was_not_finished_fills_no_place(judged):
    _, plan, table = judged
    first = next(row for row in table.rows() if row.kind == "real")
    results = analysed(judged, lambda row: row != first)
    assert results.flow.places == Places(plan.places, plan.places - 1)


def test_somebody_who_failed_a_rule_of_the_analysis_has_filled_a_place(judged):
    study, plan, table = judged
    named = table.rows()[0].participant
    spec = study.spec.model_copy(
        update={
            "analysis": study.spec.analysis.model_copy(
                update={
                    "exclude": study.spec.analysis.exclude.model_copy(
                        update={"participants": (named,)}
                    )
                }
            )
        }
    )
    other = type(study)(spec=spec, items=study.items, pages={})
    results = analyse(exclude(other, plan, table), study=other, plan=plan)
    assert results.flow.exclusions
    assert not results.flow.is_unfinished


@pytest.mark.parametrize(
    ("state", "missing"),
    [
        ("submitted", 0),
        ("accepted", 0),
        ("excluded", 1),
        ("expired", 1),
        ("held", 1),
        ("returned", 1),
    ],
)
def test_what_the_site_knows_of_a_batch_decides_about_its_place(judged, state, missing):
    """A rule of the analysis that leaves the person out as well changes nothing."""
    study, plan, table = judged
    first = table.rows()[0]

    def known(row: Judgment) -> Judgment:
        is_first = (row.participant, row.batch) == (first.participant, first.batch)
        return Judgment(**{**fields_of(row), "state": state if is_first else "submitted"})

    rules = study.spec.analysis.exclude.model_copy(update={"participants": (first.participant,)})
    analysis = study.spec.analysis.model_copy(update={"exclude": rules})
    other = replace(study, spec=study.spec.model_copy(update={"analysis": analysis}))
    judgments = Judgments.from_rows([known(row) for row in table.rows()], systems=study.system_ids)
    results = analyse(exclude(other, plan, judgments), study=other, plan=plan)
    assert results.flow.places == Places(plan.places, plan.places - missing)


def test_people_beyond_the_plan_fill_no_further_place(judged):
    study, plan, table = judged
    first = table.rows()[0]
    own = [r for r in table.rows() if (r.participant, r.batch) == (first.participant, first.batch)]
    more = [Judgment(**{**fields_of(row), "participant": "late"}) for row in own]
    judgments = Judgments.from_rows([*table.rows(), *more], systems=study.system_ids)
    results = analyse(exclude(study, plan, judgments), study=study, plan=plan)
    assert results.flow.places == Places(plan.places, plan.places)


def test_without_batches_it_is_not_known(judged):
    assert analysed(judged, batch=None).flow.places is None


def test_only_some_questions_are_no_sign_of_an_unfinished_study():
    study = small_study(RATING, PAIRWISE, inputs=6)
    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(4))
    cleaned = exclude(study, plan, tabulate(study, plan, answers, origin="people"))
    results = analyse(cleaned, study=study, plan=plan, questions=["fluency"])
    assert not results.flow.is_unfinished


def test_where_everybody_is_left_out_no_comparison_comes_out_the_same(judged):
    study, plan, table = judged
    rules = study.spec.analysis.exclude.model_copy(
        update={"participants": tuple(table.participant.labels)}
    )
    analysis = study.spec.analysis.model_copy(update={"exclude": rules})
    other = replace(study, spec=study.spec.model_copy(update={"analysis": analysis}))
    results = analyse(exclude(other, plan, table), study=other, plan=plan)
    report = build(Subject(results, "t", designed=PlannedStudy(other, plan)), pictures=())
    words = str(report)
    assert "After the exclusions no judgments are left to compare systems with." in words
    assert "comes out the same" not in words


def with_claims(*claims: str, ash=5.0, beech=3.0):
    """ash is scored by `ash`, beech by `beech`, cedar by 1, with a little noise by item."""
    listed = [{"id": f"c{n}", "says": says} for n, says in enumerate(claims)]
    study = small_study(RATING, claims=listed)
    means = {"ash": ash, "beech": beech, "cedar": 1.0}
    rows = [
        Judgment(f"p{p}", f"i{i}", "fluency", mean + (i * (p + k)) % 5 / 50, system=system)
        for p in range(6)
        for i in range(12)
        for k, (system, mean) in enumerate(means.items())
    ]
    judgments = Judgments.from_rows(rows, systems=study.system_ids)
    return study, analyse(judgments, study=study)


CLAIMS = {
    "ash best on fluency": "supported",
    "cedar best on fluency": "contradicted",
    "beech > ash on fluency": "contradicted",
    "ash > cedar on fluency with p < 0.05": "supported",
    "krippendorff-alpha >= 0.1 on fluency": "supported",
    "icc >= 0.1 on fluency": "not-testable",
}


def test_each_claim_gets_its_verdict_with_its_numbers():
    _, results = with_claims(*CLAIMS)
    assert {each.says: each.verdict for each in results.claims} == CLAIMS
    assert all(each.because for each in results.claims)


def test_an_order_without_support_is_not_supported_either_way():
    """Whichever of the two is a little ahead, the opposite claim is not refuted by that."""
    both = ("beech > ash on fluency", "ash > beech on fluency")
    _, results = with_claims(*both, ash=3.0, beech=3.0)
    assert sorted(each.verdict for each in results.claims) == [
        "opposite-direction",
        "same-direction",
    ]


def test_the_report_has_the_claims():
    study, results = with_claims("ash best on fluency", "cedar best on fluency")
    subject = Subject(results, "x", designed=PlannedStudy(study, drawn(study)))
    (section,) = [each for each in build(subject, pictures=()).sections if each.id == "claims"]
    words, table = section.blocks
    assert words.text == "1 of 2 claims is supported."
    assert [row[:2] for row in table.rows] == [
        ("Ash <tree> is best on fluency", "supported"),
        ("Cedar is best on fluency", "contradicted"),
    ]


def test_numbers_of_claims_have_true_minus_signs_on_the_page():
    study, results = with_claims("cedar > ash on fluency with p < 0.05")
    subject = Subject(results, "x", designed=PlannedStudy(study, drawn(study)))
    (section,) = [each for each in build(subject, pictures=()).sections if each.id == "claims"]
    ((_, _, because),) = section.blocks[1].rows
    assert because.startswith("Cedar – Ash <tree> −3.994, p")


def test_a_study_without_claims_has_no_such_section(judged):
    report = build(subject_of(judged, analysed(judged)), pictures=())
    assert "claims" not in [section.id for section in report.sections]


def test_claims_on_questions_that_were_left_out_are_left_out():
    study = small_study(
        RATING, PAIRWISE, claims=[{"id": "c", "says": "ash best on meaning"}], inputs=6
    )
    rows = [Judgment("p1", "i0", "fluency", 3.0, system="ash")]
    judgments = Judgments.from_rows(rows, systems=study.system_ids)
    assert analyse(judgments, study=study, questions=["fluency"]).claims == ()
