"""Rules about pages that say something else than the study."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from good_study import MEANING, PAGES, RATING, SLIDER, codes, make_item, make_plan, make_study
from good_study import only as single

from rejudge.design.pay import quote_price
from rejudge.lint.evidence import Template
from rejudge.lint.page_text import language_words
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


OTHER_MINUTES = {
    "en": "It takes about 20 minutes.",
    "en-words": "It takes twenty minutes.",
    "en-hyphen": "This is a 20-minute study.",
    "de": "Es dauert etwa 20 Minuten.",
    "nl": "Het duurt ongeveer 20 minuten.",
    "es": "Dura unos 20 minutos.",
    "zh": "大约需要20分钟。",
    "ar": "تستغرق نحو ٢٠ دقيقة.",
    "ar-latin": "تستغرق 20 دقيقة.",
    "fr": "Cela dure environ 20 minutes.",
    "ru": "Это займёт около 20 минут.",
    "hours": "It takes about 2 hours.",
    "both": "It takes 1 hour and 20 minutes.",
}


@pytest.mark.parametrize("page", OTHER_MINUTES.values(), ids=list(OTHER_MINUTES))
def test_other_minutes_are_found_in_any_language(page):
    (finding,) = found(pages={"information": page})
    assert (finding.code, finding.severity) == ("R408", "error")
    assert finding.places == ("pages/information.md",)
    assert "about 8 minutes" in finding.message


@pytest.mark.parametrize(
    "page",
    [
        "It takes {minutes} minutes.",
        "{duration}",
        "It takes about 8 minutes.",
        "It takes 8 min.",
        "It takes eight minutes.",
        "It takes 7-10 minutes.",
        "It takes 5 to 10 minutes.",
        "大约需要８分钟。",
        "You can withdraw within 24 hours.",
        "We answer within 2 hours.",
        "Take a break of 20 minutes when you like.",
        "请在30分钟内回答。",
        "It takes 8 minutes. Your place is kept for 30 minutes.",
        "No time is stated.",
        "We ask 20 people.",
    ],
)
def test_the_same_minutes_deadlines_and_pauses_are_fine(page):
    assert found(pages={"information": page}) == []


def test_an_hour_and_some_minutes_are_one_time():
    changes = {"payment": {**PAYMENT, "minutes": 80}, "design.break_every": 2}
    assert found(changes, pages={"information": "It takes 1 hour and 20 minutes."}) == []


def test_estimated_minutes_leave_more_room_but_not_for_five_times_as_many():
    """Eight pairs of short questions take some two minutes."""
    payment = {key: value for key, value in PAYMENT.items() if key != "minutes"}
    assert found({"payment": payment}, pages={"information": "It takes 3 minutes."}) == []
    (finding,) = found({"payment": payment}, pages={"information": "It takes 10 minutes."})
    assert finding.code == "R408"


@pytest.mark.parametrize(
    "page",
    [
        "You get £5.",
        "You get GBP 2.50.",
        "You get 3.00 GBP.",
        "Sie erhalten 2,40 EUR.",
        "You get $2.40.",
        "报酬是5英镑。",
        "You get five pounds, that is £ 5.00.",
    ],
)
def test_another_amount_is_found(page):
    (finding,) = found(pages={"information": page})
    assert (finding.code, finding.severity) == ("R409", "error")
    assert "pays GBP 2.40 (GBP 18.00 an hour)" in finding.message


@pytest.mark.parametrize(
    "page",
    [
        "You get {reward}.",
        "{payment}",
        "You get £2.40.",
        "You get £2.40 (about €2.80).",
        "You get 2,40 GBP.",
        "You get 18 GBP an hour.",  # 2.40 for 8 minutes
        "You are paid.",
        "Version 2.40 of the program",
    ],
)
def test_the_amount_that_is_paid_is_fine(page):
    assert found(pages={"information": page}) == []


def test_pages_are_compared_with_the_price_also_where_the_plan_is_stale():
    study = make_study({"payment": PAYMENT}, pages={"information": "You get £5."})
    plan = make_plan(study)
    price = quote_price(study, plan, on=DAY)
    stale = replace(plan, study="another")
    assert "R409" in codes(*check(study, stale, quote=price, duration=price.work.duration))


def test_an_amount_on_the_page_of_volunteers_is_found():
    unpaid = {"payment": {"kind": "unpaid"}, "recruitment": {"platform": "link"}}
    (finding,) = found(unpaid, pages={"information": "You get £2."})
    assert finding.code == "R409"
    assert "no money" in finding.message
    assert found(unpaid, pages={"information": "{payment} You get £0."}) == []


def test_amounts_in_instructions_are_examples():
    pages = {"instructions": "Is “the ticket costs £5” right? 20 minutes late. {practice}"}
    assert found(pages=pages) == []


@pytest.mark.parametrize("role", ["information", "consent", "instructions", "thanks"])
def test_another_address_is_found_on_any_page(role):
    pages = {role: f"{PAGES[role]} 联系：robin@example.org。"}
    (finding,) = found(pages=pages)
    assert (finding.code, finding.severity) == ("R410", "error")
    assert "robin@example.org" in finding.message
    assert "study@uni.example.edu" in finding.message


def test_a_very_long_word_is_searched_for_addresses_in_one_pass():
    pages = {"thanks": f"{PAGES['thanks']} {'x' * 300_000} robin@example.org"}
    (finding,) = found(pages=pages)
    assert finding.code == "R410"


def test_an_example_address_is_found_beside_the_contact():
    pages = {"information": "Ask {contact}.", "thanks": "Tell robin@example.org."}
    (finding,) = found(pages=pages)
    assert finding.places == ("pages/thanks.md",)


def test_an_ethics_board_beside_the_contact_is_fine():
    pages = {"information": "Ask {contact}, or complain to board@uni.example.edu."}
    assert found(pages=pages) == []


def test_the_contact_in_capitals_is_the_same():
    assert found(pages={"information": "Ask Study@Uni.Example.edu."}) == []


def test_an_example_contact_is_noted():
    contact = {"name": "Robin Example", "email": "robin@example.org"}
    finding = single(make_study({"contact": contact}))
    assert (finding.code, finding.severity) == ("R411", "note")


PRACTICE = {
    "en": "You begin with two examples that explain the right answer.",
    "de": "Sie beginnen mit Übungsbeispielen.",
    "nl": "U begint met oefenvragen.",
    "es": "Primero hay tareas de práctica.",
    "zh": "开始时有练习题。",
    "ar": "تبدأ بأمثلة للتمرين.",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_practice_that_does_not_exist_is_found(language):
    changes = {"practice": None, "language": language}
    pages = {"instructions": PRACTICE[language]}
    every = found(changes, pages=pages)
    (finding,) = [each for each in every if each.code not in {"R401", "R403"}]
    assert (finding.code, finding.severity) == ("R412", "error")


@pytest.mark.parametrize(
    "sentence",
    [
        "In practice, both are fine.",
        "It is good practice to read twice.",
        "Some versions begin with an example.",
        "The programs learned from training examples.",
    ],
)
def test_other_practice_and_other_examples_are_fine(sentence):
    assert found({"practice": None}, pages={"instructions": sentence}) == []


def test_practice_that_no_page_mentions_is_noted():
    (finding,) = found(pages={"instructions": "Judge."})
    assert (finding.code, finding.severity) == ("R413", "note")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_tie_that_cannot_be_chosen_is_found_and_one_that_can_is_not(language):
    tie = {**MEANING, "tie": True}
    sentence = {"questions": [tie], "language": language}
    written = found(sentence, pages={"instructions": "{ties} {practice}"})
    assert "R414" not in codes(*written)
    from rejudge.design.pages import values_of

    study = make_study(sentence)
    text = values_of(study, make_plan(study), None)["ties"]
    spoilt = found({"language": language}, pages={"instructions": f"{text} {{practice}}"})
    assert "R414" in codes(*spoilt)


def test_words_that_are_no_option_are_fine():
    text = "Choose the one that says about the same as the report. {practice}"
    assert found(pages={"instructions": text}) == []


@pytest.mark.parametrize(
    ("question", "page"),
    [
        (MEANING, "Put the slider where you think the version belongs."),
        (MEANING, "Rate the version from 1 to 5."),
        (MEANING, "Answer two questions, sentence by sentence."),
        (RATING, "You see two versions of it, A and B."),
        (RATING, "Read all of them, then put them in order."),
        (SLIDER, "Choose the version that is **best** and the one that is **worst**."),
    ],
)
def test_another_kind_of_task_is_found(question, page):
    changes = {"questions": [{**question, "id": "meaning"}], "checks": [], "practice": None}
    study = make_study(changes, pages={"instructions": page})
    assert "R415" in codes(*check(study))


def test_a_page_that_names_its_own_task_too_is_fine():
    page = "You see two versions, A and B. Do not rate them from 1 to 5. {practice}"
    assert found(pages={"instructions": page}) == []


@pytest.mark.parametrize(
    "page",
    ["Rate from 1 to 7.", "Von 1 bis 7.", "从 1 到 7 打分。", "من 1 إلى 7", "1–7", "0 to 100"],
)
def test_another_scale_is_found_in_any_language(page):
    changes = {"questions": [{**RATING, "id": "meaning"}], "checks": [], "practice": None}
    study = make_study(changes, pages={"instructions": page})
    (finding,) = [each for each in check(study) if each.code == "R416"]
    assert finding.severity == "error"
    assert "from 1 to 5" in finding.message


@pytest.mark.parametrize(
    "page",
    [
        "Rate from 1 to 5.",
        "Rate from 1 (not at all) to 5 (very).",
        "1-5",
        "Read 1 or 2 sentences; 1 to 2 are enough.",
        "From 2019 to 2024, 10 to 12 people, 3:1–4.",
        "Rate from 1 to 5, not from 0 to 10.",
    ],
)
def test_the_scale_of_the_question_and_other_numbers_are_fine(page):
    changes = {"questions": [{**RATING, "id": "meaning"}], "checks": [], "practice": None}
    study = make_study(changes, pages={"instructions": page})
    assert "R416" not in codes(*check(study))


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


CODE = {
    "en": "To withdraw your answers, tell us the code from the last page.",
    "de": "Wenn Sie Ihre Antworten zurückziehen, nennen Sie uns den Code.",
    "nl": "Om u terug te trekken, noemt u de code van de laatste pagina.",
    "es": "Para retirar sus respuestas, indique el código.",
    "zh": "如果想撤回回答，请告诉我们最后一页的代码。",
    "ar": "إذا أردت الانسحاب فاذكر الرمز.",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_withdrawing_with_the_code_that_all_share_is_found(language):
    page = CODE[language]
    every = found({"language": language}, pages={"information": page})
    assert "R418" in codes(*every)


@pytest.mark.parametrize("language", LANGUAGES)
def test_our_own_sentences_give_no_finding(language):
    from rejudge.design.pages import values_of

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
    study = make_study({"language": language})
    practice = values_of(study, make_plan(study), None)["practice"]
    assert language_words(language).practice.search(practice)
