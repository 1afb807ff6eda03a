"""How long people took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rejudge.analysis import Times
from rejudge.english import count
from rejudge.layout.numbers import interval_text, level_text, number
from rejudge.report.blocks import Block, Fold, Table
from rejudge.report.page_tables import page_table
from rejudge.tables.participants import batch_time_table

_MOST_BATCHES = 40


def time_blocks(times: Times | None) -> Iterator[Block]:
    """Seconds per page, and how long each batch took."""
    if times is None or not times.quantiles:
        return
    known = next((mark.interval for mark in times.quantiles if mark.interval), None)
    spread = f"Intervals at {level_text(known.level)}. " if known else ""
    yield Table(
        id="table-times",
        caption=f"Seconds per page: so many percent of {count(times.pages, 'page')} took no "
        f"longer. {spread}{times.measured}",
        head=("Pages", *(f"{100 * mark.share:g}\u202f%" for mark in times.quantiles)),
        align="l" + "r" * len(times.quantiles),
        rows=(
            ("Seconds", *(number(mark.seconds) for mark in times.quantiles)),
            ("Interval", *(interval_text(mark.interval) for mark in times.quantiles)),
        ),
        notes=tuple(note for note in (times.note, _mean_time(times)) if note),
    )
    if len(times.batches) > 1:  # one batch is all of it
        listed = replace(times, batches=times.batches[:_MOST_BATCHES])
        more = len(times.batches) - len(listed.batches)
        notes = (f"{more:,} more in times-batches.csv.",) if more > 0 else ()
        table = page_table(batch_time_table(listed).without("pages"), notes=notes)
        yield Fold("Times by batch", (table,))


def _mean_time(times: Times) -> str:
    mean = times.mean_of_participants
    return "" if mean is None else f"Mean per participant: {number(mean)} seconds on all pages."
