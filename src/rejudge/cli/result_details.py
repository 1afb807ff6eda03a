"""Details of results on the terminal: coverage, scores, hard units, people, models, profiles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rejudge.cli.console import grid, to_terminal
from rejudge.english import versus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType
    from rich.text import Text

    from rejudge.analysis import Details, Model, ProfilePart, Results

_MOST_COLUMNS = 11  # of a table that still fits a screen
_MOST_UNITS = 5
_MOST_PAIRS = 10
_MOST_PEOPLE = 8
_NEARLY_ALL = 0.9  # of the information: systems were judged on much the same items


def render_details(
    results: Results, question: str, labels: Mapping[str, str]
) -> Iterator[RenderableType]:
    """Coverage, scores, win matrix, hardest units, and who stands out."""
    for details in results.details:
        if details.question == question:
            yield from _coverage(details, labels)
            yield from _own_differences(details, labels)
            yield from _score_grids(details, labels)
            yield from _hardest(details, labels)
            yield from _people(details)


def _coverage(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    """The pairs of systems that are compared on only part of the items, the worst first."""
    from dataclasses import replace

    from rejudge.tables.details import coverage_table

    if details.coverage is None:
        return
    pairs = [each for each in details.coverage.pairs if each.information_share < _NEARLY_ALL]
    pairs.sort(key=lambda each: each.information_share)
    if pairs:
        worst = replace(details.coverage, pairs=tuple(pairs[:_MOST_PAIRS]))
        table = coverage_table(details.question, worst, labels).rendering("print")
        heads = ("items", "participants", "% of information")
        yield to_terminal(table, f"shared by two systems{_first_of(len(pairs))}", heads)


def _own_differences(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:

    own = details.own_differences
    people = list(dict.fromkeys(each.participant for each in own))
    pairs = list(dict.fromkeys((each.first, each.second) for each in own))
    found = {(each.first, each.second, each.participant): each.value for each in own}
    if own:
        yield grid(
            f"each participant's own difference{_first_of(len(pairs))}",
            people,
            [
                (
                    versus([labels.get(system, system) for system in pair], ""),
                    *(_signed(found.get((*pair, who))) for who in people),
                )
                for pair in pairs[:_MOST_PAIRS]
            ],
        )


def _signed(value: float | None) -> str:
    from rejudge.layout.numbers import number

    return f"{'+' if value is not None and value >= 0 else ''}{number(value, 2)}"


def _first_of(pairs: int) -> str:
    return f", {_MOST_PAIRS} of {pairs:,} pairs" if pairs > _MOST_PAIRS else ""


def _score_grids(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    """How often each score was given, or who beat whom, if it fits the screen."""
    from rejudge.tables.details import score_grid, win_matrix

    scores = details.scores
    if scores is not None and len(scores.systems[0].counts) <= _MOST_COLUMNS:
        table = score_grid(details.question, scores, labels, digits=0)
        judged = table.where(lambda row: bool(row[1])).without("n")
        yield to_terminal(judged, "scores, % within systems")
    wins = win_matrix(details, labels, digits=0)
    if 0 < len(wins.rows) <= _MOST_COLUMNS:
        yield to_terminal(wins, "% won by the row", absent="–")


def _hardest(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    from rejudge.layout.numbers import number

    units = details.units
    hardest = [row for row in units.rows if row.disagreement] if units else []
    if units is None or not hardest:
        return
    listed = hardest[:_MOST_UNITS]
    has_times = any(row.slowness is not None for row in listed)
    alike = sum(row.rank == listed[0].rank for row in hardest)
    tied = f", {alike:,} alike" if alike > len(listed) else ""
    yield grid(
        f"hardest of {units.total:,}{tied}",
        [units.measure, *(("slowness",) if has_times else ()), "n"],
        [
            (
                " ".join(
                    (row.item, " and ".join(labels.get(each, each) for each in row.systems))
                    + (() if row.segment is None else (f"segment {row.segment}",))
                ),
                number(row.disagreement, 2),
                *((number(row.slowness, 2),) if has_times else ()),
                f"{row.n:,}",
            )
            for row in listed
        ],
    )


def _people(details: Details) -> Iterator[Text]:
    """Participants who stand out, and by what."""
    from rich.text import Text

    from rejudge.tables.details import FLAGS

    flagged = [row for row in details.people.rows if row.flags] if details.people else []
    for row in flagged[:_MOST_PEOPLE]:
        parts = [f"{row.judgments:,} judgments", f"{row.modal_share:.0f} % the same"]
        if row.seconds is not None:
            parts.append(f"{row.seconds / row.pages:.1f} s per page")
        if row.first_shown is not None:
            parts.append(f"{row.first_shown:.0f} % first shown")
        why = ", ".join(FLAGS[flag] for flag in row.flags)
        yield Text(f"{row.participant}: {why} ({', '.join(parts)}).", "yellow")
    if len(flagged) > _MOST_PEOPLE:
        yield Text(f"And {len(flagged) - _MOST_PEOPLE} more participants stand out.", "yellow")


def render_further(results: Results) -> Iterator[RenderableType]:
    """Models as papers print them, the counts of a profile, and how many remarks there are."""
    from rich.text import Text

    from rejudge.tables import remark_counts

    for model in results.models:
        yield _model_table(model)
        if model.contrasts:
            yield _contrast_table(model)
        if model.note:
            yield Text(model.note)
    for part in results.profile.parts if results.profile else ():
        yield _profile_table(part)
        if part.note:
            yield Text(part.note)
    for remarks in results.remarks:
        yield Text(f"{remarks.prompt}: {remark_counts(remarks)}")


def _profile_table(part: ProfilePart) -> RenderableType:
    from rich.table import Table

    counts = Table(box=None, title=part.prompt, title_justify="left", title_style="bold")
    counts.add_column("")
    counts.add_column("participants", justify="right")
    for each in part.counts:
        counts.add_row(each.answer, f"{each.participants:,}")
    if part.silent:
        counts.add_row("not known", f"{part.silent:,}")
    return counts


def _model_table(model: Model) -> RenderableType:
    from rich.table import Table

    found = Table(box=None, title=model.formula, title_justify="left", title_style="bold")
    for name in ("", "estimate", "SE", "df", "t", "profile interval"):
        found.add_column(name, justify="left" if not name else "right")
    for each in model.terms:
        ends = each.profile
        found.add_row(
            each.term if each.level is None else f"{each.term} {each.level}",
            _decimal(each.value, 2),
            _decimal(each.standard_error, 2),
            _decimal(each.df, 1),
            _decimal(each.t, 2),
            "–" if ends is None else f"{ends.low:.2f} to {ends.high:.2f}",
        )
    for part in model.variances:
        found.add_row(f"variance of {part.group}", _decimal(part.variance, 2))
    return found


def _contrast_table(model: Model) -> RenderableType:
    from rich.table import Table

    found = Table(
        box=None, title="Differences between levels", title_justify="left", title_style="bold"
    )
    for name in ("", "estimate", "SE", "df", "t", "p Tukey", "p Holm"):
        found.add_column(name, justify="left" if not name else "right")
    for each in model.contrasts:
        found.add_row(
            f"{each.term}: {each.first} – {each.second}",
            _decimal(each.value, 2),
            _decimal(each.standard_error, 2),
            _decimal(each.df, 1),
            _decimal(each.t, 2),
            _p(each.p_tukey),
            _p(each.p_holm),
        )
    return found


def _p(value: float | None) -> str:
    return "< 0.001" if value is not None and value < 0.001 else _decimal(value, 3)  # noqa: PLR2004


def _decimal(value: float | None, decimals: int) -> str:
    return "–" if value is None else f"{value:.{decimals}f}"
