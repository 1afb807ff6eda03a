"""What is wrong or weak in a study: each finding with a code, its places and a remedy."""

from rejudge.arguments import explain_arguments
from rejudge.lint.evidence import Template
from rejudge.lint.rules import PAGE_RULES, RULES, LintFinding, check, rule_of
from rejudge.rules import SEVERITIES, Rule, Severity

__all__ = [
    "PAGE_RULES",
    "RULES",
    "SEVERITIES",
    "LintFinding",
    "Rule",
    "Severity",
    "Template",
    "check",
    "rule_of",
]

explain_arguments(__name__)
