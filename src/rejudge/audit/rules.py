"""All rules in one table, and `audit`, which applies them.

The hundreds group them by subject: 1 means and SDs, 2 tests, 3 methods of analysis, 4 arithmetic,
5 reproducibility figures. A code is never reused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from rejudge.audit import (
    analysis,
    arithmetic,
    association,
    cv_star,
    power,
    scores,
    significance,
)
from rejudge.audit.evidence import Outcomes, PaperEvidence
from rejudge.paper.model import Paper
from rejudge.rules import SEVERITIES, Rule, Severity, find_rule

_Rule: TypeAlias = Rule[Callable[[PaperEvidence], Outcomes]]


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """What is wrong or weak in printed numbers, with the arithmetic that shows it."""

    code: str
    name: str
    severity: Severity
    says: str
    arithmetic: str
    place: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found in a paper, and how many numbers each rule could check."""

    paper: str
    findings: tuple[AuditFinding, ...]
    looked: dict[str, int]  # by code; a rule that had nothing to check is not listed
    missing: tuple[str, ...] = ()  # papers it compares itself with that were not given

    @property
    def checks(self) -> int:
        """How many numbers or sets of numbers were checked."""
        return sum(self.looked.values())


# fmt: off
_TABLE: Final[tuple[_Rule, ...]] = (
    Rule("A101", "impossible-mean", "error", scores.impossible_mean,
         "No set of this many judgments on this scale has this mean (GRIM)."),
    Rule("A102", "impossible-sd", "error", scores.impossible_sd,
         "No set of this many judgments with this mean has this SD (GRIMMER)."),
    Rule("A103", "unequal-zero-sum", "error", scores.unequal_zero_sum,
         "Scores of comparisons do not add up to 0."),
    Rule("A104", "out-of-range", "error", scores.out_of_range,
         "A number is outside its possible range."),
    Rule("A105", "impossible-median", "error", scores.impossible_median,
         "No ratings on this scale have this median."),
    Rule("A106", "wins-differ", "error", scores.score_differs_from_wins,
         "A score does not follow from its wins and losses."),
    Rule("A201", "p-differs", "error", significance.p_differs,
         "A p value does not follow from its statistic."),
    Rule("A202", "one-sided-p", "note", significance.one_sided_p,
         "A p value is that of a one-sided test."),
    Rule("A203", "df-differs", "error", significance.df_differs,
         "Degrees of freedom do not fit the number of judgments."),
    Rule("A204", "statistic-differs", "error", significance.statistic_differs,
         "A t statistic does not follow from means, SDs and n."),
    Rule("A205", "effect-differs", "error", significance.effect_differs,
         "An effect size does not follow from its test or means."),
    Rule("A206", "significance-differs", "warning", significance.significance_differs,
         "A difference is called significant, or not, contrary to its p value."),
    Rule("A301", "uncorrected-tests", "warning", analysis.uncorrected_tests,
         "Several tests were run without correction for multiple testing."),
    Rule("A302", "misnamed-correction", "warning", analysis.misnamed_correction,
         "The correction applied is not the one named."),
    Rule("A303", "judgments-as-independent", "warning", analysis.judgments_as_independent,
         "A test treats all judgments as independent observations."),
    Rule("A304", "zero-sum-anova", "warning", analysis.zero_sum_anova,
         "A one-way ANOVA was applied to zero-sum scores."),
    Rule("A305", "no-item-effect", "warning", analysis.no_item_effect,
         "A mixed model has no random effect for items."),
    Rule("A306", "power-misread", "error", power.power_misread,
         "A power analysis mistook η² for f, or a group's n for the total."),
    Rule("A307", "power-differs", "error", power.power_differs,
         "A power or sample size does not follow from its inputs."),
    Rule("A308", "observed-power", "note", power.observed_power,
         "Power was computed at the observed effect."),
    Rule("A309", "percent-alone", "note", analysis.percent_alone,
         "Agreement between two options is printed only in percent."),
    Rule("A401", "sum-differs", "error", arithmetic.sum_differs,
         "Parts do not add up to their total."),
    Rule("A402", "difference-differs", "error", arithmetic.difference_differs,
         "A difference is not what the table's numbers give."),
    Rule("A403", "average-differs", "error", arithmetic.average_differs,
         "An average is not what the table's numbers give."),
    Rule("A404", "product-differs", "error", arithmetic.product_differs,
         "A product is not what its factors give."),
    Rule("A405", "ratio-differs", "error", arithmetic.ratio_differs,
         "A percentage or rate is not what its parts give."),
    Rule("A406", "printed-differently", "error", arithmetic.printed_differently,
         "One quantity is printed with different values."),
    Rule("A407", "rounded-both-ways", "note", arithmetic.rounded_both_ways,
         "One quantity is printed rounded up and rounded down."),
    Rule("A408", "flow-differs", "error", arithmetic.flow_differs,
         "Collected minus excluded is not what was kept."),
    Rule("A409", "not-as-planned", "note", arithmetic.not_as_planned,
         "More or fewer were collected than planned."),
    Rule("A410", "unequal-counts", "warning", arithmetic.unequal_counts,
         "Groups that should be equally large are not."),
    Rule("A411", "data-differ", "error", arithmetic.data_differ,
         "The published data give a different value."),
    Rule("A412", "impossible-spread", "error", arithmetic.impossible_spread,
         "Minimum, maximum, mean, SD and total of a row are inconsistent."),
    Rule("A413", "lost-days", "note", arithmetic.lost_days,
         "Durations may have lost whole days."),
    Rule("A414", "model-row-differs", "error", analysis.model_row_differs,
         "Estimate, SE, statistic and interval are inconsistent."),
    Rule("A415", "table-totals-differ", "error", association.totals_differ,
         "Totals of a contingency table are not the sums of its cells."),
    Rule("A501", "rank-p", "error", association.rank_p,
         "A rank correlation of few values has an impossible p."),
    Rule("A502", "correlation-p", "error", association.correlation_p,
         "The p of a correlation does not follow from it and n."),
    Rule("A503", "correlation-differs", "error", association.correlation_differs,
         "A correlation is not that of the printed scores."),
    Rule("A504", "unshifted-cv-star", "error", cv_star.unshifted_cv_star,
         "CV* was computed on a scale that does not start at 0."),
    Rule("A505", "cv-star-differs", "error", cv_star.cv_star_differs,
         "CV* is not that of the printed scores."),
    Rule("A506", "cv-star-formula", "error", cv_star.cv_star_formula,
         "The formula of CV* is printed without its 1 +."),
    Rule("A507", "cv-star-of-rounded", "note", cv_star.cv_star_of_rounded,
         "CV* was computed from rounded scores, and the rounding matters."),
    Rule("A508", "mean-with-others", "error", association.mean_with_others,
         "A mean correlation with others was divided by the wrong number."),
    Rule("A509", "rounded-ties", "note", association.rounded_ties,
         "Ranks are compared on scores that are equal as printed."),
    Rule("A510", "table-agreement-differs", "error", association.agreement_differs,
         "A coefficient of agreement is not that of its contingency table."),
)
# fmt: on
RULES: Final[dict[str, _Rule]] = {rule.code: rule for rule in _TABLE}


