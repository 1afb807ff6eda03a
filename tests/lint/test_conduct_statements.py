"""Rules about pay in words, numbers of things and sentences of a starter."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from good_study import MEANING, make_item, make_plan, make_study

from rejudge.design.pay import quote_price
from rejudge.lint.evidence import Template
from rejudge.lint.rules import check

DAY = date(2026, 6, 1)
PAID = {"currency": "GBP", "minutes": 8, "reward": 2.4, "fee_percent": 33.3}
CODES = {"R419", "R420", "R421"}


def found(pages, changes=None, **known: Any):
    study = make_study({"payment": PAID, **(changes or {})}, pages=pages)
    plan = make_plan(study)
    price = quote_price(study, plan, on=DAY)
    every = check(study, plan, quote=price, duration=price.work.duration, **known)
    return [(each.code, each.message) for each in every if each.code in CODES]


def letter(sentence: str, **more: str) -> dict[str, str]:
    return {"information": f"You can stop at any time. {sentence}", **more}


# ── rewards ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("payment", "sentence", "promised"),
    [
        (PAID, "That is the UK living wage or more.", "a wage"),
        ({"kind": "unpaid"}, "That is the legal minimum wage or more.", "a wage"),
        (PAID, "You get a voucher for what you have done.", "a voucher"),
        (PAID, "You get course credit.", "course credit"),
        ({"kind": "unpaid"}, "Everybody who finishes is paid.", "pay"),
        ({"kind": "credit"}, "You will be paid within a week.", "pay"),
    ],
)
def test_another_kind_of_reward_is_found(payment, sentence, promised):
    ((code, message),) = found(letter(sentence), {"payment": payment})
    assert code == "R419"
    assert f"promises {promised}," in message
    assert sentence in message


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Alle werden mindestens nach Mindestlohn bezahlt."),
        ("nl", "Iedereen wordt betaald."),
        ("es", "La participación está remunerada."),
        ("zh", "已完成的部分照样付给报酬。"),
        ("ar", "تحصل على قسيمة."),
    ],
)
def test_it_is_found_in_other_languages(language, sentence):
    changes = {"payment": {"kind": "unpaid"}, "language": language}
    assert [code for code, _ in found(letter(sentence), changes)] == ["R419"]


def test_a_wage_that_the_pay_is_below_is_found():
    payment = {**PAID, "reward": 0.5, "living_wage": "GB"}
    assert [code for code, _ in found(letter("This is the living wage."), {"payment": payment})]


@pytest.mark.parametrize(
    ("payment", "sentence"),
    [
        ({**PAID, "living_wage": "GB"}, "That is the UK living wage or more."),
        ({**PAID, "kind": "voucher"}, "You get a voucher."),
        ({"kind": "credit"}, "You get course credit and are not paid."),
        ({"kind": "unpaid"}, "Nobody is paid for taking part. {payment}{wage}"),
        (PAID, "Everybody who finishes is paid. {payment} {wage}"),
    ],
)
def test_what_the_study_gives_may_be_said(payment, sentence):
    assert found(letter(sentence), {"payment": payment}) == []


# ── counts ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("sentence", "stated", "has"),
    [
        ("Then answer **two questions**.", "2 questions", "1 question."),
        ("You see three versions.", "3 versions", "2 versions."),
        ("There are 500 pages.", "500 pages", "tasks."),
    ],
)
def test_another_number_is_found(sentence, stated, has):
    ((code, message),) = found({"instructions": sentence})
    assert code == "R420"
    assert f"“{stated}”" in message
    assert message.endswith(has)


@pytest.mark.parametrize(
    "sentence",
    [
        "You see two versions, A and B. Answer one question.",
        "The study has {tasks} pages, {pages} tasks in all.",
        "Read 1.5 pages of text, or 10–20 pages. Three sentences are enough.",
    ],
)
def test_the_right_numbers_and_other_things_are_fine(sentence):
    assert found({"instructions": sentence}) == []


def test_a_reference_beside_the_outputs_may_be_called_a_version():
    questions = [{**MEANING, "beside": ["input", "reference"]}]
    page = {"instructions": "You see three versions, one of them by a person."}
    assert found(page, {"questions": questions}) == []


def test_pages_are_counted_in_other_languages():
    page = {"information": "Sie können jederzeit abbrechen. Die Studie hat 500 Seiten."}
    assert [code for code, _ in found(page, {"language": "de"})] == ["R420"]


# ── sentences of a starter ───────────────────────────────────────────────────────────────────────

TEMPLATE = Template(
    "pairwise",
    "information",
    "We compare news reports. You can stop at any time.",
    frozenset({"A ferry."}),
    r"\breports?\b",
)


def test_a_sentence_about_the_texts_of_a_starter_is_found_on_a_changed_page():
    page = {"information": "We compare news reports. You may stop at any time, of course."}
    ((code, message),) = found(page, templates=[TEMPLATE])
    assert code == "R421"
    assert "“We compare news reports.”" in message


def test_sentences_about_anything_else_may_stay():
    page = {"information": "We compare recipes. You can stop at any time."}
    assert found(page, templates=[TEMPLATE]) == []


def test_with_an_item_of_the_starter_its_sentences_are_right():
    page = {"information": "We compare news reports. You may stop at any time, of course."}
    study = make_study(pages=page, items=[make_item(1, input="A ferry.")])
    assert not [each for each in check(study, templates=[TEMPLATE]) if each.code in CODES]
