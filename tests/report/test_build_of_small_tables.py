"""Tables with hardly anything in them: what the report and the screen say is true and English."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from proofread import texts_of, wrong_in
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import Further
from rejudge.cli.results import render_results
from rejudge.judgments.exclusions import ExclusionRules, exclude_rows
from rejudge.judgments.read import read_judgments
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.build import build, outcomes_of
from rejudge.report.conditions import conditions
from rejudge.report.limitations import limitations
from rejudge.report.methods import methods
from rejudge.report.subject import Subject


def chosen(choice, people=3, items=4, systems=("ash", "beech")) -> list[Judgment]:
    """Everybody compares the first two systems on every item; `choice` says with what outcome."""
    first, second = systems[:2]
    return [
        Judgment(f"p{p}", f"i{i}", "q", choice(p, i), system_a=first, system_b=second, side="a")
        for p in range(people)
        for i in range(items)
    ]


def scored(score, people=3, items=4, systems=("ash", "beech")) -> list[Judgment]:
    return [
        Judgment(f"p{p}", f"i{i}", "q", float(score(p, i, s)), system=system, seconds=1.0 + p + i)
        for p in range(people)
        for i in range(items)
        for s, system in enumerate(systems)
    ]


TABLES = {
    "one choice": chosen(lambda *_: "a", people=1, items=1),
    "one score": scored(lambda *_: 3, people=1, items=1, systems=("ash",)),
    "one item": scored(lambda p, _, s: p + s, items=1),
    "one participant": scored(lambda _, i, s: (i + s) % 4, people=1),
    "one system": scored(lambda p, i, _: (p + i) % 4, systems=("ash",)),
    "two of everything": scored(lambda p, i, s: (p + i + s) % 3, people=2, items=2),
    "ties only": chosen(lambda *_: "tie"),
    "a sweep": chosen(lambda *_: "a", people=6, items=20),
    "none of many": chosen(lambda *_: "b", people=6, items=20),
    "one tie in a sweep": chosen(lambda p, i: "tie" if p == i == 0 else "a", people=6, items=20),
    "a constant difference": scored(lambda *where: 3 + where[-1]),
    "all the same score": scored(lambda *_: 3),
    "mixed": scored(lambda p, i, s: (2 * p + 3 * i + s) % 5, people=6, items=8),
    "mixed choices": chosen(lambda p, i: "ab"[(p * i + i) % 2], people=6, items=8),
}
RULES = {
    "nobody excluded": ExclusionRules(),
    "one excluded": ExclusionRules(participants=("p0",)),
}
EVERYTHING = [(name, rule) for name in TABLES for rule in RULES]


def subject_of(name: str, rule: str) -> Subject:
    cleaned = exclude_rows(Judgments.from_rows(TABLES[name]), RULES[rule])
    return Subject(analyse(cleaned, further=Further(cases=("each", "majority"))), name)


def on_screen(subject: Subject) -> str:
    screen = Console(file=io.StringIO(), width=200)
    for part in render_results(subject.results, {}):
        screen.print(part)
    return screen.file.getvalue()  # type: ignore[attr-defined]  # a StringIO


@pytest.mark.parametrize(("name", "rule"), EVERYTHING)
def test_the_report_and_the_screen_are_in_order(name, rule):
    subject = subject_of(name, rule)
    outcomes = outcomes_of(subject)
    report = build(subject, pictures=())
    prose = [*methods(subject, outcomes), *limitations(subject, outcomes)]
    assert wrong_in([*texts_of(report), *prose]) == []
    lines = [re.sub(r" {2,}", "\t", line.rstrip()) for line in on_screen(subject).splitlines()]
    assert wrong_in(lines) == []


@pytest.mark.parametrize("name", TABLES)
def test_what_was_excluded_is_not_denied(name):
    subject = subject_of(name, "one excluded")
    text = " ".join(methods(subject, outcomes_of(subject)))
    assert "No judgment was excluded" not in text
    assert "Nothing" not in text


def test_rows_without_a_value_do_not_contradict_that_nothing_was_excluded(tmp_path):
    path = tmp_path / "gaps.csv"
    lines = [f"p{p},i{i},s{s},{(p + i + s) % 4 if i else ''}" for p in range(3) for i in range(4)
             for s in range(2)]  # fmt: skip
    path.write_text("participant,item,system,score\n" + "\n".join(lines) + "\n", "utf-8")
    subject = Subject(analyse(read_judgments(path)), "gaps")
    assert "6 of 24 rows have no value" in str(conditions(subject))
    text = " ".join(methods(subject, outcomes_of(subject)))
    assert "Nothing was left out" not in text
    assert "No judgment was excluded by a rule: 3 participants with 18 judgments" in text


@pytest.mark.parametrize(("name", "winner"), [("a sweep", "ash"), ("none of many", "beech")])
def test_a_sweep_is_decided_by_the_sign_flip_test(name, winner):
    """120 of 120: the cluster-robust test has no error to go by; of 20 items that all point one
    way, 2 of 2^20 sign patterns do, p = 2^-19."""
    subject = subject_of(name, "nobody excluded")
    report = build(subject, pictures=())
    loser = {"ash": "beech", "beech": "ash"}[winner]
    assert f"An advantage of {winner} over {loser} is supported (sign-flip test" in report.answer[1]
    assert "the cluster-robust test has no result" in report.answer[1]
    assert "could not be tested" not in " ".join(texts_of(report))
    assert "supported" in list(texts_of(report))
    (flip,) = subject.results.select(by="sign-flip")
    assert flip.p == pytest.approx(2**-19, rel=1e-6) or flip.p == pytest.approx(1e-4)


def test_one_item_supports_nothing():
    report = build(subject_of("one choice", "nobody excluded"), pictures=())
    assert "An advantage of ash over beech is not supported" in report.answer[1]


def test_a_difference_that_never_varies_says_why_it_has_no_test():
    report = build(subject_of("a constant difference", "nobody excluded"), pictures=())
    assert report.answer[1] == (
        "Whether beech differs from ash could not be tested, since the values do not vary."
    )


def test_a_share_of_wins_is_no_subtraction():
    text = on_screen(subject_of("mixed choices", "nobody excluded"))
    assert "ash over beech" in text
    assert "ash – beech" not in text
    assert "ash – beech" in on_screen(subject_of("mixed", "nobody excluded"))
