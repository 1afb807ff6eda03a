"""All rules in one table, and `check`, which applies them.

The hundreds group them by subject: 1 items, 2 balance, 3 checks, 4 ethics, 5 pay and time,
6 analysis, 7 changes; from R436 on, how items are selected. A code is never reused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, TypeAlias

from rejudge.design.duration import Duration
from rejudge.design.freeze import Change
from rejudge.design.pay import Quote
from rejudge.design.plan import Plan
from rejudge.errors import Problem
from rejudge.lint import (
    analysis,
    checks,
    conduct,
    items,
    pages,
    pay,
    plans,
    sample,
)
from rejudge.lint.evidence import StudyEvidence, Template, Violation
from rejudge.rules import SEVERITIES, Rule, Severity, find_rule
from rejudge.study.model import Study

_Rule: TypeAlias = Rule[Callable[[StudyEvidence], Iterator[Violation]]]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing that is wrong or weak in a study: where, and what to do."""

    code: str
    name: str
    severity: Severity
    message: str
    places: tuple[str, ...]
    remedy: str


# fmt: off
_TABLE: Final[tuple[_Rule, ...]] = (
    Rule("R101", "identical-outputs", "warning", items.identical_outputs,
         "Identical outputs are shown side by side without a tie option."),
    Rule("R102", "copied-inputs", "note", items.copied_inputs,
         "A system often returns its input unchanged."),
    Rule("R103", "duplicate-inputs", "warning", items.duplicate_inputs,
         "The same input occurs under different ids."),
    Rule("R104", "unanswerable-items", "warning", items.unanswerable_items,
         "A text is empty, a placeholder or only punctuation."),
    Rule("R105", "system-names", "warning", items.system_names,
         "Outputs or ids name the system behind them."),
    Rule("R106", "long-texts", "note", items.long_texts,
         "A page has more text than can be compared on a phone."),
    Rule("R107", "shown-references", "warning", items.shown_references,
         "An output equals the reference shown with it."),
    Rule("R108", "missing-references", "error", items.missing_references,
         "A question or gold check needs references that are missing."),
    Rule("R109", "item-file", "note", items.item_file,
         "Something was assumed when the item file was read."),
    Rule("R201", "obstacle", "error", plans.obstacles,
         "No plan can be drawn, or no price computed."),
    Rule("R202", "uneven-datasets", "warning", plans.uneven_datasets,
         "Datasets contribute unequal numbers of inputs."),
    Rule("R203", "uneven-sides", "warning", plans.uneven_sides,
         "Outputs appear in one position more often than in another."),
    Rule("R204", "unconnected-systems", "error", plans.unconnected_systems,
         "Some systems are never compared, not even indirectly."),
    Rule("R205", "unequal-exposure", "warning", plans.unequal_exposure,
         "Some systems are judged more often than others."),
    Rule("R206", "inputs-met-again", "warning", plans.inputs_met_again,
         "A participant can see the same input again."),
    Rule("R301", "unasked-question", "error", checks.unasked_question,
         "A check uses a question that the study does not ask."),
    Rule("R302", "one-sided-checks", "warning", checks.one_sided_checks,
         "The answer to a check is nearly always on the same side."),
    Rule("R303", "real-items-in-checks", "warning", checks.real_items_in_checks,
         "A participant sees the item of a check as a real item too."),
    Rule("R304", "checks-first", "warning", checks.checks_first,
         "A batch begins with a check."),
    Rule("R305", "unfair-rejection", "error", checks.unfair_rejection,
         "A check rejects people where the rules do not allow it."),
    Rule("R306", "single-attempt", "warning", checks.single_attempt,
         "Practice gives only one attempt."),
    Rule("R307", "no-checks", "warning", checks.no_checks,
         "Participants come from a crowd platform, but no batch has a check."),
    Rule("R308", "threatening-words", "warning", checks.threatening_words,
         "Pages threaten rejection, although no check can reject anybody."),
    Rule("R309", "checks-without-effect", "warning", checks.checks_without_effect,
         "Failing a check has no effect on which answers count."),
    Rule("R401", "no-consent", "error", conduct.no_consent,
         "There is no consent page, or it does not ask for consent."),
    Rule("R402", "no-contact", "warning", conduct.no_contact,
         "Participants are not told whom to contact."),
    Rule("R403", "no-withdrawal", "warning", conduct.no_withdrawal,
         "Participants are not told that they can stop."),
    Rule("R404", "no-information", "warning", conduct.no_information,
         "There is no information letter."),
    Rule("R405", "no-instructions", "warning", conduct.no_instructions,
         "There are no instructions."),
    Rule("R406", "no-approval", "note", conduct.no_approval,
         "Participants come from a paid platform, but no ethics approval is named."),
    Rule("R407", "unfilled-placeholders", "error", pages.unfilled_placeholders,
         "A page has a placeholder that is unknown or has no value."),
    Rule("R411", "example-contact", "note", pages.example_contact,
         "The contact is an example address that nobody reads."),
    Rule("R417", "template-text", "error", pages.template_text,
         "A page is copied unchanged from a starter, but the items are different."),
    Rule("R422", "no-retention", "note", conduct.no_retention,
         "Participants come from a paid platform, but it is not stated how long data are kept."),
    Rule("R423", "past-retention", "warning", conduct.past_retention,
         "The day on which data are deleted is in the past."),
    Rule("R424", "written-by-hand", "warning", pages.written_by_hand,
         "A page says in its own words what a placeholder provides."),
    Rule("R431", "unplanned-looks", "error", sample.unplanned_looks,
         "Looks are planned, but no test of the two systems that decide."),
    Rule("R432", "few-clusters-per-look", "warning", sample.few_clusters,
         "The first look is based on few items or few participants."),
    Rule("R433", "uncompared-pair", "error", sample.uncompared_pair,
         "The two systems that decide are not judged on the same inputs before a look."),
    Rule("R434", "uneven-stages", "warning", sample.uneven_stages,
         "The looks come far from the planned fractions, because batches are few or large."),
    Rule("R435", "unfrozen-looks", "note", sample.unfrozen_looks,
         "Looks are planned, but the study is not frozen."),
    Rule("R436", "chosen-items", "warning", sample.chosen_items,
         "Items are not a random sample, but tests or claims refer to other items."),
    Rule("R437", "unequal-weights", "warning", sample.unequal_weights,
         "Weights of inputs are so unequal that much of the precision is lost."),
    Rule("R438", "single-inputs", "note", sample.single_inputs,
         "A stratum has a single selected input, which does not show how its inputs vary."),
    Rule("R439", "unweighted-tests", "warning", sample.unweighted_tests,
         "Inputs are not equally likely to be selected, but the planned tests ignore it."),
    Rule("R440", "uncovered-inputs", "note", sample.uncovered_inputs,
         "Some inputs of the item file cannot be selected, so results do not cover them."),
    Rule("R441", "unfilled-size", "note", sample.unfilled_size,
         "The study has a rule for its size, but no pilot has filled it in."),
    Rule("R442", "pilot-participants", "warning", sample.pilot_participants,
         "People from the pilot can take part in the main study."),
    Rule("R443", "size-below-power", "note", sample.size_below_power,
         "The size found by the rule does not reach the required power."),
    Rule("R446", "unread-checks", "warning", checks.unread_checks,
         "Someone who reads nothing passes every check."),
    Rule("R447", "idle-rules", "warning", checks.idle_rules,
         "A rule of a baseline can never decide anything."),
    Rule("R448", "unknown-deviations", "error", conduct.unknown_deviations,
         "A reason is given for something that is neither a key nor a condition."),
    Rule("R501", "pay-below-floor", "error", pay.pay_below_floor,
         "The hourly pay is below the highest floor that applies."),
    Rule("R502", "no-payment", "warning", pay.no_payment,
         "Participants come from a paid platform, but no payment is stated."),
    Rule("R503", "too-few-minutes", "warning", pay.too_few_minutes,
         "The stated minutes are far below what the longest batch takes."),
    Rule("R504", "long-without-break", "warning", pay.long_without_break,
         "People work for more than 30 minutes without a break."),
    Rule("R601", "no-analysis", "warning", analysis.no_analysis,
         "There is no analysis plan."),
    Rule("R602", "untested-claims", "warning", analysis.untested_claims,
         "A claim has no planned test or measure that would decide it."),
    Rule("R603", "untested-questions", "note", analysis.untested_questions,
         "A question is asked, but no test on it is planned."),
    Rule("R604", "too-few-for-agreement", "warning", analysis.too_few_for_agreement,
         "Too few people judge the same batch for the agreement planned."),
    Rule("R605", "pooled-tests", "warning", analysis.pooled_tests,
         "The only tests on a question treat all answers as independent."),
    Rule("R606", "uncorrected-tests", "warning", analysis.uncorrected_tests,
         "Several comparisons are planned without correction."),
    Rule("R607", "unsuited-tests", "error", analysis.unsuited_tests,
         "A planned test cannot be computed from its question's answers."),
    Rule("R608", "unsuited-agreement", "warning", analysis.unsuited_agreement,
         "A planned measure of agreement fits none of the questions."),
    Rule("R609", "undecidable-claims", "warning", analysis.undecidable_claims,
         "None of the tests planned on a claim's question can decide the claim."),
    Rule("R701", "changed-since-freeze", "warning", plans.changed_since_freeze,
         "Something was changed after the study was frozen."),
    Rule("R702", "stale-plan", "error", plans.stale_plan,
         "The plan was drawn from an earlier version of the study."),
)
# fmt: on
PAGE_RULES: Final = frozenset(("R407", "R411", "R417", "R424"))  # what pages say that is wrong
RULES: Final[dict[str, _Rule]] = {rule.code: rule for rule in _TABLE}


