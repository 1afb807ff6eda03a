"""Claims of the original, judged by what a run shows.

A claim that says nothing of p is judged by rank, and it is told whether the difference is
significant; one «with p < …» is judged by the run's own test under its own correction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from rejudge.compare.aligned import Aligned, criterion_of, stretch
from rejudge.compare.comparison import ClaimVerdict, Verdict
from rejudge.compare.contrasts import contrast_of, is_significant, sign_of, told_p
from rejudge.compare.run import Run, RunContrast
from rejudge.paper import PaperClaim
from rejudge.study import Claim

Decided: TypeAlias = tuple[Verdict, str]


def verdicts(aligned: Aligned) -> tuple[ClaimVerdict, ...]:
    """Every claim of the original in every run."""
    return tuple(
        _verdict(run, claim, *_judge(aligned, run, claim))
        for run in aligned.others
        for claim in aligned.original.claims
    )


def _verdict(run: Run, claim: Claim, verdict: Verdict, because: str) -> ClaimVerdict:
    words = claim.words if isinstance(claim, PaperClaim) else ""
    return ClaimVerdict(claim.id, claim.says, words, run.id, verdict, because)


def _judge(aligned: Aligned, run: Run, claim: Claim) -> Decided:
    if criterion_of(run, claim.question) is None:
        return "out-of-scope", f"{claim.question} was not asked in this run."
    absent = [system for system in claim.systems if system not in run.systems]
    if absent:
        return "out-of-scope", f"{', '.join(absent)} took no part in this run."
    if claim.kind == "agreement":
        return _agreement(run, claim)
    if claim.kind == "equivalent":
        return _equivalence(aligned, run, claim)
    pairs = _pairs(aligned, run, claim)
    if not pairs:
        return "out-of-scope", "No other system of the original took part in this run."
    verdict, because = (
        _by_rank(aligned, run, claim, pairs)
        if claim.p_below is None
        else _by_test(run, claim, pairs, claim.p_below)
    )
    missed = "" if verdict == "not-testable" else _without(aligned, run, claim)
    return verdict, f"{because}{missed}"


def _without(aligned: Aligned, run: Run, claim: Claim) -> str:
    """Whom the best or the worst of all was not compared with."""
    gone = [system for system in aligned.original.systems if system not in run.systems]
    if not gone or claim.kind not in {"best", "worst"}:
        return ""
    return f"; {', '.join(gone)} took no part in this run"


def _pairs(aligned: Aligned, run: Run, claim: Claim) -> list[tuple[str, str]]:
    """What the claim says, as pairs of which the first is to be the better."""
    first, *rest = claim.systems
    if claim.kind == "order":
        return list(combinations(claim.systems, 2))
    if claim.kind == "better":
        return [(first, other) for other in rest]
    others = [
        system for system in aligned.original.systems if system in run.systems and system != first
    ]
    if claim.kind == "worst":
        return [(other, first) for other in others]
    return [(first, other) for other in others]


def _by_rank(aligned: Aligned, run: Run, claim: Claim, pairs: Sequence[tuple[str, str]]) -> Decided:
    missing = [
        system
        for system in dict.fromkeys(system for pair in pairs for system in pair)
        if aligned.score(claim.question, run.id, system) is None
    ]
    if missing:
        note = aligned.note(claim.question, (run.id,))
        return "not-testable", f"No score of {', '.join(missing)}. {note}".strip()
    signs = [_sign(aligned, run, claim.question, pair) for pair in pairs]
    because = f"{_scores(aligned, run, claim.question, pairs)}; {_significance(run, claim, pairs)}"
    if all(sign > 0 for sign in signs):
        return "upheld", because
    wrong = [pair for pair, sign in zip(pairs, signs, strict=True) if sign < 0]
    if wrong:
        told = "; ".join(f"{second} above {first}" for first, second in wrong)
        return "contradicted", f"{told}: {because}"
    level = [pair for pair, sign in zip(pairs, signs, strict=True) if sign == 0]
    told = "; ".join(f"{first} and {second} stand level" for first, second in level)
    return "not-upheld", f"{told}: {because}"


def _sign(aligned: Aligned, run: Run, criterion: str, pair: tuple[str, str]) -> int:
    """Which of two systems is better here, by the sense of the original's scale."""
    one, two = (aligned.scores[criterion, run.id, system].value for system in pair)
    asked = criterion_of(aligned.original, criterion)
    is_higher_better = asked is None or asked.is_higher_better
    return sign_of(one - two) * (1 if is_higher_better else -1)


