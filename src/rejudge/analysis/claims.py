"""Verdicts on the claims of a study.

One rule gives the verdict in a study's own report and for every run of a comparison. It treats a
claim and its opposite alike: either needs a test or an interval that supports it. Numbers on one
side or the other are not enough.

supported           a test or an interval supports what the claim says
same-direction      the numbers are as claimed, but nothing supports them
opposite-direction  some or all numbers are equal or the other way round; nothing supports that
contradicted        a test or an interval supports the opposite
not-testable        a number that the claim needs is missing: the question was not asked, or a
                    system did not take part, or nothing was computed

The direction of a claim about equivalence or agreement is the side of its bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

from rejudge import stats
from rejudge.analysis.evidence import (
    USUAL_ALPHA,
    Evidence,
    error_on_the_scale,
    evidence_of,
    final_p,
    interval_on_the_scale,
    is_reverse_supported,
    is_supported,
    name_of_deciding_test,
    on_the_scale,
    p_in_words,
    sign_of,
    sign_of_test,
    significant_at,
    small_p_in_words,
)
from rejudge.analysis.results import ClaimOutcome, Verdict
from rejudge.findings.model import Finding
from rejudge.layout.numbers import decimals_of
from rejudge.study import methods
from rejudge.study.claims import Claim

_UNLIKE = "judged on different items or by different people, and not compared within items"
Pair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict and the numbers that decide it."""

    verdict: Verdict
    because: str


def judge(claim: Claim, evidence: Evidence | None) -> Judged:
    """The verdict on a claim; no evidence means that its question was not asked."""
    if evidence is None:
        return Judged("not-testable", f"{claim.question} was not asked.")
    absent = [system for system in claim.systems if system not in evidence.systems]
    if absent:
        return Judged("not-testable", f"{_list_names(evidence, absent)} did not take part.")
    if claim.kind == "agreement":
        return _agreement(claim, evidence)
    if claim.kind == "equivalent":
        return _equivalence(claim, evidence)
    pairs = claimed_pairs(claim, evidence.systems)
    if not pairs:
        return Judged("not-testable", "No other system took part.")
    if claim.p_below is not None:
        return _by_test(evidence, pairs, claim.p_below)
    return _by_rank(evidence, pairs)


def judge_claims(
    claims: Sequence[Claim],
    findings: Sequence[Finding],
    questions: Sequence[str],
    names: Mapping[str, str],
) -> tuple[ClaimOutcome, ...]:
    """The claims of a study on the questions that were analysed, each with its verdict."""
    found = ((each, judge(each, evidence_of(findings, each.question, names))) for each in claims)
    return tuple(
        ClaimOutcome(claim.id, claim.says, judged.verdict, judged.because)
        for claim, judged in found
        if claim.question in questions
    )


def claimed_pairs(claim: Claim, systems: Sequence[str]) -> list[Pair]:
    """What a claim says, as pairs in which the first system is the better one."""
    first, *rest = claim.systems
    if claim.kind == "order":
        return list(combinations(claim.systems, 2))
    if claim.kind == "better":
        return [(first, other) for other in rest]
    others = [system for system in systems if system != first]
    if claim.kind == "worst":
        return [(other, first) for other in others]
    return [(first, other) for other in others]


def _by_rank(evidence: Evidence, pairs: Sequence[Pair]) -> Judged:
    systems = dict.fromkeys(system for pair in pairs for system in pair)
    missing = [system for system in systems if system not in evidence.scores]
    if missing:
        note = f"No score of {_list_names(evidence, missing)}. {evidence.note}".strip()
        return Judged("not-testable", note)
    unlinked = [pair for pair in pairs if _difference(evidence, pair) is None]
    if unlinked:
        named = ", ".join(_pair_name(evidence, pair, " and ") for pair in unlinked)
        return Judged("not-testable", f"{_scores(evidence, systems)}; {_UNLIKE}: {named}")
    signs = {pair: sign_of(_difference(evidence, pair)) for pair in pairs}
    because = f"{_deciding_numbers(evidence, systems, pairs)}; {_significance(evidence, pairs)}"
    tests = {pair: evidence.test_of(*pair) for pair in pairs}
    if all(sign > 0 for sign in signs.values()):
        is_shown = all(is_supported(test) and sign_of_test(test) > 0 for test in tests.values())
        return Judged("supported" if is_shown else "same-direction", because)
    wrong = [
        *(_pair_name(evidence, p[::-1], " above ") for p, sign in signs.items() if sign < 0),
        *(f"{_pair_name(evidence, p, ' and ')} equal" for p, sign in signs.items() if sign == 0),
    ]
    reversed_ = [pair for pair, sign in signs.items() if sign < 0]
    is_refuted = any(is_reverse_supported(tests[pair]) for pair in reversed_)
    verdict = "contradicted" if is_refuted else _unsupported(tuple(signs.values()))
    return Judged(verdict, f"{'; '.join(wrong)}: {because}")


