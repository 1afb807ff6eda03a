"""Whatever was judged, by however few, the report is correct English and claims nothing more."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from judged_study import PAIRWISE, RATING, SLIDER, SYSTEMS, drawn, small_study
from proofread import texts_of, wrong_in
from property_settings import examples
from rejudge.analysis.analyse import analyse
from rejudge.judgments.exclusions import Cleaned
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.build import build, outcomes_of
from rejudge.report.limitations import limitations
from rejudge.report.methods import methods
from rejudge.report.subject import PlannedStudy, Subject

STUDIES = {
    "pairwise": small_study(PAIRWISE),
    "rating": small_study(RATING),
    "both": small_study(PAIRWISE, SLIDER),
}
PLANS = {name: drawn(study) for name, study in STUDIES.items()}


@st.composite
def tables(draw):
    """Few people, few items, any answers; often nobody, or one person who judged one thing."""
    people = draw(st.integers(0, 4))
    items = draw(st.integers(1, 4))
    systems = draw(st.sampled_from([SYSTEMS[:1], SYSTEMS[:2], SYSTEMS]))
    name = draw(st.sampled_from(sorted(STUDIES)))
    rows = []
    for question in STUDIES[name].spec.questions:
        for person in range(people):
            for item in range(items):
                where = (f"p{person}", f"i{item}", question.id)
                rows += draw(answers_of(question, where, systems))
    return name, rows, draw(st.sampled_from(["people", "simulated"]))


def answers_of(question, where, systems):
    if question.kind != "pairwise":
        values = {"rating": (1, 3, 5), "slider": (0, 40, 100)}[question.kind]
        one = [
            st.builds(lambda v, s=s: Judgment(*where, v, system=s), st.sampled_from(values))
            for s in systems
        ]
        return st.tuples(*one)
    pairs = [(a, b) for place, a in enumerate(systems) for b in systems[place + 1 :]]
    return st.tuples(
        *(
            st.builds(
                lambda v, s, a=a, b=b: Judgment(*where, v, system_a=a, system_b=b, side=s),
                st.sampled_from(("a", "b", "tie")),
                st.sampled_from(("a", "b")),
            )
            for a, b in pairs
        )
    )


def subject_of(name, rows, origin):
    study, plan = STUDIES[name], PLANS[name]
    rows = [Judgment(**{**fields_of(row), "origin": origin}) for row in rows]
    table = Judgments.from_rows(rows, systems=study.system_ids)
    nothing = table.take(np.zeros(len(table), dtype=bool))
    results = analyse(Cleaned(table, table, nothing, (), ()), study=study, plan=plan)
    return Subject(results, study.spec.title, designed=PlannedStudy(study, plan))


def fields_of(row):
    return {name: getattr(row, name) for name in Judgment.__dataclass_fields__}


@settings(max_examples=examples(16), deadline=None)
@given(tables())
def test_nothing_on_the_page_is_wrong_english_or_a_false_claim(table):
    report = build(subject_of(*table), pictures=())
    assert wrong_in(texts_of(report)) == []


@settings(max_examples=examples(25), deadline=None)
@given(tables())
def test_every_sentence_of_the_prose_ends_with_a_stop_and_begins_with_a_capital(table):
    subject = subject_of(*table)
    outcomes = outcomes_of(subject)
    report = build(subject, pictures=())
    prose = [
        *report.answer,
        *report.also,
        *methods(subject, outcomes),
        *limitations(subject, outcomes),
    ]
    assert prose
    assert [s for s in prose if not s.endswith(".") or not (s[0].isupper() or s[0].isdigit())] == []


@settings(max_examples=examples(16), deadline=None)
@given(tables())
def test_a_table_alone_is_told_as_well(table):
    name, rows, _ = table
    judgments = Judgments.from_rows(rows)
    nothing = judgments.take(np.zeros(len(judgments), dtype=bool))
    results = analyse(Cleaned(judgments, judgments, nothing, (), ()))
    report = build(Subject(results, name), pictures=())
    assert wrong_in(texts_of(report)) == []
    assert all(answer.endswith(".") for answer in report.answer)
