"""Everything a comparison of runs found, as tables. Each belongs to a section of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from rejudge.compare import Comparison, Correlated, Known, LabelAgreement, Variation
from rejudge.english import count, join_words
from rejudge.layout import Cell, Column, Table, interval_column, p_column, tabulate
from rejudge.tables.run_scores import (
    RunScores,
    criterion_name,
    run_name,
    run_scores,
    system_name,
)
from rejudge.tables.wording import COEFFICIENTS

_PAIR = 2
_WORDS = {
    "pearson": "Pearson’s r",
    "spearman": "Spearman’s ρ",
    "kendall-tau": "Kendall’s τ-b",
    "kendall-w": "Kendall’s W",
    "pairwise-ranks": "pairwise ranks",
    "significance": "significant differences",
}
Getter: TypeAlias = str | Callable[[Any], Cell]  # of records of many kinds
_NOTE = (Column("note"), "note")
_METHOD = (Column("method"), "method")


def comparison_tables(comparison: Comparison) -> tuple[Table, ...]:
    """All tables of a comparison that have a row."""
    found = (
        *_scores(comparison),
        _variation(comparison),
        _correlations(comparison),
        _wins(comparison),
        _agreement(comparison),
        _confirmed(comparison),
        _claims(comparison),
        *_evidence(comparison),
        _printed(comparison),
        *_conditions(comparison),
    )
    return tuple(table for table in found if table.rows)


def value_in_words(value: Known) -> str | None:
    """The value of a condition; None if it is not known."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, float):
        return f"{value:g}"
    return None if value is None else str(value)


def _table(
    section: str,
    name: str,
    caption: str,
    records: Sequence[Any],
    *columns: tuple[Column, Getter],
) -> Table:
    return replace(tabulate(name, caption, records, *columns), section=section)


def _text(*names: str) -> list[tuple[Column, str]]:
    return [(Column(name), name) for name in names]


def _runs(each: Any) -> str:  # whatever has runs
    return " – ".join(each.runs)


def _criterion(comparison: Comparison) -> tuple[Column, Getter]:
    return Column("criterion"), lambda each: criterion_name(comparison, each.criterion)


def _system(comparison: Comparison, part: str) -> tuple[Column, Getter]:
    return Column(part), lambda each: system_name(comparison, getattr(each, part))


# type I: scores and their spread


def _scores(comparison: Comparison) -> Iterator[Table]:
    """One table per criterion, as papers print it: each run's score, and how far they spread."""
    for each in run_scores(comparison):
        groups = _groups(comparison, each)
        runs = tuple(Column(run_name(comparison, run), 2) for run in each.runs)
        further = tuple(
            Column(f"{what} {run_name(comparison, run)}", 2)
            for what, names in (("SD", _with_sd(each)), ("Δ", each.runs[1:]))
            for run in names
        )
        if len(groups) == 1:
            spreads = (
                *(Column(name, 2) for name in ("CV*", "least", "greatest")),
                Column("n", 0, "n"),
            )
            rest = (
                " Least and greatest: what CV* may be, given how the scores were rounded; n: the "
                "number of runs it is computed over."
            )
        else:
            spreads = tuple(Column(f"CV* {' – '.join(group)}", 2) for group in groups)
            rest = ""
        yield Table(
            f"scores-{each.criterion}",
            f"Scores on {each.name} in {count(len(each.runs), 'run')}, on the scale of the "
            f"original, and how far they spread (CV*, in percent; type I){_whose(each, groups)}."
            f"{rest} SD: of the judgments; Δ: minus the score of {each.runs[0]}.",
            (Column("system"), *runs, *further, *spreads),
            tuple(_score_row(comparison, each, system, groups) for system in each.systems),
            section="scores",
        )


def _with_sd(each: RunScores) -> tuple[str, ...]:
    """The runs in which the SD of a score is known."""
    return tuple(run for run in each.runs if any(run == where for _, where in each.sds))


