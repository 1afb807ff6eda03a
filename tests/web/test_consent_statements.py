"""Statements of the consent page that are ticked one by one, without scripts."""

from __future__ import annotations

import csv
import io

import pytest

from participants import PAIRWISE, made_study
from rejudge.collect.visit import CONSENT
from rejudge.store.registering import consent_text
from rejudge.web.dashboard.handlers import answers_csv, consent_csv
from rejudge.web.wording import LANGUAGES, catalogue

STATEMENTS = [
    {"id": "adult", "text": "I am at least 18 years old."},
    {"id": "ask", "text": "I know that I can ask {contact} <b>any</b> time."},
    {"id": "later", "text": "لا مانع من الاتصال بي لاحقا.", "required": False},
]
ALL = {"statement:adult": "yes", "statement:ask": "yes", "statement:later": "yes"}


def asked(statements=STATEMENTS, **parts: object):
    return made_study(PAIRWISE, site={"consent_statements": statements}, **parts)


def arrived(opened, study=None):
    site = opened(study or asked())
    person = site.person()
    person.arrive()
    return site, person


def ticks(site):
    rows = [row for row in site.store.answer_rows() if row.task == CONSENT]
    return {(row.participant, row.question): row.raw for row in rows}


def test_each_statement_has_a_box_and_its_text_is_text(opened):
    _, person = arrived(opened)

    assert list(person.form["names"]) == list(ALL)
    assert "I know that I can ask Ada Example (ada@example.org) <b>any</b> time." in person.text
    assert "<b>any" not in person.page.text
    assert person.page.text.count(" required") == 2
    assert person.text.count("(optional)") == 1


@pytest.mark.parametrize("given", [{}, {"statement:adult": "yes"}, {"statement:later": "yes"}])
def test_nobody_agrees_before_every_required_box_is_ticked(opened, given):
    site, person = arrived(opened)
    reply = person.send(agree="yes", **given)

    assert reply.status_code == 422
    assert "Please tick this statement to take part." in person.text
    assert "Something is still missing" in person.text
    assert reply.text.count(" checked") == len(given)  # what was ticked stays ticked
    assert reply.text.count('aria-invalid="true"') == 2 - ("statement:adult" in given)
    assert ticks(site) == {}
    assert site.store.people(now=site.clock())[0].step == "consent"


def test_the_page_that_came_back_can_be_sent(opened):
    site, person = arrived(opened)
    person.send(agree="yes")
    person.send(agree="yes", **ALL)

    assert person.path == "/instructions"
    assert set(ticks(site).values()) == {"yes"}


def test_what_was_ticked_and_left_is_kept_once_and_exported(opened):
    site, person = arrived(opened)
    form = person.form
    given = {"statement:adult": "yes", "statement:ask": "yes"}
    person.send(form, agree="yes", **given)
    person.send(form, agree="yes", **ALL)  # the first decision counts

    who = site.store.people(now=site.clock())[0].participant
    assert ticks(site) == {(who, "adult"): "yes", (who, "ask"): "yes", (who, "later"): "no"}
    rows = list(csv.DictReader(io.StringIO(consent_csv(site.app.state.pages.site))))
    assert [(row["participant"], row["statement"], row["ticked"]) for row in rows] == [
        (who, "adult", "yes"), (who, "ask", "yes"), (who, "later", "no"),
    ]  # fmt: skip
    assert "@consent" in answers_csv(site.app.state.pages.site)


def test_a_decision_is_not_asked_for_again(opened):
    _, person = arrived(opened)
    form = person.form
    person.send(form, agree="yes", **ALL)
    person.send(form, agree="yes")

    assert person.path == "/instructions"


def test_declining_needs_no_tick(opened):
    site, person = arrived(opened)
    person.send(agree="no", **{"statement:adult": "yes"})

    assert person.path == "/declined"
    assert ticks(site) == {}


def test_boxes_that_do_not_exist_are_not_kept(opened):
    site, person = arrived(opened)
    person.send(agree="yes", **ALL, **{"statement:other": "yes", "statement:": "x"})

    assert {question for _, question in ticks(site)} == {"adult", "ask", "later"}


def test_ticks_leave_with_whoever_withdraws(opened):
    site, person = arrived(opened)
    person.send(agree="yes", **ALL)
    who = site.store.people(now=site.clock())[0].participant
    site.store.withdraw(who, who="researcher", now=site.clock())

    assert ticks(site) == {}


def test_ticks_are_no_judgments(opened):
    site, person = arrived(opened)
    person.send(agree="yes", **ALL)
    person.send()
    person.do_all()

    assert {row.task for row in site.store.answer_rows()} > {CONSENT}
    assert all(not answer.task.startswith("@") for answer in site.store.all_answers())


def test_a_page_without_statements_is_as_before(opened):
    site, person = arrived(opened, made_study(PAIRWISE))

    assert person.form["names"] == {}
    person.send(agree="yes")
    assert person.path == "/instructions"
    assert ticks(site) == {}


def test_the_statements_belong_to_the_version_of_the_text():
    before, after = asked(), asked([{**STATEMENTS[0], "text": "I am an adult."}, *STATEMENTS[1:]])

    assert "I am at least 18 years old." in consent_text(before)
    assert consent_text(before) != consent_text(after)
    assert before.fingerprint != after.fingerprint
    assert asked([]).fingerprint == made_study(PAIRWISE).fingerprint
    assert before.design_fingerprint == made_study(PAIRWISE).design_fingerprint


def test_statements_alone_are_a_consent_page(opened):
    study = asked(pages={"information": "About."})
    _, person = arrived(opened, study)

    assert "I am at least 18 years old." in consent_text(study)
    assert person.send(agree="yes", **ALL).status_code == 200


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_are_there_in_every_language(opened, language):
    _, person = arrived(opened, asked(language=language))
    person.send(agree="yes")

    words = catalogue(language)
    assert words["statements"] in person.text
    assert words["fault_tick"] in person.text
