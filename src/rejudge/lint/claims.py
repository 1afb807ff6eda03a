"""Rules about claims: whether what is planned can decide them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rejudge.lint.evidence import StudyEvidence, Violation, listed
from rejudge.study import (
    TESTS,
    Claim,
    PlannedTest,
    Test,
    has_direction,
)


def untested_claims(seen: StudyEvidence) -> Iterator[Violation]:
    """A claim cannot be upheld, because nothing is planned that would decide it.

    A claim about systems needs a planned test on its question, and on its pairs of systems where
    tests are limited to some; a claim about agreement needs its measure among `analysis.agreement`.
    A published study drew conclusions from differences that no test supported, and its reproduction
    could not uphold them.

    Remedy: plan the test, or withdraw the claim.
    """
    analysis = seen.study.spec.analysis
    if analysis is None:
        return
    tested = {test.question for test in analysis.tests}
    for place, claim in enumerate(seen.study.spec.claims):
        statistic = claim.statistic
        if statistic is not None and statistic not in analysis.agreement:
            yield Violation(
                f"The claim '{claim.id}' (“{claim.says}”) is about {statistic}, which is not "
                "planned.",
                (f"claims[{place}]",),
                f"Add {statistic} to `analysis.agreement`, or withdraw the claim.",
            )
        elif statistic is None and claim.question not in tested:
            yield Violation(
                f"The claim '{claim.id}' (“{claim.says}”) has no planned test on "
                f"'{claim.question}'.",
                (f"claims[{place}]",),
                "Add a test on this question to `analysis.tests`, or withdraw the claim.",
            )
        for pair in untested_pairs(claim, analysis.tests, seen.study.system_ids)[:1]:
            yield Violation(
                f"The claim '{claim.id}' (“{claim.says}”) compares {pair[0]} with {pair[1]}, but "
                f"the tests on '{claim.question}' are limited to other pairs.",
                (f"claims[{place}]",),
                "Add the pair to the `pairs` of a test, or withdraw the claim.",
            )


def undecidable_claims(seen: StudyEvidence) -> Iterator[Violation]:
    """Tests are planned on a claim's question, but none of them can decide the claim.

    A claim `with p < …` is about two systems; Friedman's test, Hotelling's and the analysis of
    repeated measures are about all systems at once. A claim of equivalence is decided by an
    interval of the difference on the scale of the question; a sign-flip test has none, and
    Bradley–Terry and ordinal models have theirs on scales of their own. Bounds as wide as the scale
    can never fail.

    Remedy: plan a test that can decide it, such as `cluster-robust`, or narrower bounds.
    """
    analysis = seen.study.spec.analysis
    if analysis is None:
        return
    for place, claim in enumerate(seen.study.spec.claims):
        planned = [test.test for test in analysis.tests if test.question == claim.question]
        for reason, remedy in _undecidable(claim, planned, _scale_length(seen, claim.question)):
            what = f'The claim "{claim.says}" ({claim.id}) {reason}.'
            yield Violation(what, (f"claims[{place}]",), remedy)


def _undecidable(
    claim: Claim, planned: Sequence[Test], length: float | None
) -> Iterator[tuple[str, str]]:
    """Why the planned tests cannot decide a claim, and what to do."""
    remedy = "Add a test that can decide it to `analysis.tests`, such as `cluster-robust`."
    names = listed(planned)
    if claim.p_below is not None and planned and not any(map(_compares_pairs, planned)):
        yield f"is about two systems, but the planned {names} only tests all at once", remedy
    if claim.kind != "equivalent":
        return
    if planned and not any(TESTS[test].has_interval for test in planned):
        yield f"needs an interval of the difference on the scale; {names} gives none", remedy
    if length is not None and (claim.bound or 0.0) >= length:
        yield (
            f"cannot fail, because the scale is only {length:g} wide",
            "Write the largest difference that would not matter.",
        )


def _compares_pairs(test: Test) -> bool:
    """Whether a test says something about two systems; Tukey's test follows an ANOVA."""
    return TESTS[test].compares_pairs or TESTS[test].has_interval


def _scale_length(seen: StudyEvidence, question: str) -> float | None:
    """How far apart two systems can lie on a question; None where it is not asked."""
    for asked in seen.study.spec.questions:
        if asked.id == question:
            low, high = asked.bounds or (-100.0, 100.0)  # of the scores of comparisons
            return high - low
    return None


def untested_pairs(
    claim: Claim, planned: Sequence[PlannedTest], systems: Sequence[str]
) -> list[tuple[str, str]]:
    """The pairs of a claim that no planned test on its question compares, if tests are planned.

    Tests of all systems at once compare no particular pair; another rule covers them.
    """
    tests = [each for each in planned if each.question == claim.question]
    of_pairs = [each for each in tests if has_direction(each.test)]
    if not of_pairs or not all(each.pairs for each in of_pairs):
        return []
    tested = {frozenset(pair) for each in of_pairs for pair in each.pairs}
    return [pair for pair in _claimed(claim, systems) if frozenset(pair) not in tested]


def _claimed(claim: Claim, systems: Sequence[str]) -> Iterator[tuple[str, str]]:
    if claim.kind in {"best", "worst"}:
        first = claim.systems[0]
        yield from ((first, other) for other in systems if other != first)
    elif claim.kind == "order":
        yield from pairwise(claim.systems)
    elif claim.systems:
        yield from ((claim.systems[0], other) for other in claim.systems[1:])
