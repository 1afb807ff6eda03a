"""Runs of which only some say that lower scores are better."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from compared import select, single
from rejudge.compare.compare import compare
from rejudge.compare.comparison import SHARE, Comparison
from rejudge.compare.from_results import from_judgments
from rejudge.compare.run import Run
from rejudge.judgments.exclusions import ExclusionRules, exclude_rows
from rejudge.judgments.table import Judgment, Judgments
from rejudge.paper.paper_file import parse_conditions

SCALE = (1.0, 5.0)
LOWER = """
id: {}
systems: [{{id: good}}, {{id: bad}}]
criteria: [{{id: errors, {}scale: {{kind: rating, low: 1, high: 5}}}}]
claims:
  - {{id: ahead, says: good > bad on errors}}
  - {{id: surely, says: good > bad on errors with p < 0.01}}
  - {{id: alike, says: good ~ bad on errors within 3}}
conditions: {{platform: Prolific}}
"""


def judged(shift: int) -> Judgments:
    """`good` has two errors less than `bad`, more or less."""
    return Judgments.from_rows(
        [
            Judgment(f"p{person}", f"i{item}", "errors", float(value), system=system)
            for person in range(6)
            for item in range(10)
            for system, value in (
                ("good", 1 + (person * item + shift) % 2),
                ("bad", 3 + (person + item + shift) % 3),
            )
        ]
    )


@cache
def run(name: str, shift: int, *, better: str | None) -> Run:
    cleaned = exclude_rows(judged(shift), ExclusionRules())
    if better is None:
        return from_judgments(cleaned, name, scale=SCALE)
    told = parse_conditions(LOWER.format(name, better and f"better: {better}, "), file="c.yaml")
    return from_judgments(cleaned, name, description=told)


def verdicts(*runs: Run) -> dict[str, str]:
    return of_claims(compare(*runs))


def of_claims(found: Comparison) -> dict[str, str]:
    return {each.claim: each.verdict for each in found.claims}


@pytest.mark.parametrize("said", ["lower", "", None])
def test_a_run_that_does_not_say_which_scores_are_better_is_read_as_the_original(said):
    original, again = run("first", 0, better="lower"), run("second", 1, better=said)
    found = compare(original, again)
    assert of_claims(found) == {"ahead": "supported", "surely": "supported", "alike": "supported"}
    shares = select(found.findings, SHARE)
    assert [each.extra["confirmed"] for each in shares] == [1, 3, 1]
    assert select(found.findings, "pearson")[0].value == pytest.approx(1)
    assert {each.value > 0 for each in select(found.findings, "pooled-effect")} == {True}
    assert all(each.value > 0 for each in select(found.findings, "effect"))
    score = single(found.findings, "mean", "second", systems=("good",))
    assert score.value < 2  # as it was given, not turned round


@pytest.mark.slow
def test_a_run_that_says_the_opposite_is_turned_round():
    """Higher is better there: what it calls bad is the better one."""
    found = verdicts(run("first", 0, better="lower"), run("second", 1, better="higher"))
    assert (found["ahead"], found["surely"]) == ("contradicted", "contradicted")


def test_stored_differences_are_turned_as_well():
    original, again = run("first", 0, better="lower"), run("second", 1, better=None)
    found = compare(replace(original, judgments=None), replace(again, judgments=None))
    assert all(each.value > 0 for each in select(found.findings, "pooled-effect"))
    assert verdicts(original, replace(again, judgments=None))["surely"] == "supported"


def test_the_reader_is_told_what_was_assumed():
    found = compare(run("first", 0, better="lower"), run("second", 1, better=None))
    assert found.notes[0] == (
        "first states that lower scores on errors are better. The same is assumed for second."
    )
    both = compare(run("first", 0, better="lower"), run("second", 1, better="lower"))
    assert not any("lower" in note for note in both.notes)
