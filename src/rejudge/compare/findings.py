"""Type IV: which findings of the original a run confirms, and how its claims turn out.

Three families, never mixed: pairwise ranks, claims and significant differences. Claims are judged
by the rule of `analysis.judge`. Matching of trends and of significance is after Ito et al. (2023).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, TypeAlias

from rejudge.analysis.claims import judge
from rejudge.analysis.evidence import (
    AgreementEvidence,
    Evidence,
    PairInterval,
    as_pair_test,
    is_reverse_supported,
    pair_intervals,
    sign_of,
)
from rejudge.analysis.results import Verdict
from rejudge.compare.alignment import Alignment, criterion_of, stretch
from rejudge.compare.comparison import (
    ClaimVerdict,
    ConfirmedShare,
    EffectComparison,
    TrendMatch,
    UnsupportedDifference,
)
from rejudge.compare.differences import differences
from rejudge.compare.run import (
    Run,
    RunCriterion,
    contrast_of,
    contrasts_on,
    deciding_contrasts,
    difference_of,
    differences_on,
)
from rejudge.findings.model import Finding
from rejudge.paper.model import PaperClaim
from rejudge.stats import Interval, matching_accuracy, significance_f1, smallest_detectable
from rejudge.study.claims import Claim

Family: TypeAlias = Literal["pairwise-ranks", "claims", "significance"]
ALL = "all"
_POWER = 0.8
_CONFIRMS: Mapping[Verdict, bool | None] = {
    "supported": True,
    "not-testable": None,
    "out-of-scope": None,
}  # all others: False
_TIES = "Equal scores are equal as printed; unrounded ones may differ."
_NO_CLAIMS = "The original makes no claim in a form that can be tested."
_NOT_TESTED = "The original reports no difference that a test found significant."
Pair: TypeAlias = tuple[str, str, str]  # criterion, first and second system
_ALL_PAIRS = "The original tested no pair, so all pairs of systems are taken."
_UNTESTED = "No F1: the runs have no tests of the same pairs."


@dataclass(frozen=True, slots=True)
class FindingCheck:
    """A finding of the original and its outcome in one run; None: it cannot be assessed.

    An unconfirmed finding is contradicted only if a test or an interval supports the opposite.
    """

    criterion: str
    says: str
    is_confirmed: bool | None
    is_contradicted: bool = False


def confirmations(
    aligned: Alignment, verdicts: Sequence[ClaimVerdict]
) -> tuple[ConfirmedShare, ...]:
    """Pairwise ranks, claims and significance: each run, and what every run confirms."""
    ranks = {run.id: tuple(_ranks(aligned, run.id)) for run in aligned.others}
    tests = {run.id: tuple(_tests(aligned, run.id)) for run in aligned.others}
    claims = {run.id: tuple(_claim_checks(aligned, verdicts, run.id)) for run in aligned.others}
    return (
        *_tallies(aligned, "pairwise-ranks", ranks),
        *_tallies(aligned, "claims", claims),
        *_tallies(aligned, "significance", tests),
    )


def _ranks(aligned: Alignment, run: str) -> Iterator[FindingCheck]:
    """For each pair of systems: lower, equal or higher in both."""
    here = next(each for each in aligned.others if each.id == run)
    for criterion in aligned.criteria:
        both = (aligned.original.id, run)
        systems = aligned.shared(criterion.id, both)
        one, two = (
            [aligned.scores[criterion.id, each, system].value for system in systems]
            for each in both
        )
        same = matching_accuracy(one, two).matched  # type: ignore[arg-type]  # numbers in a list
        for (i, j), is_same in zip(combinations(range(len(systems)), 2), same, strict=True):
            if not aligned.is_compared(criterion, systems[i], systems[j]):
                continue
            sign = sign_of(one[i] - one[j])
            says = f"{systems[i]} {'<=>'[sign + 1]} {systems[j]} on {criterion.id}"
            test = contrast_of(here, criterion.id, *(systems[i], systems[j])[:: sign or 1])
            is_reversed = (
                bool(sign) and test is not None and is_reverse_supported(as_pair_test(test))
            )
            yield FindingCheck(criterion.id, says, is_same, is_reversed and not is_same)


def _claim_checks(
    aligned: Alignment, verdicts: Sequence[ClaimVerdict], run: str
) -> Iterator[FindingCheck]:
    asked = {claim.id: claim.question for claim in aligned.original.claims}
    for each in verdicts:
        if each.run == run:
            is_contradicted = each.verdict == "contradicted"
            is_confirmed = _CONFIRMS.get(each.verdict, False)
            yield FindingCheck(asked[each.claim], each.says, is_confirmed, is_contradicted)


def unsupported_differences(
    aligned: Alignment, effects: Sequence[EffectComparison]
) -> tuple[UnsupportedDifference, ...]:
    """Significant differences of the original that a run does not support, nor contradict.

    Each with what the run could detect, from its own error, and whether the effects differ.
    """
    return tuple(
        _unsupported(aligned, run.id, (criterion, first, second), effects)
        for criterion, (first, second) in _significant(aligned.original)
        for run in aligned.others
        for again in (contrast_of(run, criterion, first, second),)
        if again is not None and again.is_supported is False
    )


def _significant(original: Run) -> Iterator[tuple[str, tuple[str, str]]]:
    """What the original found significant: the criterion, and the better system first."""
    for criterion, found in deciding_contrasts(original):
        sign = sign_of(difference_of(found))
        if found.is_supported and sign:
            first, second = found.systems[::sign]
            yield criterion.id, (first, second)


def _unsupported(
    aligned: Alignment, run: str, pair: Pair, effects: Sequence[EffectComparison]
) -> UnsupportedDifference:
    criterion, *systems = pair
    asked = next((each for each in aligned.criteria if each.id == criterion), None)
    first, second = systems
    known = {} if asked is None else differences(aligned, asked, run, [(first, second)])
    here = known.get((first, second))
    apart = next(
        (
            each.difference_interval
            for each in effects
            if each.criterion == criterion
            and each.runs == (aligned.original.id, run)
            and {each.first, each.second} == {first, second}
        ),
        None,
    )
    return UnsupportedDifference(
        run,
        *pair,
        detectable=smallest_detectable(math.sqrt(here.variance), here.df, power=_POWER)
        if here is not None and here.is_clustered
        else None,
        does_effect_differ=None if apart is None else not apart.low <= 0 <= apart.high,
    )


def _tests(aligned: Alignment, run: str) -> Iterator[FindingCheck]:
    """What the original found significant: is it significant again, in the same direction?"""
    here = next(each for each in aligned.others if each.id == run)
    for criterion, (first, second) in _significant(aligned.original):
        again = contrast_of(here, criterion, first, second)
        says = f"{first} > {second} on {criterion}"
        if again is None or again.is_supported is None:
            yield FindingCheck(criterion, says, None)
        else:
            where = sign_of(difference_of(again))
            yield FindingCheck(
                criterion,
                says,
                again.is_supported and where == 1,
                again.is_supported and where == -1,
            )


def _tallies(
    aligned: Alignment, family: Family, by_run: Mapping[str, Sequence[FindingCheck]]
) -> Iterator[ConfirmedShare]:
    wanted = dict(by_run)
    if len(by_run) > 1:
        wanted[ALL] = _by_every(list(by_run.values()))
    for run, findings in wanted.items():
        names = list(dict.fromkeys(each.criterion for each in findings))
        for criterion in [*(names if len(names) > 1 else ()), None]:
            chosen = [
                each
                for each in findings
                if (
                    each.criterion not in aligned.parts
                    if criterion is None
                    else criterion == each.criterion
                )
            ]
            note = _note(aligned, family, chosen)
            yield _tally((family, criterion, run), chosen, note)


def _by_every(by_run: Sequence[Sequence[FindingCheck]]) -> tuple[FindingCheck, ...]:
    """A finding that every run confirms; one that a run cannot assess is not assessable."""
    first, *rest = by_run
    verdicts = [{(e.criterion, e.says): e.is_confirmed for e in each} for each in rest]
    contradicted = [
        {(each.criterion, each.says) for each in findings if each.is_contradicted}
        for findings in by_run
    ]
    found = []
    for each in first:
        told = [each.is_confirmed, *(v.get((each.criterion, each.says)) for v in verdicts)]
        is_confirmed = None if None in told else all(told)
        is_contradicted = is_confirmed is False and any(
            (each.criterion, each.says) in reversed_in for reversed_in in contradicted
        )
        found.append(FindingCheck(each.criterion, each.says, is_confirmed, is_contradicted))
    return tuple(found)


def _tally(
    place: tuple[Family, str | None, str], findings: Sequence[FindingCheck], note: str
) -> ConfirmedShare:
    family, criterion, run = place
    judged = [each for each in findings if each.is_confirmed is not None]
    return ConfirmedShare(
        family=family,
        criterion=criterion,
        run=run,
        confirmed=sum(each.is_confirmed is True for each in judged),
        assessable=len(judged),
        left_out=len(findings) - len(judged),
        details=tuple(each.says for each in judged if not each.is_confirmed),
        note=note,
        contradicted=sum(each.is_contradicted for each in judged),
    )


def _note(aligned: Alignment, family: Family, findings: Sequence[FindingCheck]) -> str:
    if family == "pairwise-ranks" and any(" = " in each.says for each in findings):
        return _TIES
    if family == "significance" and not findings:
        return _NOT_TESTED
    return _NO_CLAIMS if family == "claims" and not aligned.original.claims else ""


def verdicts(aligned: Alignment) -> tuple[ClaimVerdict, ...]:
    """Every claim of the original in every run."""
    return tuple(
        _verdict(aligned, run, claim) for run in aligned.others for claim in aligned.original.claims
    )


def _verdict(aligned: Alignment, run: Run, claim: Claim) -> ClaimVerdict:
    found = judge(claim, _evidence(aligned, run, claim.question))
    is_judged = found.verdict not in {"not-testable", "out-of-scope"}
    missed = _missing_systems(aligned, run, claim) if is_judged else ""
    words = claim.words if isinstance(claim, PaperClaim) else ""
    because = f"{found.because}{missed}"
    return ClaimVerdict(claim.id, claim.says, words, run.id, found.verdict, because)


def _evidence(aligned: Alignment, run: Run, question: str) -> Evidence | None:
    """What a run shows on a criterion, on the original's scale; None where it was not asked."""
    here, there = (criterion_of(each, question) for each in (run, aligned.original))
    if here is None or there is None:
        return None
    systems = tuple(system for system in aligned.original.systems if system in run.systems)
    scores = {system: aligned.score(question, run.id, system) for system in systems}
    factor = stretch(here, there)
    return Evidence(
        systems=systems,
        scores={system: score.value for system, score in scores.items() if score is not None},
        tests=tuple(as_pair_test(each) for each in contrasts_on(run, here)),
        intervals=() if factor is None else _intervals(differences_on(run, here), factor),
        agreement=_agreement(run, here),
        is_higher_better=there.is_higher_better,
        names=aligned.original.systems,
        note=aligned.note(question, (run.id,)),
    )


