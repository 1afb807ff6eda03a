"""Whatever a paper prints can be entered, and what cannot be is a finding, not a refusal."""

from __future__ import annotations

import pytest

from audited import audited, codes, paper_of
from rejudge.audit import audit
from rejudge.compare import runs_of
from rejudge.errors import Problem, StudyError

CHOICES = """
criteria: [{{id: quality, scale: {{kind: best-worst, low: -100, high: 100}}}}]
cases:
  - scores:
      - {{criterion: quality, system: a, value: {value}, n: 900, place: Table 1}}
conditions: {{elicitation: choice of one of two outputs, tie-allowed: {ties}}}
"""


def score(more: str, scale: str = "{kind: rating, low: 1, high: 5}") -> str:
    return (
        f"criteria: [{{id: quality, scale: {scale}}}]\n"
        f"cases: [{{scores: [{{criterion: quality, system: a, {more}}}]}}]\n"
    )


def test_half_a_win_is_found_where_there_were_no_ties():
    """900 choices: (won − lost) / 900 = 0.23 needs 553.5 wins; 553 give 22.89 and 554 23.11."""
    (finding,) = audited(CHOICES.format(value="23.00", ties="false")).findings
    assert finding.code == "A101"
    assert "22.8889 and 23.1111" in finding.arithmetic
    assert codes(CHOICES.format(value="23.11", ties="false")) == []


def test_with_ties_half_a_win_can_be():
    assert codes(CHOICES.format(value="23.00", ties="true")) == []


def test_of_more_than_two_outputs_one_may_be_neither_best_nor_worst():
    text = CHOICES.format(value="23.00", ties="false")
    assert codes(text.replace("choice of one of two outputs", "best and worst of 4 outputs")) == []


def test_a_share_of_yes_answers_is_checked_once_its_points_are_given():
    """120 answers: 23.0 % needs 27.6 of them; 28 are 23.3 %."""
    asked = "{kind: percent, low: 0, high: 100, points: 2}"
    assert codes(score("value: 23.0, n: 120", asked)) == ["A101"]
    assert codes(score("value: 23.3, n: 120", asked)) == []
    assert codes(score("value: 23.0, n: 120", "{kind: percent, low: 0, high: 100}")) == []


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("value: 3.00, sd: 2.31, n: 4", False),  # two at either end: √(4 · 4/3) = 2.309
        ("value: 3.00, sd: 2.32, n: 4", True),
        ("value: 3.00, sd: 2.83", False),  # two people at the two ends: √8 = 2.828
        ("value: 3.00, sd: 2.84", True),
        ("value: 5.00, sd: 0.40", True),  # at the end of the scale nobody differs
        ("value: 5.00, sd: 0.10", False),  # but 4.995 is 5.00 too: √(0.005 · 3.995 · 2) = 0.2
        ("value: 3.00, sd: -0.50", True),
    ],
)
def test_an_sd_that_cannot_be_is_reported_and_not_refused(more, found):
    assert codes(score(more)) == (["A102"] if found else [])


DF = """
cases:
  - scores:
      - {{criterion: quality, system: a, value: 3.40, n: 60}}
      - {{criterion: quality, system: b, value: 3.10, n: 60}}
    tests:
      - {{criterion: quality, systems: [a, b], test: independent t-test, {unit}
         statistic: {{name: t, value: 2.40, df: [{df}]}}}}
"""


@pytest.mark.parametrize(
    ("df", "unit", "found"),
    [
        ("198", "", True),  # 60 + 60 − 2 = 118 at most
        ("118", "", False),
        ("29", "", False),  # a test on the means of 30 items, say
        ("29", "unit: judgment,", True),  # of judgments, 59 are the least
        ("198", "unit: item,", False),  # the scores' n are judgments, not items
    ],
)
def test_degrees_of_freedom_are_held_against_the_n_of_the_scores(df, unit, found):
    assert ("A203" in codes(DF.format(df=df, unit=unit))) is found


@pytest.mark.parametrize(
    "part",
    [
        score("value: 5.21"),
        score("value: 3.00, median: 6"),
        "cases: [{agreement: [{coefficient: percent, value: 101.0}]}]",
        "cases: [{agreement: [{coefficient: kendall-w, value: -0.10}]}]",
        "cases: [{tests: [{criterion: quality, systems: [a, b], p: 1.010}]}]",
        "cases: [{tests: [{criterion: quality, effect: {name: d, value: 1, interval: [9, 6]}}]}]",
        "reproduces: x\nreproducibility: [{measure: pearson, value: 1.02}]",
        "reproduces: x\nreproducibility: [{measure: cv-star, value: -3.47}]",
        "arithmetic: [{kind: correlation, what: q, coefficient: pearson, value: 1.2, n: 5, p: 1}]",
    ],
)
def test_a_number_that_cannot_be_is_reported_and_not_refused(part):
    assert "A104" in codes(part)