def _unsupported(signs: Sequence[int]) -> Verdict:
    """The verdict where nothing supports a claim or its opposite, by signs as claimed."""
    return "same-direction" if all(sign > 0 for sign in signs) else "opposite-direction"


def _difference(evidence: Evidence, pair: Pair) -> float | None:
    """First minus second in the sense of better; None where scores cannot be compared.

    Scores of systems that were judged on different items or by different people do not show which
    is better. The test that decides compares them within items.
    """
    if not evidence.has_comparable_scores:
        test = evidence.test_of(*pair)
        return None if test is None else on_the_scale(test, test.value)
    one, two = (evidence.scores[system] for system in pair)
    return (one - two) * (1 if evidence.is_higher_better else -1)


def _deciding_numbers(
    evidence: Evidence, systems: Mapping[str, None], pairs: Sequence[Pair]
) -> str:
    """The numbers that decide an order."""
    if evidence.has_comparable_scores:
        return _scores(evidence, systems)
    apart = {pair: value for pair in pairs if (value := _difference(evidence, pair))}
    digits = decimals_of(list(apart.values()))
    listed = (f"{_pair_name(evidence, p)} {value:+.{digits}f}" for p, value in apart.items())
    return f"within items: {', '.join(listed)}"


def _scores(evidence: Evidence, systems: Mapping[str, None]) -> str:
    ranked = sorted(systems, key=lambda system: -evidence.scores[system])
    digits = decimals_of([evidence.scores[system] for system in systems])
    listed = (f"{evidence.name(each)} {evidence.scores[each]:z.{digits}f}" for each in ranked)
    scale = f" ({evidence.scale})" if evidence.scale else ""
    return f"{', '.join(listed)}{scale}"


def _list_names(evidence: Evidence, systems: Sequence[str]) -> str:
    return ", ".join(map(evidence.name, systems))


def _pair_name(evidence: Evidence, pair: Pair, between: str = " – ") -> str:
    return between.join(map(evidence.name, pair))


def _significance(evidence: Evidence, pairs: Sequence[Pair]) -> str:
    """Whether the differences are significant, in words."""
    tests = [test for pair in pairs if (test := evidence.test_of(*pair)) is not None]
    known = [test for test in tests if is_supported(test) is not None]
    if not known:
        return "it is not known whether the difference is significant"
    weak = [test for test in known if not is_supported(test)]
    if not weak:
        part = "all" if len(known) == len(pairs) else f"{len(known)} of {len(pairs)} tested and"
        return "the difference is significant" if len(pairs) == 1 else f"{part} significant"
    if len(pairs) == 1 and final_p(weak[0]) is None:
        return "the difference is not significant"
    named = (
        f"{_pair_name(evidence, (each.systems[0], each.systems[1]))}{_p_in_brackets(each)}"
        for each in weak
    )
    return f"not significant: {', '.join(named)}"


def _p_in_brackets(test: Finding) -> str:
    return "" if final_p(test) is None else f" ({p_in_words(test)})"


def _by_test(evidence: Evidence, pairs: Sequence[Pair], alpha: float) -> Judged:
    found = [(pair, evidence.test_of(*pair)) for pair in pairs]
    numbers = "; ".join(_test_in_words(_pair_name(evidence, p), test) for p, test in found)
    named = (name_of_deciding_test(test) for _, test in found if test is not None)
    names = dict.fromkeys(name for name in named if name)
    because = f"{numbers} ({'; '.join(names)})" if names else numbers
    states = [_state(test, alpha) for _, test in found]
    if "opposite" in states:
        return Judged("contradicted", because)
    if "open" in states:
        return Judged(_unsupported([sign_of_test(test) for _, test in found if test]), because)
    if None in states:
        return Judged("not-testable", because)
    return Judged("supported", because)


