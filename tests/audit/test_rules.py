"""The table of rules, their pages, and the examples on them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audited import audited, codes
from rejudge.audit.rules import RULES, rule_of
from rejudge.errors import UsageError
from rejudge.rules import SEVERITIES

PAGES = Path(__file__).parents[2] / "docs" / "reference" / "audit"
BLOCK = re.compile(r"^```(?P<kind>yaml|text)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def page_of(rule):
    return (PAGES / rule.page).read_text(encoding="utf-8")


def blocks_of(rule, kind):
    return [found["body"] for found in BLOCK.finditer(page_of(rule)) if found["kind"] == kind]


every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))


def test_codes_are_in_order_and_names_are_given_once():
    assert list(RULES) == sorted(RULES)
    assert len({rule.name for rule in RULES.values()}) == len(RULES)


@every_rule
def test_every_rule_explains_itself(rule):
    assert rule.severity in SEVERITIES
    assert rule.explanation.splitlines()[0].endswith(".")
    assert "\n\nRemedy: " in rule.explanation


@every_rule
def test_every_rule_has_its_page_which_says_what_the_rule_says(rule):
    page = page_of(rule)
    assert page.startswith(f"# {rule.code} · {rule.name}\n")
    assert f"Severity: **{rule.severity}**" in page
    assert rule.summary in page
    for heading in ("## What it finds", "## Why it matters", "## Example", "## Remedy"):
        assert f"\n{heading}\n" in page
    for paragraph in rule.explanation.split("\n\n")[:-1]:
        assert paragraph in page


def test_no_page_is_of_a_rule_that_is_not_there():
    assert {page.name for page in PAGES.glob("A*.md")} == {rule.page for rule in RULES.values()}


@every_rule
def test_the_example_on_a_page_has_the_finding_it_shows_and_no_other(rule):
    found = audited(blocks_of(rule, "yaml")[0]).findings
    assert {finding.code for finding in found} == {rule.code}
    assert f"{found[0].says}\n{found[0].arithmetic}\n" == blocks_of(rule, "text")[0]
    assert found[0].severity == rule.severity
    assert found[0].place
    assert found[0].remedy


@every_rule
def test_the_sound_counterpart_on_a_page_has_no_finding(rule):
    assert codes(blocks_of(rule, "yaml")[1]) == []


def test_a_rule_is_found_by_its_code_and_by_its_name():
    assert rule_of("a101") is rule_of("impossible-mean") is RULES["A101"]


def test_an_unknown_code_is_reported_with_the_nearest():
    with pytest.raises(UsageError, match="Did you mean impossible-mean"):
        rule_of("imposible-mean")


def test_the_gravest_findings_come_first():
    """A note on the surplus, a warning on the datasets, an error on the total."""
    part = """
arithmetic:
  - {kind: flow, what: batches, planned: 12, collected: 13}
  - {kind: counts, what: items, counts: {x: 3, y: 4}}
  - {kind: sum, what: items, parts: [3, 4], total: 8}
"""
    assert codes(part) == ["A401", "A410", "A409"]


def test_an_audit_says_how_much_it_looked_at():
    part = "arithmetic: [{kind: sum, what: items, parts: [3, 4], total: 7}]"
    found = audited(part)
    assert (found.findings, found.looked, found.checks) == ((), {"A401": 1}, 1)


def test_a_paper_that_is_not_available_is_named():
    part = "reproduces: lost\ncases: [{scores: [{criterion: quality, system: a, value: 3.1}]}]"
    assert audited(part).missing == ("lost",)
