"""How long people took, as tables of the report."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.analysis import Times
from rejudge.english import count
from rejudge.report.blocks import Block, Fold, Table
from rejudge.report.wording import between, level, number

_MOST_BATCHES = 40


def time_blocks(times: Times | None) -> Iterator[Block]:
    """Seconds per page, and how long each batch took."""
    if times is None or not times.quantiles:
        return
    known = next((mark.interval for mark in times.quantiles if mark.interval), None)
    spread = f"Intervals at {level(known)}. " if known else ""
    yield Table(
        id="table-times",
        caption=f"Seconds per page: so many percent of {count(times.pages, 'page')} took no "
        f"longer. {spread}{times.measured}",
        head=("Pages", *(f"{100 * mark.share:g}\u202f%" for mark in times.quantiles)),
        align="l" + "r" * len(times.quantiles),
        rows=(
            ("Seconds", *(number(mark.seconds) for mark in times.quantiles)),
            ("Interval", *(between(mark.interval) for mark in times.quantiles)),
        ),
        notes=tuple(note for note in (times.note, _mean_time(times)) if note),
    )
    yield from _batch_times(times)


def _mean_time(times: Times) -> str:
    mean = times.mean_of_participants
    return "" if mean is None else f"Mean per participant: {number(mean)} seconds on all pages."


def _batch_times(times: Times) -> Iterator[Block]:
    if len(times.batches) < 2:  # noqa: PLR2004 - one batch is the whole
        return
    shown = times.batches[:_MOST_BATCHES]
    more = len(times.batches) - len(shown)
    yield Fold(
        "Times by batch",
        (
            Table(
                id="table-times-batches",
                caption="Seconds that each batch took its participants altogether.",
                head=("Batch", "Participants", "Mean", "Median", "Least", "Most", "Mean of pages"),
                align="lrrrrrr",
                rows=tuple(
                    (
                        each.batch,
                        f"{each.participants:,}",
                        *(
                            number(value)
                            for value in (
                                each.mean,
                                each.median,
                                each.least,
                                each.most,
                                each.mean_of_pages,
                            )
                        ),
                    )
                    for each in shown
                ),
                notes=(f"{more:,} more in times-batches.csv.",) if more > 0 else (),
            ),
        ),
    )
