"""Everything a comparison found as plain tables, for other programs and for papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.compare import Comparison, Correlated, LabelAgreement, Variation
from rejudge.english import count
from rejudge.report.comparison.evidence import evidence_sheets
from rejudge.report.comparison.naming import (
    criterion_name,
    ends,
    joined,
    known,
    run_name,
    system_name,
)
from rejudge.report.comparison.scored import Scored, scored
from rejudge.report.sheet import Cell, Column, Sheet
from rejudge.report.wording import COEFFICIENTS, listed

_PAIR = 2
_WORDS = {
    "pearson": "Pearson’s r",
    "spearman": "Spearman’s ρ",
    "kendall-tau": "Kendall’s τ-b",
    "kendall-w": "Kendall’s W",
    "pairwise-ranks": "pairwise ranks",
    "significance": "significant differences",
}


def comparison_sheets(comparison: Comparison) -> tuple[Sheet, ...]:
    """All tables of a comparison that have a row."""
    found = (
        *_scores(comparison),
        _spread(comparison),
        _correlations(comparison),
        _wins(comparison),
        _agreement(comparison),
        _confirmed(comparison),
        _claims(comparison),
        *evidence_sheets(comparison),
        _printed(comparison),
        _conditions(comparison),
        _similarities(comparison),
        _deviations(comparison),
    )
    return tuple(sheet for sheet in found if sheet.rows)


def _scores(comparison: Comparison) -> Iterator[Sheet]:
    """One table per criterion, as papers print it: each run's score, and how far they spread."""
    for each in scored(comparison):
        groups = _groups(comparison, each)
        runs = tuple(Column(run_name(comparison, run), 2) for run in each.runs)
        further = tuple(
            Column(f"{what} {run_name(comparison, run)}", 2)
            for what, names in (("SD", _with_sd(each)), ("Δ", each.runs[1:]))
            for run in names
        )
        if len(groups) == 1:
            spreads = (*(Column(name, 2) for name in ("CV*", "least", "greatest")), Column("n", 0))
            rest = (
                " Least and greatest: what CV* may be, given how the scores were rounded; n: the "
                "number of runs it is computed over."
            )
        else:
            spreads = tuple(Column(f"CV* {joined(group)}", 2) for group in groups)
            rest = ""
        yield Sheet(
            f"scores-{each.criterion}",
            f"Scores on {each.name} in {count(len(each.runs), 'run')}, on the scale of the "
            f"original, and how far they spread (CV*, in percent; type I){_whose(each, groups)}."
            f"{rest} SD: of the judgments; Δ: minus the score of {each.runs[0]}.",
            (Column("system"), *runs, *further, *spreads),
            tuple(_score_row(comparison, each, system, groups) for system in each.systems),
        )


def _with_sd(each: Scored) -> tuple[str, ...]:
    """The runs that tell the SD of a score."""
    return tuple(run for run in each.runs if any(run == where for _, where in each.sds))


def _further(each: Scored, system: str) -> tuple[Cell, ...]:
    """The SD of each run, and how far each lies from the first."""
    start = each.values.get((system, each.runs[0]))
    values = [each.values.get((system, run)) for run in each.runs[1:]]
    return (
        *(each.sds.get((system, run)) for run in _with_sd(each)),
        *(None if start is None or value is None else value - start for value in values),
    )


def _groups(comparison: Comparison, each: Scored) -> tuple[tuple[str, ...], ...]:
    """Whose scores CV* sets against each other: all studies together, or pairs of runs."""
    together = tuple(run for run in comparison.together if run in each.runs)
    if len(together) > _PAIR:
        return (together,)
    pairs = dict.fromkeys(
        one.runs for one in comparison.variations if one.criterion == each.criterion
    )
    return tuple(pairs) or (each.runs,)


def _whose(each: Scored, groups: tuple[tuple[str, ...], ...]) -> str:
    """Which runs CV* is of, where that is not all of them."""
    if len(groups) > 1:
        return ", of each pair of runs: analyses of the same judgments are no pair"
    if groups[0] != each.runs:
        return f" of {listed(groups[0])}"
    return ""


