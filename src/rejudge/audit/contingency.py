"""Rules about contingency tables of labels."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.audit.evidence import Evidence, Found, Looked
from rejudge.audit.ranges import shown
from rejudge.paper import Contingency, table_agreement


def totals_differ(seen: Evidence) -> Looked:
    """A total of a contingency table is not the sum of its cells.

    A cell, a total or the whole row may be misprinted. All coefficients of agreement are computed
    from the cells, so it matters which of them is wrong.

    Remedy: count the labels again, and print the cells and totals that belong together.
    """
    for table, place in seen.tables():
        for what, printed, cells in _totals(table):
            if printed == sum(cells):
                yield None
                continue
            yield Found(
                f"{_named(table)}: the total of {what} is printed as {printed}, but the cells give "
                f"{sum(cells)}.",
                f"{' + '.join(map(str, cells))} = {sum(cells)}.",
                place,
                "Count the labels again, and print the cells and totals that belong together.",
            )


def agreement_differs(seen: Evidence) -> Looked:
    """A printed coefficient of agreement does not follow from its contingency table.

    The table holds all that percent agreement, Cohen's kappa and Krippendorff's alpha need. A
    different number comes from other labels, other weights or another level of measurement.

    Remedy: compute it again from the table, and name the weights and the level of measurement.
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
            gives = "leaves it undefined" if value is None else f"gives {shown(value)}"
            yield Found(
                f"{_named(table)}: {printed.coefficient} is printed as {printed.value.text}, but "
                f"the table {gives}.",
                f"Computed from {sum(map(sum, table.counts))} units, {table.level} labels.",
                printed.place or place,
                "Compute it again from the table, and name the weights and the level of "
                "measurement.",
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


def _named(table: Contingency) -> str:
    return f"{table.rows} and {table.columns}, {table.criterion}"
