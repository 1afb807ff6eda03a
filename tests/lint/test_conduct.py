"""Rules about what participants are told."""

from __future__ import annotations

from datetime import date

import pytest
from good_study import PAGES, codes, make_study, only

from rejudge.lint.rules import check

GOOD = {  # language → a consent page with all that is looked for
    "en": "I agree to take part. I may withdraw whenever I like.",
    "de": "Ich bin einverstanden. Die Teilnahme kann jederzeit abgebrochen werden.",
    "nl": "Ik geef toestemming. Ik mag mij op elk moment terugtrekken.",
    "es": "Doy mi consentimiento. Puedo abandonar el estudio en cualquier momento.",
    "zh-Hans": "我同意参加本研究，并知道可以随时退出。",
    "ar": "أوافق على المشاركة في الدراسة، ويمكنني الانسحاب في أي وقت.",
}


@pytest.mark.parametrize("page", ["", "  \n"])
def test_a_missing_consent_page_is_found(page):
    pages = {"consent": page, "information": "You can stop at any time."}
    finding = only(make_study(pages=pages))
    assert (finding.code, finding.severity) == ("R401", "error")
    assert finding.message == "There is no consent page."
    assert finding.places == ("pages/consent.md",)


def test_a_page_that_does_not_ask_for_consent_is_found():
    finding = only(make_study(pages={"consent": "Welcome! You can stop at any time."}))
    assert finding.code == "R401"
    assert "“consent”, “agree”" in finding.message


@pytest.mark.parametrize("language", GOOD)
def test_consent_and_withdrawal_are_known_in_six_languages(language):
    assert check(make_study({"language": language}, pages={"consent": GOOD[language]})) == ()


@pytest.mark.parametrize("language", GOOD)
def test_a_page_without_them_is_found_in_six_languages(language):
    pages = dict.fromkeys(PAGES, "…") | {"consent": "12345", "instructions": "{practice}"}
    assert codes(*check(make_study({"language": language}, pages=pages))) == ["R401", "R403"]


def test_in_other_languages_only_the_page_is_looked_for():
    pages = dict.fromkeys(PAGES, "Suostun osallistumaan.")
    assert check(make_study({"language": "fi"}, pages=pages)) == ()


def test_a_missing_contact_is_found():
    finding = only(make_study({"contact": None}))
    assert (finding.code, finding.severity) == ("R402", "warning")


@pytest.mark.parametrize("role", ["information", "consent"])
def test_an_address_on_a_page_is_a_contact(role):
    pages = {role: f"{PAGES[role]} Ask us: <team@uni.example.edu>."}
    assert check(make_study({"contact": None}, pages=pages)) == ()


def test_a_missing_withdrawal_sentence_is_found():
    finding = only(make_study(pages={"consent": "I consent to take part."}))
    assert (finding.code, finding.severity) == ("R403", "warning")
    assert "“withdraw”, “at any time”" in finding.message


def test_withdrawal_may_be_told_in_the_information_letter():
    pages = {"consent": "I consent.", "information": "You may withdraw."}
    assert check(make_study(pages=pages)) == ()


def test_a_missing_information_letter_is_found():
    finding = only(make_study(pages={"information": ""}))
    assert (finding.code, finding.severity) == ("R404", "warning")
    assert finding.places == ("pages/information.md",)


def test_missing_instructions_are_found():
    finding = only(make_study(pages={"instructions": ""}))
    assert (finding.code, finding.severity) == ("R405", "warning")
    assert finding.places == ("pages/instructions.md",)


def test_a_crowd_study_without_approval_is_noted():
    finding = only(make_study({"ethics": ""}))
    assert (finding.code, finding.severity) == ("R406", "note")


def test_invited_people_need_no_approval_named():
    assert check(make_study({"ethics": "", "recruitment.platform": "link"})) == ()


TODAY = date(2026, 3, 2)


def retention_codes(today: date | None = TODAY, **parts: object) -> set[str]:
    return {each.code for each in check(make_study(parts), today=today)} & {"R422", "R423"}


@pytest.mark.parametrize(
    ("platform", "codes"), [("prolific", {"R422"}), ("mturk", {"R422"}), ("link", set())]
)
def test_paid_platforms_need_an_end(platform, codes):
    assert retention_codes(recruitment={"platform": platform}, retention=None) == codes
    assert retention_codes(recruitment={"platform": platform}, retention={"days": 30}) == set()


@pytest.mark.parametrize(("day", "codes"), [(1, {"R423"}), (2, set()), (3, set())])
def test_a_day_in_the_past_is_found_when_the_day_is_known(day, codes):
    kept = {"until": date(2026, 3, day)}
    assert retention_codes(retention=kept) == codes
    assert retention_codes(None, retention=kept) == set()


def test_a_reason_for_something_that_does_not_exist_is_found():
    sound = make_study({"deviations": {"pages.consent": "Ours.", "interface": "Ours."}})
    assert check(sound) == ()
    finding = only(make_study({"deviations": {"pagse.consent": "Ours."}}))
    assert (finding.code, finding.severity) == ("R448", "error")
    assert "'pagse.consent'" in finding.message
