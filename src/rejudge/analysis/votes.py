"""The analysis of votes between systems that are too many to be analysed at once.

The votes are counted in one pass and put into parts by participant and by item. Each part then
gives sums that are added up; they decide win rates, Bradley–Terry strengths and their intervals.
Parts are chunks of work, so they can be split among processes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from rejudge.analysis.analysis_plan import DEFAULT_SEED, AnalysisPlan, FurtherTest, Watch
from rejudge.analysis.choice_models import blank_strength, strength_findings, why_no_strengths
from rejudge.analysis.details import Details, Duel
from rejudge.analysis.estimates import pair_finding, standing_findings
from rejudge.analysis.evidence import with_roles
from rejudge.analysis.findings import undefined_finding, with_corrections
from rejudge.analysis.outline import AnalysedQuestion, AnalysisOutline
from rejudge.analysis.results import Finding, Flow, Results, Signature
from rejudge.english import count, verb
from rejudge.errors import DataError, Problem
from rejudge.executors import Chunk, Executor, SerialExecutor
from rejudge.judgments import ChoiceReading, CountedVotes, VoteColumns, count_votes, read_part
from rejudge.stats.preference.pairwise import WinMatrix, preference_of
from rejudge.stats.preference.vote_counts import (
    CellMoments,
    ClusterMoments,
    RateMoments,
    moments_of,
    pair_codes,
    pair_rates_of,
    standings_of,
)
from rejudge.stats.preference.vote_strengths import (
    StrengthSums,
    bradley_terry_of_sums,
    expected_preference,
    fit_matrix,
    meat_of,
)
from rejudge.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUESTION: Final = "judgment"
_READ: Final = 0.4  # of the time, reading and counting
_LEFT_OUT = (
    "The votes were counted in one pass, without loading them all. Not computed at this size, "
    "because it needs all judgments at once or each pair's judgments many times: mixed models, "
    "sign flips, Friedman's and Hotelling's tests, agreement, repeated judgments, order effects, "
    "the bias towards the side shown first, times, and details of participants and items. For "
    "these, analyse a random sample."
)
_DEFAULT = (
    "There is no analysis plan: these are the default analyses of such judgments, and all of them "
    "are exploratory."
)
_NOBODY = (
    "No column names participants: it is not known who judged, and intervals allow for differences "
    "between items only."
)
_ERRORS = "two-way clusters, df of the effective number of clusters"


@dataclass(frozen=True, slots=True)
class PartSums:
    """What the votes of one part add to the sums over clusters of one kind."""

    pairs: ClusterMoments
    systems: ClusterMoments
    pair_cells: CellMoments
    system_cells: CellMoments
    meat: NDArray[np.float64]
    cell_meat: NDArray[np.float64]
    clusters: int
    cells: int
    squares: float  # of the numbers of votes of clusters
    cubes: float  # 〃

    def __add__(self, other: PartSums) -> PartSums:
        return PartSums(
            self.pairs + other.pairs,
            self.systems + other.systems,
            self.pair_cells + other.pair_cells,
            self.system_cells + other.system_cells,
            self.meat + other.meat,
            self.cell_meat + other.cell_meat,
            self.clusters + other.clusters,
            self.cells + other.cells,
            self.squares + other.squares,
            self.cubes + other.cubes,
        )

    def strength_sums(self, n: int) -> StrengthSums:
        """For the errors of strengths."""
        return StrengthSums(self.meat, self.clusters, n, self.squares, self.cubes)


@dataclass(frozen=True, slots=True)
class VoteSums:
    """All that the findings are computed from."""

    votes: CountedVotes
    matrix: WinMatrix
    by_item: PartSums
    by_person: PartSums  # those of items where nobody is named


def analyse_votes(
    known: VoteColumns,
    *,
    given: Mapping[str, str] | None = None,
    choices: ChoiceReading | None = None,
    question: str | None = None,
    seed: int = DEFAULT_SEED,
    executor: Executor | None = None,
    options: Mapping[str, tuple[str, ...]] | None = None,
    watch: Watch | None = None,
) -> Results:
    """Win rates, Bradley–Terry strengths and tests of all pairs, with memory that does not grow.

    The numbers are those of `analyse`, except that the errors of strengths take a simpler
    correction for few clusters. The votes are put into a temporary folder on the way, which takes
    40 bytes each.
    """
    say = watch or (lambda _step, _share: None)
    with tempfile.TemporaryDirectory(prefix="rejudge-votes-") as folder:
        votes = count_votes(
            known,
            Path(folder),
            given=frozenset(given or ()),
            choices_by=choices,
            progress=lambda share: say("counting votes", _READ * share),
        )
        if not votes.n:
            what, remedy = "no row of the table contains a vote.", "Check the column of values."
            raise DataError(Problem(what, remedy, file=str(known.path)))
        matrix = _matrix(votes)
        by_kind = _sums(votes, matrix, executor or SerialExecutor(), say)
    by_item = by_kind["item"]
    sums = VoteSums(votes, matrix, by_item, by_kind.get("participant", by_item))
    _refuse_repeats(sums)
    return _results(sums, question or QUESTION, seed, options or {})


def _matrix(votes: CountedVotes) -> WinMatrix:
    size = len(votes.systems)
    wins, ties = (np.zeros((size, size), dtype=np.int64) for _ in range(2))
    for preference, table in ((1.0, wins), (0.5, ties)):
        rows = votes.preference == preference
        np.add.at(table, (votes.first[rows], votes.second[rows]), votes.counts[rows])
    rows = votes.preference == 0
    np.add.at(wins, (votes.second[rows], votes.first[rows]), votes.counts[rows])
    return WinMatrix(wins, ties + ties.T)


def _sums(
    votes: CountedVotes, matrix: WinMatrix, executor: Executor, say: Watch
) -> dict[str, PartSums]:
    fit = fit_matrix(matrix)
    size = len(votes.systems)
    expected = np.full((size, size), 0.5) if isinstance(fit, tuple) else expected_preference(fit)
    table = (votes.first, votes.second, votes.preference, expected)
    chunks = [
        Chunk(path.name, (place,), (str(path), kind, *table))
        for kind, paths in votes.parts.items()
        for place, path in enumerate(paths)
    ]
    found = executor.run(
        sum_part,
        chunks,
        progress=lambda share: say("adding up clusters", _READ + (1 - _READ) * 0.9 * share),
    )
    by_kind: dict[str, PartSums] = {}
    for chunk, part in zip(chunks, found, strict=True):
        kind = chunk.arguments[1]
        by_kind[kind] = by_kind[kind] + part if kind in by_kind else part
    return by_kind


def sum_part(chunk: Chunk) -> PartSums:
    """The sums of one part, which holds whole clusters of its kind."""
    path, kind, firsts, seconds, preferences, expected = chunk.arguments
    records = read_part(Path(path))
    records = records[~np.isnan(preferences[records["place"]])]
    place = records["place"]
    first, second, preference = firsts[place], seconds[place], preferences[place]
    cluster, cell = _codes(records[kind], records["item" if kind != "item" else "participant"])
    size = len(expected)
    pairs = size * (size - 1) // 2
    lower = first < second
    of_pairs, pair_cells = moments_of(
        pair_codes(size)[first, second],
        np.where(lower, preference - 0.5, 0.5 - preference),
        cluster=cluster,
        cell=cell,
        estimates=pairs,
    )
    of_systems, system_cells = moments_of(
        np.concatenate([first, second]),
        np.concatenate([preference - 0.5, 0.5 - preference]),
        cluster=np.tile(cluster, 2),
        cell=np.tile(cell, 2),
        estimates=size,
    )
    residual = preference - expected[first, second]
    sizes = np.bincount(cluster) if len(cluster) else np.zeros(0)
    return PartSums(
        of_pairs,
        of_systems,
        pair_cells,
        system_cells,
        meat_of(cluster, (first, second), residual, systems=size),
        meat_of(cell, (first, second), residual, systems=size),
        len(sizes),
        int(cell.max(initial=-1)) + 1,
        float((sizes.astype(np.float64) ** 2).sum()),
        float((sizes.astype(np.float64) ** 3).sum()),
    )


def _codes(
    cluster: NDArray[np.uint64], other: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers for clusters and for cells, from 0."""
    if not len(cluster):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    order = np.lexsort((other, cluster))
    starts = np.diff(cluster[order], prepend=cluster[order][:1]) != 0
    cells = starts | (np.diff(other[order], prepend=other[order][:1]) != 0)
    codes = np.empty((2, len(cluster)), dtype=np.int64)
    codes[0, order], codes[1, order] = np.cumsum(starts), np.cumsum(cells)
    return codes[0], codes[1]


