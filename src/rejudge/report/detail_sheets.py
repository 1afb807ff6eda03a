"""The tables of what lies behind the findings: scores, win matrix, units, participants, times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from rejudge.analysis import CopiedInputs, Covered, Details, People, ScoreCounts, Times, Units
from rejudge.report.sheet import Cell, Column, Sheet

IN_PRINT = 40  # rows of a table that could be longer than a page
COPIED = "Outputs of judged items that read like their input, but for white space, by system."
LIKENESS = {
    "spearman": "Spearman's correlation",
    "pearson": "Pearson's correlation",
    "percent": "units of which both said the same, in percent",
}


def detail_sheets(details: Details, labels: Mapping[str, str], name: str) -> Iterator[Sheet]:
    """The tables of one question; `name` begins those of their files."""
    question = details.question
    if details.scores:
        yield _scores(f"{name}-scores", question, details.scores, labels)
    if details.coverage:
        yield from _coverage(name, question, details.coverage, labels)
    yield _own_differences(f"{name}-own-differences", details, labels)
    yield _duels(f"{name}-wins", details, labels)
    if details.units:
        yield _units(f"{name}-units", question, details.units, labels)
    if details.people:
        yield _people(f"{name}-people", question, details.people)
        yield _pairs(f"{name}-people-pairs", question, details.people)


def _coverage(
    name: str, question: str, found: Covered, labels: Mapping[str, str]
) -> Iterator[Sheet]:
    yield Sheet(
        f"{name}-coverage",
        f"Who judged what on {question}, by system.",
        (Column("system"), *(Column(word, 0) for word in ("judgments", "items", "participants"))),
        tuple(
            (labels.get(each.system, each.system), each.judgments, each.items, each.participants)
            for each in found.systems
        ),
    )
    yield Sheet(
        f"{name}-coverage-pairs",
        f"What each two systems have in common on {question}. Information share: how much of a "
        "comparison of their means is within items.",
        (
            *(Column(word) for word in ("first", "second")),
            *(Column(word, 0) for word in ("shared items", "shared participants")),
            Column("information share", 3),
        ),
        tuple(
            (
                *(labels.get(system, system) for system in (each.first, each.second)),
                each.shared_items,
                each.shared_participants,
                each.information_share,
            )
            for each in found.pairs
        ),
    )


def _own_differences(name: str, details: Details, labels: Mapping[str, str]) -> Sheet:
    return Sheet(
        name,
        f"Each participant's own difference on {details.question}: first minus second, mean over "
        "the items judged for both.",
        (
            *(Column(word) for word in ("participant", "first", "second")),
            *(Column(word, 2) for word in ("difference", "low", "high")),
            Column("items", 0),
        ),
        tuple(
            (
                each.participant,
                *(labels.get(system, system) for system in (each.first, each.second)),
                each.value,
                *((each.interval.low, each.interval.high) if each.interval else (None, None)),
                each.items,
            )
            for each in details.own_differences
        ),
    )


def dataset_sheets(
    details: Details, labels: Mapping[str, str], file_name: Callable[[str], str]
) -> Iterator[Sheet]:
    """How often each score was given, for each of several datasets."""
    for part in details.scores_by_dataset:
        where = f"{details.question}, {part.dataset}"
        name = f"{file_name(details.question)}-scores-{file_name(part.dataset)}"
        yield _scores(name, where, part.scores, labels)


def copied_sheet(copied: Sequence[CopiedInputs], labels: Mapping[str, str]) -> Sheet:
    """How often each system returned its input unchanged."""
    return Sheet(
        "copied-inputs",
        COPIED,
        (
            Column("system"),
            Column("outputs", 0),
            Column("identical to input", 0),
            Column("share, percent", 1),
        ),
        tuple(
            (labels.get(each.system, each.system), each.outputs, each.identical, each.share)
            for each in copied
        ),
    )


def time_sheets(times: Times | None) -> Iterator[Sheet]:
    """How long people took."""
    if times is None:
        return
    said = f"{times.pages:,} pages. {times.measured} {times.note}"
    yield Sheet(
        "times",
        f"Quantiles of times. {said}",
        (Column("share", 2), Column("seconds", 1), Column("low", 1), Column("high", 1)),
        tuple(
            (
                mark.share,
                mark.seconds,
                *((mark.interval.low, mark.interval.high) if mark.interval else (None, None)),
            )
            for mark in times.quantiles
        ),
    )
    yield Sheet(
        "times-shares",
        f"Share of times up to so many seconds, with a band that holds for all at once. {said}",
        (Column("seconds", 1), Column("share", 3), Column("low", 3), Column("high", 3)),
        tuple((point.seconds, point.share, point.low, point.high) for point in times.shares),
        IN_PRINT,
    )
    yield Sheet(
        "times-people",
        f"Time of each participant. {_cut(len(times.rows), times.total)}{said}",
        (
            Column("participant"),
            Column("pages", 0),
            Column("seconds", 0),
            Column("wall seconds", 0),
            Column("active seconds", 0),
            Column("pauses", 0),
            *(Column(name, 0) for name in ("least", "mean", "median", "most", "sd")),
        ),
        tuple(
            (
                r.participant,
                r.pages,
                r.seconds,
                r.wall_seconds,
                r.active_seconds,
                r.pauses,
                r.least,
                r.mean,
                r.median,
                r.most,
                r.sd,
            )
            for r in times.rows
        ),
        IN_PRINT,
    )
    yield Sheet(
        "times-batches",
        f"Seconds that each batch took its participants altogether. {said}",
        (
            Column("batch"),
            *(Column(name, 0) for name in ("participants", "pages")),
            *(Column(name, 1) for name in ("mean", "median", "least", "most", "mean of pages")),
        ),
        tuple(
            (
                each.batch,
                each.participants,
                each.pages,
                each.mean,
                each.median,
                each.least,
                each.most,
                each.mean_of_pages,
            )
            for each in times.batches
        ),
        IN_PRINT,
    )


def score_names(scores: ScoreCounts) -> tuple[str, ...]:
    """What each count is of: a point of the scale, or from where to where a bin goes."""
    if scores.kind == "points":
        return tuple(f"{point:g}" for point in scores.at)
    return tuple(f"{low:g}–{high:g}" for low, high in pairwise(scores.at))


def _scores(name: str, question: str, scores: ScoreCounts, labels: Mapping[str, str]) -> Sheet:
    names = score_names(scores)
    rows = tuple(
        (labels.get(each.system, each.system), score, count, share)
        for each in scores.systems
        for score, count, share in zip(
            names, each.counts, each.shares or (None,) * len(names), strict=True
        )
    )
    off = sum(each.off_scale for each in scores.systems)
    strange = f" {off:,} scores are not on the scale and not shown." if off else ""
    return Sheet(
        name,
        f"How often each score was given on {question}, percent within systems.{strange} "
        f"{scores.note}".strip(),
        (Column("system"), Column("score"), Column("count", 0), Column("percent", 1)),
        rows,
    )


def _duels(name: str, details: Details, labels: Mapping[str, str]) -> Sheet:
    return Sheet(
        name,
        f"Who beat whom on {details.question}: the row against the column, a tie as half.",
        (
            Column("row"),
            Column("column"),
            *(Column(word, 0) for word in ("wins", "losses", "ties")),
            Column("win percent", 1),
        ),
        tuple(
            (
                labels.get(each.row, each.row),
                labels.get(each.column, each.column),
                each.wins,
                each.losses,
                each.ties,
                each.win_percent,
            )
            for each in details.duels
        ),
    )


def _units(name: str, question: str, units: Units, labels: Mapping[str, str]) -> Sheet:
    return Sheet(
        name,
        f"Outputs or pairs of outputs on {question}, the hardest first: by disagreement "
        f"({units.measure}) and slowness (1 is usual). "
        f"{_cut(len(units.rows), units.total)}{units.note}".strip(),
        (
            Column("rank", 1),
            Column("item"),
            Column("systems"),
            Column("segment", 0),
            Column("task"),
            Column("n", 0),
            Column("disagreement", 3),
            Column("slowness", 2),
            Column("off alpha", 4),
            Column("rank off alpha", 0),
        ),
        tuple(
            (
                row.rank,
                row.item,
                " and ".join(labels.get(system, system) for system in row.systems),
                row.segment,
                row.task,
                row.n,
                row.disagreement,
                row.slowness,
                row.contribution,
                row.contribution_rank,
            )
            for row in units.rows
        ),
        IN_PRINT,
    )


_CONDUCT = (
    (Column("participant"), "participant"),
    (Column("judgments", 0), "judgments"),
    (Column("longest run", 0), "longest_run"),
    (Column("most frequent answer, percent", 1), "modal_share"),
    (Column("pages", 0), "pages"),
    (Column("seconds", 0), "seconds"),
    (Column("first shown, percent", 1), "first_shown"),
    (Column("first shown, n", 0), "first_shown_n"),
    (Column("first shown, p", 4), "first_shown_p"),
    (Column("first shown, p corrected", 4), "first_shown_p_adjusted"),
    (Column("judged again", 0), "repeats"),
    (Column("same again, percent", 1), "same_again"),
    (Column("agreement with others, percent", 1), "agreement"),
    (Column("agreement, n", 0), "agreement_n"),
    (Column("with the majority, percent", 1), "with_majority"),
    (Column("with the majority, n", 0), "with_majority_n"),
    (Column("correlation with others", 3), "correlation"),
    (Column("others", 0), "others"),
)


def _people(name: str, question: str, people: People) -> Sheet:
    rows = [[getattr(row, field) for _, field in _CONDUCT] for row in people.rows]
    kept = [
        place
        for place in range(len(_CONDUCT))
        if any(row[place] not in (None, 0) for row in rows) or place == 0
    ]
    fast = (
        f"Flagged as fast: below {people.fast_below:.1f} seconds per page. "
        if people.fast_below is not None
        else ""
    )
    flags = [", ".join(row.flags) for row in people.rows]
    cells: list[tuple[Cell, ...]] = [
        (*(row[place] for place in kept), flag) for row, flag in zip(rows, flags, strict=True)
    ]
    return Sheet(
        name,
        f"How each participant worked on {question}. {_cut(len(rows), people.total)}"
        f"Correlations: {_how(people)}. {fast}{people.note}".strip(),
        (*(_CONDUCT[place][0] for place in kept), Column("flags")),
        tuple(cells),
        IN_PRINT,
    )


def _pairs(name: str, question: str, people: People) -> Sheet:
    return Sheet(
        name,
        f"Pairs of participants on {question}: {LIKENESS[people.measure]}, over the units that "
        "both judged, three or more.",
        (Column("first"), Column("second"), Column("n", 0), Column(people.measure, 3)),
        tuple((pair.first, pair.second, pair.n, pair.value) for pair in people.pairs),
        IN_PRINT,
    )


def _how(people: People) -> str:
    if people.measure == "percent":
        return "none, for answers without an order"
    return f"mean of {LIKENESS[people.measure]} with each other participant, who count alike"


def _cut(listed: int, total: int) -> str:
    return f"{listed:,} of {total:,} are listed. " if listed < total else ""
