"""Who judged what, how often each score was given, who beat whom, which units were disputed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from rejudge import stats
from rejudge.analysis.analysis_plan import (
    FEWEST,
    AnalysisPlan,
)
from rejudge.analysis.columns import (
    Scores,
    UnitAnswers,
    are_choices,
    comparisons,
    has_participants,
    levels,
    scores,
)
from rejudge.analysis.findings import pairs_of
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.times import varies_by_task
from rejudge.findings.frame import Frame, Row
from rejudge.findings.model import Finding, Group
from rejudge.findings.planned_keys import label_name
from rejudge.judgments.table import Judgments
from rejudge.stats.reasons import Reason, Why, unique
from rejudge.study.items import page_text
from rejudge.study.model import Study

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOTABLE = 2.0  # standard errors: a coverage term is worth a sentence
_MOST_TERMS = 3  # that a note names


def coverage_of(analysis: AnalysisPlan, table: Scores) -> stats.Coverage:
    """Who judged what on one question."""
    systems = len(analysis.outline.systems)
    return stats.coverage_table(table.system, table.item, table.participant, systems=systems)


def terms_in_words(terms: Sequence[stats.CoverageTerm]) -> tuple[str, ...]:
    """What the covariates are, for the description of a model."""
    kinds = dict.fromkeys(term.kind for term in terms)
    return tuple(f"each system's share of the {kind}'s judgments" for kind in kinds)


def terms_reasons(
    analysis: AnalysisPlan,
    statistics: Mapping[str, float | None],
    terms: Sequence[stats.CoverageTerm],
) -> tuple[Reason, ...]:
    """Where items or participants with more judgments of a system score higher or lower."""
    notable = [
        (term, t)
        for term in terms
        if (t := statistics.get(term.name)) is not None and abs(t) >= _NOTABLE
    ]
    notable.sort(key=lambda each: -abs(each[1]))
    return tuple(
        Why.COVERAGE_TERM(
            who=f"{term.kind}s",
            system=analysis.outline.systems[term.system],
            where="higher" if t > 0 else "lower",
            t=t,
        )
        for term, t in notable[:_MOST_TERMS]
    )


def within_items(finding: Finding, pair: stats.PairCoverage) -> Finding:
    """A difference of a model, refused where no items link the systems; a note where few do."""
    if not pair.is_within_items:
        return replace(
            finding,
            value=None,
            interval=None,
            standard_error=None,
            df=None,
            p=None,
            statistic=None,
            reasons=(stats.NONE_SHARED,),
        )
    few = stats.few_shared(pair.shared_items, pair.information_share)
    people = () if pair.is_within_participants else (Why.DIFFERENT_PEOPLE(),)
    return replace(finding, reasons=unique(finding.reasons, few, people))


def coverage(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Frame]:
    """Who judged what on a question that gives scores, by system and by pair of systems."""
    if asked.is_comparison or not len(judgments):
        return
    table = scores(analysis.outline, judgments)
    found = coverage_of(analysis, table)
    names = analysis.outline.systems
    is_known = table.has_participants
    judged = {each.system for each in found.systems if each.judgments}
    yield Frame.of(
        "coverage",
        (
            {
                "system": names[each.system],
                "judgments": each.judgments,
                "items": each.items,
                "participants": each.participants if is_known else None,
            }
            for each in found.systems
        ),
        question=asked.id,
        facts={"is_even": found.is_even},
    )
    yield Frame.of(
        "coverage-pairs",
        (
            {
                "first": names[each.first],
                "second": names[each.second],
                "shared_items": each.shared_items,
                "shared_participants": each.shared_participants if is_known else None,
                "information_share": each.information_share,
            }
            for each in found.pairs
            if {each.first, each.second} <= judged
        ),
        question=asked.id,
    )


def own_differences(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Frame]:
    """Each participant's own difference of each two systems, where participants are few."""
    if asked.is_comparison or asked.is_named or not len(judgments):
        return
    table = scores(analysis.outline, judgments)
    if not table.has_participants or levels(table.participant) >= FEWEST:
        return
    names, people = analysis.outline.systems, judgments.participant.labels
    limited = analysis.check(asked).pairs
    pairs = [(names.index(a), names.index(b)) for a, b in limited] or pairs_of(names)
    rows = []
    for pair in pairs:
        for each in stats.participant_differences(
            table.value,
            table.system,
            pair,
            item=table.item,
            participant=table.participant,
            level=analysis.level,
        ):
            own = each
            ends = own.interval
            rows.append(
                {
                    "participant": people[each.participant],
                    "first": names[pair[0]],
                    "second": names[pair[1]],
                    "value": own.value,
                    "low": ends.low if ends else None,
                    "high": ends.high if ends else None,
                    "items": own.items,
                    "note": own.note,
                }
            )
    yield Frame.of("own-differences", rows, question=asked.id, facts={"level": analysis.level})


