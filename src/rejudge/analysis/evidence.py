"""What an analysis shows on one question, and whether a headline and its check disagree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rejudge import stats
from rejudge.findings.model import Finding
from rejudge.study import methods

USUAL_ALPHA = 0.05
CLUSTERED = frozenset(
    {"cluster-robust", "mixed-model", "joint-mixed-model"}
)  # allow for shared items and participants
_PAIR = 2
_EVEN = 50.0
_SCORES = frozenset({"mean", "best-worst-score"})
_NAMED = "Labels without order have shares, but no score."
_NET_WINS = "best–worst scores, −100 to 100"
_NOT_DIFFERENCES = frozenset(
    {"agreement", "order-effect", "first-shown-percent", "share-difference", "interaction"}
)
_ON_THE_SCALE = ("mean-difference", "win-percent", "median-difference")  # the first is preferred
_SMALL_P = 0.001
_ROUNDING = 1e-9  # sums of scores that are equal differ by less; a printed difference never does
CHECK = "cluster-robust"


@dataclass(frozen=True, slots=True)
class HeadlineDisagreement:
    """A headline test and its check that support different conclusions."""

    headline: Finding
    check: Finding


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the results show on one question. The first test of a pair of systems decides."""

    systems: tuple[str, ...]  # that took part
    scores: Mapping[str, float]
    tests: tuple[Finding, ...] = ()  # a positive difference means that the first is better
    differences: tuple[Finding, ...] = ()  # with intervals on the scale of the question
    agreement: tuple[Finding, ...] = ()
    factor: float = 1.0  # from the scale of the question to that of the claims
    is_higher_better: bool = True
    has_comparable_scores: bool = True  # False: they rest on different items or people
    note: str = ""  # why scores are missing
    scale: str = ""  # what the scores are, where they are not means of answers
    names: Mapping[str, str] = field(default_factory=dict)  # of systems, by id

    def name(self, system: str) -> str:
        """What a system is called."""
        return self.names.get(system) or system

    def test_of(self, first: str, second: str) -> Finding | None:
        """The test that decides between two systems, with `first` first."""
        return _in_order(self.tests, first, second)

    def difference_of(self, first: str, second: str) -> Finding | None:
        """The first difference of two systems with an interval, with `first` first."""
        return _in_order(self.differences, first, second)


def _in_order(findings: Sequence[Finding], first: str, second: str) -> Finding | None:
    pair = {first, second}
    found = next((each for each in findings if set(each.systems) == pair), None)
    return found if found is None or found.systems[0] == first else turned(found)


def turned(finding: Finding) -> Finding:
    """A comparison of two systems in the other order."""
    null = 2 * _EVEN if finding.measure == "win-percent" else 0.0

    def mirror(value: float | None) -> float | None:
        return None if value is None else null - value

    ends, counts, statistic = finding.interval, finding.tally, finding.statistic
    return replace(
        finding,
        key=replace(finding.key, systems=finding.systems[::-1]),
        value=mirror(finding.value),
        interval=None
        if ends is None
        else replace(ends, low=null - ends.high, high=null - ends.low),
        tally=None if counts is None else replace(counts, wins=counts.losses, losses=counts.wins),
        statistic=None if statistic is None else replace(statistic, value=-statistic.value),
    )


def evidence_of(
    findings: Sequence[Finding], question: str, names: Mapping[str, str] | None = None
) -> Evidence | None:
    """What an analysis found on a question; None if it was not asked."""
    own = [finding for finding in findings if finding.question == question]
    if not own:
        return None
    return Evidence(
        systems=tuple(dict.fromkeys(system for finding in own for system in finding.systems)),
        scores={
            finding.systems[0]: finding.value
            for finding in own
            if finding.measure in _SCORES
            and len(finding.systems) == 1
            and finding.value is not None
        },
        tests=tuple(tested_pairs(own)),
        has_comparable_scores=all(finding.is_comparable for finding in own),
        differences=tuple(difference_findings(own)),
        agreement=tuple(
            finding
            for finding in own
            if finding.measure == "agreement" and finding.value is not None and not finding.systems
        ),
        names=names or {},
        note=_NAMED if any(f.measure == "share" for f in own) else "",
        scale=_NET_WINS if any(f.measure == "best-worst-score" for f in own) else "",
    )


def name_of_deciding_test(finding: Finding) -> str:
    """What a test is called beside a verdict: its usual name, and whether it was corrected."""
    names = {str(key): each.label for key, each in methods.TESTS.items()}
    corrected = "" if finding.p_adjusted is None else ", corrected"
    planned = "" if finding.is_planned else ", not planned"
    return f"{names.get(finding.by, finding.by)}{corrected}{planned}"


def tested_pairs(findings: Sequence[Finding]) -> list[Finding]:
    """The findings that test two systems and have a p value: the first of a pair decides.

    That is the headline; where it has no p value, a planned test.
    """
    tested = [finding for finding in findings if is_difference(finding) and finding.p is not None]
    return sorted(tested, key=lambda each: (each.role != "headline", not each.is_planned))


