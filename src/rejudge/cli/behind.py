"""What lies behind the findings, printed in a few lines; the rest is in the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from rejudge.analysis import Competence, Conduct, Details, Generalizability, Times

_MOST_COLUMNS = 11  # of a table that still fits a screen
_MOST_UNITS = 5
_MOST_PAIRS = 10
_NEARLY_ALL = 0.9  # of the information: systems were judged on much the same items
_MOST_PEOPLE = 8
_FLAGS = {
    "one-answer": "the same answer throughout",
    "fast": "much faster than the others",
    "faster-than-reading": "faster than the texts can be read",
    "one-side": "leans to one side",
}


def behind(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    """Of one question: scores, win matrix, hardest units, and who stands out."""
    yield from _coverage(details, labels)
    yield from _own_differences(details, labels)
    yield from _scores(details, labels)
    yield from _duels(details, labels)
    yield from _units(details, labels)
    yield from _people(details)


def pace(times: Times | None) -> Iterator[RenderableType]:
    """How long a page took."""
    from rich.text import Text

    middle = next((mark for mark in times.quantiles if mark.share == 0.5), None) if times else None  # noqa: PLR2004 - the median
    if times is None or middle is None:
        return
    ends = middle.interval
    sure = f" ({100 * ends.level:g} % interval {ends.low:.1f} to {ends.high:.1f})" if ends else ""
    half = [mark.seconds for mark in times.quantiles if mark.share in {0.25, 0.75}]
    yield Text(
        f"\nThe median time per page was {middle.seconds:.1f} seconds{sure}; the middle half of "
        f"{times.pages:,} pages took between {half[0]:.1f} and {half[-1]:.1f}."
    )


def reliability(found: Sequence[Generalizability]) -> Iterator[RenderableType]:
    """How reliably the scores of each question tell systems apart, in one line."""
    from rich.text import Text

    for each in found:
        if each.now is not None and each.now.relative is not None:
            share = next((p.share for p in each.parts if p.facets == ("system",)), None) or 0.0
            yield Text(
                f"Reliability of the order of systems on {each.question}: {each.now.relative:.2f} "
                f"(of their means {each.now.absolute or 0.0:.2f}); systems are {100 * share:.0f} % "
                "of the variance of a score."
            )


def like_guessing(found: Sequence[Competence]) -> Iterator[RenderableType]:
    """How many participants' answers look like guesses, in one line a question; none if nobody."""
    from rich.text import Text

    from rejudge.report import guessing_sentences

    for sentence in guessing_sentences([each for each in found if each.like_guessing]):
        yield Text(sentence)


def _scores(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    scores = details.scores
    if scores is None or len(scores.systems[0].counts) > _MOST_COLUMNS:
        return
    heads = [f"{at:g}" for at in scores.at]
    if scores.kind == "bins":
        heads = [f"{head}–" for head in heads[:-1]]
    yield _grid(
        "scores, % within systems",
        heads,
        [
            (labels.get(each.system, each.system), *(f"{share:.0f}" for share in each.shares))
            for each in scores.systems
            if each.n
        ],
    )


def _coverage(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    """The pairs of systems that are compared on part of the items only, the worst first."""
    pairs = details.coverage.pairs if details.coverage else ()
    partly = [each for each in pairs if each.information_share < _NEARLY_ALL]
    partly.sort(key=lambda each: each.information_share)
    if partly:
        yield _grid(
            f"shared by two systems{_cut(len(partly), _MOST_PAIRS)}",
            ["items", "participants", "% of information"],
            [
                (
                    f"{labels.get(each.first, each.first)}, {labels.get(each.second, each.second)}",
                    f"{each.shared_items:,}",
                    "–" if each.shared_participants is None else f"{each.shared_participants:,}",
                    f"{100 * each.information_share:.0f}",
                )
                for each in partly[:_MOST_PAIRS]
            ],
        )


def _own_differences(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    own = details.own_differences
    people = list(dict.fromkeys(each.participant for each in own))
    pairs = list(dict.fromkeys((each.first, each.second) for each in own))
    if not own:
        return
    found = {(each.first, each.second, each.participant): each.value for each in own}
    yield _grid(
        f"each participant's own difference{_cut(len(pairs), _MOST_PAIRS)}",
        people,
        [
            (
                " – ".join(labels.get(system, system) for system in pair),
                *(_signed(found.get((*pair, who))) for who in people),
            )
            for pair in pairs[:_MOST_PAIRS]
        ],
    )


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"


def _cut(listed: int, most: int) -> str:
    return f", {most} of {listed:,} pairs" if listed > most else ""


def _duels(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    """Of two systems the pair has said it already."""
    rows = list(dict.fromkeys(each.row for each in details.duels))
    if not 2 < len(rows) <= _MOST_COLUMNS:  # noqa: PLR2004 - a pair
        return
    won = {(each.row, each.column): each.win_percent for each in details.duels}
    names = [labels.get(row, row) for row in rows]
    cells = [[won.get((row, column)) for column in rows] for row in rows]
    yield _grid(
        "% won by the row",
        names,
        [
            (name, *("–" if cell is None else f"{cell:.0f}" for cell in line))
            for name, line in zip(names, cells, strict=True)
        ],
    )


def _units(details: Details, labels: Mapping[str, str]) -> Iterator[RenderableType]:
    units = details.units
    hardest = [row for row in units.rows if row.disagreement] if units else []
    if units is None or not hardest:
        return
    shown = hardest[:_MOST_UNITS]
    has_times = any(row.slowness is not None for row in shown)
    alike = sum(row.rank == shown[0].rank for row in hardest)
    tied = f", {alike:,} alike" if alike > len(shown) else ""
    yield _grid(
        f"hardest of {units.total:,}{tied}",
        [units.measure, *(("slowness",) if has_times else ()), "n"],
        [
            (
                " ".join(
                    (row.item, " and ".join(labels.get(each, each) for each in row.systems))
                    + (() if row.segment is None else (f"segment {row.segment}",))
                ),
                f"{row.disagreement:.2f}",
                *((_known(row.slowness),) if has_times else ()),
                f"{row.n:,}",
            )
            for row in shown
        ],
    )


def _people(details: Details) -> Iterator[RenderableType]:
    from rich.text import Text

    if details.people is None:
        return
    flagged = [row for row in details.people.rows if row.flags]
    for row in flagged[:_MOST_PEOPLE]:
        why = ", ".join(_FLAGS[flag] for flag in row.flags)
        yield Text(f"{row.participant}: {why} ({_measured(row)}).", "yellow")
    if len(flagged) > _MOST_PEOPLE:
        yield Text(f"And {len(flagged) - _MOST_PEOPLE} more participants stand out.", "yellow")


def _measured(row: Conduct) -> str:
    parts = [f"{row.judgments:,} judgments", f"{row.modal_share:.0f} % the same"]
    if row.seconds is not None:
        parts.append(f"{row.seconds / row.pages:.1f} s per page")
    if row.first_shown is not None:
        parts.append(f"{row.first_shown:.0f} % first shown")
    return ", ".join(parts)


def _grid(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column(Text(f"\n{title}", "italic"))
    for head in heads:
        table.add_column(Text(f"\n{head}"), justify="right")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _known(number: float | None) -> str:
    return "–" if number is None else f"{number:.2f}"
