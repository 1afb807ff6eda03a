"""How often each score was given, who beat whom, and which units people disagreed about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rejudge.analysis.analysis_plan import LONGEST_FIT, Agenda, over_limit, seconds_of_cells
from rejudge.analysis.columns import SHARES, UnitAnswers, are_choices, comparisons, has_participants
from rejudge.analysis.details import (
    CopiedInputs,
    DatasetScores,
    Duel,
    ScoreCounts,
    SystemScores,
    UnitRow,
    Units,
)
from rejudge.analysis.findings import join_notes, pairs_of
from rejudge.analysis.outline import AnalysedQuestion
from rejudge.analysis.times import varies_by_task
from rejudge.judgments import Judgments
from rejudge.stats import (
    disagreement_by_unit,
    histogram,
    how_many,
    item_difficulty,
    score_table,
    win_matrix,
)
from rejudge.study import Study, as_shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_UNITS = 500  # are listed one by one
_MOST_CELLS = 250_000_000  # units by values: 2 GB
MOST_DATASETS = 12  # are shown separately
MOST_POINTS = 20  # more different scores are put into bins
_BINS = 10


def score_counts(
    agenda: Agenda, asked: AnalysedQuestion, judgments: Judgments
) -> ScoreCounts | None:
    """How often each system was given each point of the scale, or a score within each bin."""
    if not len(judgments):
        return None
    systems = agenda.outline.systems
    code = judgments.system.recoded(systems)
    points = _points(asked, judgments.value)
    if points is not None:
        table = score_table(judgments.value, code, groups=len(systems), scale=points)
        counts = [row.tolist() for row in table.counts]
        at, note = points, ""
    else:
        at, note = _edges(asked, judgments.value)
        found = (histogram(judgments.value[code == place], at) for place in range(len(systems)))
        counts = [each.counts.tolist() for each in found]
    sizes = np.bincount(code, minlength=len(systems)).tolist()
    given = zip(systems, counts, sizes, strict=True)
    return ScoreCounts(
        "bins" if points is None else "points",
        tuple(at.tolist()),
        tuple(
            SystemScores(
                system,
                n,
                tuple(row),
                tuple(100 * count / n for count in row) if n else (),
                n - sum(row),
            )
            for system, row, n in given
        ),
        note,
    )


def scores_by_dataset(
    agenda: Agenda, asked: AnalysedQuestion, judgments: Judgments
) -> tuple[DatasetScores, ...]:
    """The same for each of several datasets, on one scale for all of them."""
    column = judgments.dataset
    present = np.unique(column.codes[column.codes >= 0]).tolist()
    if not 1 < len(present) <= MOST_DATASETS:
        return ()
    whole = _points(asked, judgments.value)
    shared = asked if whole is None else replace(asked, points=tuple(whole.tolist()))
    found = (
        (column.labels[code], score_counts(agenda, shared, judgments.take(column.codes == code)))
        for code in present
    )
    return tuple(DatasetScores(name, counts) for name, counts in found if counts is not None)


def duels(agenda: Agenda, judgments: Judgments) -> tuple[tuple[Duel, ...], str]:
    """The win matrix cell by cell, and why there is none."""
    if not are_choices(judgments):
        return (), f"Win matrix. {SHARES}"
    table = win_matrix(comparisons(agenda.outline, judgments))
    systems, wins, ties = agenda.outline.systems, table.wins.tolist(), table.ties.tolist()
    percent = table.win_percent
    cells = sorted(cell for pair in pairs_of(systems) for cell in (pair, pair[::-1]))
    return tuple(
        Duel(
            systems[row],
            systems[column],
            wins[row][column],
            wins[column][row],
            ties[row][column],
            percent[row][column],
        )
        for row, column in cells
    ), ""


def units(
    asked: AnalysedQuestion, judgments: Judgments, table: UnitAnswers, *, limit: float = LONGEST_FIT
) -> Units | None:
    """Units by how hard they were: how far people differ, and how long they took."""
    if not len(judgments) or not has_participants(judgments):
        return None
    is_named = asked.level == "nominal" or asked.is_comparison
    has_times = varies_by_task(judgments)
    hardest = item_difficulty(
        table.value,
        table.unit,
        seconds=np.nan_to_num(judgments.seconds) if has_times else None,
        participant=table.participant if has_times else None,
        measured="nominal" if is_named else "interval",
        most=MOST_UNITS,
    )
    listed = [each.item for each in hardest]
    parts, note = _contributions(asked, table, listed, limit)
    first = _first_rows(table.unit)
    rows = judgments.take(first[listed]).rows()
    shared = np.bincount(table.unit) > 1
    single = "" if shared.all() else f"{int((~shared).sum()):,} were judged once."
    return Units(
        total=len(first),
        measure="share of pairs that differ" if is_named else "sample variance",
        rows=tuple(
            UnitRow(
                row.item,
                tuple(name for name in (row.system, row.system_a, row.system_b) if name),
                each.n,
                each.rank,
                each.disagreement,
                each.slowness,
                contribution=parts[each.item][0] if each.item in parts else None,
                contribution_rank=parts[each.item][1] if each.item in parts else None,
                segment=row.segment,
                task=row.task,
            )
            for each, row in zip(hardest, rows, strict=True)
        ),
        note=join_notes(note, single),
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


def _edges(asked: AnalysedQuestion, value: NDArray[np.float64]) -> tuple[NDArray[np.float64], str]:
    if asked.bounds:
        return np.linspace(*asked.bounds, _BINS + 1), ""
    low, high = float(value.min()), float(value.max())
    note = "The ends of the scale are not known: the bins go from the lowest score to the highest."
    return np.linspace(low, high if high > low else low + 1, _BINS + 1), note


def _contributions(
    asked: AnalysedQuestion, table: UnitAnswers, units: list[int], limit: float
) -> tuple[dict[int, tuple[float, int]], str]:
    """How much these units lower alpha, with their rank among all units, and a note."""
    cells = (int(table.unit.max()) + 1) * how_many(table.value)
    reason = over_limit(seconds_of_cells(cells), limit, "what each takes off alpha")
    if not reason and cells > _MOST_CELLS:
        reason = f"Left out: what each takes off alpha; {cells:,} units by values need much memory."
    if reason:
        return {}, reason
    found = disagreement_by_unit(table.unit, table.value, asked.level)
    rows = np.flatnonzero(np.isin(found.unit, units))
    if not found.by_chance:
        return {}, found.note
    parts = (found.unit, found.contribution / found.by_chance, found.contribution_rank)
    listed = zip(*(part[rows].tolist() for part in parts), strict=True)
    return {unit: (part, rank) for unit, part, rank in listed}, found.note


def _first_rows(unit: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first row of each unit; units are numbered without gaps."""
    first = np.full(int(unit.max()) + 1, -1)
    first[unit[::-1]] = np.arange(len(unit))[::-1]
    return first


def copied_inputs(study: Study, judgments: Judgments) -> Iterator[CopiedInputs]:
    """Outputs of judged items that read like their input, by system; none without inputs."""
    names = judgments.item.labels
    judged = [study.item[names[code]] for code in np.unique(judgments.item.codes).tolist()]
    texts = [(as_shown(item.input), item.outputs) for item in judged if item.input.strip()]
    for place, system in enumerate(study.system_ids):
        known = [(text, outputs[place]) for text, outputs in texts]
        outputs = [(text, as_shown(output)) for text, output in known if output is not None]
        if outputs:
            same = sum(text == output for text, output in outputs)
            yield CopiedInputs(system, len(outputs), same, 100 * same / len(outputs))
