"""The tables behind the findings of a question: scores, coverage, wins, units, participants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from rejudge.analysis.details import (
    Conduct,
    CopiedInputs,
    CoverageTables,
    CoveredPair,
    Details,
    OwnDifference,
    ParticipantDetails,
    ScoreCounts,
    UnitRow,
    Units,
)
from rejudge.english import count
from rejudge.layout.numbers import number
from rejudge.layout.table import (
    Cell,
    Column,
    Table,
    count_columns,
    csv_only,
    file_name,
    interval_column,
    p_column,
    print_only,
    tabulate,
)
from rejudge.tables.findings import Labels

SystemPair: TypeAlias = CoveredPair | OwnDifference

MOST_IN_PRINT = 40  # rows of a table that could be longer than a page
LIKENESS = {
    "spearman": "Spearman’s correlation",
    "pearson": "Pearson’s correlation",
    "percent": "units on which both gave the same answer, in percent",
}
FLAGS = {
    "one-answer": "always the same answer",
    "fast": "much faster than the others",
    "faster-than-reading": "faster than the texts can be read",
    "one-side": "leans to one side",
}
INFORMATION = (
    "Information within items: 100 % if both systems were judged equally often on every item; "
    "0 % if they share no items, so that a difference between them may be one between items."
)


def detail_tables(details: Details, labels: Labels) -> Iterator[Table]:
    """All tables of one question."""
    name, question = file_name(details.question), details.question
    if details.scores:
        yield _score_table(f"{name}-scores", question, details.scores, labels)
    if details.coverage:
        yield _system_coverage(name, question, details.coverage, labels)
        yield coverage_table(question, details.coverage, labels)
    yield own_difference_table(details, labels)
    yield _win_table(details, labels)
    if details.units:
        yield unit_table(question, details.units, labels)
    if details.people:
        yield people_table(question, details.people)
        yield _people_pairs(f"{name}-people-pairs", question, details.people)
    for part in details.scores_by_dataset:
        where = f"{question}, {part.dataset}"
        yield _score_table(f"{name}-scores-{file_name(part.dataset)}", where, part.scores, labels)


# scores


def _score_table(name: str, question: str, scores: ScoreCounts, labels: Labels) -> Table:
    """One row per system and score."""
    names = score_names(scores)
    off = sum(each.off_scale for each in scores.systems)
    off_scale = f" {off:,} scores are not on the scale and not shown." if off else ""
    return Table(
        name,
        f"How often each score was given on {question}, percent within systems.{off_scale} "
        f"{scores.note}".strip(),
        (Column("system"), Column("score"), Column("count", 0), Column("percent", 1)),
        tuple(
            (labels.get(each.system, each.system), score, n, share)
            for each in scores.systems
            for score, n, share in zip(
                names, each.counts, each.shares or (None,) * len(names), strict=True
            )
        ),
    )


def score_grid(question: str, scores: ScoreCounts, labels: Labels, digits: int = 1) -> Table:
    """The same with one row per system and one column per score, in percent."""
    names = score_names(scores)
    off = sum(each.off_scale for each in scores.systems)
    notes = (scores.note, f"{count(off, 'score')} not on the scale." if off else "")
    return Table(
        f"{question}-scores",
        f"{'Labels' if scores.names else 'Scores'} on {question}, percent within systems.",
        (Column("system"), Column("n", 0, "n"), *(Column(name, digits) for name in names)),
        tuple(
            (labels.get(each.system, each.system), each.n, *(each.shares or (None,) * len(names)))
            for each in scores.systems
        ),
        notes=tuple(note for note in notes if note),
    )


def score_names(scores: ScoreCounts) -> tuple[str, ...]:
    """The points of the scale, or the range of each bin."""
    if scores.names:
        return scores.names
    if scores.kind == "points":
        return tuple(f"{point:g}" for point in scores.at)
    return tuple(f"{low:g}–{high:g}" for low, high in pairwise(scores.at))


# who judged what


def _system_coverage(name: str, question: str, found: CoverageTables, labels: Labels) -> Table:
    return tabulate(
        f"{name}-coverage",
        f"Who judged what on {question}, by system.",
        found.systems,
        (Column("system"), lambda each: labels.get(each.system, each.system)),
        *count_columns("judgments", "items", "participants"),
    )


def coverage_table(question: str, found: CoverageTables, labels: Labels) -> Table:
    """The items and participants that each two systems share."""
    return tabulate(
        f"{file_name(question)}-coverage-pairs",
        f"What each pair of systems has in common on {question}. {INFORMATION}",
        found.pairs,
        *_pair_columns(labels, ", "),
        *count_columns("shared_items", "shared_participants"),
        (csv_only(Column("information share", 3)), "information_share"),
        (
            print_only(Column("information within items, %", 0)),
            lambda each: 100 * each.information_share,
        ),
    )


def own_difference_table(details: Details, labels: Labels) -> Table:
    """The difference of two systems for each participant."""
    return tabulate(
        f"{file_name(details.question)}-own-differences",
        f"Each participant’s own difference on {details.question}: first minus second, mean over "
        "the items judged for both. Each interval is for that participant alone.",
        details.own_differences,
        (Column("participant"), "participant"),
        *_pair_columns(labels),
        (Column("difference", 2), "value"),
        (interval_column(), "interval"),
        *count_columns("items"),
    )


def own_difference_grid(details: Details, labels: Labels) -> Table:
    """The same with one row per pair of systems and one column per participant, with signs."""
    own = details.own_differences
    people = list(dict.fromkeys(each.participant for each in own))
    pairs = dict.fromkeys((each.first, each.second) for each in own)
    found = {(each.first, each.second, each.participant): each.value for each in own}
    return Table(
        f"{details.question}-own-differences",
        f"Each participant’s own difference on {details.question}.",
        (Column("systems"), *(Column(person, 2, person) for person in people)),
        tuple(
            (
                " – ".join(labels.get(system, system) for system in pair),
                *(_signed_text(found.get((*pair, person))) for person in people),
            )
            for pair in pairs
        ),
    )


def _signed_text(value: float | None) -> str | None:
    return None if value is None else f"{'+' if value >= 0 else ''}{number(value, 2)}"


def _pair_columns(
    labels: Labels, joint: str = " – "
) -> Sequence[tuple[Column, Callable[[SystemPair], Cell]]]:
    """The two systems apart for programs, together for people."""

    def both(each: SystemPair) -> str:
        return joint.join(labels.get(name, name) for name in (each.first, each.second))

    return (
        (csv_only(Column("first")), lambda each: labels.get(each.first, each.first)),
        (csv_only(Column("second")), lambda each: labels.get(each.second, each.second)),
        (print_only(Column("systems")), both),
    )


# wins


def _win_table(details: Details, labels: Labels) -> Table:
    return tabulate(
        f"{file_name(details.question)}-wins",
        f"Who beat whom on {details.question}: the row against the column, counting a tie as half.",
        details.duels,
        (Column("row"), lambda each: labels.get(each.row, each.row)),
        (Column("column"), lambda each: labels.get(each.column, each.column)),
        *count_columns("wins", "losses", "ties"),
        (Column("win percent", 1), "win_percent"),
    )


def win_matrix(details: Details, labels: Labels, digits: int = 1) -> Table:
    """The same as a matrix of percentages; without rows for fewer than three systems."""
    systems = list(dict.fromkeys(each.row for each in details.duels))
    won = {(each.row, each.column): each.win_percent for each in details.duels}
    names = [labels.get(system, system) for system in systems]
    is_matrix = len(systems) > 2
    return Table(
        f"{details.question}-wins",
        f"Who beat whom on {details.question}: percent won by the row against the column, "
        "counting a tie as half.",
        (
            Column("row against column"),
            *(Column(name, digits, heading=name) for name in names),
        ),
        tuple(
            (name, *(won.get((row, column)) for column in systems))
            for row, name in zip(systems, names, strict=True)
            if is_matrix
        ),
    )


# units and participants


def unit_table(question: str, units: Units, labels: Labels) -> Table:
    """Outputs or pairs of outputs, the hardest first."""
    return tabulate(
        f"{file_name(question)}-units",
        f"Outputs or pairs of outputs on {question}, the hardest first: by disagreement "
        f"({units.measure}) and slowness (1 is usual). "
        f"{_listed_of(len(units.rows), units.total)}{units.note}".strip(),
        units.rows,
        (csv_only(Column("rank", 1)), "rank"),
        (csv_only(Column("item")), "item"),
        (print_only(Column("item")), unit_name),
        (Column("systems", heading="Output of"), lambda row: _systems_of(row, labels)),
        (csv_only(Column("segment", 0)), "segment"),
        (csv_only(Column("task")), "task"),
        (Column("n", 0, "n"), "n"),
        (Column("disagreement", 2), "disagreement"),
        (Column("slowness", 2), "slowness"),
        (Column("off alpha", 3), "contribution"),
        (csv_only(Column("rank off alpha", 0)), "contribution_rank"),
        most_in_print=MOST_IN_PRINT,
        notes=(units.note,) if units.note else (),
    )


def unit_name(row: UnitRow) -> str:
    """The item of an output, and its segment where it has several."""
    return row.item if row.segment is None else f"{row.item}, segment {row.segment}"


def _systems_of(row: UnitRow, labels: Labels) -> str:
    return " and ".join(labels.get(system, system) for system in row.systems)


def people_table(question: str, people: ParticipantDetails) -> Table:
    """How each participant worked."""
    fast = (
        f"Flagged as fast: below {people.fast_below:.1f} seconds per page. "
        if people.fast_below is not None
        else ""
    )
    table = tabulate(
        f"{file_name(question)}-people",
        f"How each participant worked on {question}. {_listed_of(len(people.rows), people.total)}"
        f"Correlations: {_likeness(people)}. {fast}{people.note}".strip(),
        people.rows,
        (Column("participant"), "participant"),
        (Column("judgments", 0, "n"), "judgments"),
        (Column("longest run", 0), "longest_run"),
        (Column("most frequent answer, percent", 0, "Most frequent, %"), "modal_share"),
        *count_columns("pages"),
        (Column("seconds", 0), "seconds"),
        (print_only(Column("seconds per page", 1)), _seconds_per_page),
        (Column("first shown, percent", 1, "First shown, %"), "first_shown"),
        (Column("first shown, n", 0), "first_shown_n"),
        (p_column("first shown, p"), "first_shown_p"),
        (p_column("first shown, p corrected", "p (Holm)"), "first_shown_p_adjusted"),
        (Column("judged again", 0), "repeats"),
        (Column("same again, percent", 0, "Same again, %"), "same_again"),
        (Column("agreement with others, percent", 0, "Like others, %"), "agreement"),
        (Column("agreement, n", 0), "agreement_n"),
        (Column("with the majority, percent", 0, "With the majority, %"), "with_majority"),
        (Column("with the majority, n", 0, "n of these"), "with_majority_n"),
        (Column("correlation with others", 2, "Correlation"), "correlation"),
        *count_columns("others"),
        (csv_only(Column("flags")), lambda row: ", ".join(row.flags)),
        (
            print_only(Column("stands out by")),
            lambda row: ", ".join(FLAGS[flag] for flag in row.flags) or None,
        ),
        most_in_print=MOST_IN_PRINT,
        notes=(people.note,) if people.note else (),
    )
    return table.without(*(c.name for c in table.columns[1:-2] if not any(table.column(c.name))))


def _seconds_per_page(row: Conduct) -> Cell:
    return row.seconds / row.pages if row.seconds else None


def _people_pairs(name: str, question: str, people: ParticipantDetails) -> Table:
    return tabulate(
        name,
        f"Pairs of participants on {question}: {LIKENESS[people.measure]}, over the units that "
        "both judged, three or more.",
        people.pairs,
        (Column("first"), "first"),
        (Column("second"), "second"),
        *count_columns("n"),
        (Column(people.measure, 3), "value"),
        most_in_print=MOST_IN_PRINT,
    )


def _likeness(people: ParticipantDetails) -> str:
    if people.measure == "percent":
        return "none, for answers without an order"
    return f"mean of {LIKENESS[people.measure]} with each other participant, equally weighted"


def _listed_of(listed: int, total: int) -> str:
    return f"{listed:,} of {total:,} are listed. " if listed < total else ""


def copied_table(copied: Sequence[CopiedInputs], labels: Labels) -> Table:
    """How often each system returned its input unchanged."""
    return tabulate(
        "copied-inputs",
        "Outputs of judged items that are identical to their input, apart from white space, by "
        "system.",
        copied,
        (Column("system"), lambda each: labels.get(each.system, each.system)),
        (Column("outputs", 0), "outputs"),
        (Column("identical to input", 0), "identical"),
        (Column("share, percent", 1), "share"),
    )