def _further(each: RunScores, system: str) -> tuple[Cell, ...]:
    """The SD of each run, and its distance from the first."""
    start = each.values.get((system, each.runs[0]))
    values = [each.values.get((system, run)) for run in each.runs[1:]]
    return (
        *(each.sds.get((system, run)) for run in _with_sd(each)),
        *(None if start is None or value is None else value - start for value in values),
    )


def _groups(comparison: Comparison, each: RunScores) -> tuple[tuple[str, ...], ...]:
    """The runs that CV* is computed over: all studies together, or pairs of runs."""
    together = tuple(run for run in comparison.together if run in each.runs)
    if len(together) > _PAIR:
        return (together,)
    pairs = dict.fromkeys(
        one.runs for one in comparison.variations if one.criterion == each.criterion
    )
    return tuple(pairs) or (each.runs,)


def _whose(each: RunScores, groups: tuple[tuple[str, ...], ...]) -> str:
    """Which runs CV* is of, where that is not all of them."""
    if len(groups) > 1:
        return ", of each pair of runs: analyses of the same judgments are not a pair"
    return f" of {join_words(groups[0])}" if groups[0] != each.runs else ""


def _score_row(
    comparison: Comparison, each: RunScores, system: str, groups: tuple[tuple[str, ...], ...]
) -> tuple[Cell, ...]:
    values = (*(each.values.get((system, run)) for run in each.runs), *_further(each, system))
    spreads = [comparison.spread(each.criterion, system, group) for group in groups]
    name = system_name(comparison, system)
    if len(groups) > 1:
        return (name, *values, *(None if one is None else one.value for one in spreads))
    (one,) = spreads
    if one is None:
        return (name, *values, None, None, None, None)
    ends = one.from_rounding
    least, greatest = (ends.low, ends.high) if ends else (one.value, one.value)
    return (name, *values, one.value, least, greatest, one.n)


def _variation(comparison: Comparison) -> Table:
    variants = sorted({name for each in comparison.variations for name in each.variants})

    def variant(name: str) -> Getter:
        return lambda each: each.variants.get(name)

    def note(each: Variation) -> str:  # of a mean, the table shows what its note says
        return "" if each.system is None and each.value is not None else each.note

    return _table(
        "scores",
        "type-1-variation",
        "Type I: CV* of all runs together and of every pair, by system, criterion and study; "
        "n is the number of runs, for a mean that of systems or criteria, and covers says of how "
        "many. A criterion or system that not all runs have is computed over those that have it. "
        "The last columns are other published definitions.",
        comparison.variations,
        _criterion(comparison),
        (
            Column("system"),
            lambda each: "mean" if each.system is None else system_name(comparison, each.system),
        ),
        (Column("runs"), _runs),
        (Column("CV*", 2), "value"),
        (interval_column(2, "by rounding", ends=("least", "greatest")), "from_rounding"),
        (Column("n", 0, "n"), "n"),
        *_text("covers"),
        (Column("shift", 2), "shift"),
        (Column("unbiased SD", 3), "sd"),
        (interval_column(3, "interval of the SD", ends=("SD low", "SD high")), "exact_sd_interval"),
        *((Column(name, 2), variant(name)) for name in variants),
        (Column("note"), note),
    )


# type II: order


def _correlations(comparison: Comparison) -> Table:
    def criterion(each: Correlated) -> str:
        if each.is_mean:
            return "mean of criteria"
        name = criterion_name(comparison, each.criterion)
        return f"{name}, mean of pairs" if each.is_over_pairs else name

    return _table(
        "order",
        "type-2-correlation",
        "Type II: how far runs order and space the systems alike; n is the number of scores, for "
        "a mean that of criteria or of pairs of runs. With few systems p says little.",
        comparison.correlations,
        (Column("criterion"), criterion),
        (Column("runs"), _runs),
        (Column("measure"), lambda each: _WORDS[each.measure]),
        (Column("value", 3), "value"),
        (Column("n", 0, "n"), "n"),
        (p_column("p"), "p"),
        (interval_column(3), "interval"),
        _METHOD,
        _NOTE,
    )


