"""What all findings share: population, direction and pairs, and the correction of p values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rejudge import stats
from rejudge.analysis.analysis_plan import AnalysisPlan
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.results import LimitedPairs, Pair
from rejudge.errors import Problem, UsageError
from rejudge.findings.model import Finding, Key, Measure, Population, Statistic
from rejudge.findings.words import Fact, How
from rejudge.stats.reasons import Reason, Why, unique
from rejudge.study.analysis_plan import Alternative, PlannedTest, Unit
from rejudge.study.methods import has_direction

if TYPE_CHECKING:
    from rejudge.analysis.data import QuestionData

_OF_UNITS: Final[dict[Unit, Population]] = {
    "judgment": "judgments",
    "item": "items",
    "participant": "participants",
    "batch": "batches",
}
_LISTED = "agreement intervals for new participants"


def with_estimate(
    finding: Finding, estimate: stats.Estimate, *reasons: Reason, has_participants: bool = True
) -> Finding:
    """A finding with the interval of its estimate and the data it is based on."""
    return replace(
        finding,
        interval=estimate.interval,
        standard_error=estimate.standard_error,
        df=estimate.df,
        items=estimate.items,
        participants=estimate.participants if has_participants else None,
        reasons=reasons_of(estimate, *reasons),
    )


def with_alternative(finding: Finding, alternative: Alternative, *, null: float = 0.0) -> Finding:
    """A finding with its t or z, whose two-sided p is made one-sided if that was planned."""
    off = None if finding.value is None else finding.value - null
    tested = replace(
        finding,
        p=stats.one_sided(finding.p, off, alternative),
        statistic=finding.statistic or _in_standard_errors(off, finding),
    )
    return replace(tested, alternative=alternative)


def _in_standard_errors(off: float | None, finding: Finding) -> Statistic | None:
    """How many standard errors a value is away from the null hypothesis."""
    if off is None or finding.p is None or not finding.standard_error:
        return None
    df = () if finding.df is None else (float(finding.df),)
    return Statistic("t" if df else "z", off / finding.standard_error, df)


def reasons_of(found: stats.Estimate, *more: Reason) -> tuple[Reason, ...]:
    """The reasons of an estimate and of its test, and further ones."""
    return unique(found.reasons, found.test.reasons if found.test else (), more)


def texts(*notes: str) -> tuple[Reason, ...]:
    """Notes that are not sorted yet, as reasons."""
    return tuple(Why.TEXT(text=each) for each in notes if each)


def interval_fact(estimate: stats.Estimate, *, has_participants: bool = True) -> Fact:
    """How an estimate got its interval."""
    if estimate.df is None:
        return How.NO_INTERVAL()
    clusters = "item and participant" if has_participants else "item"
    return How.CLUSTERED(clusters=clusters, df=float(estimate.df))


def undefined_finding(
    analysis: AnalysisPlan,
    asked: AnalysedQuestion,
    test: str,
    *reasons: Reason,
    measure: Measure = "test",
    key: Key | None = None,
) -> Finding:
    """A number that cannot be computed: listed with the reason, never replaced."""
    planned = analysis.plan.agreement if analysis.plan and measure == "agreement" else ()
    is_planned = test in planned or any(
        t.question == asked.id and t.test == test
        for t in (analysis.plan.tests if analysis.plan else ())
    )
    return Finding(
        key=key or Key(asked.id, measure, test),
        by=test,
        value=None,
        n=0,
        n_of="judgments",
        how=(How.TEST(test=test),),
        is_planned=is_planned,
        reasons=reasons,
    )


def undefined_test(
    analysis: AnalysisPlan, data: QuestionData, test: str, *reasons: Reason
) -> Finding:
    """A test of a question that cannot be computed, and why."""
    key = data.key("test", test)
    return undefined_finding(analysis, data.question, test, *reasons, key=key)


def undefined_pair(
    analysis: AnalysisPlan, data: QuestionData, planned: PlannedTest, pair: Pair
) -> Finding:
    """A planned comparison of two systems that nobody compared."""
    measure: Measure = "win-percent" if data.question.is_comparison else "mean-difference"
    key = data.key(measure, planned.test, pair)
    return undefined_finding(analysis, data.question, planned.test, Why.NOT_COMPARED(), key=key)


def pairs_of(systems: Sequence[str]) -> Iterator[tuple[int, int]]:
    """All pairs of systems, by their places."""
    for first in range(len(systems)):
        for second in range(first + 1, len(systems)):
            yield first, second


def population_of_unit(unit: Unit) -> Population:
    """The population of a test that treats its units as a random sample."""
    return _OF_UNITS[unit]


def population_of_clusters(*, has_participants: bool) -> Population:
    """The population of a method that accounts for items and, if known, participants."""
    return "items and participants" if has_participants else "items"


def limited_pairs_of(analysis: AnalysisPlan) -> Iterator[LimitedPairs]:
    """The pairs that were tested on each question, where these are only some."""
    for asked in analysis.outline.questions:
        tests = [each for each in analysis.tests(asked) if has_direction(each.test)]
        for pairs in dict.fromkeys(each.pairs for each in tests if each.pairs):
            limited = [each.test for each in tests if each.pairs == pairs]
            yield LimitedPairs(asked.id, tuple(limited), pairs, len(limited) == len(tests))


def refuse_unknown_pairs(analysis: AnalysisPlan) -> None:
    """Pairs of a table that cannot be tested."""
    systems, seen = analysis.outline.systems, set[frozenset[str]]()
    for pair in analysis.further.pairs:
        unknown = [name for name in pair if name not in systems]
        if unknown:
            what = f"there is no system '{unknown[0]}'."
            _refuse(what, f"The systems are {', '.join(systems)}.")
        if pair[0] == pair[1]:
            _refuse(f"'{pair[0]}' is paired with itself.", "Name two systems.")
        if frozenset(pair) in seen:
            _refuse(f"the pair of '{pair[0]}' and '{pair[1]}' is named twice.", "Name it once.")
        seen.add(frozenset(pair))
    for each in analysis.further.tests:
        if analysis.further.pairs and not has_direction(each.test):
            what = f"{each.test} compares all systems at once and cannot be limited to pairs."
            _refuse(what, "Leave out --pairs, or take a test of pairs such as paired-t.")


def _refuse(what: str, remedy: str) -> None:
    raise UsageError(Problem(what, remedy, field="--pairs"))


def left_out_for_size(findings: Sequence[Finding]) -> Iterator[str]:
    """Which tests and intervals were left out, with their questions; nothing where none was."""
    found: dict[str, dict[str, None]] = {}
    for finding in findings:
        if finding.has(Why.OVER_SIZE):
            what = finding.by if finding.value is None else _LISTED
            found.setdefault(what, {})[finding.question] = None
    if found:
        parts = "; ".join(f"{what} ({', '.join(asked)})" for what, asked in found.items())
        yield f"Left out because the table is too large: {parts}."
