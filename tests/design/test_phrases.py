"""Sentences for placeholders, in the languages of the site."""

from __future__ import annotations

from datetime import date

import pytest
from paid_studies import ADA, changed, values
from studies import PAIRWISE, make_study

from rejudge.design.phrases import retention_sentence
from rejudge.study.conduct import Retention
from rejudge.study.qualification import Practice
from rejudge.web.wording import LANGUAGES, catalogue

EXAMPLE = {"input": "a", "outputs": ["b", "c"], "answers": {"meaning": "a"}, "explanation": "d"}


@pytest.mark.parametrize(
    ("payment", "sentence"),
    [
        ({"minutes": 8, "living_wage": "GB"}, "This is at least the living wage."),
        ({"minutes": 8, "minimum_wage": "GB"}, "This is at least the legal minimum wage."),
        ({"minutes": 8, "living_wage": "GB", "reward": 0.5}, ""),
        ({"minutes": 8, "reward": 5}, ""),
        ({"kind": "unpaid", "living_wage": "GB"}, ""),
    ],
)
def test_a_wage_is_named_only_where_the_pay_meets_it(payment, sentence):
    assert values(changed(make_study(), payment=payment))["wage"] == sentence


def test_practice_and_ties_have_their_sentences():
    study = make_study(questions=[{**PAIRWISE, "tie": True}])
    study = changed(study, practice=Practice(examples=[EXAMPLE]))
    found = values(study)
    assert found["practice"].startswith("You start with practice examples")
    assert found["ties"] == "If you see no difference, choose “about the same”."
    assert "“equal”" in values(study, same="equal")["ties"]


def test_a_language_without_sentences_has_its_numbers():
    study = changed(make_study(), language="fi", payment={"minutes": 8, "reward": 2}, contact=ADA)
    found = values(study)
    assert found["reward"] == "GBP 2.00"
    assert not {"duration", "payment", "withdrawal", "practice", "ties"} & found.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_of_the_site_has_every_sentence(language):
    """The button of a tie and the page that shows the number are called as the site calls them."""
    study = make_study(questions=[{**PAIRWISE, "tie": True}])
    parts = {"language": language, "contact": ADA, "practice": Practice(examples=[EXAMPLE])}
    site = catalogue(language)
    for kind in ("paid", "voucher", "credit", "unpaid"):
        payment = {"kind": kind, "minutes": 8, "reward": 2}
        found = values(changed(study, **parts, payment=payment))
        assert all(found[name] for name in ("payment", "duration", "practice"))
        assert not [value for value in found.values() if "{" in value]
        assert site["about_same"] in found["ties"]
        assert site["about"] in found["withdrawal"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_of_the_site_has_it(language):
    day = Retention(until=date(2031, 6, 30), delete=("platform-ids", "times", "free-text"))
    said = {
        retention_sentence(each, language)
        for each in (
            day,
            Retention(days=1),
            Retention(days=2),
            Retention(days=2, delete=("everything",)),
        )
    }
    assert len(said) == 4
    assert "2031-06-30" in (retention_sentence(day, language) or "")
    assert not [each for each in said if each is None or "{" in each]


def test_it_reads_well_in_english():
    kept = Retention(days=30, delete=("free-text", "platform-ids", "times"))
    assert retention_sentence(kept, "en-GB") == (
        "30 days after the last answer in this study we delete your platform id, all times and "
        "technical data and what you wrote in your own words."
    )


def test_other_languages_have_none():
    assert retention_sentence(Retention(days=1), "fr") is None