def tests_of_pairs(findings: Iterable[Finding]) -> Iterator[tuple[Finding, ...]]:
    """The tests of each two systems on each question, whether or not they have a result."""
    found: dict[tuple[str, frozenset[str]], list[Finding]] = {}
    for each in findings:
        if is_difference(each):
            found.setdefault((each.question, frozenset(each.systems)), []).append(each)
    yield from map(tuple, found.values())


def is_difference(finding: Finding) -> bool:
    """Whether a finding tests which of two systems is ahead."""
    return len(finding.systems) == _PAIR and finding.measure not in _NOT_DIFFERENCES


def difference_findings(findings: Sequence[Finding]) -> list[Finding]:
    """The findings that give an interval of a difference on its question's scale, the best first.

    Of scores means come before medians; of comparisons only shares of wins are on the scale from
    −100 to 100. Planned analyses come first, then those that allow for shared items and
    participants. Differences on other scales, such as log odds or wins from −1 to 1, cannot be held
    against bounds on this one.
    """
    compared = {finding.question for finding in findings if finding.measure == "win-percent"}
    known = [
        finding
        for finding in findings
        if finding.interval is not None
        and len(finding.systems) == _PAIR
        and finding.measure in _ON_THE_SCALE
        and (finding.question in compared) == (finding.measure == "win-percent")
    ]
    return sorted(
        known,
        key=lambda each: (
            _ON_THE_SCALE.index(each.measure),
            each.role != "headline",
            not each.is_planned,
            each.by not in CLUSTERED,
        ),
    )


def on_the_scale(finding: Finding, value: float | None) -> float | None:
    """A difference as first minus second; a share of wins as a score from −100 to 100."""
    if value is None or finding.measure != "win-percent":
        return value
    return 2 * (value - _EVEN)


def is_first_ahead(finding: Finding) -> bool:
    """Whether the first system of a pair is ahead of the second; also False if they are equal."""
    return (on_the_scale(finding, finding.value) or 0.0) > 0


def error_on_the_scale(finding: Finding) -> float | None:
    """The standard error of a difference on the same scale; None: there is none."""
    wide = 2 if finding.measure == "win-percent" else 1
    return None if finding.standard_error is None else wide * finding.standard_error


def interval_on_the_scale(finding: Finding) -> stats.Interval | None:
    """The interval of a difference on the question's scale; None on any other scale."""
    if finding.interval is None or finding.measure not in _ON_THE_SCALE:
        return None
    ends = [on_the_scale(finding, end) for end in (finding.interval.low, finding.interval.high)]
    if ends[0] is None or ends[1] is None:
        return None
    return stats.Interval(ends[0], ends[1], finding.interval.level)


def final_p(finding: Finding) -> float | None:
    """The p value that decides: corrected, where the analysis corrects."""
    return finding.p if finding.p_adjusted is None else finding.p_adjusted


def significant_at(test: Finding, alpha: float) -> bool | None:
    """Whether a test is significant at a level; None where the results do not show it."""
    p = final_p(test)
    if p is not None:
        return p < alpha
    if test.p_below is not None and test.p_below <= alpha:
        return True
    if test.is_supported and alpha >= USUAL_ALPHA:
        return True
    if test.is_supported is False and alpha <= USUAL_ALPHA:
        return False
    return None


def is_supported(test: Finding | None) -> bool | None:
    """Whether a difference is supported: as the analysis decided, or by p at the usual level."""
    if test is None or test.is_supported is not None:
        return None if test is None else test.is_supported
    return significant_at(test, USUAL_ALPHA)


def is_reverse_supported(test: Finding | None) -> bool:
    """Whether a test supports that the second system is better than the first."""
    return test is not None and is_supported(test) is True and sign_of_test(test) < 0


def sign_of_test(test: Finding | None) -> int:
    """1 if the first system is ahead, −1 if the second is; 0: neither, or nothing was tested."""
    return 0 if test is None else sign_of(on_the_scale(test, test.value))


def sign_of(difference: float | None) -> int:
    """The sign of a difference: 1, 0 or −1; 0 if it is unknown or only a rounding error."""
    if difference is None or abs(difference) < _ROUNDING:
        return 0
    return (difference > 0) - (difference < 0)


def p_in_words(test: Finding) -> str:
    """The p value, or what is known instead."""
    p = final_p(test)
    if p is not None:
        return small_p_in_words(p)
    if test.p_below is not None:
        return f"p < {test.p_below:g}"
    return {True: "significant", False: "not significant", None: "not tested"}[test.is_supported]


def small_p_in_words(p: float) -> str:
    """A p value to three decimals, or that it is smaller."""
    return "p < 0.001" if p < _SMALL_P else f"p = {p:.3f}"


def headline_disagreements(findings: Iterable[Finding]) -> Iterator[HeadlineDisagreement]:
    """Headline tests whose check supports a different conclusion."""
    for tests in tests_of_pairs(findings):
        by_role = {each.role: each for each in tests}
        headline, check = by_role.get("headline"), by_role.get("check")
        if headline and check and _disagree(headline, check):
            yield HeadlineDisagreement(headline, check)


def _disagree(one: Finding, other: Finding) -> bool:
    if one.is_supported is None or other.is_supported is None:
        return False
    if one.is_supported != other.is_supported:
        return True
    signs = {sign_of(on_the_scale(each, each.value)) for each in (one, other)}
    return one.is_supported and len(signs) > 1