def _wins(comparison: Comparison) -> Table:
    return _table(
        "order",
        "wins",
        "How often the first of two systems was preferred to the second, in percent of n "
        "comparisons; ties count half.",
        comparison.rates,
        *_text("run"),
        _criterion(comparison),
        _system(comparison, "first"),
        _system(comparison, "second"),
        (Column("percent", 1), "percent"),
        (Column("n", 0, "n"), "n"),
    )


# type III: labels


def _agreement(comparison: Comparison) -> Table:
    def where(each: LabelAgreement) -> str:
        place = "between" if each.is_between else "inside"
        return f"{place}, from the printed table" if each.is_from_table else place

    def coefficient(each: LabelAgreement) -> str:  # a printed table is of one pair, not a mean
        if each.is_from_table and each.coefficient == "cohen-kappa":
            return "Cohen’s kappa"
        return COEFFICIENTS.get(each.coefficient, each.coefficient)

    return _table(
        "labels",
        "type-3-labels",
        "Type III: agreement of labels between runs on the same items, and inside each run; "
        "n is the number of units.",
        comparison.agreement,
        _criterion(comparison),
        (Column("runs"), _runs),
        (Column("where"), where),
        (Column("coefficient"), coefficient),
        (Column("value", 3), "value"),
        (Column("n", 0, "n"), "n"),
        (interval_column(3), "interval"),
        _METHOD,
        _NOTE,
    )


# type IV: findings and claims


def _confirmed(comparison: Comparison) -> Table:
    return _table(
        "findings",
        "type-4-findings",
        "Type IV: findings of the original that a run confirms, among those that could be "
        "assessed; families of findings are never mixed. Contradicted: a test supports the "
        "opposite.",
        comparison.confirmed,
        (Column("run"), lambda each: "all runs" if each.run == "all" else each.run),
        (Column("family"), lambda each: _WORDS.get(each.family, each.family)),
        _criterion(comparison),
        (Column("confirmed", 0), "confirmed"),
        (Column("assessable", 0), "assessable"),
        (Column("share", 2), "share"),
        (Column("contradicted", 0), "contradicted"),
        (Column("left out", 0), "left_out"),
        (Column("not confirmed"), lambda each: "; ".join(each.details)),
        _NOTE,
    )


def _claims(comparison: Comparison) -> Table:
    return _table(
        "findings",
        "claims",
        "Claims of the original, what each run says of them, and the numbers that decide.",
        comparison.claims,
        (Column("claim"), lambda each: each.words or each.says),
        *_text("run"),
        (Column("verdict"), lambda each: each.verdict.replace("-", " ")),
        *_text("because"),
    )


# evidence that the types do not cover


