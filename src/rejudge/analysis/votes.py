"""The analysis of votes between systems that are too many to be analysed at once.

The votes are counted in one pass and sorted into parts by participant and by item. Each part then
gives sums that are added up; they decide win rates, Bradley–Terry strengths and their intervals.
Pieces of the file, and parts, can be computed on several processes or a cluster.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from rejudge import parallel
from rejudge.analysis.analysis_plan import DEFAULT_SEED, AnalysisPlan, FurtherTest, Watch
from rejudge.analysis.choice_models import blank_strength, strength_findings, why_no_strengths
from rejudge.analysis.details import Details, Duel
from rejudge.analysis.estimates import pair_finding, standing_findings
from rejudge.analysis.evidence import with_roles
from rejudge.analysis.findings import undefined_finding, with_corrections
from rejudge.analysis.outline import AnalysedQuestion, AnalysisOutline
from rejudge.analysis.results import Flow, Results, Signature
from rejudge.english import count, verb
from rejudge.errors import DataError, Problem
from rejudge.findings.model import Finding
from rejudge.judgments.column_reader import ChoiceReading
from rejudge.judgments.vote_runs import ClusterKind, RunSlice
from rejudge.judgments.votes import CountedVotes, VoteColumns, count_votes
from rejudge.stats.preference.pairwise import WinMatrix, preference_of
from rejudge.stats.preference.vote_counts import (
    RateMoments,
    cells_of_pairs,
    pair_codes,
    pair_rates_of,
    standings_of,
)
from rejudge.stats.preference.vote_strengths import (
    StrengthSums,
    bradley_terry_of_sums,
    expected_preference,
    fit_matrix,
)
from rejudge.stats.preference.vote_sums import (
    OUTCOMES,
    PartSums,
    PartVotes,
    VotePairs,
    sum_block,
    sum_blocks,
)
from rejudge.version import __version__

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUESTION: Final = "judgment"
_READ: Final = 0.5  # of the time, reading and counting
_MOST_ROWS: Final = 3_000_000  # of a part that is handled at once
_PER_BLOCK: Final = 1_500_000  # votes of a block of a larger part, about
_MOST_IN_BLOCK: Final = 20_000_000
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
    "No column names the participants, so it is not known who judged, and intervals account for "
    "differences between items only."
)
_ERRORS = "two-way clusters, df from the effective number of clusters"


@dataclass(frozen=True, slots=True)
class VoteSums:
    """All that the findings are computed from."""

    votes: CountedVotes
    matrix: WinMatrix
    by_item: PartSums
    by_person: PartSums  # those of items where nobody is named


def analyse_votes(  # noqa: PLR0913 - each is a keyword of its own
    known: VoteColumns,
    *,
    given: Mapping[str, str] | None = None,
    choices: ChoiceReading | None = None,
    question: str | None = None,
    seed: int = DEFAULT_SEED,
    executor: Executor | None = None,
    work_folder: Path | None = None,
    options: Mapping[str, tuple[str, ...]] | None = None,
    watch: Watch | None = None,
) -> Results:
    """Win rates, strengths and tests of all pairs, in memory that does not grow with the votes.

    The numbers are those of `analyse`, except that the errors of strengths take a simpler
    correction for few clusters. On the way the votes are put into a temporary folder inside
    `work_folder`, which takes 40 bytes each; on a cluster all hosts must see it.
    """
    say = watch or (lambda _step, _share: None)
    with tempfile.TemporaryDirectory(prefix="rejudge-votes-", dir=work_folder) as folder:
        votes = count_votes(
            known,
            Path(folder),
            given=frozenset(given or ()),
            choices_by=choices,
            executor=executor,
            progress=lambda share: say("counting votes", _READ * share),
        )
        if not votes.n:
            what, remedy = "no row of the table contains a vote.", "Check the column of values."
            raise DataError(Problem(what, remedy, file=str(known.path)))
        matrix = _matrix(votes)
        by_kind = _sums(votes, matrix, executor, say)
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
    votes: CountedVotes, matrix: WinMatrix, executor: Executor | None, say: Watch
) -> dict[str, PartSums]:
    fit = fit_matrix(matrix)
    size = len(votes.systems)
    expected = np.full((size, size), 0.5) if isinstance(fit, tuple) else expected_preference(fit)
    codes = _codes(votes)
    parts = [
        (votes.slices(kind, part), kind, codes, expected)
        for kind in votes.kinds
        for part in range(votes.parts)
    ]
    by_kind: dict[str, PartSums] = {}
    for done, sums in enumerate(parallel.run(sum_part, parts, executor)):
        kind = parts[done][1]
        by_kind[kind] = by_kind[kind] + sums if kind in by_kind else sums
        say("adding up clusters", _READ + (1 - _READ) * 0.9 * (done + 1) / len(parts))
    return by_kind


def _codes(votes: CountedVotes) -> NDArray[np.int32]:
    """Each combination as `PartVotes` codes it; −1 where there is no vote."""
    pair = pair_codes(len(votes.systems))[votes.first, votes.second]
    outcome = np.where(votes.first < votes.second, votes.preference, 1 - votes.preference) * 2
    is_vote = ~np.isnan(votes.preference)
    return np.where(is_vote, OUTCOMES * pair + np.where(is_vote, outcome, 0), -1).astype(np.int32)


def sum_part(
    slices: Sequence[RunSlice],
    kind: ClusterKind,
    codes: NDArray[np.int32],
    expected: NDArray[np.float64],
) -> PartSums:
    """The sums of one part, which holds whole clusters of its kind."""
    pairs = VotePairs.of(expected)
    rows = sum(each.stop - each.start for each in slices)
    blocks = 1 if rows <= _MOST_ROWS else 1 + rows // _PER_BLOCK
    found = [
        sum_block(
            _read_block(slices, kind, codes, block=block, blocks=blocks),
            pairs,
            is_whole=blocks == 1,
        )
        for block in range(blocks)
    ]
    return sum_blocks(found, pairs)


def _read_block(
    slices: Sequence[RunSlice],
    kind: ClusterKind,
    codes: NDArray[np.int32],
    *,
    block: int,
    blocks: int,
) -> PartVotes:
    """The votes of a part, or those of its cells that belong to one block."""
    other = "item" if kind == "participant" else "participant"
    nobody = np.zeros(0, dtype=np.uint64)
    found = [PartVotes(nobody, nobody, np.zeros(0, dtype=np.int32))]
    rows = 0
    for each in slices:
        records = each.read()
        votes = PartVotes(records[kind], records[other], codes[records["place"]])
        kept = votes.code >= 0
        if blocks > 1:
            kept &= (votes.cell >> np.uint64(32)) % np.uint64(blocks) == block
        found.append(votes if kept.all() else votes.rows(kept))
        rows += len(found[-1].code)
        if rows > _MOST_IN_BLOCK and blocks > 1:
            what = "millions of votes have the same participant and item."
            raise DataError(Problem(what, _TELL_APART))
    return PartVotes.concatenate(found)


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
    repeats = sums.by_person.repeats
    if repeats:
        what = (
            f"{count(repeats, 'vote')} {verb(repeats, 'repeats', 'repeat')} an earlier one of the "
            "same participant on the same item and pair of systems."
        )
        if not votes.has_participants:
            what = f"{count(repeats, 'vote')} repeat an item and pair of systems."
        raise DataError(Problem(what, _TELL_APART))


_TELL_APART = "Remove them, or name a column of items or participants that distinguishes them."


def _findings(analysis: AnalysisPlan, asked: AnalysedQuestion, sums: VoteSums) -> Iterator[Finding]:
    by_item, by_person, matrix = sums.by_item, sums.by_person, sums.matrix
    is_known = sums.votes.has_participants
    of_systems = RateMoments(by_item.systems, by_person.systems, by_person.cells)
    for standing in standings_of(matrix, of_systems, level=analysis.level):
        score = preference_of(standing.win_percent)
        yield from standing_findings(analysis, asked, standing, score, has_participants=is_known)
    of_pairs = RateMoments(by_item.pairs, by_person.pairs, cells_of_pairs(matrix))
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
        cells=StrengthSums(by_person.cell_meat, by_person.cell_count),
        level=analysis.level,
    )
    planned = analysis.exploratory_test(asked, FurtherTest("bradley-terry"))
    if not fit.differences:
        reason = why_no_strengths(fit, votes.systems)
        yield undefined_finding(analysis, asked, planned.test, reason)
        return
    model = "Bradley–Terry model, log strengths that sum to 0, a tie as half a win for each"
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
