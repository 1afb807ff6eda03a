"""Single answers that are doubtful."""

from __future__ import annotations

import pytest

from rejudge.heds import SheetAnswer, blank_sheet, lint


def _rules(*answers: tuple[str, SheetAnswer | str]) -> list[tuple[str, str]]:
    sheet = blank_sheet("3.0")
    for number, answer in answers:
        sheet = sheet.with_answer(number, answer)
    return [(each.rule, each.question) for each in lint(sheet)]


@pytest.mark.parametrize("text", ["TBA", "tba.", "TODO", "?", "...", "TBD", "xxx"])
def test_a_placeholder_is_found(text):
    assert _rules(("1.1.2", text)) == [("placeholder", "1.1.2")]


@pytest.mark.parametrize("text", ["TBA model", "The TODO app", "Who?", "N/A"])
def test_a_sentence_is_no_placeholder(text):
    assert _rules(("1.1.2", text)) == []


@pytest.mark.parametrize(
    "text",
    ["see http://example.org", "https://docs.google.com/document/d/1", "https://forms.gle/x"],
)
def test_links_that_are_not_lasting_are_found(text):
    assert _rules(("3.3.4.1", text)) == [("link", "3.3.4.1")]


def test_good_links_are_not():
    assert _rules(("3.3.4.1", "https://doi.org/10.1/a and https://aclanthology.org/")) == []


def test_an_address_where_none_is_asked_for_is_found():
    assert _rules(("3.2.3", "Write to ada@example.org.")) == [("e-mail", "3.2.3")]
    assert _rules(("1.3.1.3", "ada@example.org")) == []


@pytest.mark.parametrize("text", ["ada at example.org", "@example", "ada@example"])
def test_a_malformed_address_is_found(text):
    assert _rules(("1.3.1.3", text)) == [("e-mail", "1.3.1.3")]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("1.2", ["power"]),
        ("0.5", ["power"]),
        ("50%", ["power"]),
        (".79", ["power"]),
        ("0.8", []),
        ("95 %", []),
        ("N/A", []),
        ("with an effect of 0.2, power = 0.91", []),
        ("power of 0.652 at alpha 0.05", ["power"]),
    ],
)
def test_low_and_impossible_power_is_found(text, rules):
    assert [rule for rule, _ in _rules(("3.1.3.2", text))] == rules


def test_a_sample_that_does_not_begin_with_its_size_is_found():
    assert _rules(("3.1.1", "about 100")) == [("sample-size", "3.1.1")]
    assert _rules(("3.1.1", "100 of each")) == []


@pytest.mark.parametrize(
    "text", ["£9.60 per hour", "12 USD", "EUR 10", "10€", "15 dollars", "paid 9 an hour"]
)
def test_pay_without_an_amount_is_found(text):
    paid = ("3.2.2.2", SheetAnswer(options=(1,)))
    assert _rules(paid) == [("pay", "3.2.2.2")]
    assert _rules(paid, ("3.2.5", text)) == []


def test_platform_workers_who_are_authors_are_found():
    answers = [("3.2.3", "On Prolific."), ("3.2.2.4", SheetAnswer(options=(1,)))]
    assert _rules(*answers) == [("crowd", "3.2.2.4")]


def test_quality_assurance_that_is_denied_and_described_is_found():
    none = ("3.3.3.1", SheetAnswer("Not needed.", (7,)))
    assert _rules(none, ("3.3.3.2", "Ten attention checks.")) == [("quality-assurance", "3.3.3.2")]
    assert _rules(none, ("3.3.3.2", "N/A")) == []


def test_conditions_that_cannot_be_equal_are_found():
    online = ("3.3.7", SheetAnswer(options=(1,)))
    assert _rules(online, ("3.3.8", "N/A")) == [("conditions", "3.3.8")]