@pytest.mark.parametrize(
    "part",
    [
        score("value: 5.0"),
        score("value: 4.999, median: 5"),
        "cases: [{agreement: [{coefficient: percent, value: 100}]}]",
        "cases: [{agreement: [{coefficient: kendall-w, value: 0.61, variant: without ties}]}]",
        "reproduces: x\nreproducibility: [{measure: claims, value: 80 %}]",
    ],
)
def test_a_number_at_the_end_of_what_can_be_is_no_finding(part):
    assert "A104" not in codes(part)


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("value: 3.5, is_median: true, n: 41", True),  # of an odd number it is one of them
        ("value: 3.5, is_median: true", False),
        ("value: 3.21, median: 3.2", True),
        ("value: 3.21, median: 3", False),
    ],
)
def test_a_median_is_a_rating_or_lies_between_two(more, found):
    five = "{kind: rating, low: 1, high: 5, points: 5}"
    assert ("A105" in codes(score(more, five))) is found


def test_a_median_is_not_taken_for_a_mean():
    """3.5 is no mean of 41 whole ratings, and an SD belongs to a mean."""
    five = "{kind: rating, low: 1, high: 5, points: 5}"
    assert codes(score("value: 3.5, sd: 9, is_median: true, n: 40", five)) == []


def test_numbers_that_cannot_be_do_not_reach_a_comparison():
    """A p above 1 and a negative SD are shown by the audit; nothing is computed from them."""
    part = """
cases:
  - scores:
      - {criterion: quality, system: a, value: 3.4, sd: -0.5, n: 20}
      - {criterion: quality, system: b, value: "–", sd: "–"}
    tests: [{criterion: quality, systems: [a, b], p: 1.010}]
"""
    (run,) = runs_of(paper_of(part))
    assert [(score.system, score.sd) for score in run.scores] == [("a", None)]
    assert run.contrasts[0].p is None


@pytest.mark.parametrize(
    ("system", "wins", "losses", "value"),
    [("vae", 1850, 850, "37.04"), ("lbow", 1154, 1546, "-14.52"), ("sep", 948, 1752, "-29.78")],
)
def test_wins_and_losses_give_the_published_scores(system, wins, losses, value):
    """Arvan and Parde (2024), table 2: wins, losses and the best–worst scale."""
    told = f"value: {value}, wins: {wins}, losses: {losses}"
    assert codes(score(told, "{kind: best-worst, low: -100, high: 100}")) == []


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("value: 20.00, wins: 6, losses: 4, n: 10", False),
        ("value: 16.67, wins: 6, losses: 4, ties: 2, n: 12", False),  # (6 − 4) / 12
        ("value: 20.00, wins: 6, losses: 4, ties: 2, n: 12", True),
        ("value: 20.00, wins: 6, losses: 4, n: 9", True),  # more than there are
        ("value: 16.67, wins: 6, losses: 4, n: 12", False),  # the other two may be ties
        ("value: 16.67, wins: 0, losses: 0", False),
    ],
)
def test_wins_losses_and_ties_are_held_against_score_and_n(told, found):
    scale = "{kind: best-worst, low: -100, high: 100}"
    assert ("A106" in codes(score(told, scale))) is found


HOSTILE = [
    "0", "-5", "1e400", "9" * 400, "'1,234'", "−0", "100.1 %", "<.001", "n.s.", "∞", "½", "①", "٣",
    "'3.12 (0.92)'", "3.12±0.1", "0.65/0.61", "**", "{}", "[]", "true", "null", "'\\0'", "🙂",
]  # fmt: skip


@pytest.mark.parametrize("odd", HOSTILE)
@pytest.mark.parametrize("key", ["value", "sd", "n", "median", "wins"])
def test_whatever_stands_in_a_cell_is_audited_or_refused_with_a_remedy(key, odd):
    told = {"value": "3.10", "sd": "1.00", "n": "20", "losses": "3", key: odd}
    part = score(", ".join(f"{name}: {each}" for name, each in told.items()))
    problems: tuple[Problem, ...] = ()
    try:
        paper = paper_of(part)
        audit(paper)
        runs_of(paper)
    except StudyError as error:
        problems = error.problems
    assert all(problem.remedy for problem in problems)


def test_two_numbers_in_one_cell_are_told_apart():
    with pytest.raises(StudyError, match="under its own key"):
        paper_of(score("value: 3.12 (0.92)"))


def test_a_decimal_comma_is_read_as_it_is_printed():
    found = paper_of(score("value: '3,12'")).cases[0].scores[0].value
    assert (found.value, found.decimals) == (3.12, 2)


def test_a_score_of_no_judgments_is_refused():
    with pytest.raises(StudyError, match=r"scores\[0\].n"):
        paper_of(score("value: 3.10, n: 0"))


def test_an_empty_cell_in_a_column_of_medians_is_neither_mean_nor_median():
    text = """
criteria: [{id: quality, scale: {kind: rating, low: 1, high: 5}}]
cases:
  - scores:
      - {criterion: quality, system: a, value: 3.5, is_median: true}
      - {criterion: quality, system: b, value: "–"}
"""
    assert [score.value for score in paper_of(text).cases[0].known] == [
        paper_of(text).cases[0].scores[0].value
    ]
