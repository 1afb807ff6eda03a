"""Everything a comparison found as plain tables, for other programs and for papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rejudge.compare import Comparison, Known, Variation
from rejudge.report.sheet import Cell, Column, Sheet
from rejudge.report.wording import COEFFICIENTS
from rejudge.stats import Interval

_WORDS = {
    "pearson": "Pearson’s r",
    "spearman": "Spearman’s ρ",
    "kendall-tau": "Kendall’s τ-b",
    "kendall-w": "Kendall’s W",
    "pairwise-ranks": "pairwise ranks",
    "significance": "significant differences",
}
ALL_CRITERIA = "all criteria"


def comparison_sheets(comparison: Comparison) -> tuple[Sheet, ...]:
    """All tables of a comparison that have a row."""
    found = (
        *_scores(comparison),
        _spread(comparison),
        _correlations(comparison),
        _agreement(comparison),
        _confirmed(comparison),
        _claims(comparison),
        _matching(comparison),
        _effects(comparison),
        _equivalence(comparison),
        _readings(comparison),
        _pooled(comparison),
        _stability(comparison),
        _printed(comparison),
        _conditions(comparison),
        _similarities(comparison),
        _deviations(comparison),
    )
    return tuple(sheet for sheet in found if sheet.rows)


def _scores(comparison: Comparison) -> Iterator[Sheet]:
    """One table per criterion, as papers print it: each run's score, and CV* of all of them."""
    runs = [run.id for run in comparison.runs]
    for criterion, name in comparison.criteria.items():
        found = [each for each in comparison.variations if each.criterion == criterion]
        widest = max((len(each.runs) for each in found), default=0)
        whole = [each for each in found if len(each.runs) == widest and each.system is not None]
        shown = [run for run in runs if any(run in each.scores for each in whole)]
        columns = (
            Column("system"),
            *(Column(run_name(comparison, run), 2) for run in shown),
            Column("CV*", 2),
            Column("least", 2),
            Column("greatest", 2),
        )
        yield Sheet(
            f"scores-{criterion}",
            f"Scores on {name or criterion} in {len(shown)} runs, on the scale of the original, "
            "and how far they spread (CV*, in percent; type I). Least and greatest: what CV* may "
            "be, given how the scores were rounded.",
            columns,
            tuple(
                (
                    system_name(comparison, each.system or ""),
                    *(each.scores.get(run) for run in shown),
                    each.value,
                    *_ends(each.from_rounding, each.value),
                )
                for each in whole
            ),
        )


def _spread(comparison: Comparison) -> Sheet:
    variants = tuple(
        dict.fromkeys(name for each in comparison.variations for name in each.variants)
    )
    columns = (
        *map(Column, ("criterion", "system", "runs")),
        Column("CV*", 2),
        Column("least", 2),
        Column("greatest", 2),
        Column("n", 0),
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
        "n is the number of runs, for a mean that of systems or criteria. The last columns are "
        "other published definitions.",
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
        *_ends(each.from_rounding),
        each.n,
        each.shift,
        each.sd,
        *_ends(each.exact_sd_interval),
        *(each.variants.get(name) for name in variants),
        "" if is_mean and each.value is not None else each.note,  # the table shows what it tells
    )


def _correlations(comparison: Comparison) -> Sheet:
    return Sheet(
        "type-2-correlation",
        "Type II: how far runs order and space the systems alike; n is the number of scores. "
        "With few systems p says little.",
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
                criterion_name(comparison, each.criterion),
                joined(each.runs),
                _WORDS[each.measure],
                each.value,
                each.n,
                each.p,
                *_ends(each.interval),
                each.method,
                each.note,
            )
            for each in comparison.correlations
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
                "between" if each.is_between else "inside",
                COEFFICIENTS.get(each.coefficient, each.coefficient),
                each.value,
                each.n,
                *_ends(each.interval),
                each.method,
                each.note,
            )
            for each in comparison.agreement
        ),
    )


def _confirmed(comparison: Comparison) -> Sheet:
    return Sheet(
        "type-4-findings",
        "Type IV: findings of the original that a run confirms, among those that could be "
        "assessed; families of findings are never mixed.",
        (
            *map(Column, ("run", "family", "criterion")),
            Column("confirmed", 0),
            Column("assessable", 0),
            Column("share", 2),
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


def _matching(comparison: Comparison) -> Sheet:
    return Sheet(
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


def _effects(comparison: Comparison) -> Sheet:
    return Sheet(
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
                *_ends(each.intervals[0]),
                each.values[1],
                *_ends(each.intervals[1]),
                each.do_overlap,
                each.difference,
                *_ends(each.difference_interval),
                each.note,
            )
            for each in comparison.effects
        ),
    )


def _equivalence(comparison: Comparison) -> Sheet:
    return Sheet(
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
                *_ends(each.interval),
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


def _readings(comparison: Comparison) -> Sheet:
    return Sheet(
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


def _pooled(comparison: Comparison) -> Sheet:
    return Sheet(
        "pooled",
        "Differences of two systems over several runs, first minus second, with the interval of "
        "the mean over labs and the interval within which a further lab’s would lie.",
        (
            *map(Column, ("criterion", "first", "second", "by", "measure")),
            Column("value", 2),
            Column("low", 2),
            Column("high", 2),
            Column("further lab low", 2),
            Column("further lab high", 2),
            Column("p", 4),
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
                *_ends(each.interval),
                *_ends(each.prediction),
                each.p,
                each.heterogeneity,
                each.n,
                joined(each.runs),
                each.method,
                each.note,
            )
            for each in comparison.pooled
        ),
    )


def _stability(comparison: Comparison) -> Sheet:
    return Sheet(
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
        "What was done otherwise than in the original, with the reason and the impact that the "
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


def run_name(comparison: Comparison, run: str) -> str:
    """A run as it is shown at the head of a column."""
    return next((card.name for card in comparison.runs if card.id == run), run)


def system_name(comparison: Comparison, system: str) -> str:
    """A system as the original calls it."""
    return comparison.systems.get(system) or system


def criterion_name(comparison: Comparison, criterion: str | None) -> str:
    """A criterion as the original calls it."""
    return ALL_CRITERIA if criterion is None else comparison.criteria.get(criterion) or criterion


def joined(runs: Sequence[str]) -> str:
    """Runs that belong together."""
    return " – ".join(runs)


def known(value: Known) -> str | None:
    """A condition's value in words; None where it is not known."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, float):
        return f"{value:g}"
    return None if value is None else str(value)


def _ends(interval: Interval | None, otherwise: float | None = None) -> tuple[Cell, Cell]:
    return (otherwise, otherwise) if interval is None else (interval.low, interval.high)