def check(
    study: Study,
    plan: Plan | None = None,
    *,
    frozen_changes: Sequence[Change] = (),
    quote: Quote | None = None,
    duration: Duration | None = None,
    obstacles: Sequence[Problem] = (),
    templates: Sequence[Template] = (),
    today: date | None = None,
    is_frozen: bool | None = None,
) -> tuple[LintFinding, ...]:
    """Everything that is wrong or weak in a study, the most serious first.

    A plan that was drawn from an earlier version of the study is reported and not used.
    `obstacles` are the reasons why no plan could be drawn or no price computed. `templates`
    are the pages of starters, to find pages that were left unchanged. Dates are compared with
    `today`, and not at all without it. `is_frozen`: None where that is not known.
    """
    is_stale = plan is not None and plan.study != study.design_fingerprint
    evidence = StudyEvidence(
        study,
        None if is_stale else plan,
        frozen_changes=frozen_changes,
        quote=quote,
        duration=duration,
        obstacles=obstacles,
        stale_plan=plan if is_stale else None,
        templates=templates,
        today=today,
        is_frozen=is_frozen,
    )
    found = (finding for rule in _TABLE for finding in _apply(rule, evidence))
    return tuple(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)))


def rule_of(code: str) -> _Rule:
    """The rule of a code such as `R101`, or of a name such as `identical-outputs`."""
    return find_rule(RULES, code)


def _apply(rule: _Rule, evidence: StudyEvidence) -> Iterable[LintFinding]:
    for found in rule.find(evidence):
        yield LintFinding(
            rule.code, rule.name, rule.severity, found.message, found.places, found.remedy
        )
