"""Rules about association: correlations with their p values, and contingency tables of labels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from rejudge.audit import ranges
from rejudge.audit.evidence import Discrepancy, MatchedScores, Outcomes, PaperEvidence, figure_name
from rejudge.audit.ranges import Range, digits
from rejudge.english import count
from rejudge.paper.arithmetic import PrintedCorrelation, PrintedMeanWithOthers
from rejudge.paper.model import PaperCase, Reproducibility
from rejudge.paper.printed import Contingency, PrintedProbability, table_agreement
from rejudge.stats import (
    p_range,
    pearson_range,
    spearman,
    spearman_p_range,
)

_EXACT_UP_TO = 9
_LEAST_FOR_P = 3


def rank_p(seen: PaperEvidence) -> Outcomes:
    """The p of a rank correlation of nine or fewer values is smaller than any order can give.

    Three values have six orders, so a perfect correlation arises by chance in one of six, in either
    direction in one of three. Programs that use Student's t print 0.00 there. For four
    values the exact p is 0.083, for five 0.017.

    Remedy: print the exact p, or none: with so few systems it means little.
    """
    for claim, place in _printed_correlations(seen):
        if claim.coefficient != "spearman" or not _LEAST_FOR_P <= claim.n <= _EXACT_UP_TO:
            continue
        exact = spearman_p_range(claim.value.value, claim.value.half_unit, claim.n)
        if exact is None:
            continue
        printed = ranges.of_p(claim.p)
        is_reached = printed.high >= exact.low - 1e-9  # more is possible: ties make p larger
        if is_reached and not _is_strict(claim.p, exact.low):
            yield None
            continue
        yield Discrepancy(
            f"{claim.what}: Spearman's ρ = {claim.value.text} of {claim.n} values cannot have "
            f"p {_relation(claim.p)}.",
            f"Counting all {claim.n}! orders, p is {Range(exact.low, exact.high).text}.",
            place,
            "Print the exact p, or none: with so few systems it means little.",
        )


def correlation_p(seen: PaperEvidence) -> Outcomes:
    """The p of a correlation does not follow from it and the number of values.

    Pearson's r, and a rank correlation of ten or more values, is tested by Student's t with n − 2
    degrees of freedom. Differences that rounding, a one-sided test or, for nine or fewer values, an
    exact test can explain are not reported, nor is the p of a rank correlation within a factor of
    2.

    Remedy: print n beside the correlation, and recompute p.
    """
    for claim, place in _printed_correlations(seen):
        if claim.n < _LEAST_FOR_P or (claim.coefficient == "spearman" and claim.n <= _EXACT_UP_TO):
            continue
        found = p_range("r", claim.value.value, claim.value.half_unit, (claim.n - 2,))
        implied = Range(found.low, found.high)
        if _explains(claim, implied):
            yield None
            continue
        yield Discrepancy(
            f"{claim.what}: r = {claim.value.text} of {claim.n} values does not have "
            f"p {_relation(claim.p)}.",
            f"Student's t with {claim.n - 2} degrees of freedom gives p = {implied.text}.",
            place,
            "Print n with the correlation, and recompute p.",
        )


def correlation_differs(seen: PaperEvidence) -> Outcomes:
    """A correlation is not that of the printed scores.

    The scores of both papers are matched by system and criterion, never by row. Differences within
    rounding are not reported.

    Remedy: match the two lists by system and criterion, and recompute the correlation.
    """
    for figure, place in seen.figures("pearson", "spearman"):
        joined = seen.matched_scores(figure)
        if joined is None or any(len(each.values) != 2 for each in joined):
            continue
        allowed = _correlations(figure, joined)
        if allowed is None:
            continue
        if ranges.of(figure.number).meets(allowed):
            yield None
            continue
        pairs = ", ".join(f"({digits(e.values[0])}, {digits(e.values[1])})" for e in joined[:6])
        yield Discrepancy(
            f"{figure_name(figure)}: {figure.measure} {figure.number.text} is printed, but the "
            f"scores give {allowed.text}.",
            f"Matched by system: {pairs}{' …' if len(joined) > 6 else ''}.",
            place,
            "Match the lists by system, and recompute it.",
        )


def mean_with_others(seen: PaperEvidence) -> Outcomes:
    """A person's mean correlation with the others was divided by all people, not by the others.

    Of ten people each has nine others. Dividing the sum of nine correlations by ten makes every
    mean a tenth too small. The means are recomputed from the printed table.

    Remedy: divide by the number of others.
    """
    for entry, place in seen.entries(PrintedMeanWithOthers):
        people = len(entry.table)
        for name, printed in (("lowest", entry.lowest), ("highest", entry.highest)):
            if printed is None:
                continue
            right = _extreme(entry, name, people - 1)
            wanted = ranges.of(printed)
            if wanted.meets(right):
                yield None
                continue
            by_all = wanted.meets(_extreme(entry, name, people))
            yield Discrepancy(
                f"{entry.what}: the {name} mean is printed as {printed.text}, the table gives "
                f"{right.text}."
                + (f" It fits a sum divided by {people}, not {people - 1}." if by_all else ""),
                f"Sum of {people - 1} correlations / {people - 1} = {right.text}; "
                f"/ {people} = {_extreme(entry, name, people).text}.",
                place,
                "Divide by the number of others.",
            )


def rounded_ties(seen: PaperEvidence) -> Outcomes:
    """Ranks were compared on rounded scores, and some pairs are equal as printed.

    Two systems with 0.62 each are seldom equal before rounding. Whether such a pair matches depends
    on the number of decimals.

    Remedy: compare ranks on the values before rounding, or count equal pairs separately.
    """
    for figure, place in seen.figures("matching-accuracy", "pairwise-ranks"):
        case = next((each for each in seen.paper.cases if each.id == figure.case), None)
        if case is None:
            continue
        pairs = list(_pairs(seen, case, figure))
        equal = [pair for pair in pairs if pair[2] == pair[3]]
        if not equal:
            yield None
            continue
        listing = ", ".join(f"{a} and {b} on {c} ({v})" for a, b, v, _, c in equal[:4])
        yield Discrepancy(
            f"{figure_name(figure)}, case {case.id}: {len(equal)} of {count(len(pairs), 'pair')} "
            "equal as printed, which they need not be before rounding.",
            f"Equal: {listing}{' …' if len(equal) > 4 else ''}.",
            place,
            "Compare ranks on the values before rounding.",
        )


def _printed_correlations(seen: PaperEvidence) -> Iterator[tuple[PrintedCorrelation, str]]:
    """The correlations with a p value, among the figures or the arithmetic, with their places."""
    for figure, place in seen.figures("pearson", "spearman"):
        n = _n(seen, figure)
        if figure.p is not None and n is not None:
            correlation = PrintedCorrelation.model_construct(
                what=figure_name(figure),
                coefficient="spearman" if figure.measure == "spearman" else "pearson",
                value=figure.number,
                n=n,
                p=figure.p,
            )
            yield correlation, place
    yield from seen.entries(PrintedCorrelation)


def _n(seen: PaperEvidence, figure: Reproducibility) -> int | None:
    """The number of scores behind a correlation: those matched, or else the printed n."""
    joined = seen.matched_scores(figure)
    if joined is not None:
        return len(joined)
    case = next((each for each in seen.paper.cases if each.id == figure.case), None)
    if case is None:
        return None
    return sum(figure.criterion in (None, score.criterion) for score in case.known) or None


def _explains(claim: PrintedCorrelation, implied: Range) -> bool:
    printed = ranges.of_p(claim.p)
    if printed.meets(implied) or printed.meets(ranges.scale(implied, 0.5)):
        return True
    if claim.coefficient == "spearman":  # exact p and other approximations
        return printed.meets(Range(implied.low / 2, implied.high * 2))
    return claim.n <= _EXACT_UP_TO and printed.low > implied.high  # all orders counted


def _is_strict(p: PrintedProbability, least: float) -> bool:
    """Whether the printed bound excludes the smallest possible p: `< 0.05` excludes 0.05."""
    return p.relation == "<" and least >= p.number.value


def _relation(p: PrintedProbability) -> str:
    return p.text if p.relation != "=" else f"= {p.text}"


def _correlations(figure: Reproducibility, joined: tuple[MatchedScores, ...]) -> Range | None:
    first, second = (np.array([each.values[side] for each in joined]) for side in (0, 1))
    halves = [max(each.half_units[side] for each in joined) for side in (0, 1)]
    if figure.measure == "pearson":
        found = pearson_range(first, second, x_half_unit=halves[0], y_half_unit=halves[1])
        return None if found is None else Range(found.low, found.high)
    for values, half in zip((first, second), halves, strict=True):
        if any(abs(a - b) <= 2 * half for a, b in combinations(values, 2)):
            return None  # rounding could reverse the order
    rho = spearman(first, second, p_value="t").value
    return None if rho is None else Range(rho, rho)


def _extreme(entry: PrintedMeanWithOthers, which: str, divisor: int) -> Range:
    """The lowest or highest of all people's means, with the rounding of the table."""
    least, most = (-1.0, 1.0)
    if entry.between is not None:
        least, most = ranges.of(entry.between[0]).low, ranges.of(entry.between[1]).high
    means = []
    for person, row in enumerate(entry.table):
        cells = [
            Range(least, most) if cell is None else ranges.of(cell)
            for other, cell in enumerate(row)
            if other != person
        ]
        means.append(ranges.scale(ranges.total(cells), 1 / divisor))
    pick = min if which == "lowest" else max
    return Range(pick(each.low for each in means), pick(each.high for each in means))


