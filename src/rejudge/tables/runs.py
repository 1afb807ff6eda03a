"""Runs side by side: names, scores, and tables of effects, equivalence and summaries over runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from rejudge.compare.comparison import Comparison, PooledEffect
from rejudge.english import versus
from rejudge.layout.numbers import MINUS
from rejudge.layout.table import (
    Cell,
    Column,
    Table,
    csv_only,
    interval_column,
    p_column,
    print_only,
    tabulate,
)
from rejudge.stats import Interval

_SEVERAL = 2
_EFFECT_MEASURES = {
    "g": "Hedges’ g",
    "score-difference": "difference of scores",
}
_LONG = 1e7  # from here on powers of ten are shorter


@dataclass(frozen=True, slots=True)
class RunScores:
    """Scores on one criterion, of the systems that two runs or more have scored."""

    criterion: str
    name: str
    runs: tuple[str, ...]  # the original first
    systems: tuple[str, ...]  # the original's highest first
    values: dict[tuple[str, str], float]  # by system and run; not there: no score
    intervals: dict[tuple[str, str], Interval]
    printed: dict[tuple[str, str], int]  # decimals, of scores that were read from print
    sds: dict[tuple[str, str], float]  # of the judgments behind a score
    begin: float  # where bars begin: 0, or the lower end of a scale that begins above it

    @property
    def digits(self) -> int:
        """Decimals that fit the size of these numbers."""
        return digits_for(max(map(abs, self.values.values())))

    def text(self, system: str, run: str) -> str:
        """A score with no more decimals than it was printed with."""
        digits = min(self.printed.get((system, run), self.digits), self.digits)
        return score_text(self.values[system, run], digits)


def run_scores(comparison: Comparison) -> Iterator[RunScores]:
    """The criteria that two runs or more have scores on."""
    for criterion in comparison.criteria:
        values = _values(comparison, criterion)
        systems = tuple(
            system
            for system in dict.fromkeys(system for system, _ in values)
            if sum(each == system for each, _ in values) >= _SEVERAL
        )
        kept = {key: value for key, value in values.items() if key[0] in systems}
        runs = tuple(run.id for run in comparison.runs if any(run.id == run_ for _, run_ in kept))
        if kept:
            yield RunScores(
                criterion,
                criterion_name(comparison, criterion),
                runs,
                tuple(sorted(systems, key=lambda system: _place(kept, system, runs))),
                kept,
                _intervals(comparison, criterion),
                _printed_decimals(comparison, criterion),
                _sds(comparison, criterion),
                _begin(comparison, criterion),
            )


def digits_for(largest: float) -> int:
    """Two decimals, fewer for numbers of hundreds, more for those below a tenth."""
    size = math.floor(math.log10(largest)) if largest > 0 else 0
    return max(0, min(2, 3 - size)) if size >= -1 else min(8, 1 - size)


def score_text(value: float, digits: int = 2) -> str:
    """A score as it is printed in a figure, with a true minus."""
    text = f"{value:.3g}" if abs(value) >= _LONG else f"{value:,.{digits}f}"
    is_zero = float(text.replace(",", "")) == 0
    return text.lstrip("-") if is_zero else text.replace("-", MINUS)


def _values(comparison: Comparison, criterion: str) -> dict[tuple[str, str], float]:
    return {
        (each.system, each.run): each.value
        for each in comparison.scores
        if each.criterion == criterion
    }


def _intervals(comparison: Comparison, criterion: str) -> dict[tuple[str, str], Interval]:
    return {
        (each.system, each.run): each.interval
        for each in comparison.scores
        if each.criterion == criterion and each.interval is not None
    }


def _sds(comparison: Comparison, criterion: str) -> dict[tuple[str, str], float]:
    return {
        (each.system, each.run): each.sd
        for each in comparison.scores
        if each.criterion == criterion and each.sd is not None
    }


def _printed_decimals(comparison: Comparison, criterion: str) -> dict[tuple[str, str], int]:
    """A half unit of 0.005 is two decimals; a scale that was stretched may leave less than one."""
    return {
        (each.system, each.run): max(0, math.floor(0.5 - math.log10(2 * each.half_unit)))
        for each in comparison.scores
        if each.criterion == criterion and each.half_unit > 0
    }


def _place(
    values: dict[tuple[str, str], float], system: str, runs: tuple[str, ...]
) -> tuple[bool, float]:
    """By the original's scores; what it did not score comes last, by the first run that did."""
    found = [values[system, run] for run in runs if (system, run) in values]
    return (system, runs[0]) not in values, -found[0]


def _begin(comparison: Comparison, criterion: str) -> float:
    shifts = [
        each.shift
        for each in comparison.variations
        if each.criterion == criterion and each.shift is not None
    ]
    return max(0.0, -shifts[0]) if shifts else 0.0


# names


def run_name(comparison: Comparison, run: str) -> str:
    """A run as it is called at the head of a column."""
    return next((card.name for card in comparison.runs if card.id == run), run)


def system_name(comparison: Comparison, system: str) -> str:
    """A system as the original calls it."""
    return comparison.systems.get(system) or system


def criterion_name(comparison: Comparison, criterion: str | None) -> str:
    """A criterion as the original calls it."""
    return "all criteria" if criterion is None else comparison.criteria.get(criterion) or criterion


Getter: TypeAlias = str | Callable[[Any], Cell]  # of records of many kinds
BY_ROUNDING = interval_column(2, "by rounding", ends=("least", "greatest"))
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
        "Three definitions of success side by side; no single one is the verdict.",
        comparison.readings,
        *text_columns("run", "by"),
        (Column("agreeing", 0), "agreeing"),
        (Column("of", 0), "of"),
        (Column("that is"), "says"),
    )
    yield _pooled_table(comparison)
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


def _pooled_table(comparison: Comparison) -> Table:
    return run_table(
        "together",
        "pooled",
        "Differences of two systems over several runs by random effects, first minus second, with "
        "the interval of the mean over labs and the prediction interval of a further lab. The "
        "adjusted p is corrected by Holm's method over the pairs of a criterion, the intervals are "
        "not.",
        comparison.pooled,
        criterion_column(comparison),
        *_pair_columns(comparison),
        (csv_only(Column("measure")), "measure"),
        (print_only(Column("measure")), lambda each: _EFFECT_MEASURES[each.measure]),
        (Column("value", 2), "value"),
        (interval_column(heading="95 % interval"), "interval"),
        (
            interval_column(
                2, "further lab", "a further lab", ends=("further lab low", "further lab high")
            ),
            "prediction",
        ),
        (p_column("p"), "p"),
        (p_column("p adjusted", "p (Holm)"), "p_adjusted"),
        (Column("variance between labs", 4), "heterogeneity"),
        (Column("n", 0, "n"), "n"),
        (Column("runs"), joined_runs),
        METHOD,
        NOTE,
    )


def _pair_columns(comparison: Comparison) -> Iterator[tuple[Column, Getter]]:
    """The two systems apart for programs, together for people."""

    def pair(each: PooledEffect) -> str:
        names = [system_name(comparison, system) for system in (each.first, each.second)]
        return versus(names, each.measure)

    for part in ("first", "second"):
        column, get = system_column(comparison, part)
        yield csv_only(column), get
    yield print_only(Column("systems")), pair


def _stability(comparison: Comparison) -> Table:
    return run_table(
        "order",
        "rank-stability",
        "Probability that a repetition of a run gives the same order of systems, with a flat prior "
        "and normal errors (Killeen 2005). For two equal systems it is 0.70 on average, not 0.50.",
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