def _scores(aligned: Aligned, run: Run, criterion: str, pairs: Sequence[tuple[str, str]]) -> str:
    systems = dict.fromkeys(system for pair in pairs for system in pair)
    told = {system: aligned.scores[criterion, run.id, system].value for system in systems}
    ranked = sorted(told, key=lambda system: -told[system])
    return ", ".join(f"{system} {told[system]:.4g}" for system in ranked)


def _significance(run: Run, claim: Claim, pairs: Sequence[tuple[str, str]]) -> str:
    """Whether the differences are significant, in words; a claim by rank does not need it."""
    found = [contrast_of(run, claim.question, *pair) for pair in pairs]
    known = [each for each in found if each is not None and each.is_significant is not None]
    if not known:
        return "whether the difference is significant is not known"
    weak = [each for each in known if not each.is_significant]
    if not weak:
        part = "all" if len(known) == len(pairs) else f"{len(known)} of {len(pairs)} tested and"
        return "the difference is significant" if len(pairs) == 1 else f"{part} significant"
    if len(pairs) == 1 and weak[0].p is None:
        return "the difference is not significant"
    told = ", ".join(f"{each.first} – {each.second}{_by_p(each)}" for each in weak)
    return f"not significant: {told}"


def _by_p(contrast: RunContrast) -> str:
    return "" if contrast.p is None else f" ({told_p(contrast)})"


def _by_test(run: Run, claim: Claim, pairs: Sequence[tuple[str, str]], alpha: float) -> Decided:
    found = [(pair, contrast_of(run, claim.question, *pair)) for pair in pairs]
    told = "; ".join(_contrast(pair, each) for pair, each in found)
    tests = dict.fromkeys(each.test for _, each in found if each is not None and each.test)
    because = f"{told} ({'; '.join(tests)})" if tests else told
    states = [_state(each, alpha) for _, each in found]
    if "opposite" in states:
        return "contradicted", because
    if "open" in states:
        return "not-upheld", because
    if None in states:
        return "not-testable", because
    return "upheld", because


def _state(contrast: RunContrast | None, alpha: float) -> str | None:
    if contrast is None:
        return None
    significant = is_significant(contrast, alpha)
    if significant is None:
        return None
    sign = sign_of(contrast.difference)
    if not significant:
        return "open"
    return {1: "shown", -1: "opposite", 0: None}[sign]


def _contrast(pair: tuple[str, str], contrast: RunContrast | None) -> str:
    name = f"{pair[0]} – {pair[1]}"
    if contrast is None:
        return f"{name} not tested"
    difference = "" if contrast.difference is None else f" {contrast.difference:+.3g},"
    return f"{name}{difference} {told_p(contrast)}"


def _equivalence(aligned: Aligned, run: Run, claim: Claim) -> Decided:
    """By the interval of the difference: inside the bounds, outside, or across."""
    bound = claim.bound or 0.0
    found = contrast_of(run, claim.question, *claim.systems)
    here, there = (criterion_of(each, claim.question) for each in (run, aligned.original))
    factor = stretch(here, there) if here is not None and there is not None else None
    if found is None or found.interval is None or factor is None:
        return "not-testable", "No interval of the difference is known in this run."
    low, high = found.interval.low * factor, found.interval.high * factor
    because = (
        f"the difference lies between {low:.3g} and {high:.3g} "
        f"({100 * found.interval.level:g} %), the bounds are ±{bound:g}"
    )
    if -bound < low and high < bound:
        return "upheld", because
    if low >= bound or high <= -bound:
        return "contradicted", because
    return "not-upheld", because


def _agreement(run: Run, claim: Claim) -> Decided:
    bound = claim.bound or 0.0
    found = next(_coefficients(run, claim), None)
    if found is None:
        return "not-testable", f"This run gives no {claim.statistic} on {claim.question}."
    value, because, highest = found
    if value >= bound:
        return "upheld", because
    return ("contradicted" if highest is not None and highest < bound else "not-upheld"), because


def _coefficients(run: Run, claim: Claim) -> Iterator[tuple[float, str, float | None]]:
    """The coefficient on the criterion; on all together where only one was asked."""
    wanted: tuple[str | None, ...] = (claim.question,)
    if len(run.criteria) == 1:
        wanted = (*wanted, None)
    for each in run.agreement:
        if each.coefficient == claim.statistic and each.criterion in wanted and not each.systems:
            between = each.interval
            told = f"{claim.statistic} is {each.value:.3g}"
            if between is not None:
                told += f" ({between.low:.3g} to {between.high:.3g})"
            yield each.value, told, None if between is None else between.high