def _pairs(
    seen: PaperEvidence, case: PaperCase, figure: Reproducibility
) -> Iterator[tuple[str, str, str, str, str]]:
    """The pairs that are compared: those tested, or else all of one criterion."""
    tested = {(each.criterion, *each.systems) for each in case.tests if len(each.systems) == 2}
    names = [each.id for each in seen.paper.systems]
    every = {(c.id, a, b) for c in seen.paper.criteria for a, b in combinations(names, 2)}
    for criterion, a, b in sorted(tested or every):
        one, two = (seen.score(case, criterion, system) for system in (a, b))
        if one is None or two is None or figure.criterion not in (None, criterion):
            continue
        yield a, b, one.number.text, two.number.text, criterion


def totals_differ(seen: PaperEvidence) -> Outcomes:
    """A total of a contingency table is not the sum of its cells.

    A cell, a total or the whole row may be misprinted. All coefficients of agreement are computed
    from the cells, so it matters which of them is wrong.

    Remedy: count the labels again, and print consistent cells and totals.
    """
    for table, place in seen.tables():
        for what, printed, cells in _totals(table):
            if printed == sum(cells):
                yield None
                continue
            yield Discrepancy(
                f"{_name_of(table)}: the total of {what} is printed as {printed}, but the cells "
                f"give {sum(cells)}.",
                f"{' + '.join(map(str, cells))} = {sum(cells)}.",
                place,
                "Count the labels again, and print consistent cells and totals.",
            )


