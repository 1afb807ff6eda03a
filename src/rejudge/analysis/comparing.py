"""Findings of questions that compare: pairwise choice, best and worst of n, ranking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rejudge.analysis.agenda import Agenda, corrected, estimated, interval_method
from rejudge.analysis.columns import comparisons, shown_first
from rejudge.analysis.results import Finding, Tally
from rejudge.judgments import Judgments
from rejudge.stats import PairRate, Standing, pair_rates, share_of_first, sign_flip, win_table
from rejudge.study import Pairwise, Question


def compared(agenda: Agenda, question: Question, judgments: Judgments) -> Iterator[Finding]:
    """How each system fares, who wins each pair, and whether the side shown first pulls."""
    rows = comparisons(agenda.study, judgments)
    note = "" if isinstance(question, Pairwise) else "Comparisons that each answer implies."
    for standing in win_table(rows, level=agenda.level):
        yield from _standing(agenda, question, standing, note)
    rates = pair_rates(rows, level=agenda.level)
    tests = agenda.tests(question)
    yield from corrected(
        agenda,
        [
            replace(_pair(agenda, question, rate, note), is_planned="cluster-robust" in tests)
            for rate in rates
        ],
    )
    if "sign-flip" in tests:
        flipped = [_flipped(agenda, question, rate, judgments) for rate in rates]
        yield from corrected(agenda, flipped)
    yield from _first_shown(agenda, question, judgments)


def _standing(
    agenda: Agenda, question: Question, standing: Standing, note: str
) -> Iterator[Finding]:
    system = agenda.study.system_ids[standing.system]
    rate = standing.win_percent
    base = estimated(
        Finding(
            id=f"{question.id}.wins.{system}",
            question=question.id,
            measure="win-percent",
            by="wins",
            systems=(system,),
            value=rate.value,
            n=rate.n,
            n_of="judgments",
            method=f"share of comparisons won, a tie as half; {interval_method(rate)}",
            tally=Tally(standing.wins, standing.losses, standing.ties),
            is_planned=bool(agenda.tests(question)),
        ),
        rate,
        note,
    )
    yield base
    doubled = rate.interval and replace(
        rate.interval, low=2 * rate.interval.low - 100, high=2 * rate.interval.high - 100
    )
    yield replace(
        base,
        id=f"{question.id}.best-worst.{system}",
        measure="best-worst-score",
        by="best-worst",
        value=standing.score,
        interval=doubled,
        method=f"100 · (wins − losses) / n; {interval_method(rate)}",
    )


def _pair(agenda: Agenda, question: Question, rate: PairRate, note: str) -> Finding:
    first, second = (agenda.study.system_ids[code] for code in (rate.first, rate.second))
    estimate = rate.win_percent
    return estimated(
        Finding(
            id=f"{question.id}.cluster-robust.{first}.{second}",
            question=question.id,
            measure="win-percent",
            by="cluster-robust",
            systems=(first, second),
            value=estimate.value,
            n=estimate.n,
            n_of="judgments",
            method=f"share preferring the first, a tie as half; {interval_method(estimate)}; "
            "p against 50 %",
            p=estimate.p,
            tally=Tally(rate.wins, rate.losses, rate.ties),
        ),
        estimate,
        note,
    )


def _flipped(agenda: Agenda, question: Question, rate: PairRate, judgments: Judgments) -> Finding:
    first, second = (agenda.study.system_ids[code] for code in (rate.first, rate.second))
    name = f"{question.id}.sign-flip.{first}.{second}"
    rows = comparisons(agenda.study, judgments).of(rate.first, rate.second)
    flip = sign_flip(rows.preference, rows.item, rng=agenda.rng(name))
    how = "all sign patterns counted" if flip.is_exact else "9,999 sign patterns drawn"
    return Finding(
        id=name,
        question=question.id,
        measure="win-percent",
        by="sign-flip",
        systems=(first, second),
        value=rate.win_percent.value,
        n=rate.win_percent.n,
        n_of="judgments",
        method=f"sign-flip permutation of {flip.items} items that do not stand level, {how}; "
        "holds for new items judged by these participants",
        p=flip.p,
        items=rate.win_percent.items,
        participants=rate.win_percent.participants,
        tally=Tally(rate.wins, rate.losses, rate.ties),
        note=flip.note,
    )


def _first_shown(agenda: Agenda, question: Question, judgments: Judgments) -> Iterator[Finding]:
    value, known = shown_first(judgments)
    rows = judgments.take(known)
    estimate = share_of_first(
        value,
        item=comparisons(agenda.study, rows).item,
        participant=rows.participant.codes,
        level=agenda.level,
    )
    finding = Finding(
        id=f"{question.id}.first-shown",
        question=question.id,
        measure="first-shown-percent",
        by="cluster-robust",
        systems=(),
        value=estimate.value,
        n=estimate.n,
        n_of="judgments",
        method="share of comparisons that went to the output shown first, a tie as half; "
        f"{interval_method(estimate)}; p against 50 %",
        p=estimate.p,
        is_planned=False,
    )
    yield estimated(finding, estimate)
