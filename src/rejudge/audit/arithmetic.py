"""Rules about numbers that follow from others: sums, shares, counts, published data, durations."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rejudge.audit import ranges
from rejudge.audit.evidence import Discrepancy, Outcomes, PaperEvidence
from rejudge.audit.ranges import Range, digits
from rejudge.paper.arithmetic import (
    CalculatedEntry,
    Counts,
    Durations,
    FromData,
    PrintedAgain,
    PrintedAverage,
    PrintedDifference,
    PrintedFlow,
    PrintedProduct,
    PrintedRatio,
    PrintedSum,
    SpreadRow,
)
from rejudge.paper.printed import PrintedNumber

_AGAIN = "Recompute it from the numbers it follows from, and correct the one that is wrong."
_DAY = {"seconds": 86_400, "minutes": 1_440, "hours": 24}


def sum_differs(seen: PaperEvidence) -> Outcomes:
    """Parts do not add up to their printed total.

    Numbers with decimals are rounded, and each part may lie half a unit of its last digit to either
    side; whole numbers are exact counts, unless the entry says that they are rounded.

    Remedy: find the part that is missing or counted twice.
    """
    for entry, place in seen.entries(PrintedSum):
        parts = [ranges.of(each, rounded=entry.rounded) for each in entry.parts]
        formula = " + ".join(map(ranges.in_brackets, entry.parts))
        yield _compare(entry, (formula, ranges.total(parts)), entry.total, place)


def difference_differs(seen: PaperEvidence) -> Outcomes:
    """A difference is not what the table's own numbers give.

    It is recomputed from the two printed numbers, with their rounding.

    Remedy: recompute the differences from the table, or from the values before rounding.
    """
    for entry, place in seen.entries(PrintedDifference):
        first, second = (
            ranges.of(each, rounded=entry.rounded) for each in (entry.first, entry.second)
        )
        found = ranges.difference(first, second)
        formula = f"{entry.first.text} − {ranges.in_brackets(entry.second)}"
        if entry.absolute:
            found, formula = ranges.absolute(found), f"|{formula}|"
        yield _compare(entry, (formula, found), entry.difference, place)


def average_differs(seen: PaperEvidence) -> Outcomes:
    """An average is not what the table's own numbers give.

    It is recomputed as the plain mean of the printed numbers, with their rounding.

    Remedy: recompute it, or say how the parts were weighted.
    """
    for entry, place in seen.entries(PrintedAverage):
        parts = [ranges.of(each, rounded=entry.rounded) for each in entry.parts]
        found = ranges.scale(ranges.total(parts), 1 / len(parts))
        formula = f"({' + '.join(map(ranges.in_brackets, entry.parts))}) / {len(parts)}"
        yield _compare(entry, (formula, found), entry.average, place)


def product_differs(seen: PaperEvidence) -> Outcomes:
    """A product is not what its factors give, such as batches times people per batch.

    One more or fewer than in the design means that something was collected twice, lost or excluded,
    and the reader should know what.

    Remedy: say what was added or excluded.
    """
    for entry, place in seen.entries(PrintedProduct):
        factors = [ranges.of(each, rounded=entry.rounded) for each in entry.factors]
        formula = " · ".join(map(ranges.in_brackets, entry.factors))
        yield _compare(entry, (formula, ranges.product(factors)), entry.product, place)


def ratio_differs(seen: PaperEvidence) -> Outcomes:
    """A percentage, share or rate is not what its parts give.

    A share that does not follow from the counts printed with it was computed from other counts, of
    another whole or before an exclusion. Counts are exact; numbers with decimals are rounded.

    Remedy: recompute it, and check what it is a share of.
    """
    for entry, place in seen.entries(PrintedRatio):
        part, whole = (ranges.of(each, rounded=entry.rounded) for each in (entry.part, entry.whole))
        found = ranges.quotient(part, whole)
        if found is None:
            continue
        times = "" if entry.times == 1 else f" · {digits(entry.times)}"
        formula = f"{entry.part.text} / {entry.whole.text}{times}"
        yield _compare(entry, (formula, ranges.scale(found, entry.times)), entry.ratio, place)


def printed_differently(seen: PaperEvidence) -> Outcomes:
    """One quantity is printed in two places with different values.

    Rounding to different decimals is not a difference.

    Remedy: find out which one is right, and what was computed from the other.
    """
    for entry, place in seen.entries(PrintedAgain):
        common = _common(entry)
        if common.low <= common.high + _slack(common):
            yield None
            continue
        yield Discrepancy(
            f"{entry.what} is printed as {' and as '.join(each.text for each in entry.values)}.",
            f"No number rounds to {'both' if len(entry.values) == 2 else 'all'} of them.",
            place,
            "Find out which one is right, and what was computed from the other.",
        )


def rounded_both_ways(seen: PaperEvidence) -> Outcomes:
    """One quantity is printed once rounded up and once rounded down.

    Both are right only if it lies exactly between the two, as 2.275 does between 2.27 and 2.28.
    Programs round halves differently. Numbers computed from the rounded one, such as a CV*, can
    then be noticeably different.

    Remedy: print one more decimal, and compute from the values before rounding.
    """
    for entry, place in seen.entries(PrintedAgain):
        common = _common(entry)
        at_a_point = abs(common.high - common.low) <= _slack(common)
        texts = {each.value for each in entry.values}
        if not at_a_point or len(texts) == 1:
            continue
        yield Discrepancy(
            f"{entry.what} is printed as {' and as '.join(each.text for each in entry.values)}.",
            f"Both are right only if it is exactly {digits(common.low)}, rounded up and down.",
            place,
            "Print one more decimal, and compute from the values before rounding.",
        )


def _compare(
    entry: CalculatedEntry, computed: tuple[str, Range], printed: PrintedNumber, place: str
) -> Discrepancy | None:
    """Compare the printed number with the value of the formula for the printed inputs."""
    formula, found = computed
    if found.meets(ranges.of(printed, rounded=entry.rounded)):
        return None
    return Discrepancy(
        f"{entry.what}: {printed.text} is printed, but the numbers give {found.text}.",
        f"{formula} = {found.text}.",
        place,
        _AGAIN,
    )


def _common(entry: PrintedAgain) -> Range:
    """The range that all printed values share; low is above high if there is none."""
    each = [ranges.of(value, rounded=entry.rounded) for value in entry.values]
    return Range(max(part.low for part in each), min(part.high for part in each))


def _slack(common: Range) -> float:
    return 1e-9 * max(abs(common.low), abs(common.high), 1e-300)


def flow_differs(seen: PaperEvidence) -> Outcomes:
    """Collected minus excluded is not what was kept.

    People or judgments that are unaccounted for were excluded without a stated reason, and
    exclusions can reverse a result.

    Remedy: give the reason for every exclusion, so that the counts add up.
    """
    for entry, place in seen.entries(PrintedFlow):
        if entry.kept is None:
            continue
        if entry.collected - entry.left_out == entry.kept:
            yield None
            continue
        yield Discrepancy(
            f"{entry.what}: {entry.collected} collected and {entry.left_out} excluded do not "
            f"leave {entry.kept}.",
            f"{entry.collected} − {entry.left_out} = {entry.collected - entry.left_out}, printed "
            f"{entry.kept}.",
            place,
            "Give the reason for every exclusion, so that the counts add up.",
        )


def not_as_planned(seen: PaperEvidence) -> Outcomes:
    """More or fewer were collected than planned.

    Platforms and servers lose track of who returned a task, and assign one too many. This is fine
    if it is reported; which one is dropped must not depend on the answers.

    Remedy: say how the surplus arose and how it was chosen, or why some are missing.
    """
    for entry, place in seen.entries(PrintedFlow):
        if entry.planned is None:
            continue
        extra = entry.collected - entry.planned
        if not extra:
            yield None
            continue
        yield Discrepancy(
            f"{entry.what}: {entry.collected} were collected, {abs(extra)} "
            f"{'more' if extra > 0 else 'fewer'} than the {entry.planned} planned.",
            f"{entry.collected} − {entry.planned} = {digits(extra)}.",
            place,
            "Explain why, and how the ones that do not count were chosen.",
        )


def unequal_counts(seen: PaperEvidence) -> Outcomes:
    """Groups that should be equally large are not.

    Datasets, systems or sides of unequal size have unequal weight in every overall mean. It is
    often found only when somebody counts again.

    Remedy: print the counts, and weight the groups or show them separately.
    """
    for entry, place in seen.entries(Counts):
        sizes = sorted(set(entry.counts.values()))
        wanted = [entry.meant] if entry.meant is not None else sizes[:1]
        if sizes == wanted:
            yield None
            continue
        parts = ", ".join(f"{name} {number}" for name, number in entry.counts.items())
        problem = "unequal numbers" if entry.meant is None else f"not {entry.meant} each"
        yield Discrepancy(
            f"{entry.what}: {problem}: {parts}.",
            f"From {sizes[0]} to {sizes[-1]}, {sum(entry.counts.values())} in total.",
            place,
            "Print the counts, and weight the groups or show them separately.",
        )


def data_differ(seen: PaperEvidence) -> Outcomes:
    """The published judgments give a different number from the printed one.

    The author of the paper file computed the number from the published data, which the entry names.

    Remedy: recompute it from the published data, and print what they give.
    """
    for entry, place in seen.entries(FromData):
        if ranges.of(entry.printed).meets(ranges.of(entry.data)):
            yield None
            continue
        yield Discrepancy(
            f"{entry.what}: printed {entry.printed.text}, the data give {entry.data.text}.",
            f"Source: {entry.source}.",
            place,
            "Recompute it from the published data, and print the result.",
        )


def impossible_spread(seen: PaperEvidence) -> Outcomes:
    """Minimum, maximum, mean, median, SD and total of one row are inconsistent.

    The mean lies between minimum and maximum, n times the mean is the total, and no SD is larger
    than that of values at the two ends only.

    Remedy: recompute the row from one set of values.
    """
    for entry, place in seen.entries(Durations):
        for row in entry.rows:
            faults = list(_spread_faults(row))
            yield from (
                Discrepancy(
                    f"{entry.what}, {row.who}: {says}",
                    arithmetic,
                    place,
                    "Recompute the row from one set of values.",
                )
                for says, arithmetic in faults
            )
            if not faults:
                yield None


def lost_days(seen: PaperEvidence) -> Outcomes:
    """Durations reach almost a whole day, and none is longer.

    People who leave a page open overnight come back after many hours; those who do so for days
    should have more than 24. If the longest are just below a day and none is above, whole days may
    have been dropped: `timedelta.seconds` in Python gives the remainder after whole days,
    `total_seconds()` the whole duration.

    Remedy: compute durations from the difference of the times in seconds, and check the longest.
    """
    for entry, place in seen.entries(Durations):
        day = _DAY[entry.unit]
        longest = [(row.high.value, row) for row in entry.rows if row.high is not None]
        top = max((value for value, _ in longest), default=0.0)
        if not day / 2 <= top < day:
            yield None
            continue
        near = [f"{row.who} {digits(value)}" for value, row in longest if value >= day / 2]
        yield Discrepancy(
            f"{entry.what}: the longest, {digits(top)} {entry.unit}, is below the {day} of "
            f"a day and above half of it: whole days may have been dropped.",
            f"At or above half a day: {', '.join(near)}; above a day: none.",
            place,
            "Compute durations with total_seconds(), and check the longest.",
        )


def _spread_faults(row: SpreadRow) -> Iterator[tuple[str, str]]:
    for name, middle in (("mean", row.mean), ("median", row.median)):
        if middle is None:
            continue
        near = ranges.of(middle)
        if row.low is not None and near.high < ranges.of(row.low).low:
            yield f"the {name} is below the minimum.", f"{middle.text} < {row.low.text}."
        if row.high is not None and near.low > ranges.of(row.high).high:
            yield f"the {name} is above the maximum.", f"{middle.text} > {row.high.text}."
    if row.total is not None and row.mean is not None and row.n is not None:
        whole = ranges.scale(ranges.of(row.mean), row.n)
        if not whole.meets(ranges.of(row.total)):
            yield (
                f"the total {row.total.text} is not {row.n} times the mean {row.mean.text}.",
                f"{row.n} · {row.mean.text} = {whole.text} with rounding.",
            )
    most = _largest_sd(row)
    if most is not None and row.sd is not None and ranges.of(row.sd).low > most:
        yield (
            (
                f"no {row.n} values between {row.low and row.low.text} and "
                f"{row.high and row.high.text} with this mean have the SD {row.sd.text}."
            ),
            f"The largest is √((mean − min)(max − mean) n / (n − 1)) = {digits(most)}.",
        )


def _largest_sd(row: SpreadRow) -> float | None:
    if row.low is None or row.high is None or row.mean is None or row.n is None or row.n == 1:
        return None
    low, high, mean = ranges.of(row.low).low, ranges.of(row.high).high, ranges.of(row.mean)
    means = [mean.low, mean.high, min(mean.high, max(mean.low, (low + high) / 2))]
    widest = max((each - low) * (high - each) for each in means)
    return math.sqrt(max(0.0, widest) * row.n / (row.n - 1))