def audit(paper: Paper, *others: Paper) -> Audit:
    """Whether a paper's printed numbers are possible, and whether they support its conclusions.

    `others` are the papers it compares itself with: the original, and further reproductions. An
    *error* says that printed numbers cannot all be right, a *warning* that they are possible but do
    not support the conclusions, a *note* something that is good to know.
    """
    known = {each.id: each for each in others}
    evidence = PaperEvidence(paper, known)
    findings: list[AuditFinding] = []
    looked: dict[str, int] = {}
    for rule in _TABLE:
        for found in rule.find(evidence):
            looked[rule.code] = looked.get(rule.code, 0) + 1
            if found is not None:
                findings.append(
                    AuditFinding(
                        rule.code, rule.name, rule.severity,
                        found.says, found.arithmetic, found.place, found.remedy,
                    )
                )  # fmt: skip
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    absent = [name for name in compared_with(paper) if name not in known]
    return Audit(paper.id, tuple(findings), looked, tuple(absent))


def compared_with(paper: Paper) -> tuple[str, ...]:
    """Ids of the papers that a paper compares itself with."""
    named = [paper.reproduces, *(name for figure in paper.reproducibility for name in figure.among)]
    return tuple(dict.fromkeys(name for name in named if name and name != paper.id))


def rule_of(code: str) -> _Rule:
    """The rule of a code such as `A101`, or of a name such as `impossible-mean`."""
    return find_rule(RULES, code)
