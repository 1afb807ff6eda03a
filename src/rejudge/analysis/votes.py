"""The analysis of votes between systems that are too many to be analysed at once.

The votes are counted, and their clusters added up part by part: items, participants, and items
judged by a participant. Win rates, Bradley–Terry strengths and their intervals follow from these
sums. Each part can be computed on a process of its own, or on a cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Final

import numpy as np

from rejudge import parallel
from rejudge.analysis.analysis_plan import (
    DEFAULT_SEED,
    WITHOUT_PLAN,
    AnalysisPlan,
    FurtherTest,
    Watch,
)
from rejudge.analysis.choice_models import blank_strength, strength_findings, why_no_strengths
from rejudge.analysis.data import QuestionData
from rejudge.analysis.decide import decide
from rejudge.analysis.descriptives import win_frame
from rejudge.analysis.estimates import pair_finding, standing_findings
from rejudge.analysis.findings import undefined_finding
from rejudge.analysis.outline import AnalysedQuestion, AnalysisOutline
from rejudge.analysis.results import Flow, Results, Signature
from rejudge.english import count, verb
from rejudge.errors import DataError, Problem
from rejudge.findings.model import Finding
from rejudge.findings.words import How
from rejudge.judgments.cells import ChoiceReading
from rejudge.judgments.table import Judgments
from rejudge.judgments.votes import ClusterKind, CountedVotes, VoteColumns, count_votes
from rejudge.stats.preference.pairwise import WinMatrix, preference_of
from rejudge.stats.preference.vote_sums import (
    ClusterTotals,
    VotePairs,
    VoteSums,
    expected_preference,
    sum_clusters,
)
from rejudge.version import __version__

QUESTION: Final = "judgment"
_READ: Final = 0.4  # of the time, counting
_CELLS: Final = 0.7  # 〃, when cells begin
_LEFT_OUT = (
    "The votes were counted without loading them all. Not computed at this size, "
    "because it needs all judgments at once or each pair's judgments many times: mixed models, "
    "sign flips, Friedman's and Hotelling's tests, agreement, repeated judgments, order effects, "
    "the bias towards the side shown first, times, and details of participants and items. For "
    "these, analyse a random sample."
)
_NOBODY = (
    "No column names the participants, so it is not known who judged, and intervals account for "
    "differences between items only."
)
_ERRORS = "two-way, with df from the effective number of"


def analyse_votes(
    known: VoteColumns,
    *,
    given: Mapping[str, str] | None = None,
    choices: ChoiceReading | None = None,
    seed: int = DEFAULT_SEED,
    executor: Executor | None = None,
    options: Mapping[str, tuple[str, ...]] | None = None,
    watch: Watch | None = None,
) -> Results:
    """Win rates, strengths and tests of all pairs, without a table of the votes.

    The numbers are those of `analyse`, except that the errors of strengths take a simpler
    correction for few clusters, and degrees of freedom treat cells as equally large.
    """
    say = watch or (lambda _step, _share: None)
    votes = count_votes(
        known,
        given=frozenset(given or ()),
        choices=choices,
        progress=lambda share: say("counting votes", _READ * share),
    )
    if not votes.n:
        what, remedy = "no row of the table contains a vote.", "Check the column of values."
        raise DataError(Problem(what, remedy, file=str(known.path)))
    matrix = _matrix(votes)
    pairs = VotePairs.of(expected_preference(matrix))

    def totals(kinds: Sequence[ClusterKind], share: float) -> list[ClusterTotals]:
        work = [(votes, pairs, kind, part) for part in range(votes.parts) for kind in kinds]
        found = []
        for part in parallel.run(sum_part, work, executor):
            found.append(part)
            say("adding up clusters", share + (_CELLS - _READ) * len(found) / len(work))
        return [reduce(add, found[k :: len(kinds)]) for k in range(len(kinds))]

    if votes.has_participants:
        by_item, by_person = totals(("item", "participant"), _READ)
        # Where each item, or each participant, has one vote, these are the cells.
        same = [each for each in (by_item, by_person) if each.clusters == votes.n]
        by_cell = same[0] if same else totals(("cell",), _CELLS)[0]
    else:
        by_item = by_person = by_cell = totals(("item",), _READ)[0]
    sums = VoteSums(matrix, by_item, by_person, by_cell)
    _refuse_repeats(votes, sums.by_cell.repeats)
    return _results(votes, sums, seed, options or {})


def sum_part(votes: CountedVotes, pairs: VotePairs, kind: ClusterKind, part: int) -> ClusterTotals:
    """The sums over some of the clusters of a kind."""
    codes = pairs.code(votes.first, votes.second, votes.preference)
    return sum_clusters(votes.by_cluster(kind, codes, pairs.bits, part=part), pairs)


def _matrix(votes: CountedVotes) -> WinMatrix:
    size = len(votes.systems)
    wins, ties = (np.zeros((size, size), dtype=np.int64) for _ in range(2))
    for preference, table in ((1.0, wins), (0.5, ties)):
        rows = votes.preference == preference
        np.add.at(table, (votes.first[rows], votes.second[rows]), votes.counts[rows])
    rows = votes.preference == 0
    np.add.at(wins, (votes.second[rows], votes.first[rows]), votes.counts[rows])
    return WinMatrix(wins, ties + ties.T)


def _refuse_repeats(votes: CountedVotes, repeats: int) -> None:
    if not repeats:
        return
    what = (
        f"{count(repeats, 'vote')} {verb(repeats, 'repeats', 'repeat')} an earlier one of the "
        "same participant on the same item and pair of systems."
    )
    if not votes.has_participants:
        what = f"{count(repeats, 'vote')} repeat an item and pair of systems."
    remedy = "Remove them, or name a column of items or participants that distinguishes them."
    raise DataError(Problem(what, remedy))


def _results(
    votes: CountedVotes, sums: VoteSums, seed: int, options: Mapping[str, tuple[str, ...]]
) -> Results:
    asked = AnalysedQuestion(QUESTION, "comparison", "nominal")
    analysis = AnalysisPlan(AnalysisOutline((asked,), votes.systems), None, seed)
    found = tuple(_findings(analysis, asked, sums, is_known=votes.has_participants))
    people = sums.by_participant.clusters if votes.has_participants else None
    return Results(
        findings=decide(analysis, found),
        flow=Flow(
            participants=people,
            participants_kept=people,
            rows=votes.n,
            rows_kept=votes.n,
            real_rows=votes.n,
            real_rows_kept=votes.n,
            simulated_rows=0,
            exclusions=(),
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
            WITHOUT_PLAN,
            *votes.notes,
            *(() if votes.has_participants else (_NOBODY,)),
            _LEFT_OUT,
        ),
        frames=(win_frame(QUESTION, votes.systems, sums.matrix),),
    )


def _findings(
    analysis: AnalysisPlan, asked: AnalysedQuestion, sums: VoteSums, *, is_known: bool
) -> Iterator[Finding]:
    data = QuestionData(analysis, asked, Judgments.from_rows(()))
    data.knows_clusters = is_known
    for standing in sums.standings(level=analysis.level):
        score = preference_of(standing)
        yield from standing_findings(analysis, data, standing, score)
    for rate in sums.pair_rates(level=analysis.level):
        yield pair_finding(analysis, data, rate, (rate.first, rate.second))
    fit = sums.strengths(level=analysis.level)
    planned = analysis.exploratory_test(asked, FurtherTest("bradley-terry"))
    if not fit.differences:
        reasons = why_no_strengths(fit, analysis.outline.systems)
        yield undefined_finding(analysis, asked, planned.test, *reasons)
        return
    model = "Bradley–Terry model, log strengths that sum to 0, a tie as half a win for each"
    blank = blank_strength(analysis, data, planned, fit, model=model, is_known=is_known)
    how = (How.STRENGTHS(model=model), How.SANDWICH(clusters=_ERRORS))
    yield from strength_findings(analysis, planned, fit, replace(blank, how=how))
