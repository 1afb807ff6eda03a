"""Tables of what a study could detect: sensitivity, precision, variance and reliability."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rejudge.analysis import Generalizability, Precision, Results, Sensitivity
from rejudge.english import as_sentence, capital
from rejudge.layout import Cell, Column, Table, csv_only, print_only, tabulate
from rejudge.layout.numbers import NARROW
from rejudge.tables.details import MOST_IN_PRINT
from rejudge.tables.findings import Labels
from rejudge.tables.wording import TEST_NAMES

POWERS = (0.8, 0.9)
_FACETS = 3  # system, item and participant
_PAIR = 2


def precision_tables(results: Results, labels: Labels) -> Iterator[Table]:
    """What each comparison could detect, and how precise and reliable other sizes would be."""
    pairs = [each for each in results.sensitivity if len(each.systems) == _PAIR]
    yield sensitivity_table(pairs, labels)
    yield precision_table([e for e in results.precision if len(e.systems) == _PAIR], labels)
    yield variance_table(results.reliability)
    yield reliability_table(results.reliability)


def sensitivity_table(found: Sequence[Sensitivity], labels: Labels, digits: int = 2) -> Table:
    """The smallest difference that each comparison would detect."""

    def smallest(power: float, *, is_corrected: bool) -> Callable[[Sensitivity], Cell]:
        return lambda each: each.smallest(power, corrected=is_corrected)

    return tabulate(
        "sensitivity",
        _with_method(
            "The smallest true difference that each comparison finds with so much power.", found
        ),
        found,
        (Column("question"), "question"),
        (csv_only(Column("test")), "by"),
        (csv_only(Column("first")), lambda each: labels.get(each.systems[0], each.systems[0])),
        (csv_only(Column("second")), lambda each: labels.get(each.systems[1], each.systems[1])),
        (
            print_only(Column("systems")),
            lambda each: " and ".join(labels.get(name, name) for name in each.systems),
        ),
        (
            print_only(Column("test")),
            lambda each: TEST_NAMES.get(each.by, each.by),
        ),
        (csv_only(Column("unit")), "unit"),
        (csv_only(Column("n", 0)), "n"),
        (Column("standard error", digits + 1, "SE"), "standard_error"),
        (csv_only(Column("df", 1)), "df"),
        (
            print_only(Column("df", 0, "df")),
            lambda each: None if each.df is None else f"{each.df:.4g}",
        ),
        (csv_only(Column("tests", 0)), "tests"),
        *(
            (
                Column(
                    f"{100 * power:g} percent power, {'' if is_corrected else 'un'}corrected",
                    digits,
                    f"{100 * power:g}{NARROW}% power",
                    only="" if is_corrected else "csv",
                ),
                smallest(power, is_corrected=is_corrected),
            )
            for power in POWERS
            for is_corrected in (False, True)
        ),
        (csv_only(Column("planned")), "is_planned"),
        (
            print_only(Column("status")),
            lambda each: "planned" if each.is_planned else "exploratory",
        ),
        (csv_only(Column("note")), "note"),
        notes=_notes(text for each in found for text in (each.method, each.note)),
    )


def precision_table(found: Sequence[Precision], labels: Labels) -> Table:
    """Half the width of the interval of each comparison, for studies of other sizes."""
    return tabulate(
        "precision",
        _with_method(
            "Half the width of the interval of each comparison, for studies of other sizes.", found
        ),
        [(each, by, point) for each in found for by, point in _points(each)],
        (Column("question"), lambda row: row[0].question),
        (Column("first"), lambda row: labels.get(row[0].systems[0], row[0].systems[0])),
        (Column("second"), lambda row: labels.get(row[0].systems[1], row[0].systems[1])),
        (Column("unit"), lambda row: row[0].unit),
        (Column("grows by"), lambda row: row[1]),
        (Column("participants", 0), lambda row: row[2].participants),
        (Column("items", 0), lambda row: row[2].items),
        (Column("judgments", 0), lambda row: row[2].judgments),
        (csv_only(Column("standard error", 3)), lambda row: row[2].standard_error),
        (Column("half width", 2), lambda row: row[2].half_width),
        (Column("cost", 2), lambda row: row[2].cost),
        (Column("currency"), lambda row: row[0].currency),
        most_in_print=MOST_IN_PRINT,
        notes=_notes(text for each in found for text in (each.method, each.note)),
    )


def variance_table(found: Sequence[Generalizability]) -> Table:
    """Where the variance of single scores comes from."""
    parts = [(each.question, part) for each in found for part in each.parts]
    return tabulate(
        "variance",
        _with_method("Where the variance of single scores comes from.", found),
        parts,
        (Column("question"), lambda row: row[0]),
        (Column("part"), lambda row: part_name(row[1].facets)),
        (Column("variance", 3), lambda row: row[1].variance),
        (
            Column("share, percent", 1, "Share, %"),
            lambda row: None if row[1].share is None else 100 * row[1].share,
        ),
        (csv_only(Column("note")), lambda row: row[1].note),
        notes=_notes(
            f"{part_name(part.facets)}: {part.note}" if part.note else "" for _, part in parts
        ),
    )


def part_name(facets: Sequence[str]) -> str:
    """A variance component in words; that of all facets includes the residual."""
    names = " × ".join(facets)
    return f"{names}, and the rest" if len(facets) == _FACETS else names


def reliability_table(found: Sequence[Generalizability]) -> Table:
    """How reliably studies of this and of other sizes separate the systems."""
    return tabulate(
        "reliability",
        _with_method(
            "How reliably studies of this and of other sizes separate the systems.", found
        ),
        [(each, by, point) for each in found for by, point in _points(each)],
        (Column("question"), lambda row: row[0].question),
        (Column("grows by"), lambda row: row[1]),
        (Column("participants", 0), lambda row: row[2].participants),
        (Column("items", 0), lambda row: row[2].items),
        (csv_only(Column("judgments of each system", 0)), lambda row: row[2].judgments),
        (Column("reliability of the order", 2, "Order"), lambda row: row[2].relative),
        (Column("reliability of the means", 2, "Means"), lambda row: row[2].absolute),
        (Column("cost", 0), lambda row: row[2].cost),
        (Column("currency"), lambda row: row[0].currency),
        notes=_notes(text for each in found for text in (each.method, each.note)),
    )


def _points(each: Precision | Generalizability) -> Iterator[tuple[str, Any]]:  # points of a kind
    for by in ("participants", "items"):
        for point in getattr(each, f"by_{by}"):
            yield by, point


def _with_method(caption: str, found: Sequence[Sensitivity | Precision | Generalizability]) -> str:
    methods = [capital(as_sentence(each.method)) for each in found if each.method]
    return " ".join([caption, *methods[:1]])


def _notes(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(capital(as_sentence(text)) for text in texts if text))
