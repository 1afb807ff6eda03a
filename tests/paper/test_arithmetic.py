"""Printed numbers that must be consistent, as entries of a paper file."""

from __future__ import annotations

from paper_faults import PAPER, changed, only_problem, problems_of
from rejudge.paper.paper_file import parse


def test_an_unknown_kind_of_arithmetic_comes_with_the_kinds():
    text = f"{PAPER}arithmetic: [{{kind: sun, what: parts, parts: [1, 2], total: 3}}]\n"
    (problem,) = problems_of(text)
    assert problem.field == "arithmetic[0].kind"
    assert "'sum'" in problem.remedy


def test_a_fault_inside_arithmetic_has_its_path_in_the_file():
    text = f"{PAPER}arithmetic: [{{kind: sum, what: parts, parts: [1, 2], total: many}}]\n"
    (problem,) = problems_of(text)
    assert problem.field == "arithmetic[0].total"


def test_counts_may_have_thousands_separators():
    assert parse(changed("n: 20", 'n: "12,345"')).cases[0].scores[0].n == 12_345
    assert problems_of(changed("n: 20", 'n: "12,34"')) != ()


def test_a_count_is_of_a_size_that_can_be_counted_with():
    assert "at most" in str(only_problem("n: 20", f"n: {10**22}"))