def _score_row(
    comparison: Comparison, each: Scored, system: str, groups: tuple[tuple[str, ...], ...]
) -> tuple[Cell, ...]:
    values = (*(each.values.get((system, run)) for run in each.runs), *_further(each, system))
    spreads = [comparison.spread(each.criterion, system, group) for group in groups]
    name = system_name(comparison, system)
    if len(groups) > 1:
        return (name, *values, *(None if one is None else one.value for one in spreads))
    (one,) = spreads
    if one is None:
        return (name, *values, None, None, None, None)
    return (name, *values, one.value, *ends(one.from_rounding, one.value), one.n)


def _spread(comparison: Comparison) -> Sheet:
    variants = tuple(  # sorted, for a comparison that was read from its file has lost their order
        sorted({name for each in comparison.variations for name in each.variants})
    )
    columns = (
        *map(Column, ("criterion", "system", "runs")),
        Column("CV*", 2),
        Column("least", 2),
        Column("greatest", 2),
        Column("n", 0),
        Column("covers"),
        Column("shift", 2),
        Column("unbiased SD", 3),
        Column("SD low", 3),
        Column("SD high", 3),
        *(Column(name, 2) for name in variants),
        Column("note"),
    )
    return Sheet(
        "type-1-variation",
        "Type I: CV* of all runs together and of every pair, by system, criterion and study; "
        "n is the number of runs, for a mean that of systems or criteria, and covers says of how "
        "many. A criterion or system that not all runs have is computed over those that have it. "
        "The last columns are other published definitions.",
        columns,
        tuple(_spread_row(comparison, each, variants) for each in comparison.variations),
    )


def _spread_row(
    comparison: Comparison, each: Variation, variants: Sequence[str]
) -> tuple[Cell, ...]:
    is_mean = each.system is None
    return (
        criterion_name(comparison, each.criterion),
        "mean" if is_mean else system_name(comparison, each.system or ""),
        joined(each.runs),
        each.value,
        *ends(each.from_rounding),
        each.n,
        each.covers,
        each.shift,
        each.sd,
        *ends(each.exact_sd_interval),
        *(each.variants.get(name) for name in variants),
        "" if is_mean and each.value is not None else each.note,  # the table shows what it tells
    )


def _correlations(comparison: Comparison) -> Sheet:
    return Sheet(
        "type-2-correlation",
        "Type II: how far runs order and space the systems alike; n is the number of scores, for "
        "a mean that of criteria or of pairs of runs. With few systems p says little.",
        (
            *map(Column, ("criterion", "runs", "measure")),
            Column("value", 3),
            Column("n", 0),
            Column("p", 4),
            Column("low", 3),
            Column("high", 3),
            *map(Column, ("method", "note")),
        ),
        tuple(
            (
                _correlated_on(comparison, each),
                joined(each.runs),
                _WORDS[each.measure],
                each.value,
                each.n,
                each.p,
                *ends(each.interval),
                each.method,
                each.note,
            )
            for each in comparison.correlations
        ),
    )


def _correlated_on(comparison: Comparison, each: Correlated) -> str:
    if each.is_mean:
        return "mean of criteria"
    name = criterion_name(comparison, each.criterion)
    return f"{name}, mean of pairs" if each.is_over_pairs else name


def _wins(comparison: Comparison) -> Sheet:
    return Sheet(
        "wins",
        "How often the first of two systems was preferred to the second, in percent of n "
        "comparisons; ties count half.",
        (
            *map(Column, ("run", "criterion", "first", "second")),
            Column("percent", 1),
            Column("n", 0),
        ),
        tuple(
            (
                each.run,
                criterion_name(comparison, each.criterion),
                system_name(comparison, each.first),
                system_name(comparison, each.second),
                each.percent,
                each.n,
            )
            for each in comparison.rates
        ),
    )


