"""Whether the numbers that a paper prints are possible and consistent."""

from rejudge.arguments import explain_arguments
from rejudge.audit.rules import (
    RULES,
    Audit,
    AuditFinding,
    audit,
    compared_with,
    rule_of,
)
from rejudge.rules import SEVERITIES, Rule, Severity

__all__ = [
    "RULES",
    "SEVERITIES",
    "Audit",
    "AuditFinding",
    "Rule",
    "Severity",
    "audit",
    "compared_with",
    "rule_of",
]

explain_arguments(__name__)