def _results(
    sums: VoteSums, question: str, seed: int, options: Mapping[str, tuple[str, ...]]
) -> Results:
    votes = sums.votes
    asked = AnalysedQuestion(question, "comparison", "nominal")
    analysis = AnalysisPlan(AnalysisOutline((asked,), votes.systems), None, seed)
    found = tuple(_findings(analysis, asked, sums))
    people = sums.by_person.clusters if votes.has_participants else None
    return Results(
        findings=with_roles(analysis, with_corrections(analysis, found)),
        flow=Flow(
            participants=people,
            participants_kept=people,
            rows=votes.n,
            rows_kept=votes.n,
            real_rows=votes.n,
            real_rows_kept=votes.n,
            simulated_rows=0,
            exclusions=(),
            pace=None,
            judgments=votes.n,
            judgments_kept=votes.n,
        ),
        checks=(),
        signature=Signature(
            study=None,
            plan=None,
            judgments=votes.fingerprint,
            excluded_rows={},
            seed=seed,
            level=analysis.level,
            correction=analysis.correction,
            version=__version__,
            options=dict(options),
        ),
        basis="default",
        notes=(
            _DEFAULT,
            *votes.notes,
            *(() if votes.has_participants else (_NOBODY,)),
            _LEFT_OUT,
        ),
        details=(Details(question, duels=tuple(_duels(votes.systems, sums.matrix))),),
    )


