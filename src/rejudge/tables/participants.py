"""Tables about the participants: who they are, how long they took, what they wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rejudge.analysis.details import Profile, Remark, RemarkList
from rejudge.analysis.times import PagesToExit, Times
from rejudge.english import as_sentence, count, versus
from rejudge.layout.numbers import NARROW, level_text
from rejudge.layout.table import (
    Column,
    Table,
    count_columns,
    csv_only,
    interval_column,
    print_only,
    tabulate,
)
from rejudge.tables.columns import MOST_IN_PRINT
from rejudge.tables.findings import Labels

MOST_REMARK_CHARACTERS = 2000  # on the page and in print
PAGES = {
    "consent": "Information and consent",
    "instructions": "Instructions",
    "practice": "Practice",
    "task": "Task",
    "batch": "Whole batch",
    "exit": "Last questions",
}


def time_tables(times: Times | None) -> Iterator[Table]:
    """How long people took."""
    if times is None:
        return
    measured = f"{times.pages:,} pages. {times.measured} {times.note}"
    yield tabulate(
        "times",
        f"Quantiles of times. {measured}",
        times.quantiles,
        (Column("share", 2), "share"),
        (Column("seconds", 1), "seconds"),
        (interval_column(1), "interval"),
    )
    yield tabulate(
        "times-shares",
        f"Share of times up to a number of seconds, with a simultaneous band. {measured}",
        times.shares,
        (Column("seconds", 1), "seconds"),
        *((Column(name, 3), name) for name in ("share", "low", "high")),
        most_in_print=MOST_IN_PRINT,
    )
    some = f"{len(times.rows):,} of {times.total:,} are listed. "
    yield tabulate(
        "times-people",
        f"Time of each participant. {some if len(times.rows) < times.total else ''}{measured}",
        times.rows,
        (Column("participant"), "participant"),
        *count_columns("pages", "seconds", "wall_seconds", "active_seconds", "pauses"),
        *count_columns("least", "mean", "median", "most", "sd"),
        most_in_print=MOST_IN_PRINT,
    )
    yield batch_time_table(times, measured)


def quantile_table(times: Times) -> Table:
    """The quantiles of times side by side, with their intervals below them."""
    known = next((mark.interval for mark in times.quantiles if mark.interval), None)
    spread = f"Intervals at {level_text(known.level)}. " if known else ""
    shares = [f"{100 * mark.share:g}{NARROW}%" for mark in times.quantiles]
    return Table(
        "times",
        f"Seconds per page: the given percentage of {count(times.pages, 'page')} took no longer. "
        f"{spread}{times.measured}",
        (Column("pages"), *(Column(share, 1, share) for share in shares)),
        (
            ("Seconds", *(mark.seconds for mark in times.quantiles)),
            ("Interval", *(mark.interval for mark in times.quantiles)),
        ),
    )


def batch_time_table(times: Times, measured: str = "") -> Table:
    """How long each batch took."""
    return tabulate(
        "times-batches",
        f"Total seconds of the participants of each batch. {measured}".strip(),
        times.batches,
        (Column("batch"), "batch"),
        *count_columns("participants", "pages"),
        *((Column(name, 1), name) for name in ("mean", "median", "least", "most")),
        (Column("mean of pages", 1), "mean_of_pages"),
        most_in_print=MOST_IN_PRINT,
    )


def profile_table(profile: Profile) -> Table:
    """What participants said about themselves."""
    return Table(
        "profile",
        as_sentence(f"Who took part: counts of participants. {profile.note}"),
        (
            *map(Column, ("about", "asked", "answer")),
            Column("participants", 0),
            Column("of those analysed", 0),
        ),
        tuple(
            row
            for part in profile.parts
            for row in (
                *(
                    (part.id, part.prompt, each.answer, each.participants, each.participants_kept)
                    for each in part.counts
                ),
                *(
                    [(part.id, part.prompt, "not said", part.silent, part.silent_kept)]
                    if part.silent
                    else []
                ),
            )
        ),
    )


def page_time_table(navigation: PagesToExit) -> Table:
    """How long participants spent on each page."""
    return tabulate(
        "navigation",
        as_sentence(f"Seconds on each page. {navigation.measured} {navigation.note}"),
        navigation.pages,
        (csv_only(Column("page")), "page"),
        (csv_only(Column("place", 0)), "place"),
        (
            print_only(Column("page")),
            lambda page: (
                PAGES[page.page] if page.place is None else f"{PAGES[page.page]} {page.place}"
            ),
        ),
        (Column("n", 0, "n"), "n"),
        (Column("least", 1), "least"),
        (Column("lower", 1, "Lower quarter"), "lower"),
        (Column("median", 1), "median"),
        (Column("upper", 1, "Upper quarter"), "upper"),
        (Column("most", 1), "most"),
        (csv_only(Column("mean", 1)), "mean"),
        (csv_only(Column("sd", 1)), "sd"),
        most_in_print=MOST_IN_PRINT,
        notes=(navigation.note,) if navigation.note else (),
    )


def remark_table(lists: Sequence[RemarkList], labels: Labels) -> Table:
    """Every remark; in print the beginning of long ones."""
    rows = tuple(
        (
            each.id,
            each.prompt,
            one.participant,
            one.item,
            remark_systems(one, labels) or None,
            one.text,
        )
        for each in lists
        for one in each.remarks
    )
    table = Table(
        "remarks",
        "What participants wrote in their own words.",
        tuple(map(Column, ("about", "asked", "participant", "item", "system", "remark"))),
        rows,
        MOST_IN_PRINT,
    )
    short = tuple((*row[:-1], shorten_remark(row[-1])) for row in rows)
    return replace(table, in_print=replace(table, rows=short))


def remark_systems(remark: Remark, labels: Labels) -> str:
    """The systems that a remark is about."""
    named = [labels.get(system, system) for system in remark.systems]
    return versus(named, "") if len(named) > 1 else "".join(named)


def shorten_remark(text: str) -> str:
    """The beginning of a long remark."""
    if len(text) <= MOST_REMARK_CHARACTERS:
        return text
    return f"{text[:MOST_REMARK_CHARACTERS].rstrip()} …"
