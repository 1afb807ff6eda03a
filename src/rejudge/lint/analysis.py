"""Rules about the analysis plan: what is tested, how, and whether claims can be decided."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rejudge.english import count
from rejudge.findings.planned_keys import planned_keys
from rejudge.lint.evidence import StudyEvidence, Violation, abridge
from rejudge.study.analysis_plan import PlannedTest
from rejudge.study.claims import Claim
from rejudge.study.kinds.question import Question
from rejudge.study.kinds.registry import KINDS
from rejudge.study.methods import (
    COEFFICIENTS,
    TESTS,
    AgreementCoefficient,
    SignificanceTest,
    Test,
    has_direction,
)

_WITHOUT_SLOPES = "Omit `slopes`: all systems then vary equally."


def no_analysis(seen: StudyEvidence) -> Iterator[Violation]:
    """There is no analysis plan.

    Choosing the test after seeing the answers makes it easy to find something. A plan written
    beforehand makes a result confirmatory; everything else is marked exploratory in the report.

    Remedy: add `analysis` with one test per question, such as
    `tests: [{question: meaning, test: cluster-robust}]`.
    """
    if seen.study.spec.analysis is None:
        yield Violation(
            "There is no analysis plan, so every result will be exploratory.",
            ("analysis",),
            "Add `analysis: {tests: [{question: …, test: cluster-robust}]}`.",
        )


def untested_questions(seen: StudyEvidence) -> Iterator[Violation]:
    """A question is asked, but no test on it is planned.

    It costs participants' time, and its results will be marked exploratory. Questions that a claim
    is about are left to R602.

    Remedy: plan a test, or remove the question.
    """
    spec = seen.study.spec
    if spec.analysis is None:
        return
    tested = {test.question for test in spec.analysis.tests} | {c.question for c in spec.claims}
    tested |= {
        part for each in spec.analysis.derived if each.id in tested for part in each.parsed.parts
    }
    for place, question in enumerate(spec.questions):
        if question.id not in tested:
            yield Violation(
                f"No test is planned on '{question.id}'; its results will be exploratory.",
                (f"questions[{place}]",),
                "Add a test on it to `analysis.tests`, or remove the question.",
            )


def too_few_for_agreement(seen: StudyEvidence) -> Iterator[Violation]:
    """Agreement is planned, but too few people judge the same batch.

    Every measure of agreement needs two or more people on the same items (the calibration set
    counts). Fleiss' kappa needs the same number on all items.

    Remedy: raise `participants_per_batch`, add `calibration`, or use krippendorff-alpha, which
    allows unequal numbers.
    """
    analysis = seen.study.spec.analysis
    if analysis is None or not analysis.agreement:
        return
    people = _people_per_item(seen)
    shared = {number for number in people if number > 1}
    if not shared:
        yield Violation(
            f"Agreement ({abridge(analysis.agreement)}) needs two or more people on the same "
            "items, but each batch is judged by one.",
            ("design.participants_per_batch",),
            "Set `participants_per_batch: 2` or more, or add a `calibration` set for everybody.",
        )
    elif "fleiss-kappa" in analysis.agreement and len(shared) > 1:
        numbers = ", ".join(map(str, sorted(shared)))
        yield Violation(
            f"fleiss-kappa needs the same number of people on every item; here it is {numbers}.",
            ("analysis.agreement",),
            "Plan krippendorff-alpha instead, or make the numbers equal.",
        )


def pooled_tests(seen: StudyEvidence) -> Iterator[Violation]:
    """The only tests planned on a question treat all answers as independent.

    Answers about one item, or by one participant, are correlated, and in comparisons the win of one
    system is the loss of another. One-way ANOVA, independent t (also Welch's) and Mann–Whitney
    ignore this and have too many false positives. In simulated studies without any difference,
    one-way ANOVA on zero-sum scores of four systems had a false-positive rate of 12.4 % instead of
    5 % (100 items, 3 judgments each), and a t-test on pooled ratings one of 28 % (100 items, 3
    people). Three of four published reproductions report such a test.

    Nothing is reported if a test that accounts for the design is planned as well, as in a
    reproduction that repeats the original's analysis.

    Remedy: plan cluster-robust, or a mixed model for ratings; friedman or repeated-measures where
    scores are zero-sum.
    """
    analysis = seen.study.spec.analysis
    if analysis is None:
        return
    for question in seen.study.spec.questions:
        tests = [(i, t.test) for i, t in enumerate(analysis.tests) if t.question == question.id]
        if tests and all(TESTS[test].assumes_independence for _, test in tests):
            yield Violation(
                f"{abridge(sorted({test for _, test in tests}))} on '{question.id}': "
                f"{_why_not_pool(question)}",
                tuple(f"analysis.tests[{place}]" for place, _ in tests),
                f"Plan {_instead(question)} in addition or instead.",
            )


def uncorrected_tests(seen: StudyEvidence) -> Iterator[Violation]:
    """Several comparisons are planned, and nothing corrects for their number.

    Of 20 comparisons without any difference, one is significant at 5 % on average. A published
    study made 16 without correction and found four differences; its reproduction found one of the
    four again. More than two systems also mean several comparisons.

    Remedy: `correction: holm` costs the least power.
    """
    spec = seen.study.spec
    if spec.analysis is None or spec.analysis.correction != "none":
        return
    planned = len(planned_keys(seen.study, seen.plan))
    if planned > 1:
        tests, pairs = len(spec.analysis.tests), math.comb(len(spec.systems), 2)
        is_product = planned == tests * pairs and not any(t.pairs for t in spec.analysis.tests)
        each = f"× {count(pairs, 'pair')} of systems" if is_product else "of some pairs"
        groups = f", also by {abridge(spec.analysis.groups)}" if spec.analysis.groups else ""
        yield Violation(
            f"{planned} comparisons are planned ({count(tests, 'test')} {each}{groups}) with "
            "`correction: none`.",
            ("analysis.correction",),
            "Set `correction: holm`.",
        )


def unsuited_tests(seen: StudyEvidence) -> Iterator[Violation]:
    """A planned test cannot be computed from the answers to its question.

    The analysis would stop after everybody has been paid. `sign-flip`, `bradley-terry` and
    `joint-mixed-model` need comparisons, `plackett-luce` needs rankings; `ordinal-mixed-model`
    needs a few ordered points (`rating` or `segments`), `binary-mixed-model` a rating with two
    points. Labels without order (`measured: nominal`) have shares, which cluster-robust compares,
    but no mean. Free slopes need scores, and more participants than systems.

    Remedy: choose a test that fits the kind of question; `cluster-robust` fits every kind.
    """
    analysis = seen.study.spec.analysis
    questions = {question.id: question for question in seen.study.spec.questions}
    for place, planned in enumerate(analysis.tests if analysis else ()):
        yield from unsuited_slopes(seen, planned, place)
        if planned.question not in questions:  # a derived score, which is like a slider's
            yield from _unsuited_derived(planned, place)
            continue
        question = questions[planned.question]
        if question.has_unordered_labels and planned.test != "cluster-robust":
            yield Violation(
                f"The test {planned.test} needs ordered answers, but '{question.id}' has labels "
                "without order (`measured: nominal`), which have no mean and no ranks.",
                (f"analysis.tests[{place}]",),
                "Plan cluster-robust, which compares the share of each label, or correct "
                "`measured`.",
            )
            continue
        fits, points = TESTS[planned.test].fits(type(question)), len(question.values)
        is_binary = planned.test == "binary-mixed-model"
        if fits and is_binary and points > 2:
            yield Violation(
                f"The test binary-mixed-model needs a scale of 2 points, but '{question.id}' has "
                f"{points}.",
                (f"analysis.tests[{place}]",),
                "Plan ordinal-mixed-model, or set `points: 2`.",
            )
        if not fits:
            fitting = [test for test, known in TESTS.items() if known.fits(type(question))]
            yield Violation(
                f"The test {planned.test} fits {_kinds_that_fit(TESTS[planned.test])}, but "
                f"'{planned.question}' is {question.kind}.",
                (f"analysis.tests[{place}]",),
                f"Choose one that fits, such as {abridge(fitting[:3])}.",
            )


def _unsuited_derived(planned: PlannedTest, place: int) -> Iterator[Violation]:
    if not TESTS[planned.test].fits(KINDS["slider"]):
        yield Violation(
            f"The test {planned.test} fits {_kinds_that_fit(TESTS[planned.test])}, but "
            f"'{planned.question}' is a derived score.",
            (f"analysis.tests[{place}]",),
            "Choose one that fits, such as mixed-model.",
        )


def unsuited_agreement(seen: StudyEvidence) -> Iterator[Violation]:
    """A planned measure of agreement fits none of the questions.

    The intraclass correlation, Kendall's W and Gwet's AC2 need scores. Kappas and Gwet's
    coefficients need a few categories: on a slider two people hardly ever choose the same number.

    Remedy: plan krippendorff-alpha, which fits all levels of measurement.
    """
    analysis = seen.study.spec.analysis
    kinds = {question.kind: type(question) for question in seen.study.spec.questions}
    for measure in analysis.agreement if analysis else ():
        if not any(map(COEFFICIENTS[measure].fits, kinds.values())):
            yield Violation(
                f"{measure} fits {_kinds_that_fit(COEFFICIENTS[measure])}, but the study asks "
                f"{abridge(sorted(kinds))}.",
                ("analysis.agreement",),
                "Plan krippendorff-alpha instead.",
            )


def _people_per_item(seen: StudyEvidence) -> set[int]:
    if seen.plan is not None:
        return {batch.participants for batch in seen.plan.batches}
    design = seen.study.spec.design
    everybody = {2} if design.calibration and design.participants_per_batch == 1 else set()
    return {design.participants_per_batch} | everybody


def _why_not_pool(question: Question) -> str:
    if question.is_comparison:
        return (
            "scores are treated as independent, but a win of one system is a loss of another. "
            "One-way ANOVA had a false-positive rate of 12.4 % instead of 5 % in simulated studies "
            "(100 items, 3 judgments each)."
        )
    return (
        "ratings are treated as independent, but those of one item or participant are correlated. "
        "A pooled t-test had a false-positive rate of 28 % instead of 5 % in simulated studies "
        "(100 items, 3 people)."
    )


def _instead(question: Question) -> str:
    if question.is_comparison:
        return "cluster-robust, sign-flip, friedman or repeated-measures"
    if not question.has_points:
        return "cluster-robust or mixed-model"
    return "cluster-robust, mixed-model or ordinal-mixed-model"


def _kinds_that_fit(method: SignificanceTest | AgreementCoefficient) -> str:
    """The kinds of question that a test or a coefficient fits, in words."""
    return abridge([name for name, kind in KINDS.items() if method.fits(kind)])


def unsuited_slopes(seen: StudyEvidence, planned: PlannedTest, place: int) -> Iterator[Violation]:
    """Free slopes need scores, and more participants than systems."""
    if planned.slopes != "free":
        return
    where = (f"analysis.tests[{place}]",)
    asked = {each.id: each for each in seen.study.spec.questions}.get(planned.question)
    if asked is not None and asked.is_comparison:
        yield Violation(
            f"`slopes: free` is for scores, but '{planned.question}' is {asked.kind}.",
            where,
            _WITHOUT_SLOPES,
        )
        return
    systems = len(seen.study.spec.systems)
    people = systems + 1 if seen.plan is None else seen.plan.places
    if people <= systems:
        yield Violation(
            f"`slopes: free` needs more participants than systems, but the plan has "
            f"{count(people, 'place')} for {count(systems, 'system')}.",
            where,
            f"{_WITHOUT_SLOPES} Or plan more participants.",
        )


def untested_claims(seen: StudyEvidence) -> Iterator[Violation]:
    """A claim cannot be supported, because nothing is planned that would decide it.

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
    names = abridge(planned)
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
    return [pair for pair in _claim_pairs(claim, systems) if frozenset(pair) not in tested]


def _claim_pairs(claim: Claim, systems: Sequence[str]) -> Iterator[tuple[str, str]]:
    if claim.kind in {"best", "worst"}:
        first = claim.systems[0]
        yield from ((first, other) for other in systems if other != first)
    elif claim.kind == "order":
        yield from pairwise(claim.systems)
    elif claim.systems:
        yield from ((claim.systems[0], other) for other in claim.systems[1:])
