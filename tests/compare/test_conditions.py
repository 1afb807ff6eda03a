"""Conditions of measurement: side by side, compared, and demanded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from printed_papers import run
from rejudge.compare.compare import compare
from rejudge.compare.conditions import condition_of_key
from rejudge.compare.deviations import text_changes
from rejudge.errors import DataError

SCORES = {"q": {"s": 1, "t": 2}}


def test_a_comparison_without_conditions_cannot_be_made():
    with pytest.raises(DataError, match="conditions of measurement of 'b' are not known") as caught:
        compare(run("a", SCORES), run("b", SCORES, conditions={}))
    assert "--conditions" in caught.value.problems[0].remedy


def test_an_original_alone_is_no_comparison():
    with pytest.raises(DataError, match="Name one reproduction"):
        compare(run("a", SCORES))


def test_two_runs_of_one_name_are_refused():
    with pytest.raises(DataError, match="'a' is given twice"):
        compare(run("a", SCORES), run("a", SCORES))


def test_runs_that_share_no_criterion_are_refused_with_what_each_has():
    with pytest.raises(DataError, match="the original has q; the others have r") as caught:
        compare(run("a", SCORES), run("b", {"r": {"s": 1}}))
    assert "--criteria" in caught.value.problems[0].remedy


def test_unknown_is_not_equal_and_counts_on_neither_side():
    """Equal: items and countries, in any order; different: platform; unknown in one: pay, dates."""
    first = {"platform": "MTurk", "items": 100, "countries": ["GB", "US"], "pay-per-hour": 12}
    second = {"platform": "Prolific", "items": 100.0, "countries": ["US", "GB"], "dates": "2024"}
    comparison = compare(run("a", SCORES, conditions=first), run("b", SCORES, conditions=second))
    (found,) = comparison.similarities
    assert (found.equal, found.known_in_both, found.share) == (2, 3, 2 / 3)
    assert [each.property for each in comparison.deviations] == ["platform"]
    assert [each.property for each in comparison.conditions] == [
        "items", "platform", "pay-per-hour", "dates", "countries",
    ]  # fmt: skip
    values = {each.property: each.values for each in comparison.conditions}
    assert values["dates"] == {"a": None, "b": "2024"}


def test_where_nothing_is_known_in_both_there_is_no_share():
    comparison = compare(
        run("a", SCORES, conditions={"items": 3}), run("b", SCORES, conditions={"dates": "2024"})
    )
    assert comparison.similarities[0].share is None


def test_a_deviation_is_joined_with_the_reason_that_was_stated():
    stated = [
        {"property": "platform", "reason": "A rule.", "impact": "low", "note": "Closed since."},
        {"property": "interface", "reason": "Rewritten.", "impact": "unknown"},
    ]
    comparison = compare(
        run("a", SCORES, conditions={"platform": "MTurk", "items": 9}),
        run(
            "b",
            SCORES,
            reproduces="a",
            conditions={"platform": "Prolific", "items": 10},
            deviations=stated,
        ),
    )
    found = {each.property: each for each in comparison.deviations}
    assert list(found) == ["items", "platform", "interface"]
    platform = found["platform"]
    assert (platform.original, platform.here) == ("MTurk", "Prolific")
    assert (platform.reason, platform.impact, platform.note) == ("A rule.", "low", "Closed since.")
    assert (found["items"].reason, found["items"].impact) == ("", "unknown")
    assert [each.is_computed for each in found.values()] == [True, True, False]


def test_words_match_in_any_case_and_truth_is_no_number():
    comparison = compare(
        run("a", SCORES, conditions={"platform": "Prolific", "x-odd": True}),
        run("b", SCORES, conditions={"platform": "prolific ", "x-odd": 1}),
    )
    assert comparison.similarities[0].equal == 1


def test_a_reproduction_of_something_else_is_noted():
    comparison = compare(run("a", SCORES), run("b", SCORES, reproduces="z"))
    assert "b 2024 states that it reproduces z, not a." in comparison.notes


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("Read both. Choose one.", "Read both. Choose one.\n", ()),
        ("Read  both.\nChoose one.", "Read both. Choose one.", ()),
        ("Read both. Choose one.", "Read both. Choose two.", ("“Choose one.” → “Choose two.”",)),
        ("Read both.", "Read both. You may stop.", ("added “You may stop.”",)),
        ("Read both. You may stop.", "Read both.", ("removed “You may stop.”",)),
        ("", "New.", ("added “New.”",)),
        ("One. Two. Kept.", "Uno. Dos. Kept.", ("“One.” → “Uno.”", "“Two.” → “Dos.”")),
        ("One. Two. Kept.", "Both. Kept.", ("“One. Two.” → “Both.”",)),
        ("请阅读。请选择。", "请阅读。请回答。", ("“请选择。” → “请回答。”",)),
        ("اقرأ. اختر؟", "اقرأ. أجب؟", ("“اختر؟” → “أجب؟”",)),
    ],
)
def test_two_texts_are_compared_by_sentences(before, after, changes):
    assert text_changes(before, after) == changes


def test_a_page_that_was_rewritten_is_cut_short():
    pages = {"consent": " ".join(f"Sentence {n}. Kept." for n in range(40))}
    first = replace(run("a", SCORES, conditions={"consent": "x"}), pages=pages)
    other = {"consent": " ".join(f"Words {n}. Kept." for n in range(40))}
    second = replace(run("b", SCORES, conditions={"consent": "y"}), pages=other)
    (found,) = compare(first, second).deviations
    assert found.note.endswith("; and 32 more changes")
    assert len(found.note) < 600


def test_demographics_stand_among_the_conditions():
    told = [
        {"what": "gender", "counts": {"women": 12, "men": 10}},
        {"what": "age", "mean": "34.2", "sd": "9.1", "low": "18", "high": "65"},
    ]
    found = run("a", SCORES, demographics=told).conditions
    assert found["x-gender"] == "women 12, men 10"
    assert found["x-age"] == "mean 34.2, SD 9.1, from 18 to 65"


def test_medians_are_not_set_beside_means():
    medians = run("b", SCORES)
    turned = replace(medians.criteria[0], kind="median unbounded")
    with pytest.raises(DataError, match="different quantities"):
        compare(run("a", SCORES), replace(medians, criteria=(turned,)))


def test_a_reason_for_the_pay_per_hour_explains_the_pay_per_batch_too():
    stated = [{"property": "pay-per-hour", "reason": "Volunteers.", "impact": "low"}]
    first = run("a", SCORES, conditions={"pay-per-batch": 2.25, "pay-per-hour": 13.45})
    unpaid = {"pay-per-batch": 0, "pay-per-hour": 0}
    second = run("b", SCORES, reproduces="a", conditions=unpaid, deviations=stated)
    assert [each.reason for each in compare(first, second).deviations] == ["Volunteers."] * 2


@pytest.mark.parametrize("key", ["payment.kind", "payment.living_wage", "payment.hourly"])
def test_the_keys_that_decide_the_pay_are_one_condition(key):
    assert condition_of_key(key) == "pay-per-hour"


def test_shares_of_participants_are_shown_as_percent():
    told = [{"what": "gender", "percent": {"women": "54 %", "men": 46}, "place": "section 3"}]
    first = run("a", SCORES, demographics=told)
    assert first.conditions["x-gender"] == "women 54 %, men 46 %"