def _intervals(found: Sequence[Finding], factor: float) -> tuple[PairInterval, ...]:
    """Intervals of differences, stretched onto the original's scale."""
    return tuple(
        replace(
            each,
            interval=_stretch(each.interval, factor),
            difference=None if each.difference is None else each.difference * factor,
            standard_error=each.standard_error and each.standard_error * factor,
        )
        for each in pair_intervals(found)
    )


def _stretch(ends: Interval, factor: float) -> Interval:
    return Interval(ends.low * factor, ends.high * factor, ends.level)


def _agreement(run: Run, criterion: RunCriterion) -> tuple[AgreementEvidence, ...]:
    """Coefficients on the criterion; on all together where the run asked nothing else."""
    cells = {criterion.cell, ("", ())} if len(run.criteria) == 1 else {criterion.cell}
    return tuple(
        AgreementEvidence(each.by, each.value, each.interval)
        for each in run.findings
        if (each.key.question, each.key.group) in cells
        and each.measure == "agreement"
        and each.value is not None
        and not each.systems
    )


def _missing_systems(aligned: Alignment, run: Run, claim: Claim) -> str:
    """Which systems the best or the worst of all was not compared with."""
    gone = [system for system in aligned.original.systems if system not in run.systems]
    if not gone or claim.kind not in {"best", "worst"}:
        return ""
    names = ", ".join(aligned.original.systems[system] for system in gone)
    return f"; {names} not in this run"


