"""Rules about pages that say something else than the study."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from good_study import MEANING, PAGES, codes, make_item, make_plan, make_study
from good_study import only as single

from rejudge.design.pay import quote_price
from rejudge.lint.evidence import Template
from rejudge.lint.rules import check

DAY = date(2026, 6, 1)


PAYMENT = {"currency": "GBP", "minutes": 8, "reward": 2.4, "fee_percent": 33.3}


LANGUAGES = ("en", "de", "nl", "es", "zh", "ar")


def found(changes=None, **known: Any):
    """All findings about pages of the sound study, with a plan and a price."""
    pages = known.pop("pages", None)
    study = make_study({"payment": PAYMENT, **(changes or {})}, pages=pages)
    plan = make_plan(study)
    price = quote_price(study, plan, on=DAY)
    every = check(study, plan, quote=price, duration=price.work.duration, **known)
    return [each for each in every if each.code.startswith("R4")]


def test_an_unknown_placeholder_is_answered_with_the_known_ones():
    finding = single(make_study(pages={"thanks": "Write to {mail}. {contact}"}))
    assert (finding.code, finding.severity) == ("R407", "error")
    assert finding.places == ("pages/thanks.md",)
    assert "{mail}" in finding.message
    assert "{contact}" in finding.remedy
    assert "{{mail}}" in finding.remedy


def test_braces_that_are_no_placeholder_are_left_alone():
    text = "Thank you. {{mail}} {} {1} { a } {a b} {'key': 1} f(x){ return x; } \\frac{1}{2}"
    assert found(pages={"thanks": text}) == []


@pytest.mark.parametrize(
    ("changes", "name", "remedy"),
    [
        ({"contact": None}, "contact", "Add `contact"),
        ({"contact": None}, "withdrawal", "Add `contact"),
        ({"ethics": ""}, "ethics", "`ethics`"),
        ({"payment": {"kind": "unpaid"}}, "reward", "{payment}"),
        ({"payment": {"kind": "credit"}}, "hourly", "{payment}"),
        ({"language": "fi"}, "practice", "Write it yourself"),
    ],
)
def test_a_placeholder_that_nothing_is_known_for_is_found(changes, name, remedy):
    pages = {"information": f"{PAGES['information']} a@b.edu", "instructions": "Judge.",
             "thanks": f"{{{name}}}"}  # fmt: skip
    (finding,) = [each for each in found(changes, pages=pages) if each.code == "R407"]
    assert finding.message == f"{{{name}}} has no value."
    assert remedy in finding.remedy


def test_a_page_in_another_language_can_use_the_numbers():
    pages = {
        "information": "{title} {minutes} {tasks} {reward} {contact}",
        "instructions": "Arvioi.",
    }
    assert found({"language": "fi"}, pages=pages) == []


@pytest.mark.parametrize(
    ("words", "placeholder"),
    [
        *((words, "{minutes}") for words in ("20 minutes", "20-minute", "20 Minuten", "20分钟")),
        *((words, "{minutes}") for words in ("20 min", "20 minutos", "٢٠ دقيقة", "20 минут")),
        *((words, "{reward}") for words in ("£5", "GBP 2.50", "3.00 EUR", "US$1,200")),
        ("Robin Example", "{contact}"),
        ("study@uni.example.edu", "{email}"),
        ("Study@Uni.Example.edu", "{email}"),
        ("robin@example.org", "{email}"),
    ],
)
def test_what_a_placeholder_provides_is_found(words, placeholder):
    pages = {"information": f"{PAGES['information']} Here: {words}."}
    (finding,) = found({"contact": CONTACT}, pages=pages)
    assert (finding.code, finding.severity) == ("R424", "warning")
    assert finding.places == ("pages/information.md",)
    assert f"“{words}”" in finding.message
    assert placeholder in finding.remedy


CONTACT = {"name": "Robin Example", "email": "study@uni.example.edu"}


@pytest.mark.parametrize(
    "page",
    [
        "{duration} It takes {minutes} minutes for {reward}. Ask {contact}, or write to {email}.",
        "You can withdraw within 24 hours.",
        "We ask 20 people. Version 2.40 of the program.",
        "Complain to board@uni.example.edu.",
    ],
)
def test_placeholders_and_other_numbers_and_addresses_are_fine(page):
    assert found({"contact": CONTACT}, pages={"information": page}) == []


def test_amounts_in_instructions_are_examples():
    pages = {"instructions": "Is “the ticket costs £5” right? 20 minutes late. {practice}"}
    assert found(pages=pages) == []


def test_a_very_long_word_is_searched_for_addresses_in_one_pass():
    pages = {"thanks": f"{PAGES['thanks']} {'x' * 300_000} robin@example.org"}
    (finding,) = found(pages=pages)
    assert finding.code == "R424"


def test_an_example_contact_is_noted():
    contact = {"name": "Robin Example", "email": "robin@example.org"}
    finding = single(make_study({"contact": contact}))
    assert (finding.code, finding.severity) == ("R411", "note")


def test_a_page_of_a_starter_beside_other_items_is_found():
    page = "We compare programs that shorten news.\n\nRead on."
    starter = Template("news", "information", "We compare programs that shorten news. Read on.\n",
                       frozenset({"A ferry sank."}))  # fmt: skip
    (finding,) = found(pages={"information": page}, templates=[starter])
    assert (finding.code, finding.severity) == ("R417", "error")
    assert "starter news" in finding.message


def test_the_same_page_beside_the_items_of_the_starter_is_fine():
    inputs = frozenset({make_item(1).input})
    starter = Template("news", "information", PAGES["information"], inputs)
    assert found(templates=[starter]) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_our_own_sentences_give_no_finding(language):
    sentences = (
        "{duration} {payment} {wage} {withdrawal} {contact} {ethics} {total} {hours} {earnings}"
    )
    consent = {"en": "consent", "de": "Einwilligung", "nl": "toestemming", "es": "consentimiento",
               "zh": "同意", "ar": "أوافق"}[language]  # fmt: skip
    pages = {"information": sentences, "consent": consent, "instructions": "{practice} {ties}"}
    for kind in ("paid", "voucher", "credit", "unpaid"):
        for tie in (False, True):
            changes = {
                "language": language,
                "questions": [{**MEANING, "tie": tie}],
                "payment": {**PAYMENT, "kind": kind, "living_wage": "GB"},
            }
            words = (
                sentences if kind in {"paid", "voucher"} else sentences.replace("{earnings}", "")
            )
            every = found(changes, pages={**pages, "information": words})
            assert codes(*every) == []
