"""Whatever a paper prints can be entered, and what cannot be is a finding, not a refusal."""

from __future__ import annotations

import pytest

from audited import paper_of
from rejudge.audit.rules import audit
from rejudge.compare.run import run_of_paper
from rejudge.errors import Problem, StudyError


def score(more: str, scale: str = "{kind: rating, low: 1, high: 5}") -> str:
    return (
        f"criteria: [{{id: quality, scale: {scale}}}]\n"
        f"cases: [{{scores: [{{criterion: quality, system: a, {more}}}]}}]\n"
    )


def test_numbers_that_cannot_be_do_not_reach_a_comparison():
    """A p above 1 and a negative SD are shown by the audit; nothing is computed from them."""
    part = """
cases:
  - scores:
      - {criterion: quality, system: a, value: 3.4, sd: -0.5, n: 20}
      - {criterion: quality, system: b, value: "–", sd: "–"}
    tests: [{criterion: quality, systems: [a, b], p: 1.010}]
"""
    run = run_of_paper(paper_of(part))
    score_of_a, tested = run.findings
    assert (score_of_a.systems, score_of_a.spread) == (("a",), None)
    assert tested.p is None


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
        run_of_paper(paper)
    except StudyError as error:
        problems = error.problems
    assert all(problem.remedy for problem in problems)


def test_two_numbers_in_one_cell_are_distinguished():
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