def _refuse_repeats(sums: VoteSums) -> None:
    votes = sums.votes
    repeats = votes.n - int(sums.by_person.pair_cells.count.sum())
    if repeats:
        what = (
            f"{count(repeats, 'vote')} {verb(repeats, 'repeats', 'repeat')} an earlier one of the "
            "same participant on the same item and pair of systems."
        )
        if not votes.has_participants:
            what = f"{count(repeats, 'vote')} repeat an item and pair of systems."
        remedy = "Remove them, or name a column of items or participants that tells them apart."
        raise DataError(Problem(what, remedy))


def _findings(analysis: AnalysisPlan, asked: AnalysedQuestion, sums: VoteSums) -> Iterator[Finding]:
    by_item, by_person, matrix = sums.by_item, sums.by_person, sums.matrix
    is_known = sums.votes.has_participants
    of_systems = RateMoments(by_item.systems, by_person.systems, by_person.system_cells)
    for standing in standings_of(matrix, of_systems, level=analysis.level):
        score = preference_of(standing.win_percent)
        yield from standing_findings(analysis, asked, standing, score, has_participants=is_known)
    of_pairs = RateMoments(by_item.pairs, by_person.pairs, by_person.pair_cells)
    for rate in pair_rates_of(matrix, of_pairs, level=analysis.level):
        yield pair_finding(analysis, asked, rate, has_participants=is_known)
    yield from _strengths(analysis, asked, sums)


def _strengths(
    analysis: AnalysisPlan, asked: AnalysedQuestion, sums: VoteSums
) -> Iterator[Finding]:
    votes, by_person = sums.votes, sums.by_person
    fit = bradley_terry_of_sums(
        sums.matrix,
        by_item=sums.by_item.strength_sums(votes.n),
        by_participant=by_person.strength_sums(votes.n),
        cells=StrengthSums(by_person.cell_meat, by_person.cells),
        level=analysis.level,
    )
    planned = analysis.exploratory_test(asked, FurtherTest("bradley-terry"))
    if not fit.differences:
        reason = why_no_strengths(fit, votes.systems)
        yield undefined_finding(analysis, asked, planned.test, reason)
        return
    model = "Bradley–Terry model, log strengths that sum to 0, a tie as half a win each way"
    blank = blank_strength(
        analysis, asked, planned, fit, model=model, is_known=votes.has_participants
    )
    method = f"{model}; errors: sandwich, {_ERRORS}"
    yield from strength_findings(analysis, planned, fit, replace(blank, method=method))


def _duels(systems: tuple[str, ...], matrix: WinMatrix) -> Iterator[Duel]:
    percent = matrix.win_percent
    wins, ties = matrix.wins.tolist(), matrix.ties.tolist()
    for row, name in enumerate(systems):
        for column, other in enumerate(systems):
            if row != column:
                yield Duel(
                    name, other, wins[row][column], wins[column][row], ties[row][column],
                    percent[row][column],
                )  # fmt: skip
