"""Tables of the evidence between runs: trends, effects, equivalence, all runs together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from rejudge.compare import Comparison
from rejudge.layout import Cell, Column, Table, interval_column, p_column, tabulate
from rejudge.tables.run_scores import criterion_name, system_name

Getter: TypeAlias = str | Callable[[Any], Cell]  # of records of many kinds
NOTE = (Column("note"), "note")
METHOD = (Column("method"), "method")


def evidence_tables(comparison: Comparison) -> Iterator[Table]:
    yield run_table(
        "findings",
        "matching",
        "Trends and significance that match those of the original (after Ito et al. 2023): the "
        "share of pairs with the same sign, and F1 of significance with the original as truth.",
        comparison.matching,
        *text_columns("run"),
        (Column("matched", 0), "matched"),
        (Column("pairs", 0), "pairs"),
        (Column("accuracy", 2), "matching"),
        (Column("true positives", 0), "true_positives"),
        (Column("significant here", 0), "predicted"),
        (Column("significant there", 0), "actual"),
        (Column("F1", 2), "f1"),
        NOTE,
    )
    yield _effects(comparison)
    yield _equivalence(comparison)
    yield run_table(
        "effects",
        "readings",
        "Three readings of success side by side; none of them is the verdict.",
        comparison.readings,
        *text_columns("run", "by"),
        (Column("agreeing", 0), "agreeing"),
        (Column("of", 0), "of"),
        (Column("that is"), "says"),
    )
    yield _pooled(comparison)
    yield _stability(comparison)


def _effects(comparison: Comparison) -> Table:
    def of_run(place: int) -> Iterator[tuple[Column, Getter]]:
        ends = (f"low {place + 1}", f"high {place + 1}")
        yield Column(f"value {place + 1}", 2), lambda each: each.values[place]
        interval = interval_column(2, f"interval {place + 1}", ends=ends)
        yield interval, lambda each: each.intervals[place]

    return run_table(
        "effects",
        "effects",
        "Differences of two systems as effect sizes in two runs, first minus second, each with "
        "its interval; overlapping intervals alone do not show that two effects are equal.",
        comparison.effects,
        criterion_column(comparison),
        system_column(comparison, "first"),
        system_column(comparison, "second"),
        (Column("runs"), joined_runs),
        (Column("effect"), "name"),
        *of_run(0),
        *of_run(1),
        (Column("overlap"), "do_overlap"),
        (Column("difference", 2), "difference"),
        (
            interval_column(
                2, "interval of the difference", ends=("difference low", "difference high")
            ),
            "difference_interval",
        ),
        NOTE,
    )


def _equivalence(comparison: Comparison) -> Table:
    return run_table(
        "effects",
        "equivalence",
        "Whether a system’s score is the same in two runs within bounds (two one-sided tests).",
        comparison.equivalence,
        criterion_column(comparison),
        system_column(comparison, "system"),
        (Column("runs"), joined_runs),
        (Column("difference", 2), "difference"),
        (interval_column(), "interval"),
        (Column("bound", 2), "bound"),
        (Column("bound in SDs", 2), "standardised_bound"),
        (p_column("p"), "p"),
        (Column("equivalent"), "is_equivalent"),
        (p_column("p of a difference"), "p_differ"),
        (Column("bound from"), "bound_from"),
        NOTE,
    )


def _pooled(comparison: Comparison) -> Table:
    return run_table(
        "together",
        "pooled",
        "Differences of two systems over several runs, first minus second, with the interval of "
        "the mean over labs and the prediction interval of a further lab. Interval and p hold for "
        "labs in general or for these labs alone; the adjusted p is corrected after Holm over the "
        "pairs of a criterion, the intervals are not.",
        comparison.pooled,
        criterion_column(comparison),
        system_column(comparison, "first"),
        system_column(comparison, "second"),
        *text_columns("by", "measure"),
        (Column("value", 2), "value"),
        (interval_column(), "interval"),
        (
            interval_column(2, "further lab", ends=("further lab low", "further lab high")),
            "prediction",
        ),
        (p_column("p"), "p"),
        (p_column("p adjusted"), "p_adjusted"),
        (Column("holds for"), "speaks_for"),
        (Column("variance between labs", 4), "heterogeneity"),
        (Column("n", 0, "n"), "n"),
        (Column("runs"), joined_runs),
        METHOD,
        NOTE,
    )


def _stability(comparison: Comparison) -> Table:
    return run_table(
        "order",
        "rank-stability",
        "How probable it is that a repetition of a run puts the systems in the same order.",
        comparison.stability,
        criterion_column(comparison),
        *text_columns("run"),
        (
            Column("order"),
            lambda each: " > ".join(system_name(comparison, system) for system in each.order),
        ),
        (Column("probability", 2), "probability"),
        (
            Column("pair by pair"),
            lambda each: "; ".join(f"{pair} {value:.2f}" for pair, value in each.by_pair.items()),
        ),
        METHOD,
        NOTE,
    )


# columns of every table of a comparison


def run_table(
    section: str,
    name: str,
    caption: str,
    records: Sequence[Any],
    *columns: tuple[Column, Getter],
) -> Table:
    """One row per record, for a section of the page."""
    return replace(tabulate(name, caption, records, *columns), section=section)


def text_columns(*names: str) -> list[tuple[Column, str]]:
    """Columns of text, each named as the attribute."""
    return [(Column(name), name) for name in names]


def joined_runs(each: Any) -> str:  # whatever has runs
    """The runs that a number is of."""
    return " – ".join(each.runs)


def criterion_column(comparison: Comparison) -> tuple[Column, Getter]:
    """The criterion as the original calls it."""
    return Column("criterion"), lambda each: criterion_name(comparison, each.criterion)


def system_column(comparison: Comparison, part: str) -> tuple[Column, Getter]:
    """A system, in the attribute of this name, as the original calls it."""
    return Column(part), lambda each: system_name(comparison, getattr(each, part))
