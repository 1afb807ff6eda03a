"""What is wrong or weak in a study: each finding with a code, its places and the remedy."""

from rejudge.lint.rules import RULES, Finding, check, rule_of
from rejudge.rules import SEVERITIES, Rule, Severity

__all__ = ["RULES", "SEVERITIES", "Finding", "Rule", "Severity", "check", "rule_of"]
