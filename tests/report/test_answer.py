"""The answer on the first screen: what was found, how sure it is, and three numbers."""

from __future__ import annotations

import re

from judged_study import (
    PAIRWISE,
    RATING,
    checked_study,
    small_study,
)
from rejudge.judgments.table import Judgment
from rejudge.report.blocks import to_html
from reported import choices, report_of, report_of_rows, words_of


def test_the_answer_says_what_was_found_how_sure_and_how_much_it_is():
    """ash and beech are compared by 6 people on 8 items; ash wins unless p + i is divisible by 4.

    That is 12 losses of 48: 36/48 = 75 %. By Vargha & Delaney (2000) 71 % and more is large.
    """
    report = report_of_rows(small_study(PAIRWISE), choices(lambda p, i: "ab"[(p + i) % 4 == 0]))
    first, second, third = report.answer
    assert first.startswith("On meaning, Ash <tree> was preferred to Beech in 75.0\u202f% of 48 ")
    assert "95\u202f% interval" in first
    assert second.startswith("An advantage of Ash <tree> over Beech is supported")
    assert third.startswith("The estimated lead over Beech, the next best, is large: 75.0")


def test_what_is_not_supported_is_not_called_equal():
    report = report_of_rows(small_study(PAIRWISE), choices(lambda p, i: "ab"[(p * i) % 2]))
    assert "is not supported, which does not show that they are equally good" in report.answer[1]
    assert "no difference" not in words_of(to_html(report)).lower()


def test_what_could_not_be_tested_is_not_called_unsupported():
    """With everybody of two minds in the same way nothing varies that a test could weigh."""
    report = report_of_rows(small_study(PAIRWISE), choices(lambda p, i: "ab"[(p + i) % 2]))
    assert report.answer[1] == (
        "Whether Ash <tree> differs from Beech could not be tested, since the judgments do not "
        "vary from item to item or from participant to participant."
    )
    assert "whether systems differ could not be tested" in words_of(to_html(report))


def test_systems_that_stand_level_are_told_as_such():
    report = report_of_rows(small_study(PAIRWISE), choices(lambda p, i: "ab"[(p + i) % 2]))
    assert "Ash <tree> and Beech were preferred equally often: each won" in report.answer[0]


def test_where_some_chose_neither_a_share_of_wins_says_that_ties_are_half():
    """16 wins and 32 ties: 66.7 %, although ash was preferred in a third of the comparisons."""
    rows = choices(lambda p, i: "a" if (p + i) % 3 == 0 else "tie")
    report = report_of_rows(small_study(PAIRWISE), rows)
    assert "in 66.7\u202f% of 48 comparisons, counting a tie as half (" in report.answer[0]
    assert [number.label for number in report.numbers[:2]] == [
        "of comparisons won by Ash <tree>, counting a tie as half",
        "preferred Ash <tree> to Beech, the next best, counting a tie as half",
    ]


def test_the_best_of_all_that_loses_to_the_next_best_is_not_said_to_lead_it():
    """ash wins all against cedar and some 2 of 5 against beech, as beech does against cedar."""
    wins = {("ash", "cedar"): 5, ("ash", "beech"): 2, ("beech", "cedar"): 2}
    rows = [
        Judgment(f"p{p}", f"i{i}", "meaning", "ab"[(p + i) % 5 >= won], system_a=a, system_b=b)
        for p in range(6)
        for i in range(8)
        for (a, b), won in wins.items()
    ]
    report = report_of_rows(small_study(PAIRWISE), rows)
    assert "Ash <tree> was preferred most often" in report.answer[0]
    said = "Head to head, the estimated lead of Beech, the next best, over Ash <tree> is small: "
    assert report.answer[2].startswith(said)
    assert "lead for Ash <tree> to a" in report.answer[2]  # the interval holds an even share


def test_scores_are_told_with_their_scale():
    report = report_of(checked_study(RATING), origin="people")
    assert re.search(r"scored highest: a mean of \d\.\d\d on a scale from 1 to 5", report.answer[0])


def test_one_judgment_is_told_in_the_singular():
    report = report_of_rows(small_study(PAIRWISE), choices(lambda *_: "a", people=1, items=1))
    text = words_of(to_html(report))
    assert "in the only comparison (no interval)" in text
    assert "1 participant took part" in text
    assert "1 judgment of systems" in text
    assert "excluded" not in text.split("Participants and exclusions", 2)[1][:200]


def test_three_numbers_with_their_intervals_stand_on_the_first_screen():
    numbers = report_of(checked_study(PAIRWISE)).numbers
    assert len(numbers) == 3
    assert all("95\u202f% interval [" in number.detail for number in numbers)