def agreement_differs(seen: PaperEvidence) -> Outcomes:
    """A printed coefficient of agreement does not follow from its contingency table.

    The table has everything that percent agreement, Cohen's kappa and Krippendorff's alpha need. A
    different number comes from other labels, other weights or another level of measurement.

    Remedy: recompute it from the table, and name the weights and the level of measurement.
    """
    for table, place in seen.tables():
        if not table.coefficients:
            continue
        found = table_agreement(table)
        for printed in table.coefficients:
            value = found[printed.coefficient].value
            if value is not None and printed.value.could_be(value):
                yield None
                continue
            gives = "leaves it undefined" if value is None else f"gives {digits(value)}"
            yield Discrepancy(
                f"{_name_of(table)}: {printed.coefficient} is printed as {printed.value.text}, but "
                f"the table {gives}.",
                f"Computed from {sum(map(sum, table.counts))} units, {table.level} labels.",
                printed.place or place,
                "Recompute it from the table, and name the weights and the level of measurement.",
            )


def _totals(table: Contingency) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    columns = tuple(zip(*table.counts, strict=True))
    for kind, totals, cells in (
        ("row", table.row_totals, table.counts),
        ("column", table.column_totals, columns),
    ):
        for label, printed, row in zip(table.labels, totals, cells, strict=False):
            yield f"{kind} '{label}'", printed, row
    if table.total is not None:
        yield "the table", table.total, tuple(map(sum, table.counts))


def _name_of(table: Contingency) -> str:
    return f"{table.rows} and {table.columns}, {table.criterion}"
