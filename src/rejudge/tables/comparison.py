"""Everything a comparison of runs found, as tables. Each belongs to a section of the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rejudge.analysis.results import VERDICT_WORDS
from rejudge.compare.comparison import (
    ClaimVerdict,
    Comparison,
    Known,
    LabelAgreement,
    PrintedCheck,
    RunCorrelation,
    Variation,
)
from rejudge.english import count, join_words
from rejudge.layout.numbers import minus_signs
from rejudge.layout.table import (
    Cell,
    Column,
    Table,
    csv_only,
    interval_column,
    p_column,
    print_only,
)
from rejudge.stats import Interval
from rejudge.tables.comparison_summary import verdict_table
from rejudge.tables.runs import (
    BY_ROUNDING,
    METHOD,
    NOTE,
    Getter,
    RunScores,
    criterion_column,
    criterion_name,
    evidence_tables,
    joined_runs,
    run_name,
    run_scores,
    run_table,
    system_column,
    system_name,
    text_columns,
)
from rejudge.tables.wording import COEFFICIENTS, claim_in_words

_PAIR = 2
_LONGEST = 8  # characters of a printed figure
_SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall-tau": "τ", "kendall-w": "W"}
_FIGURES = {
    "cv-star": "CV*",
    **_SYMBOLS,
    "matching-accuracy": "matching accuracy",
    "significance-f1": "F1 of significance",
    "pairwise-ranks": "pairwise ranks",
    "significance": "significant differences",
}
_WORDS = {
    "pearson": "Pearson’s r",
    "spearman": "Spearman’s ρ",
    "kendall-tau": "Kendall’s τ-b",
    "kendall-w": "Kendall’s W",
    "pairwise-ranks": "pairwise ranks",
    "significance": "significant differences",
}


def comparison_tables(comparison: Comparison) -> tuple[Table, ...]:
    """All tables of a comparison that have a row."""
    found = (
        verdict_table(comparison),
        *_scores(comparison),
        _variation(comparison),
        _correlations(comparison),
        _wins(comparison),
        _agreement(comparison),
        _confirmed_table(comparison),
        _claims(comparison),
        *evidence_tables(comparison),
        _printed_table(comparison),
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
            spreads: tuple[Column, ...] = (Column("CV*", 2), BY_ROUNDING, Column("n", 0, "n"))
            rest = (
                " By rounding: what CV* may be, given how the scores were rounded; n: the number "
                "of runs it is computed over."
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
        return (name, *values, None, None, None)
    exact = None if one.value is None else Interval(one.value, one.value, 1.0)
    return (name, *values, one.value, one.from_rounding or exact, one.n)


def _variation(comparison: Comparison) -> Table:
    variants = sorted({name for each in comparison.variations for name in each.variants})

    def variant(name: str) -> Getter:
        return lambda each: each.variants.get(name)

    def note(each: Variation) -> str:  # of a mean, the table shows what its note says
        return "" if each.system is None and each.value is not None else each.note

    return run_table(
        "scores",
        "type-1-variation",
        "Type I: CV* of all runs together and of every pair, by system, criterion and study; "
        "n is the number of runs, or for a mean the number of systems or criteria, and the column "
        "covers says of how many. A criterion or system that not all runs have is computed over "
        "those that have it. The last columns are other published definitions.",
        comparison.variations,
        criterion_column(comparison),
        (
            Column("system"),
            lambda each: "mean" if each.system is None else system_name(comparison, each.system),
        ),
        (Column("runs"), joined_runs),
        (Column("CV*", 2), "value"),
        (BY_ROUNDING, "from_rounding"),
        (Column("n", 0, "n"), "n"),
        *text_columns("covers"),
        (Column("shift", 2), "shift"),
        (Column("unbiased SD", 3), "sd"),
        (interval_column(3, "interval of the SD", ends=("SD low", "SD high")), "exact_sd_interval"),
        *((Column(name, 2), variant(name)) for name in variants),
        (Column("note"), note),
    )


# type II: order


def _correlations(comparison: Comparison) -> Table:
    table = run_table(
        "order",
        "type-2-correlation",
        "Type II: how similarly runs order and space the systems; n is the number of scores, for "
        "a mean that of criteria or of pairs of runs. With few systems, p means little.",
        comparison.correlations,
        (Column("criterion"), lambda each: _correlation_name(comparison, each)),
        (Column("runs"), joined_runs),
        (Column("measure"), lambda each: _WORDS[each.measure]),
        (Column("value", 3), "value"),
        (Column("n", 0, "n"), "n"),
        (p_column("p"), "p"),
        (interval_column(3), "interval"),
        METHOD,
        NOTE,
    )
    return replace(table, in_print=_correlations_in_print(comparison, table))


def _correlation_name(comparison: Comparison, each: RunCorrelation) -> str:
    if each.is_mean:
        return "mean of criteria"
    name = criterion_name(comparison, each.criterion)
    return f"{name}, mean of pairs" if each.is_over_pairs else name


def _correlations_in_print(comparison: Comparison, table: Table) -> Table:
    """One row for all coefficients of the same scores."""
    rows: dict[tuple[str, str], dict[str, RunCorrelation]] = {}
    for each in comparison.correlations:
        key = (_correlation_name(comparison, each), joined_runs(each))
        rows.setdefault(key, {})[each.measure] = each
    columns = [
        column
        for symbol in _SYMBOLS.values()
        for column in (
            Column(symbol, 3, symbol),
            p_column(f"p of {symbol}", "p"),
            interval_column(3, f"interval of {symbol}", "interval"),
        )
    ]
    cells = (
        (*key, next(iter(found.values())).n, *(c for m in _SYMBOLS for c in _numbers(found.get(m))))
        for key, found in rows.items()
    )
    return replace(
        table,
        columns=(Column("criterion"), Column("runs"), Column("n", 0, "n"), *columns),
        rows=tuple(cells),
        notes=table.columns_as_notes("note", "method").notes,
    ).without_empty()


def _numbers(each: RunCorrelation | None) -> tuple[Cell, ...]:
    return (None,) * 3 if each is None else (each.value, each.p, each.interval)


def _wins(comparison: Comparison) -> Table:
    return run_table(
        "order",
        "wins",
        "How often the first of two systems was preferred to the second, in percent of n "
        "comparisons; ties count half.",
        comparison.rates,
        *text_columns("run"),
        criterion_column(comparison),
        system_column(comparison, "first"),
        system_column(comparison, "second"),
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

    return run_table(
        "labels",
        "type-3-labels",
        "Type III: agreement of labels between runs on the same items, and inside each run; "
        "n is the number of units.",
        comparison.agreement,
        criterion_column(comparison),
        (Column("runs"), joined_runs),
        (Column("where"), where),
        (Column("coefficient"), coefficient),
        (Column("value", 3), "value"),
        (Column("n", 0, "n"), "n"),
        (interval_column(3), "interval"),
        METHOD,
        NOTE,
    )


# type IV: findings and claims


def _confirmed_table(comparison: Comparison) -> Table:
    return run_table(
        "findings",
        "type-4-findings",
        "Type IV: findings of the original that a run confirms, among those that could be "
        "assessed; families of findings are never mixed. Contradicted: a test supports the "
        "opposite.",
        comparison.confirmed,
        (Column("run"), lambda each: "all runs" if each.run == "all" else each.run),
        (Column("family"), lambda each: _WORDS.get(each.family, each.family)),
        criterion_column(comparison),
        (Column("confirmed", 0), "confirmed"),
        (Column("assessable", 0), "assessable"),
        (Column("share", 2), "share"),
        (Column("contradicted", 0), "contradicted"),
        (Column("left out", 0), "left_out"),
        (Column("not confirmed"), lambda each: "; ".join(each.details)),
        NOTE,
    )


def _claims(comparison: Comparison) -> Table:
    return run_table(
        "findings",
        "claims",
        "Claims of the original, the verdict on each in every run, and the numbers that decide.",
        comparison.claims,
        (csv_only(Column("claim")), lambda each: each.words or each.says),
        (print_only(Column("claim")), lambda each: _claim_in_words(comparison, each)),
        *text_columns("run"),
        (Column("verdict"), lambda each: VERDICT_WORDS[each.verdict]),
        (csv_only(Column("because")), "because"),
        (print_only(Column("because")), lambda each: minus_signs(each.because)),
    )


def _claim_in_words(comparison: Comparison, each: ClaimVerdict) -> str:
    names = {system: system_name(comparison, system) for system in comparison.systems}
    return each.words or claim_in_words(each.says, names)


# what the papers print, and how the runs were made


def _printed_table(comparison: Comparison) -> Table:
    return run_table(
        "printed",
        "printed-figures",
        "Reproducibility figures that the papers print, next to what their scores give.",
        comparison.printed,
        *text_columns("run"),
        (csv_only(Column("measure")), "measure"),
        (print_only(Column("measure")), lambda each: _figure(each.measure)),
        criterion_column(comparison),
        (
            Column("system"),
            lambda each: None if each.system is None else system_name(comparison, each.system),
        ),
        (csv_only(Column("printed")), "printed"),
        (print_only(Column("printed")), lambda each: _cut(each.printed)),
        (Column("computed", 3), "computed"),
        (csv_only(Column("reproduced")), "is_reproduced"),
        (print_only(Column("reproduced")), _reproduction),
        *text_columns("because", "place"),
    )


def _figure(measure: str) -> str:
    name, _, p = measure.partition(" ")
    return f"{'p of ' if p else ''}{_FIGURES.get(name, name)}"


def _cut(printed: str) -> str:
    """A figure that was copied from a file with all its decimals is cut."""
    cut = printed if len(printed) <= _LONGEST else f"{printed[: _LONGEST - 1]}…"
    return minus_signs(cut)


def _reproduction(each: PrintedCheck) -> Cell:
    return "by rounding" if each.is_reproduced and each.because else each.is_reproduced


def _conditions(comparison: Comparison) -> Iterator[Table]:
    def value(run: str) -> Getter:
        return lambda each: value_in_words(each.values.get(run))

    runs = [run.id for run in comparison.runs]
    yield run_table(
        "conditions",
        "conditions",
        "Conditions of measurement of every run; a dash means not known, which does not count as "
        "equal.",
        comparison.conditions,
        (Column("condition"), "title"),
        *text_columns("group"),
        *((Column(run), value(run)) for run in runs),
    )
    yield run_table(
        "conditions",
        "similarity",
        "How similarly two runs were carried out: equal conditions among those known in both.",
        comparison.similarities,
        (csv_only(Column("first")), "first"),
        (csv_only(Column("second")), "second"),
        (print_only(Column("runs")), lambda each: f"{each.first} – {each.second}"),
        (Column("equal", 0), "equal"),
        (Column("known in both", 0), "known_in_both"),
        (Column("share", 2), "share"),
    )
    yield run_table(
        "conditions",
        "deviations",
        "What was done differently from the original, with the reason and the impact that the "
        "reproducers expect.",
        comparison.deviations,
        *text_columns("run"),
        (Column("condition"), "title"),
        (Column("original"), lambda each: value_in_words(each.original)),
        (Column("here"), lambda each: value_in_words(each.here)),
        *text_columns("reason", "impact", "note"),
    )
