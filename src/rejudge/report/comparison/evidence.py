"""Tables of the evidence between runs: trends, effects, equivalence, all runs together."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.compare import Comparison
from rejudge.layout.table import Column, Table
from rejudge.report.comparison.naming import criterion_name, ends, joined, system_name


def evidence_sheets(comparison: Comparison) -> Iterator[Table]:
    """What the types do not cover."""
    yield _matching(comparison)
    yield _effects(comparison)
    yield _equivalence(comparison)
    yield _readings(comparison)
    yield _pooled(comparison)
    yield _stability(comparison)


def _matching(comparison: Comparison) -> Table:
    return Table(
        "matching",
        "Trends and significance that match those of the original (after Ito et al. 2023): the "
        "share of pairs with the same sign, and F1 of significance with the original as truth.",
        (
            Column("run"),
            Column("matched", 0),
            Column("pairs", 0),
            Column("accuracy", 2),
            Column("true positives", 0),
            Column("significant here", 0),
            Column("significant there", 0),
            Column("F1", 2),
            Column("note"),
        ),
        tuple(
            (
                each.run,
                each.matched,
                each.pairs,
                each.matching,
                each.true_positives,
                each.predicted,
                each.actual,
                each.f1,
                each.note,
            )
            for each in comparison.matching
        ),
    )


def _effects(comparison: Comparison) -> Table:
    return Table(
        "effects",
        "Differences of two systems as effect sizes in two runs, first minus second, each with "
        "its interval; overlapping intervals alone do not show that two effects are equal.",
        (
            *map(Column, ("criterion", "first", "second", "runs", "effect")),
            *(
                Column(f"{word} {place}", 2)
                for place in (1, 2)
                for word in ("value", "low", "high")
            ),
            Column("overlap"),
            Column("difference", 2),
            Column("difference low", 2),
            Column("difference high", 2),
            Column("note"),
        ),
        tuple(
            (
                criterion_name(comparison, each.criterion),
                system_name(comparison, each.first),
                system_name(comparison, each.second),
                joined(each.runs),
                each.name,
                each.values[0],
                *ends(each.intervals[0]),
                each.values[1],
                *ends(each.intervals[1]),
                each.do_overlap,
                each.difference,
                *ends(each.difference_interval),
                each.note,
            )
            for each in comparison.effects
        ),
    )


def _equivalence(comparison: Comparison) -> Table:
    return Table(
        "equivalence",
        "Whether a system’s score is the same in two runs within bounds (two one-sided tests).",
        (
            *map(Column, ("criterion", "system", "runs")),
            Column("difference", 2),
            Column("low", 2),
            Column("high", 2),
            Column("bound", 2),
            Column("bound in SDs", 2),
            Column("p", 4),
            Column("equivalent"),
            Column("p of a difference", 4),
            *map(Column, ("bound from", "note")),
        ),
        tuple(
            (
                criterion_name(comparison, each.criterion),
                system_name(comparison, each.system),
                joined(each.runs),
                each.difference,
                *ends(each.interval),
                each.bound,
                each.standardised_bound,
                each.p,
                each.is_equivalent,
                each.p_differ,
                each.bound_from,
                each.note,
            )
            for each in comparison.equivalence
        ),
    )


def _readings(comparison: Comparison) -> Table:
    return Table(
        "readings",
        "Three readings of success side by side; none of them is the verdict.",
        (
            *map(Column, ("run", "by")),
            Column("agreeing", 0),
            Column("of", 0),
            Column("that is"),
        ),
        tuple(
            (each.run, each.by, each.agreeing, each.of, each.says) for each in comparison.readings
        ),
    )


def _pooled(comparison: Comparison) -> Table:
    return Table(
        "pooled",
        "Differences of two systems over several runs, first minus second, with the interval of "
        "the mean over labs and the interval within which a further lab’s would lie. Interval and "
        "p hold for labs in general or for these labs alone; the adjusted p is corrected after "
        "Holm over the pairs of a criterion, the intervals are not.",
        (
            *map(Column, ("criterion", "first", "second", "by", "measure")),
            Column("value", 2),
            Column("low", 2),
            Column("high", 2),
            Column("further lab low", 2),
            Column("further lab high", 2),
            Column("p", 4),
            Column("p adjusted", 4),
            Column("holds for"),
            Column("variance between labs", 4),
            Column("n", 0),
            *map(Column, ("runs", "method", "note")),
        ),
        tuple(
            (
                criterion_name(comparison, each.criterion),
                system_name(comparison, each.first),
                system_name(comparison, each.second),
                each.by,
                each.measure,
                each.value,
                *ends(each.interval),
                *ends(each.prediction),
                each.p,
                each.p_adjusted,
                each.speaks_for,
                each.heterogeneity,
                each.n,
                joined(each.runs),
                each.method,
                each.note,
            )
            for each in comparison.pooled
        ),
    )


def _stability(comparison: Comparison) -> Table:
    return Table(
        "rank-stability",
        "How probable it is that a repetition of a run puts the systems in the same order.",
        (
            *map(Column, ("criterion", "run", "order")),
            Column("probability", 2),
            *map(Column, ("pair by pair", "method", "note")),
        ),
        tuple(
            (
                criterion_name(comparison, each.criterion),
                each.run,
                " > ".join(system_name(comparison, system) for system in each.order),
                each.probability,
                "; ".join(f"{pair} {value:.2f}" for pair, value in each.by_pair.items()),
                each.method,
                each.note,
            )
            for each in comparison.stability
        ),
    )
