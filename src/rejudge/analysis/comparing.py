"""Findings of questions that compare: pairwise choice, best and worst of n, ranking."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from rejudge.analysis.analysis_plan import (
    Agenda,
    directed,
    estimated,
    in_direction,
    interval_method,
    joined,
    speaking_for,
)
from rejudge.analysis.columns import comparisons, knows_participants, shown_first
from rejudge.analysis.outline import Asked
from rejudge.analysis.population import population_of_clusters
from rejudge.analysis.results import Finding, Tally
from rejudge.english import count, verb
from rejudge.judgments import Judgments
from rejudge.stats import (
    Comparisons,
    Estimate,
    PairRate,
    Standing,
    pair_rates,
    relative_preference,
    share_of_first,
    sign_flip,
    win_table,
)

_IMPLIED = "Comparisons that each answer implies."


def standings(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    """How each system fares against all others."""
    rows = comparisons(agenda.outline, judgments)
    note = _IMPLIED if asked.is_implied else ""
    is_known = knows_participants(rows)
    shares = win_table(rows, level=agenda.level)
    scores = relative_preference(rows, level=agenda.level)
    for standing, score in zip(shares, scores, strict=True):
        for finding in _standing(agenda, asked, standing, score, has_participants=is_known):
            yield _noted(finding, note)


def rates(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    """Who wins each pair of systems."""
    rows = comparisons(agenda.outline, judgments)
    note = _IMPLIED if asked.is_implied else ""
    is_known = knows_participants(rows)
    for rate in pair_rates(rows, level=agenda.level):
        yield _noted(_pair(agenda, asked, rate, has_participants=is_known), note)


def _noted(finding: Finding, note: str) -> Finding:
    return replace(finding, note=joined(finding.note, note))


def sign_flips(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    """The permutation test of each pair, by item."""
    rows = comparisons(agenda.outline, judgments)
    for rate in pair_rates(rows, level=agenda.level):
        yield _flipped(agenda, asked, rate, rows)


def first_shown(agenda: Agenda, asked: Asked, judgments: Judgments) -> Iterator[Finding]:
    """Whether the side shown first pulls."""
    value, known = shown_first(judgments)
    rows = comparisons(agenda.outline, judgments.take(known))
    is_known = knows_participants(rows)
    estimate = share_of_first(
        value, item=rows.item, participant=rows.participant, level=agenda.level
    )
    finding = Finding(
        id=f"{asked.id}.first-shown",
        question=asked.id,
        measure="first-shown-percent",
        by="cluster-robust",
        systems=(),
        value=estimate.value,
        n=estimate.n,
        n_of=_counted(asked),
        method="share of comparisons that went to the output shown first, a tie as half; "
        f"{interval_method(estimate, has_participants=is_known)}; p against 50 %",
        p=estimate.p,
        is_planned=False,
    )
    yield estimated(finding, estimate, has_participants=is_known)


def _standing(
    agenda: Agenda, asked: Asked, standing: Standing, score: Estimate, *, has_participants: bool
) -> Iterator[Finding]:
    system = agenda.outline.systems[standing.system]
    rate = standing.win_percent
    how = interval_method(rate, has_participants=has_participants)
    base = estimated(
        Finding(
            id=f"{asked.id}.wins.{system}",
            question=asked.id,
            measure="win-percent",
            by="wins",
            systems=(system,),
            value=rate.value,
            n=rate.n,
            n_of=_counted(asked),
            method=f"share of comparisons won, a tie as half; {how}",
            tally=Tally(standing.wins, standing.losses, standing.ties),
            is_planned=agenda.is_planned(asked),
        ),
        rate,
        has_participants=has_participants,
    )
    yield base
    how = interval_method(score, has_participants=has_participants)
    what = "wins − losses"
    if asked.is_implied:
        what = "times best − times worst, in rankings the share of options beaten minus lost to"
    scored = replace(
        base,
        id=f"{asked.id}.best-worst.{system}",
        measure="best-worst-score",
        by="best-worst",
        value=score.value,
        n=score.n,
        n_of="judgments",
        method=f"100 · ({what}) / n; {how}",
    )
    yield estimated(scored, score, has_participants=has_participants)


def _counted(asked: Asked) -> Literal["judgments", "comparisons"]:
    return "comparisons" if asked.is_implied else "judgments"


def _pair(agenda: Agenda, asked: Asked, rate: PairRate, *, has_participants: bool) -> Finding:
    first, second = (agenda.outline.systems[code] for code in (rate.first, rate.second))
    estimate = rate.win_percent
    how = interval_method(estimate, has_participants=has_participants)
    finding = estimated(
        Finding(
            id=f"{asked.id}.cluster-robust.{first}.{second}",
            question=asked.id,
            measure="win-percent",
            by="cluster-robust",
            systems=(first, second),
            value=estimate.value,
            n=estimate.n,
            n_of=_counted(asked),
            method=f"share preferring the first, a tie as half; {how}; p against 50 %",
            p=estimate.p,
            tally=Tally(rate.wins, rate.losses, rate.ties),
            is_planned=agenda.is_planned(asked, "cluster-robust"),
        ),
        estimate,
        has_participants=has_participants,
    )
    found = directed(finding, agenda.alternative(asked, "cluster-robust"), null=50.0)
    return speaking_for(found, population_of_clusters(has_participants=has_participants))


def _flipped(agenda: Agenda, asked: Asked, rate: PairRate, table: Comparisons) -> Finding:
    first, second = (agenda.outline.systems[code] for code in (rate.first, rate.second))
    name = f"{asked.id}.sign-flip.{first}.{second}"
    rows = table.of(rate.first, rate.second)
    alternative = agenda.alternative(asked, "sign-flip")
    flip = sign_flip(rows.preference, rows.item, rng=agenda.rng(name), alternative=alternative)
    how = "all sign patterns counted" if flip.is_exact else "9,999 sign patterns drawn"
    finding = Finding(
        id=name,
        question=asked.id,
        measure="win-percent",
        by="sign-flip",
        systems=(first, second),
        value=rate.win_percent.value,
        n=rate.win_percent.n,
        n_of=_counted(asked),
        method=f"sign-flip permutation of {count(flip.items, 'item')} that "
        f"{verb(flip.items, 'does', 'do')} not stand level, {how}",
        p=flip.p,
        items=rate.win_percent.items,
        participants=rate.win_percent.participants if knows_participants(table) else None,
        tally=Tally(rate.wins, rate.losses, rate.ties),
        is_planned=agenda.is_planned(asked, "sign-flip"),
        note=flip.note,
    )
    return speaking_for(in_direction(finding, alternative), "items")