def _state(test: Finding | None, alpha: float) -> str | None:
    significant = None if test is None else significant_at(test, alpha)
    if test is None or significant is None:
        return None
    if not significant:
        return "open"
    return {1: "shown", -1: "opposite", 0: None}[sign_of_test(test)]


def _test_in_words(name: str, test: Finding | None) -> str:
    if test is None:
        return f"{name} not tested"
    difference, apart = "", on_the_scale(test, test.value)
    if apart is not None:
        difference = f" {apart:+.{decimals_of([apart])}f},"
    return f"{name}{difference} {p_in_words(test)}"


def _equivalence(claim: Claim, evidence: Evidence) -> Judged:
    """By two one-sided tests of the difference; contradicted if its interval lies outside.

    Between the two, the difference itself lies inside the bounds or outside.

    Both tests are significant at 5 % exactly if the 90 % interval lies inside the bounds. Where
    the standard error is not known, the interval that is must lie inside.
    """
    bound = claim.bound or 0.0
    first, second = claim.systems
    found = evidence.difference_of(first, second)
    whole = None if found is None else _scaled(interval_on_the_scale(found), evidence.factor)
    if found is None or whole is None:
        return Judged("not-testable", "There is no interval of the difference on this scale.")
    apart = on_the_scale(found, found.value)
    difference = None if apart is None else apart * evidence.factor
    inner, tests = _inner(found, whole, difference, bound=bound, factor=evidence.factor)
    digits = decimals_of([inner.low, inner.high])
    because = (
        f"the difference lies between {inner.low:z.{digits}f} and {inner.high:z.{digits}f} "
        f"({100 * inner.level:g} %), the bounds are ±{bound:g}{tests}"
    )
    if -bound < inner.low and inner.high < bound:
        return Judged("supported", because)
    if whole.low >= bound or whole.high <= -bound:
        return Judged("contradicted", because)
    middle = (whole.low + whole.high) / 2 if difference is None else difference
    return Judged("same-direction" if abs(middle) < bound else "opposite-direction", because)


def _scaled(ends: stats.Interval | None, factor: float) -> stats.Interval | None:
    return None if ends is None else replace(ends, low=ends.low * factor, high=ends.high * factor)


def _inner(
    found: Finding,
    whole: stats.Interval,
    difference: float | None,
    *,
    bound: float,
    factor: float,
) -> tuple[stats.Interval, str]:
    """The interval that decides on equivalence, and the two tests behind it, if they are known."""
    error = error_on_the_scale(found)
    if difference is None or not error or bound <= 0:
        return whole, ""
    sizes = difference, error * factor, found.df
    tested = stats.tost(*sizes, stats.Interval(-bound, bound, 1.0))
    above, below = (small_p_in_words(each.p or 0.0) for each in (tested.above, tested.below))
    return (
        stats.t_interval(*sizes, 1 - 2 * USUAL_ALPHA),
        f"; two one-sided tests: above −{bound:g} {above}, below {bound:g} {below}",
    )


def _agreement(claim: Claim, evidence: Evidence) -> Judged:
    """By the interval of the coefficient: wholly on one side of the bound, or not."""
    bound = claim.bound or 0.0
    found = next((each for each in evidence.agreement if each.by == claim.statistic), None)
    if found is None or found.value is None:
        return Judged("not-testable", f"There is no {_coefficient(claim)} of {claim.question}.")
    between = found.interval
    digits = decimals_of([found.value, *([between.low, between.high] if between else [])])
    ends = "" if between is None else f" ({between.low:z.{digits}f} to {between.high:z.{digits}f})"
    because = f"{_coefficient(claim)} is {found.value:z.{digits}f}{ends}"
    if found.value >= bound:
        is_above = between is not None and between.low >= bound
        return Judged("supported" if is_above else "same-direction", because)
    is_below = between is not None and between.high < bound
    return Judged("contradicted" if is_below else "opposite-direction", because)


def _coefficient(claim: Claim) -> str:
    names = {str(key): each.label for key, each in methods.COEFFICIENTS.items()}
    return names.get(str(claim.statistic), str(claim.statistic))
