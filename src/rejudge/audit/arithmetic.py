"""Rules about numbers that follow from others: sums, differences, shares."""

from __future__ import annotations

from rejudge.audit import ranges
from rejudge.audit.evidence import Evidence, Found, Looked
from rejudge.audit.ranges import Range, shown
from rejudge.paper import (
    Calculated,
    PrintedAgain,
    PrintedAverage,
    PrintedDifference,
    PrintedNumber,
    PrintedProduct,
    PrintedRatio,
    PrintedSum,
)

_AGAIN = "Compute it again from the numbers it follows from, and mend the one that is wrong."


def sum_differs(seen: Evidence) -> Looked:
    """Parts do not add up to the total that is printed of them.

    Numbers with decimals are rounded, and each part may lie half a unit of its last digit to either
    side; whole numbers count something, unless the entry says that they are rounded.

    Remedy: find the part that is missing or counted twice.
    """
    for entry, place in seen.entries(PrintedSum):
        parts = [ranges.of(each, rounded=entry.rounded) for each in entry.parts]
        formula = " + ".join(map(ranges.bracketed, entry.parts))
        yield _compared(entry, (formula, ranges.total(parts)), entry.total, place)


def difference_differs(seen: Evidence) -> Looked:
    """A difference is not what the table's own numbers give.

    It is recomputed from the two printed numbers, with their rounding.

    Remedy: compute the differences again from the table, or from the values before rounding.
    """
    for entry, place in seen.entries(PrintedDifference):
        first, second = (
            ranges.of(each, rounded=entry.rounded) for each in (entry.first, entry.second)
        )
        found = ranges.difference(first, second)
        formula = f"{entry.first.text} − {ranges.bracketed(entry.second)}"
        if entry.absolute:
            found, formula = ranges.absolute(found), f"|{formula}|"
        yield _compared(entry, (formula, found), entry.difference, place)


def average_differs(seen: Evidence) -> Looked:
    """An average is not what the table's own numbers give.

    It is recomputed as the plain mean of the printed numbers, with their rounding.

    Remedy: compute it again, or say how the parts were weighted.
    """
    for entry, place in seen.entries(PrintedAverage):
        parts = [ranges.of(each, rounded=entry.rounded) for each in entry.parts]
        found = ranges.scaled(ranges.total(parts), 1 / len(parts))
        formula = f"({' + '.join(map(ranges.bracketed, entry.parts))}) / {len(parts)}"
        yield _compared(entry, (formula, found), entry.average, place)


def product_differs(seen: Evidence) -> Looked:
    """A product is not what its factors give, such as batches times people per batch.

    One more or fewer than the design says means that something was collected twice, lost or left
    out, and the reader should know what.

    Remedy: say what was added or left out.
    """
    for entry, place in seen.entries(PrintedProduct):
        factors = [ranges.of(each, rounded=entry.rounded) for each in entry.factors]
        formula = " · ".join(map(ranges.bracketed, entry.factors))
        yield _compared(entry, (formula, ranges.product(factors)), entry.product, place)


def ratio_differs(seen: Evidence) -> Looked:
    """A percentage, share or rate is not what its parts give.

    A share that does not follow from the counts beside it was computed from other counts, of
    another whole or before something was left out. Counts are exact, numbers with decimals rounded.

    Remedy: compute it again; check what it is a share of.
    """
    for entry, place in seen.entries(PrintedRatio):
        part, whole = (ranges.of(each, rounded=entry.rounded) for each in (entry.part, entry.whole))
        found = ranges.quotient(part, whole)
        if found is None:
            continue
        times = "" if entry.times == 1 else f" · {shown(entry.times)}"
        formula = f"{entry.part.text} / {entry.whole.text}{times}"
        yield _compared(entry, (formula, ranges.scaled(found, entry.times)), entry.ratio, place)


def printed_differently(seen: Evidence) -> Looked:
    """One quantity is printed in two places with different values.

    Rounding to different decimals is no difference.

    Remedy: find out which one is right, and what was computed from the other.
    """
    for entry, place in seen.entries(PrintedAgain):
        common = _common(entry)
        if common.low <= common.high + _slack(common):
            yield None
            continue
        yield Found(
            f"{entry.what} is printed as {' and as '.join(each.text for each in entry.values)}.",
            f"No number rounds to {'both' if len(entry.values) == 2 else 'all'} of them.",  # noqa: PLR2004
            place,
            "Find out which one is right, and what was computed from the other.",
        )


def rounded_both_ways(seen: Evidence) -> Looked:
    """One quantity is printed once rounded up and once rounded down.

    Both are right only if it lies exactly between the two, as 2.275 does between 2.27 and 2.28.
    Programs round halves differently. What was computed from the rounded number, a CV* say, can
    then come out noticeably different.

    Remedy: print one more decimal, and compute from the values before rounding.
    """
    for entry, place in seen.entries(PrintedAgain):
        common = _common(entry)
        at_a_point = abs(common.high - common.low) <= _slack(common)
        texts = {each.value for each in entry.values}
        if not at_a_point or len(texts) == 1:
            continue
        yield Found(
            f"{entry.what} is printed as {' and as '.join(each.text for each in entry.values)}.",
            f"Both are right only if it is exactly {shown(common.low)}, rounded up and down.",
            place,
            "Print one more decimal, and compute from the values before rounding.",
        )


def _compared(
    entry: Calculated, computed: tuple[str, Range], printed: PrintedNumber, place: str
) -> Found | None:
    """The printed number against the formula with the printed numbers put in, and its value."""
    formula, found = computed
    if found.meets(ranges.of(printed, rounded=entry.rounded)):
        return None
    return Found(
        f"{entry.what}: {printed.text} is printed, but the numbers give {found.text}.",
        f"{formula} = {found.text}.",
        place,
        _AGAIN,
    )


def _common(entry: PrintedAgain) -> Range:
    """What all printed values may have been; low above high where there is no such number."""
    each = [ranges.of(value, rounded=entry.rounded) for value in entry.values]
    return Range(max(part.low for part in each), min(part.high for part in each))


def _slack(common: Range) -> float:
    return 1e-9 * max(abs(common.low), abs(common.high), 1e-300)
