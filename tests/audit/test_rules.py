"""The table of rules, with an example and a sound counterpart for each."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from audited import audited, codes
from rejudge.audit.rules import RULES, rule_of
from rejudge.errors import UsageError
from rejudge.rules import SEVERITIES

EXAMPLES = yaml.safe_load(Path(__file__).with_name("examples.yaml").read_text("utf-8"))
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))


def test_codes_are_in_order_and_names_are_given_once():
    assert list(RULES) == sorted(RULES)
    assert len({rule.name for rule in RULES.values()}) == len(RULES)


@every_rule
def test_every_rule_explains_itself(rule):
    assert rule.severity in SEVERITIES
    assert rule.explanation.splitlines()[0].endswith(".")
    assert "\n\nRemedy: " in rule.explanation


def test_every_rule_has_its_example():
    assert list(EXAMPLES) == list(RULES)


@every_rule
def test_an_example_has_the_finding_it_names_and_no_other(rule):
    found = audited(EXAMPLES[rule.code]["wrong"]).findings
    assert {finding.code for finding in found} == {rule.code}
    assert f"{found[0].says}\n{found[0].arithmetic}\n" == EXAMPLES[rule.code]["says"]
    assert found[0].severity == rule.severity
    assert found[0].place
    assert found[0].remedy


@every_rule
def test_the_sound_counterpart_of_an_example_has_no_finding(rule):
    assert codes(EXAMPLES[rule.code]["sound"]) == []


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
