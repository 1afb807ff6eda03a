"""What lies behind the numbers of a report: scores, duels, hard items, how people worked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rejudge.analysis import Conduct, Details, Interval, People, Results, ScoreCounts, Times, Units
from rejudge.english import count
from rejudge.report.answer import Told
from rejudge.report.blocks import Bar, Bars, Block, Paragraph, Part, Section, Table
from rejudge.report.detail_sheets import score_names
from rejudge.report.wording import between, number, p_value

_MOST_SYSTEMS = 12  # of a win matrix that still fits the page
_MOST_UNITS = 8
_MOST_PEOPLE = 6
_FAINTEST = 0.12  # of the lowest score's colour
_FLAGS = {
    "one-answer": "always the same answer",
    "fast": "much faster than the others",
    "one-side": "leans to one side",
}
_LIKENESS = {"spearman": "Spearman’s correlation", "pearson": "Pearson’s correlation"}


def details_of(results: Results, question: str) -> Details | None:
    """What lies behind the findings on a question; None in results of an older version."""
    return next((each for each in results.details if each.question == question), None)


def behind_blocks(tale: Told, details: Details) -> Iterator[Block]:
    """How often each score was given, or who beat whom; and the hardest items."""
    name = tale.question.id
    said = "Simulated. " if tale.is_simulated else ""
    if details.scores:
        yield _bars(name, details.scores, tale.labels, said)
        yield _scores(name, details.scores, tale.labels, said)
    if details.duels:
        yield from _duels(name, details, tale.labels, said)
    if details.units:
        yield from _units(name, details.units, tale.labels, said)


def conduct_section(results: Results) -> Iterator[Section]:
    """How people worked: who stands out, and how long pages took."""
    blocks = [
        block
        for details in results.details
        if details.people
        for block in _people(details.question, details.people)
    ]
    blocks += _times(results.times)
    if blocks:
        yield Section("conduct", "How people worked", tuple(blocks))


def _bars(name: str, scores: ScoreCounts, labels: Mapping[str, str], said: str) -> Bars:
    names = score_names(scores)
    strengths = _strengths(len(names))
    bars = []
    for each in scores.systems:
        starts = [sum(each.shares[:place]) for place in range(len(each.shares))]
        parts = tuple(
            Part(round(start, 2), round(share, 2), strength)
            for start, share, strength in zip(starts, each.shares, strengths, strict=False)
            if share
        )
        bars.append(Bar(labels[each.system], f"n = {each.n:,}", parts))
    told = "; ".join(
        f"{labels[each.system]}: "
        + ", ".join(f"{at} {number(s, 0)} %" for at, s in zip(names, each.shares, strict=False))
        for each in scores.systems
    )
    caption = (
        f"{said}How often each score was given on {name}, share of each system’s scores from the "
        "lowest, faint, to the highest."
    )
    return Bars(
        id=f"figure-{name}-scores",
        caption=caption,
        alt=f"{caption} {told}.",
        bars=tuple(bars),
        legend=tuple(zip(names, strengths, strict=True)),
        numbers_in=f"table-{name}-scores",
    )


def _strengths(size: int) -> tuple[float, ...]:
    step = (1 - _FAINTEST) / max(size - 1, 1)
    return tuple(round(_FAINTEST + place * step, 3) for place in range(size))


def _scores(name: str, scores: ScoreCounts, labels: Mapping[str, str], said: str) -> Table:
    names = score_names(scores)
    off = sum(each.off_scale for each in scores.systems)
    notes = [scores.note, f"{count(off, 'score')} not on the scale." if off else ""]
    return Table(
        id=f"table-{name}-scores",
        caption=f"{said}Scores on {name}, percent within systems.",
        head=("System", "n", *names),
        align="lr" + "r" * len(names),
        rows=tuple(
            (
                labels[each.system],
                f"{each.n:,}",
                *(number(share) for share in each.shares or (None,) * len(names)),
            )
            for each in scores.systems
        ),
        notes=tuple(note for note in notes if note),
    )


def _duels(name: str, details: Details, labels: Mapping[str, str], said: str) -> Iterator[Block]:
    rows = list(dict.fromkeys(each.row for each in details.duels))
    if not 2 < len(rows) <= _MOST_SYSTEMS:  # noqa: PLR2004 - of two, the pair has said it already
        return
    won = {(each.row, each.column): each.win_percent for each in details.duels}
    yield Table(
        id=f"table-{name}-wins",
        caption=f"{said}Who beat whom on {name}: percent won by the row against the column, a tie "
        "as half.",
        head=("", *(labels[row] for row in rows)),
        align="l" + "r" * len(rows),
        rows=tuple(
            (labels[row], *(number(won.get((row, column))) for column in rows)) for row in rows
        ),
    )


def _units(name: str, units: Units, labels: Mapping[str, str], said: str) -> Iterator[Block]:
    shown = [row for row in units.rows if row.disagreement][:_MOST_UNITS]
    if not shown:
        return
    has_times = any(row.slowness is not None for row in shown)
    slow = "; slowness is time relative to a participant’s usual, which is 1" if has_times else ""
    yield Table(
        id=f"table-{name}-units",
        caption=f"{said}What was hardest to judge on {name}: {len(shown)} of "
        f"{units.total:,}, more in tables/{name}-units.csv. Disagreement is the {units.measure}"
        f"{slow}. The last column is what it takes off Krippendorff’s alpha. Exploratory.",
        head=(
            "Item",
            "Of",
            "n",
            "Disagreement",
            *(("Slowness",) if has_times else ()),
            "Off alpha",
        ),
        align="llrr" + "r" * (1 + has_times),
        rows=tuple(
            (
                row.item if row.segment is None else f"{row.item}, segment {row.segment}",
                " – ".join(labels.get(system, system) for system in row.systems),
                f"{row.n:,}",
                number(row.disagreement, 2),
                *((number(row.slowness, 2),) if has_times else ()),
                number(row.contribution, 3),
            )
            for row in shown
        ),
        notes=(units.note,) if units.note else (),
    )


def _people(question: str, people: People) -> Iterator[Block]:
    flagged = [row for row in people.rows if row.flags]
    who = count(people.total, "participant")
    yield Paragraph(
        f"On {question}, {f'{len(flagged):,}' if flagged else 'none'} of {who} "
        f"{'stand' if len(flagged) > 1 else 'stands'} out by haste, monotony or a pull to one side."
        + (" Their judgments count all the same." if flagged else "")
    )
    if people.total > 1:
        yield _conduct(question, people, _standing_out(people))


def _conduct(question: str, people: People, rows: Sequence[Conduct]) -> Table:
    has = {
        "time": any(row.seconds is not None for row in rows),
        "side": any(row.first_shown is not None for row in rows),
        "again": any(row.same_again is not None for row in rows),
        "alike": people.measure != "pearson",  # the very same score says little on a fine scale
        "correlation": any(row.correlation is not None for row in rows),
    }
    more = f" {len(rows)} of {people.total:,}, more in tables/{question}-people.csv."
    correlation = (
        f" The correlation is the mean of {_LIKENESS[people.measure]} with each other participant."
        if has["correlation"]
        else ""
    )
    return Table(
        id=f"table-{question}-people",
        caption=f"How participants worked on {question}, those who stand out or agree least with "
        f"others first.{more if len(rows) < people.total else ''}{correlation} Exploratory.",
        head=(
            "Participant",
            "n",
            "Longest run",
            "Most frequent, %",
            *(("Seconds per page",) if has["time"] else ()),
            *(("First shown, %", "p (Holm)") if has["side"] else ()),
            *(("Same again, %",) if has["again"] else ()),
            *(("Like others, %",) if has["alike"] else ()),
            *(("Correlation",) if has["correlation"] else ()),
            "",
        ),
        align="lrrr" + "r" * (sum(has.values()) + has["side"]) + "l",
        rows=tuple(_row(row, has) for row in rows),
        notes=(people.note,) if people.note else (),
    )


def _row(row: Conduct, has: Mapping[str, bool]) -> tuple[str, ...]:
    side = (number(row.first_shown), p_value(row.first_shown_p_adjusted)) if has["side"] else ()
    return (
        row.participant,
        f"{row.judgments:,}",
        f"{row.longest_run:,}",
        number(row.modal_share, 0),
        *((number(row.seconds / row.pages if row.seconds else None),) if has["time"] else ()),
        *side,
        *((number(row.same_again, 0),) if has["again"] else ()),
        *((number(row.agreement, 0),) if has["alike"] else ()),
        *((number(row.correlation, 2),) if has["correlation"] else ()),
        ", ".join(_FLAGS[flag] for flag in row.flags),
    )


def _standing_out(people: People) -> list[Conduct]:
    """Those with flags first, then those least like the others."""
    is_fine = people.measure == "pearson"

    def order(row: Conduct) -> tuple[int, float]:
        likeness = row.correlation if is_fine else row.agreement
        return -len(row.flags), 101.0 if likeness is None else likeness

    return sorted(people.rows, key=order)[:_MOST_PEOPLE]


def _times(times: Times | None) -> Iterator[Block]:
    if times is None or not times.quantiles:
        return
    known = next((mark.interval for mark in times.quantiles if mark.interval), None)
    yield Table(
        id="table-times",
        caption=f"Seconds per page: so many percent of {count(times.pages, 'page')} took no "
        f"longer. {_level(known)}{times.measured}",
        head=("", *(f"{100 * mark.share:g}\u202f%" for mark in times.quantiles)),
        align="l" + "r" * len(times.quantiles),
        rows=(
            ("Seconds", *(number(mark.seconds) for mark in times.quantiles)),
            ("Interval", *(between(mark.interval) for mark in times.quantiles)),
        ),
        notes=(times.note,) if times.note else (),
    )


def _level(interval: Interval | None) -> str:
    return f"Intervals at {100 * interval.level:g}\u202f%. " if interval else ""