MOST_UNITS = 500  # are listed one by one
_MOST_CELLS = 250_000_000  # units by values: 2 GB
MOST_DATASETS = 12  # are shown separately
MOST_POINTS = 20  # more different scores are put into bins
_BINS = 10


def score_frames(
    analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments
) -> Iterator[Frame]:
    """How often each system was given each score; of several datasets, also for each of them, on
    one scale for all."""
    if asked.is_comparison or not len(judgments):
        return
    yield _score_counts(analysis, asked, judgments)
    column = judgments.dataset
    present = np.unique(column.codes[column.codes >= 0]).tolist()
    if not 1 < len(present) <= MOST_DATASETS:
        return
    whole = _points(asked, judgments.value)
    shared = asked if whole is None else replace(asked, points=tuple(whole.tolist()))
    for code in present:
        counts = _score_counts(analysis, shared, judgments.take(column.codes == code))
        yield replace(counts, group=(Group("dataset", column.labels[code]),))


def _score_counts(analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments) -> Frame:
    """How often each system was given each point of the scale, or a score within each bin; last,
    how many scores are no point of the scale, or lie outside of it."""
    systems = analysis.outline.systems
    code = judgments.system.recode(systems)
    points = _points(asked, judgments.value)
    notes: tuple[str, ...] = ()
    if points is not None:
        table = stats.score_table(judgments.value, code, groups=len(systems), scale=points)
        counts, ends = table.counts.tolist(), points.tolist()
        names = [label_name(asked.labels, at) if asked.is_named else f"{at:g}" for at in ends]
        bins = [(at, at) for at in ends]
    else:
        edges, notes = _edges(asked, judgments.value)
        of_systems = (
            stats.histogram(judgments.value[code == place], edges) for place in range(len(systems))
        )
        counts = [each.counts.tolist() for each in of_systems]
        bins = list(pairwise(edges.tolist()))
        names = [f"{low:g}–{high:g}" for low, high in bins]
    sizes = np.bincount(code, minlength=len(systems)).tolist()
    return Frame.of(
        "scores",
        (
            row
            for system, own, n in zip(systems, counts, sizes, strict=True)
            for row in _rows_of_system(system, names, bins, own, n)
        ),
        question=asked.id,
        facts={"kind": "bins" if points is None else "points", "is_named": asked.is_named},
        notes=notes,
    )


def _rows_of_system(
    system: str,
    names: Sequence[str],
    bins: Sequence[tuple[float, float]],
    counts: Sequence[int],
    n: int,
) -> Iterator[Row]:
    for name, (low, high), count in zip(names, bins, counts, strict=True):
        share = 100 * count / n if n else None
        row = {"system": system, "score": name, "low": low, "high": high}
        yield {**row, "count": count, "percent": share}
    off = n - sum(counts)
    if off:
        yield {"system": system, "score": None, "count": off, "percent": 100 * off / n}


def wins(analysis: AnalysisPlan, asked: AnalysedQuestion, judgments: Judgments) -> Iterator[Frame]:
    """The win matrix of a comparison; shares of people's choices have none."""
    if asked.is_comparison and are_choices(judgments):
        table = stats.win_matrix(comparisons(analysis.outline, judgments))
        yield win_frame(asked.id, analysis.outline.systems, table)


def win_frame(question: str, systems: Sequence[str], matrix: stats.WinMatrix) -> Frame:
    """The cells of a win matrix, in the order of names: the row against the column."""
    won, ties, percent = matrix.wins.tolist(), matrix.ties.tolist(), matrix.win_percent
    cells = sorted(cell for pair in pairs_of(systems) for cell in (pair, pair[::-1]))
    return Frame.of(
        "wins",
        (
            {
                "row": systems[row],
                "column": systems[column],
                "wins": won[row][column],
                "losses": won[column][row],
                "ties": ties[row][column],
                "win_percent": percent[row][column],  # a tie as half; None: they never met
            }
            for row, column in cells
        ),
        question=question,
    )