def trend_matches(aligned: Alignment) -> tuple[TrendMatch, ...]:
    """Matching accuracy and F1 of significance, for each run."""
    tested = tuple(
        (criterion.id, found.systems[0], found.systems[1])
        for criterion, found in deciding_contrasts(aligned.original)
        if criterion.id not in aligned.parts
    )
    return tuple(_of_run(aligned, run, tested) for run in aligned.others)


def _of_run(aligned: Alignment, run: Run, tested: tuple[Pair, ...]) -> TrendMatch:
    pairs = [pair for pair in tested or _all_pairs(aligned) if _is_scored(aligned, run, pair)]
    one, two = (
        [
            aligned.scores[criterion, each, system].value
            for criterion, first, second in pairs
            for system in (first, second)
        ]
        for each in (aligned.original.id, run.id)
    )
    places = [(2 * place, 2 * place + 1) for place in range(len(pairs))]
    accuracy = matching_accuracy(one, two, places)  # type: ignore[arg-type]  # numbers in a list
    both = [labels for pair in tested if (labels := _labels(aligned.original, run, pair))]
    f1 = significance_f1(
        [label for labels in both for label in labels[0]],
        [label for labels in both for label in labels[1]],
    )
    notes = ("" if tested else _ALL_PAIRS, accuracy.note, f1.note if both else _UNTESTED)
    return TrendMatch(
        run=run.id,
        matching=accuracy.value,
        matched=accuracy.matches,
        pairs=accuracy.n,
        f1=f1.value if both else None,
        true_positives=f1.both,
        predicted=f1.reproduction,
        actual=f1.original,
        note=" ".join(note for note in notes if note),
    )


def _all_pairs(aligned: Alignment) -> tuple[Pair, ...]:
    return tuple(
        (criterion.id, first, second)
        for criterion in aligned.wholes
        for first, second in combinations(aligned.original.systems, 2)
        if aligned.is_compared(criterion, first, second)
    )


def _is_scored(aligned: Alignment, run: Run, pair: Pair) -> bool:
    criterion, *systems = pair
    return all(
        (criterion, each, system) in aligned.scores
        for each in (aligned.original.id, run.id)
        for system in systems
    )


def _labels(original: Run, run: Run, pair: Pair) -> tuple[list[bool], list[bool]] | None:
    """For each of the two systems whether it is significantly better, in both runs."""
    found = [contrast_of(each, *pair) for each in (original, run)]
    known = [each for each in found if each is not None and each.is_supported is not None]
    if len(known) < len(found):
        return None
    signs = [sign_of(difference_of(each)) if each.is_supported else 0 for each in known]
    one, two = ([sign == 1, sign == -1] for sign in signs)
    return one, two
