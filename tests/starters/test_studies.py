"""What the starters must be as studies: complete, fair to participants, clean in every text."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from itertools import pairwise, permutations

import pytest

from rejudge.design.duration import estimate_duration
from rejudge.design.pages import fill_pages
from rejudge.design.pay import quote_price
from rejudge.lint.rules import PAGE_RULES, check
from rejudge.starters.folders import KINDS, LIKES, folder_files, templates
from rejudge.study.kinds.question import segment_ends
from rejudge.study.kinds.segments import Segments

DAY = date(2026, 1, 15)
TEMPLATES = templates()


def texts_of(item):
    return (item.input, item.reference or "", *item.outputs)


def test_nothing_is_found_but_that_the_contact_is_an_example(study, plan):
    price = quote_price(study, plan, on=DAY)
    known = {"quote": price, "duration": estimate_duration(study, plan), "templates": TEMPLATES}
    assert [finding.code for finding in check(study, plan, **known)] == ["R411"]


@pytest.mark.parametrize(
    ("own", "other"), [*permutations(KINDS, 2), *pairwise((*LIKES, "rating", *reversed(LIKES)))]
)
def test_the_instructions_of_another_starter_are_found(study_of, plan_of, own, other):
    """Kinds that share their items differ in the task; all others also in the items."""
    pages = study_of(own).pages | {"instructions": study_of(other).pages["instructions"]}
    study = replace(study_of(own), pages=pages)
    found = check(study, plan_of(own), templates=TEMPLATES)
    assert [finding for finding in found if finding.severity == "error"]


def test_every_page_follows_a_change_of_the_study(study, plan):
    """Nothing that study.yaml says is written out on a page."""
    contact = study.spec.contact.model_copy(update={"name": "Ada", "email": "ada@lab.edu"})
    payment = study.spec.payment.model_copy(update={"minutes": 61, "hourly": 60.0})
    spec = study.spec.model_copy(
        update={"contact": contact, "payment": payment, "practice": None, "title": "Other"}
    )
    changed = replace(study, spec=spec)
    price = quote_price(changed, plan, on=DAY)
    found = check(changed, plan, quote=price, duration=estimate_duration(changed, plan))
    assert not [finding for finding in found if finding.code in PAGE_RULES]


def test_every_key_that_is_asked_for_is_there(study):
    spec = study.spec
    assert spec.contact is not None
    assert spec.contact.email.endswith("@example.org")
    assert spec.analysis is not None
    assert spec.payment is not None
    assert 2 <= len(spec.claims) <= 3


def test_every_claim_about_systems_is_covered_by_a_planned_test(study):
    tested = {test.question for test in study.spec.analysis.tests}
    assert {claim.question for claim in study.spec.claims} <= tested
    assert tested == {question.id for question in study.spec.questions}


@pytest.mark.parametrize("kind", [kind for kind in (*KINDS, *LIKES) if kind != "slider"])
def test_practice_has_two_examples_with_an_answer_to_every_question(study_of, kind):
    """A slider has no exact right answer, so it has no practice."""
    spec = study_of(kind).spec
    assert spec.practice.attempts == 2
    assert len(spec.practice.examples) == 2
    asked = {question.id for question in spec.questions}
    assert all(set(example.answers) == asked for example in spec.practice.examples)


def test_people_are_told_what_they_need_to_know(study, plan):
    told = fill_pages(study, plan, on=DAY)["information"]
    assert all(word in told for word in ("voluntary", "stop at any time", "withdraw", "research"))
    assert re.search("(minutes|hours)[^.]*.*(paid|voucher)", told, re.DOTALL)
    assert "robin@example.org" in told
    assert "number" in told
    assert " code" not in told.replace("receipt code", "")  # of a platform, which may change
    assert "consent to take part" in study.shown_pages["consent"]


def test_pages_name_no_system_and_threaten_nobody(study):
    told = "\n".join(study.pages.values()).lower()
    named = [s.id for s in study.spec.systems] + [s.label.lower() for s in study.spec.systems]
    assert not [name for name in named if re.search(rf"\b{re.escape(name)}\b", told)]
    assert "reject" not in told


def test_no_text_names_a_system(study):
    named = "|".join(re.escape(system.id) for system in study.spec.systems)
    pattern = re.compile(rf"\b(?:{named})\b", re.IGNORECASE)
    assert not [item.id for item in study.items for text in texts_of(item) if pattern.search(text)]
    assert not [item.id for item in study.items if pattern.search(item.id)]


def test_every_input_occurs_once(study):
    inputs = [item.input for item in study.items]
    assert len(set(inputs)) == len(inputs)


def test_no_two_outputs_of_an_item_are_the_same(study):
    assert not [item.id for item in study.items if len(set(item.outputs)) < len(item.outputs)]


def test_a_reference_is_neither_the_input_nor_an_output(study):
    known = [item for item in study.items if item.reference]
    assert not [i.id for i in known if i.reference in (i.input, *i.outputs)]


def test_texts_fit_on_a_phone(study):
    """Under 600 characters each; a dialogue under 900."""
    limit = 900 if study.spec.language == "zh" else 600
    assert max(len(text) for item in study.items for text in texts_of(item)) < limit


def test_every_text_is_clean(study):
    """No blanks at the ends or twice, no slot left open; a sentence ends with its mark."""
    faulty = [
        text
        for item in study.items
        for text in (item.reference or "x.", *item.outputs)
        if text != text.strip()
        or "  " in text
        or re.search(r"[{}‖|]", text)
        or text[-1] not in ".?。"
    ]
    assert faulty == []


@pytest.mark.parametrize("name", ["paraphrase-pairs", *KINDS])
def test_no_output_repeats_its_input(study_of, name):
    assert not [item.id for item in study_of(name).items if item.input in item.outputs]


def test_some_question_paraphrases_are_copies_but_fewer_than_a_fifth(study_of):
    items = study_of("question-paraphrases").items
    copies = sum(item.input in item.outputs for item in items)
    assert 0.05 * len(items) < copies < 0.2 * len(items)
    assert all(question.tie for question in study_of("question-paraphrases").spec.questions)


def test_a_dialogue_has_two_rows_one_for_each_role(study_of):
    items = study_of("dialogue-summaries").items
    groups = {item.group: [i.dataset for i in items if i.group == item.group] for item in items}
    assert len(groups) == 100
    assert set(map(tuple, groups.values())) == {("user", "agent")}


def test_no_two_dialogues_are_the_same(study_of):
    spoken = [
        item.input.partition("\n")[2]
        for item in study_of("dialogue-summaries").items
        if item.dataset == "user"
    ]
    assert len(set(spoken)) == 100


@pytest.mark.parametrize("name", ["dialogue-summaries", "segments"])
def test_texts_are_cut_where_a_reader_would_cut_them(study_of, name):
    """Each full stop ends a sentence: no text has one anywhere else."""
    study = study_of(name)
    assert any(isinstance(question, Segments) for question in study.spec.questions)
    for item in study.items:
        for text in (item.reference, *item.outputs):
            ends = segment_ends(text, split="sentences", language=item.language)
            assert len(ends) == len(re.findall("[.。]", text)), text


def test_outputs_of_the_small_starters_have_two_or_three_sentences(study_of):
    items = study_of("segments").items
    assert {text.count(".") for item in items for text in item.outputs} <= {2, 3}


def test_more_than_a_quarter_of_the_lines_of_study_yaml_explain_something(name):
    lines = folder_files(name)["study.yaml"].decode().splitlines()
    assert sum("#" in line for line in lines) > len(lines) / 4