def units(asked: AnalysedQuestion, judgments: Judgments, table: UnitAnswers) -> Iterator[Frame]:
    """Units by how hard they were: how far people differ, and how long they took."""
    if not len(judgments) or not has_participants(judgments):
        return
    is_named = asked.level == "nominal" or asked.is_comparison
    has_times = varies_by_task(judgments)
    hardest = stats.item_difficulty(
        table.value,
        table.unit,
        seconds=np.nan_to_num(judgments.seconds) if has_times else None,
        participant=table.participant if has_times else None,
        measured="nominal" if is_named else "interval",
        most=MOST_UNITS,
    )
    listed = [each.item for each in hardest]
    parts, note = _contributions(asked, table, listed)
    first = _first_rows(table.unit)
    rows = judgments.take(first[listed]).rows()
    shared = np.bincount(table.unit) > 1
    single = "" if shared.all() else f"{int((~shared).sum()):,} were judged once."
    yield Frame.of(
        "units",
        (
            {
                "item": row.item,
                "systems": tuple(n for n in (row.system, row.system_a, row.system_b) if n),
                "segment": row.segment,
                "task": row.task,
                "n": each.n,
                "rank": each.rank,  # of difficulty; 1 is the hardest
                "disagreement": each.disagreement,
                "largest_difference": None if is_named else each.largest_difference,
                "slowness": each.slowness,  # relative to participants' usual times; 1 is usual
                **parts.get(each.item, {"contribution": None, "contribution_rank": None}),
            }
            for each, row in zip(hardest, rows, strict=True)
        ),
        question=asked.id,
        total=len(first),
        facts={"measure": "share of pairs that differ" if is_named else "sample variance"},
        notes=tuple(each for each in (note, single) if each),
    )


def _points(asked: AnalysedQuestion, value: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The points of the scale, also those that nobody gave; None where scores need bins."""
    if asked.points:
        return np.array(asked.points, dtype=np.float64)
    if asked.bounds is None:
        seen = np.unique(value)
        return seen if len(seen) <= MOST_POINTS else None
    low, high = asked.bounds
    is_whole = low == round(low) and bool((value == np.round(value)).all())
    return np.arange(low, high + 1) if is_whole and high - low < MOST_POINTS else None


def _edges(
    asked: AnalysedQuestion, value: NDArray[np.float64]
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    if asked.bounds:
        return np.linspace(*asked.bounds, _BINS + 1), ()
    low, high = float(value.min()), float(value.max())
    note = "The ends of the scale are not known: bins range from the lowest score to the highest."
    return np.linspace(low, high if high > low else low + 1, _BINS + 1), (note,)


def _contributions(
    asked: AnalysedQuestion, table: UnitAnswers, listed: list[int]
) -> tuple[dict[int, Row], str]:
    """How much these units lower alpha, with their rank among all units, and a note."""
    cells = (int(table.unit.max()) + 1) * stats.count_distinct(table.value)
    if cells > _MOST_CELLS:
        return {}, f"Left out: how much each lowers alpha; {cells:,} cells need too much memory."
    found = stats.disagreement_by_unit(table.unit, table.value, asked.level)
    rows = np.flatnonzero(np.isin(found.unit, listed))
    if not found.by_chance:
        return {}, found.note
    parts = (found.unit, found.contribution / found.by_chance, found.contribution_rank)
    lines = zip(*(part[rows].tolist() for part in parts), strict=True)
    return {u: {"contribution": part, "contribution_rank": rank} for u, part, rank in lines}, (
        found.note
    )


def _first_rows(unit: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first row of each unit; units are numbered without gaps."""
    first = np.full(int(unit.max()) + 1, -1)
    first[unit[::-1]] = np.arange(len(unit))[::-1]
    return first


def copies(study: Study, judgments: Judgments) -> Iterator[Frame]:
    """Outputs of judged items that are copies of their input, by system, and those of two systems
    that are the same; apart from white space."""
    names = judgments.item.labels
    judged = [study.item[names[code]] for code in np.unique(judgments.item.codes).tolist()]
    outputs = [
        [None if text is None else page_text(text) for text in item.outputs] for item in judged
    ]
    inputs = [page_text(item.input) if item.input.strip() else None for item in judged]
    rows = []
    for place, system in enumerate(study.system_ids):
        counts = _identical(inputs, [own[place] for own in outputs])
        if counts["outputs"]:
            rows.append({"system": system, **counts})
    if rows:
        yield Frame.of("copied-inputs", rows)
    pairs = []
    for first, second in pairs_of(study.system_ids):
        counts = _identical([own[first] for own in outputs], [own[second] for own in outputs])
        names_of_pair = {"first": study.system_ids[first], "second": study.system_ids[second]}
        if counts["outputs"]:
            pairs.append({**names_of_pair, "items": counts.pop("outputs"), **counts})
    if any(row["identical"] for row in pairs):
        yield Frame.of("identical-outputs", pairs)


def _identical(texts: Sequence[str | None], others: Sequence[str | None]) -> dict[str, int | float]:
    known = [(a, b) for a, b in zip(texts, others, strict=True) if a is not None and b is not None]
    same = sum(a == b for a, b in known)
    return {"outputs": len(known), "identical": same, "share": 100 * same / max(len(known), 1)}
