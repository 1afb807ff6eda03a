"""Type IV: which findings of the original a run confirms, and how its claims turn out.

Three families, never mixed: pairwise ranks, claims and significant differences. Claims are judged
by the rule of `analysis.judge`. Matching of trends and of significance is after Ito et al. (2023).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from rejudge.analysis.claims import judge
from rejudge.analysis.evidence import (
    Evidence,
    difference_findings,
    is_reverse_supported,
    sign_of,
)
from rejudge.analysis.results import Verdict
from rejudge.compare.alignment import Alignment, criterion_of, stretch
from rejudge.compare.comparison import EVERY, SHARE, ClaimVerdict
from rejudge.compare.differences import differences, is_clustered
from rejudge.compare.run import (
    Run,
    RunCriterion,
    contrast_of,
    contrasts_on,
    deciding_contrasts,
    difference_of,
    differences_on,
)
from rejudge.findings.model import Finding, Measure
from rejudge.paper.model import PaperClaim
from rejudge.stats import matching_accuracy, significance_f1, smallest_detectable
from rejudge.stats.reasons import Reason, Why
from rejudge.study.claims import Claim

RANKS, CLAIMS, SIGNIFICANCE = "pairwise-ranks", "claims", "significance"
_POWER = 0.8
_NOT_ASSESSED: frozenset[Verdict] = frozenset(("not-testable",))


def confirmations(
    aligned: Alignment, verdicts: Sequence[ClaimVerdict], effects: Sequence[Finding]
) -> Iterator[Finding]:
    """Each finding of the original in each run (1 or 0; None: it cannot be assessed), and shares.

    An unconfirmed finding is contradicted only if a test or an interval supports the opposite.
    `effects` are the differences of effects between runs.
    """
    for family, checks in (
        (RANKS, {run.id: tuple(_ranks(aligned, run)) for run in aligned.others}),
        (CLAIMS, {run.id: tuple(_claims(aligned, verdicts, run)) for run in aligned.others}),
        (SIGNIFICANCE, {run.id: tuple(_tests(aligned, run, effects)) for run in aligned.others}),
    ):
        for found in checks.values():
            yield from found
        yield from _shares(aligned, family, checks)


def _check(
    aligned: Alignment,
    criterion: RunCriterion | None,
    run: Run,
    *,
    family: str,
    about: Sequence[str],
    is_confirmed: bool | None,
    **extra: float | None,
) -> Finding:
    """One finding of the original in one run; `about` has its systems, or the id of a claim."""
    runs = (aligned.original.id, run.id)
    systems = () if family == CLAIMS else about
    key = aligned.key(criterion, "confirmed", family, runs, systems)
    return Finding(
        key=replace(key, category=about[0]) if family == CLAIMS else key,
        by=family,
        value=None if is_confirmed is None else float(is_confirmed),
        n=1,
        n_of="findings",
        how=(),
        extra=dict(extra),
    )


def _ranks(aligned: Alignment, run: Run) -> Iterator[Finding]:
    """For each pair of systems: lower, equal or higher in both; the higher one comes first."""
    for criterion in aligned.criteria:
        both = (aligned.original.id, run.id)
        systems = aligned.shared(criterion.id, both)
        one, two = (
            [aligned.value(criterion.id, each, system) for system in systems] for each in both
        )
        same = matching_accuracy(one, two).matched  # type: ignore[arg-type]  # numbers in a list
        for (i, j), is_same in zip(combinations(range(len(systems)), 2), same, strict=True):
            if not aligned.is_compared(criterion, systems[i], systems[j]):
                continue
            sign = sign_of(one[i] - one[j])
            pair = (systems[i], systems[j])[:: sign or 1]
            test = contrast_of(run, criterion.id, *pair)
            is_reversed = bool(sign) and test is not None and is_reverse_supported(test)
            yield _check(
                aligned,
                criterion,
                run,
                family=RANKS,
                about=pair,
                is_confirmed=is_same,
                contradicted=float(is_reversed and not is_same),
                equal=float(not sign),
            )


def _claims(aligned: Alignment, verdicts: Sequence[ClaimVerdict], run: Run) -> Iterator[Finding]:
    asked = {claim.id: claim.question for claim in aligned.original.claims}
    for each in verdicts:
        if (each.run, each.case) != (run.study, run.case):
            continue
        is_judged = each.verdict not in _NOT_ASSESSED
        yield _check(
            aligned,
            criterion_of(aligned.original, asked[each.claim]),
            run,
            family=CLAIMS,
            about=(each.claim,),
            is_confirmed=each.verdict == "supported" if is_judged else None,
            contradicted=float(each.verdict == "contradicted"),
        )


def _tests(aligned: Alignment, run: Run, effects: Sequence[Finding]) -> Iterator[Finding]:
    """What the original found significant: is it significant again, in the same direction?"""
    for criterion, pair in _significant(aligned.original):
        again = contrast_of(run, criterion.id, *pair)
        extra: dict[str, float | None] = {}
        is_confirmed = None
        if again is not None and again.is_supported is not None:
            where = sign_of(difference_of(again)) if again.is_supported else 0
            is_confirmed = where == 1
            extra = {"contradicted": float(where == -1)}
            if not again.is_supported:
                extra |= _reach(aligned, criterion, run, (pair, effects))
        yield _check(
            aligned,
            criterion,
            run,
            family=SIGNIFICANCE,
            about=pair,
            is_confirmed=is_confirmed,
            **extra,
        )


def _significant(original: Run) -> Iterator[tuple[RunCriterion, tuple[str, str]]]:
    """What the original found significant: the criterion, and the better system first."""
    for criterion, found in deciding_contrasts(original):
        sign = sign_of(difference_of(found))
        if found.is_supported and sign:
            first, second = found.systems[::sign]
            yield criterion, (first, second)


def _reach(
    aligned: Alignment,
    criterion: RunCriterion,
    run: Run,
    asked: tuple[tuple[str, str], Sequence[Finding]],
) -> dict[str, float | None]:
    """What a run could detect, from its own error, and whether the effects differ.

    The smallest difference found with 80 % power at 5 %, on the original's scale.
    """
    pair, effects = asked
    is_compared = any(each.id == criterion.id for each in aligned.criteria)
    here = differences(aligned, criterion, run.id, [pair]).get(pair) if is_compared else None
    where = aligned.key(criterion, "effect-difference", "", (aligned.original.id, run.id))
    apart = next(
        (
            each.interval
            for each in effects
            if (each.key.cell, each.key.runs, each.key.case) == (where.cell, where.runs, where.case)
            and set(each.systems) == set(pair)
        ),
        None,
    )
    error = None if here is None or not is_clustered(here) else here.standard_error
    return {
        "detectable": None
        if error is None or here is None
        else smallest_detectable(error, here.df, power=_POWER),
        "effect differs": None if apart is None else float(not apart.low <= 0 <= apart.high),
    }


def _shares(
    aligned: Alignment, family: str, by_run: Mapping[str, Sequence[Finding]]
) -> Iterator[Finding]:
    """The share of each run by criterion and of all; and of what every run confirms."""
    original = aligned.original.id
    tables: list[tuple[Measure, tuple[str, ...], Sequence[Finding]]]
    tables = [(SHARE, (original, run), found) for run, found in by_run.items()]
    if len(by_run) > 1:
        tables.append((EVERY, (original, *by_run), tuple(_by_every(list(by_run.values())))))
    for measure, runs, found in tables:
        cells = list(dict.fromkeys(each.key.cell for each in found))
        asked = [each for each in aligned.original.criteria if each.cell in cells]
        for criterion in [*(asked if len(cells) > 1 else ()), None]:
            chosen = [each for each in found if _is_of(aligned, each, criterion)]
            yield _share(aligned, criterion, (family, measure, runs), chosen)


def _is_of(aligned: Alignment, found: Finding, criterion: RunCriterion | None) -> bool:
    if criterion is not None:
        return found.key.cell == criterion.cell
    parts = {each.cell for each in aligned.criteria if each.id in aligned.parts}
    return found.key.cell not in parts


def _by_every(by_run: Sequence[Sequence[Finding]]) -> list[Finding]:
    """A finding that every run confirms; one that a run cannot assess is not assessable."""
    found = {_about(each): [each] for each in by_run[0]}
    for each in (one for checks in by_run[1:] for one in checks):
        found.get(_about(each), []).append(each)
    whole = []
    for same in found.values():
        values = [each.value for each in same]
        is_known = len(values) == len(by_run) and None not in values
        value = float(all(values)) if is_known else None
        against = any(each.extra.get("contradicted") for each in same)
        extra = {**same[0].extra, "contradicted": float(value == 0 and against)}
        whole.append(replace(same[0], value=value, extra=extra))
    return whole


def _about(check: Finding) -> object:
    return check.key.cell, frozenset(check.systems), check.key.category


def _share(
    aligned: Alignment,
    criterion: RunCriterion | None,
    address: tuple[str, Measure, tuple[str, ...]],
    findings: Sequence[Finding],
) -> Finding:
    family, measure, runs = address
    key = aligned.key(criterion, measure, family, runs)
    judged = [each for each in findings if each.value is not None]
    confirmed = sum(each.value == 1 for each in judged)
    reasons: tuple[Reason, ...] = ()
    if family == RANKS and any(each.extra.get("equal") for each in findings):
        reasons = (Why.TIES_AS_PRINTED(),)
    elif family == SIGNIFICANCE and not findings:
        reasons = (Why.NONE_SIGNIFICANT(),)
    elif family == CLAIMS and not aligned.original.claims:
        reasons = (Why.NO_CLAIMS(),)
    return Finding(
        key=key.in_case("") if measure == EVERY else key,
        by=family,
        value=confirmed / len(judged) if judged else None,
        n=len(judged),
        n_of="findings",
        how=(),
        extra={
            "confirmed": float(confirmed),
            "left out": float(len(findings) - len(judged)),
            "contradicted": float(sum(bool(each.extra.get("contradicted")) for each in judged)),
        },
        reasons=reasons,
    )


# claims


def verdicts(aligned: Alignment) -> tuple[ClaimVerdict, ...]:
    """Every claim of the original in every run."""
    return tuple(
        _verdict(aligned, run, claim) for run in aligned.others for claim in aligned.original.claims
    )


def _verdict(aligned: Alignment, run: Run, claim: Claim) -> ClaimVerdict:
    found = judge(claim, _evidence(aligned, run, claim.question))
    missed = "" if found.verdict in _NOT_ASSESSED else _missing_systems(aligned, run, claim)
    return ClaimVerdict(
        claim=claim.id,
        says=claim.says,
        words=claim.words if isinstance(claim, PaperClaim) else "",
        run=run.study,
        verdict=found.verdict,
        because=f"{found.because}{missed}",
        case=run.case,
    )


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
        scores={system: score.value or 0.0 for system, score in scores.items() if score},
        tests=tuple(contrasts_on(run, here)),
        differences=() if factor is None else tuple(difference_findings(differences_on(run, here))),
        factor=factor or 1.0,
        agreement=_agreement(run, here),
        is_higher_better=there.is_higher_better,
        names=aligned.original.systems,
        note=" ".join(map(str, aligned.remarks(question, (run.id,)))),
    )


def _agreement(run: Run, criterion: RunCriterion) -> tuple[Finding, ...]:
    """Coefficients on the criterion; on all together where the run asked nothing else."""
    cells = {criterion.cell, ("", ())} if len(run.criteria) == 1 else {criterion.cell}
    return tuple(
        each
        for each in run.findings
        if each.key.cell in cells
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


# trends and significance that match


def trend_matches(aligned: Alignment) -> Iterator[Finding]:
    """Matching accuracy and F1 of significance with the original as truth, for each run."""
    tested = [
        (criterion.id, (found.systems[0], found.systems[1]))
        for criterion, found in deciding_contrasts(aligned.original)
        if criterion.id not in aligned.parts
    ]
    for run in aligned.others:
        yield _accuracy(aligned, run, tested)
        yield _f1(aligned, run, tested)


def _accuracy(
    aligned: Alignment, run: Run, tested: Sequence[tuple[str, tuple[str, str]]]
) -> Finding:
    both = (aligned.original.id, run.id)
    pairs = [
        (criterion, pair)
        for criterion, pair in tested or _all_pairs(aligned)
        if set(pair) <= set(aligned.shared(criterion, both))
    ]
    one, two = (
        [aligned.value(criterion, each, system) for criterion, pair in pairs for system in pair]
        for each in both
    )
    at = [(2 * place, 2 * place + 1) for place in range(len(pairs))]
    found = matching_accuracy(one, two, at)  # type: ignore[arg-type]  # numbers in a list
    return Finding(
        key=aligned.key(None, "matching-accuracy", "", both),
        by="matching-accuracy",
        value=found.value,
        n=found.n,
        n_of="pairs",
        how=(),
        extra={"matched": float(found.matches)},
        reasons=(*(() if tested else (Why.ALL_PAIRS_TAKEN(),)), *found.reasons),
    )


def _f1(aligned: Alignment, run: Run, tested: Sequence[tuple[str, tuple[str, str]]]) -> Finding:
    both = [
        labels
        for criterion, pair in tested
        if (labels := _labels(aligned.original, run, criterion, pair))
    ]
    found = significance_f1(
        [label for labels in both for label in labels[0]],
        [label for labels in both for label in labels[1]],
    )
    return Finding(
        key=aligned.key(None, "significance-f1", "", (aligned.original.id, run.id)),
        by="significance-f1",
        value=found.value if both else None,
        n=len(both),
        n_of="pairs",
        how=(),
        extra={
            "true positives": float(found.both),
            "significant here": float(found.reproduction),
            "significant there": float(found.original),
        },
        reasons=found.reasons if both else (Why.NO_COMMON_TESTS(),),
    )


def _all_pairs(aligned: Alignment) -> list[tuple[str, tuple[str, str]]]:
    return [
        (criterion.id, pair)
        for criterion in aligned.wholes
        for pair in combinations(aligned.original.systems, 2)
        if aligned.is_compared(criterion, *pair)
    ]


def _labels(
    original: Run, run: Run, criterion: str, pair: tuple[str, str]
) -> tuple[list[bool], list[bool]] | None:
    """For each of the two systems whether it is significantly better, in both runs."""
    found = [contrast_of(each, criterion, *pair) for each in (original, run)]
    known = [each for each in found if each is not None and each.is_supported is not None]
    if len(known) < len(found):
        return None
    signs = [sign_of(difference_of(each)) if each.is_supported else 0 for each in known]
    one, two = ([sign == 1, sign == -1] for sign in signs)
    return one, two