def _evidence(comparison: Comparison) -> Iterator[Table]:
    yield _table(
        "findings",
        "matching",
        "Trends and significance that match those of the original (after Ito et al. 2023): the "
        "share of pairs with the same sign, and F1 of significance with the original as truth.",
        comparison.matching,
        *_text("run"),
        (Column("matched", 0), "matched"),
        (Column("pairs", 0), "pairs"),
        (Column("accuracy", 2), "matching"),
        (Column("true positives", 0), "true_positives"),
        (Column("significant here", 0), "predicted"),
        (Column("significant there", 0), "actual"),
        (Column("F1", 2), "f1"),
        _NOTE,
    )
    yield _effects(comparison)
    yield _equivalence(comparison)
    yield _table(
        "effects",
        "readings",
        "Three readings of success side by side; none of them is the verdict.",
        comparison.readings,
        *_text("run", "by"),
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

    return _table(
        "effects",
        "effects",
        "Differences of two systems as effect sizes in two runs, first minus second, each with "
        "its interval; overlapping intervals alone do not show that two effects are equal.",
        comparison.effects,
        _criterion(comparison),
        _system(comparison, "first"),
        _system(comparison, "second"),
        (Column("runs"), _runs),
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
        _NOTE,
    )


def _equivalence(comparison: Comparison) -> Table:
    return _table(
        "effects",
        "equivalence",
        "Whether a system’s score is the same in two runs within bounds (two one-sided tests).",
        comparison.equivalence,
        _criterion(comparison),
        _system(comparison, "system"),
        (Column("runs"), _runs),
        (Column("difference", 2), "difference"),
        (interval_column(), "interval"),
        (Column("bound", 2), "bound"),
        (Column("bound in SDs", 2), "standardised_bound"),
        (p_column("p"), "p"),
        (Column("equivalent"), "is_equivalent"),
        (p_column("p of a difference"), "p_differ"),
        (Column("bound from"), "bound_from"),
        _NOTE,
    )


def _pooled(comparison: Comparison) -> Table:
    return _table(
        "together",
        "pooled",
        "Differences of two systems over several runs, first minus second, with the interval of "
        "the mean over labs and the prediction interval of a further lab. Interval and p hold for "
        "labs in general or for these labs alone; the adjusted p is corrected after Holm over the "
        "pairs of a criterion, the intervals are not.",
        comparison.pooled,
        _criterion(comparison),
        _system(comparison, "first"),
        _system(comparison, "second"),
        *_text("by", "measure"),
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
        (Column("runs"), _runs),
        _METHOD,
        _NOTE,
    )


def _stability(comparison: Comparison) -> Table:
    return _table(
        "order",
        "rank-stability",
        "How probable it is that a repetition of a run puts the systems in the same order.",
        comparison.stability,
        _criterion(comparison),
        *_text("run"),
        (
            Column("order"),
            lambda each: " > ".join(system_name(comparison, system) for system in each.order),
        ),
        (Column("probability", 2), "probability"),
        (
            Column("pair by pair"),
            lambda each: "; ".join(f"{pair} {value:.2f}" for pair, value in each.by_pair.items()),
        ),
        _METHOD,
        _NOTE,
    )


# what the papers print, and how the runs were made


def _printed(comparison: Comparison) -> Table:
    return _table(
        "printed",
        "printed-figures",
        "Reproducibility figures that the papers print, beside what their scores give.",
        comparison.printed,
        *_text("run", "measure"),
        _criterion(comparison),
        (
            Column("system"),
            lambda each: "" if each.system is None else system_name(comparison, each.system),
        ),
        *_text("printed"),
        (Column("computed", 3), "computed"),
        (Column("reproduced"), "is_reproduced"),
        *_text("because", "place"),
    )


def _conditions(comparison: Comparison) -> Iterator[Table]:
    def value(run: str) -> Getter:
        return lambda each: value_in_words(each.values.get(run))

    runs = [run.id for run in comparison.runs]
    yield _table(
        "conditions",
        "conditions",
        "Conditions of measurement of every run; a dash is not known, which is not equal.",
        comparison.conditions,
        (Column("condition"), "title"),
        *_text("group"),
        *((Column(run), value(run)) for run in runs),
    )
    yield _table(
        "conditions",
        "similarity",
        "How far two runs were made alike: equal conditions among those known in both.",
        comparison.similarities,
        *_text("first", "second"),
        (Column("equal", 0), "equal"),
        (Column("known in both", 0), "known_in_both"),
        (Column("share", 2), "share"),
    )
    yield _table(
        "conditions",
        "deviations",
        "What was done differently from the original, with the reason and the impact that the "
        "reproducers expect.",
        comparison.deviations,
        *_text("run"),
        (Column("condition"), "title"),
        (Column("original"), lambda each: value_in_words(each.original)),
        (Column("here"), lambda each: value_in_words(each.here)),
        *_text("reason", "impact", "note"),
    )