def _agreement(comparison: Comparison) -> Sheet:
    return Sheet(
        "type-3-labels",
        "Type III: agreement of labels between runs on the same items, and inside each run; "
        "n is the number of units.",
        (
            *map(Column, ("criterion", "runs", "where", "coefficient")),
            Column("value", 3),
            Column("n", 0),
            Column("low", 3),
            Column("high", 3),
            *map(Column, ("method", "note")),
        ),
        tuple(
            (
                criterion_name(comparison, each.criterion),
                joined(each.runs),
                _where(each),
                _coefficient(each),
                each.value,
                each.n,
                *ends(each.interval),
                each.method,
                each.note,
            )
            for each in comparison.agreement
        ),
    )


def _where(each: LabelAgreement) -> str:
    where = "between" if each.is_between else "inside"
    return f"{where}, from the printed table" if each.is_from_table else where


def _coefficient(each: LabelAgreement) -> str:
    """A table is of one pair, so its kappa is no mean over pairs."""
    if each.is_from_table and each.coefficient == "cohen-kappa":
        return "Cohen’s kappa"
    return COEFFICIENTS.get(each.coefficient, each.coefficient)


def _confirmed(comparison: Comparison) -> Sheet:
    return Sheet(
        "type-4-findings",
        "Type IV: findings of the original that a run confirms, among those that could be "
        "assessed; families of findings are never mixed. Contradicted: a test supports the "
        "opposite.",
        (
            *map(Column, ("run", "family", "criterion")),
            Column("confirmed", 0),
            Column("assessable", 0),
            Column("share", 2),
            Column("contradicted", 0),
            Column("left out", 0),
            *map(Column, ("not confirmed", "note")),
        ),
        tuple(
            (
                "all runs" if each.run == "all" else each.run,
                _WORDS.get(each.family, each.family),
                criterion_name(comparison, each.criterion),
                each.confirmed,
                each.assessable,
                each.share,
                each.contradicted,
                each.left_out,
                "; ".join(each.details),
                each.note,
            )
            for each in comparison.confirmed
        ),
    )


def _claims(comparison: Comparison) -> Sheet:
    return Sheet(
        "claims",
        "Claims of the original, what each run says of them, and the numbers that decide.",
        tuple(map(Column, ("claim", "run", "verdict", "because"))),
        tuple(
            (each.words or each.says, each.run, each.verdict.replace("-", " "), each.because)
            for each in comparison.claims
        ),
    )


def _printed(comparison: Comparison) -> Sheet:
    return Sheet(
        "printed-figures",
        "Reproducibility figures that the papers print, beside what their scores give.",
        (
            *map(Column, ("run", "measure", "criterion", "system", "printed")),
            Column("computed", 3),
            *map(Column, ("reproduced", "because", "place")),
        ),
        tuple(
            (
                each.run,
                each.measure,
                criterion_name(comparison, each.criterion),
                "" if each.system is None else system_name(comparison, each.system),
                each.printed,
                each.computed,
                each.is_reproduced,
                each.because,
                each.place,
            )
            for each in comparison.printed
        ),
    )


def _conditions(comparison: Comparison) -> Sheet:
    runs = [run.id for run in comparison.runs]
    return Sheet(
        "conditions",
        "Conditions of measurement of every run; a dash is not known, which is not equal.",
        (Column("condition"), Column("group"), *map(Column, runs)),
        tuple(
            (each.title, each.group, *(known(each.values.get(run)) for run in runs))
            for each in comparison.conditions
        ),
    )


def _similarities(comparison: Comparison) -> Sheet:
    return Sheet(
        "similarity",
        "How far two runs were made alike: equal conditions among those known in both.",
        (
            *map(Column, ("first", "second")),
            Column("equal", 0),
            Column("known in both", 0),
            Column("share", 2),
        ),
        tuple(
            (each.first, each.second, each.equal, each.known_in_both, each.share)
            for each in comparison.similarities
        ),
    )


def _deviations(comparison: Comparison) -> Sheet:
    return Sheet(
        "deviations",
        "What was done differently from the original, with the reason and the impact that the "
        "reproducers expect.",
        tuple(map(Column, ("run", "condition", "original", "here", "reason", "impact", "note"))),
        tuple(
            (
                each.run,
                each.title,
                known(each.original),
                known(each.here),
                each.reason,
                each.impact,
                each.note,
            )
            for each in comparison.deviations
        ),
    )
