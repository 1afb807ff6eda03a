"""Findings as tables: systems, pairs of systems, tests of all systems, agreement, choices, models.

`finding_table` makes them all from named columns, so a new number of a finding is one entry in
`_columns` and its name in the tables that show it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from rejudge.analysis.cases import method_of, outcome
from rejudge.analysis.formula import Model
from rejudge.analysis.results import VERDICT_WORDS, Case, ClaimOutcome, Results
from rejudge.english import count, versus
from rejudge.findings.model import WITHOUT_EXCLUSIONS, Finding
from rejudge.findings.words import POPULATIONS
from rejudge.layout.numbers import df_text, minus_signs
from rejudge.layout.table import (
    Cell,
    Column,
    Table,
    csv_only,
    file_name,
    interval_column,
    p_column,
    print_only,
    tabulate,
)
from rejudge.tables.wording import (
    claim_in_words,
    final_p,
    name_of_coefficient,
    name_of_test,
    names_of,
    pair_limit,
    statistic_text,
    verdict,
)

Labels: TypeAlias = Mapping[str, str]
FindingColumn: TypeAlias = tuple[Column, Callable[[Finding], Cell]]

_PAIR = 2
_MOST_METHODS = 6  # in one caption
_DIFFERENT_ITEMS = (
    "The systems were judged on different items or by different people, so their means do not show "
    "which is better."
)
_SPREAD = ("sd", "median", "lower", "upper", "normalised", "z")
DECISION = ("statistic", "statistic value", "df", "p", "p corrected", "supported")


def finding_table(
    name: str,
    caption: str,
    found: Sequence[Finding],
    columns: Sequence[str],
    *,
    labels: Labels,
    digits: int = 2,
    headings: Mapping[str, str] | None = None,
) -> Table:
    """One row per finding, with these columns; `digits` are those of values and intervals.

    `csv: n` is a column for programs alone, `print: pair` one for papers, pages and screens.
    """
    known = _columns(labels, digits)
    heads = headings or {}
    chosen = []
    for each in columns:
        only, _, key = each.rpartition(": ")
        column, get = known[key]
        column = replace(column, only=only, heading=heads.get(key, column.heading))  # type: ignore[arg-type]  # a Literal
        chosen.append((column, get))
    return tabulate(name, caption, found, *chosen)


def _columns(labels: Labels, digits: int) -> dict[str, FindingColumn]:
    """Every column that a table of findings can have."""

    def name(place: int) -> Callable[[Finding], Cell]:
        return lambda f: names_of(f, labels)[place] if len(f.systems) > place else None

    made: list[FindingColumn] = [
        (Column("question"), lambda f: f.question),
        (Column("group"), lambda f: f.key.group_name or None),
        (Column("label"), lambda f: f.category or None),
        (Column("system"), name(0)),
        (Column("first"), name(0)),
        (Column("second"), name(1)),
        (Column("pair"), lambda f: versus(names_of(f, labels), f.measure) or None),
        (Column("systems"), lambda f: " – ".join(names_of(f, labels)) or "all"),
        (Column("measure"), lambda f: f.measure),
        (Column("test"), _test),
        (Column("coefficient"), lambda f: f.by),
        (Column("value", digits), lambda f: f.value),
        (Column("difference", digits), lambda f: f.value),
        (interval_column(digits), lambda f: f.interval),
        (Column("n", 0, "n"), lambda f: f.n),
        (Column("units", 0), lambda f: f.n),
        (Column("items", 0), lambda f: f.items),
        (Column("participants", 0), lambda f: f.participants),
        *((Column(part, 0), _of_tally(part)) for part in ("wins", "losses", "ties")),
        *((Column(part, 2), _of_spread(part)) for part in _SPREAD),
        (
            interval_column(
                digits,
                "interval for new people",
                "For new participants",
                ("low for new people", "high for new people"),
            ),
            lambda f: f.interval_for_new_people,
        ),
        (Column("difference of differences", 2), lambda f: f.effect.value if f.effect else None),
        (Column("statistic"), lambda f: f.statistic.name if f.statistic else None),
        (Column("statistic value", 2), lambda f: f.statistic.value if f.statistic else None),
        (Column("df"), lambda f: df_text(f.statistic.df) if f.statistic else None),
        (p_column("p"), lambda f: f.p),
        (p_column("p corrected"), lambda f: f.p_adjusted),
        (p_column("p, corrected"), final_p),
        (Column("supported"), lambda f: f.is_supported),
        (Column("outcome"), verdict),
        (Column("effects"), lambda f: "; ".join(_effects(f)) or None),
        (Column("planned"), lambda f: f.is_planned),
        (Column("role"), lambda f: f.role),
        (Column("holds"), lambda f: POPULATIONS[f.population] if f.population else None),
        (Column("note"), lambda f: f.note or None),
    ]
    return {column.name: (column, get) for column, get in made} | {
        "test in words": (Column("test"), name_of_test),
        "coefficient in words": (Column("coefficient"), name_of_coefficient),
        "statistic with df": (Column("statistic"), statistic_text),
        "interval of the effect": (
            interval_column(2),
            lambda f: f.effect.interval if f.effect else None,
        ),
    }


def question_tables(results: Results, question: str, labels: Labels) -> Iterator[Table]:
    """All findings on a question in four tables."""
    found = [finding for finding in results.select() if finding.question == question]
    name = file_name(question)
    alone = [f for f in found if len(f.systems) == 1]
    pairs = [f for f in found if len(f.systems) == _PAIR and f.measure != "agreement"]
    others = [f for f in found if not f.systems and f.measure != "agreement"]
    agreement = [f for f in found if f.measure == "agreement"]
    yield _systems(f"{name}-systems", question, alone, labels)
    limit = pair_limit(results, question, labels)
    yield finding_table(
        f"{name}-pairs",
        f"Pairs of systems on {question}. {_methods(pairs)} {limit}".strip(),
        pairs,
        ("test", "label", "first", "second", "measure", "value", "interval", "n", *DECISION,
         "effects", "planned", "role", "holds"),
        labels=labels,
    ).without_empty("label")  # fmt: skip
    yield finding_table(
        f"{name}-tests",
        f"Tests of all systems on {question}. {_methods(others)}",
        others,
        ("test", "measure", "value", "interval", "n", *DECISION, "effects", "planned", "note"),
        labels=labels,
    )
    yield _agreement(f"{name}-agreement", question, agreement, labels)


def pooled_agreement_tables(results: Results) -> Iterator[Table]:
    """Agreement over several criteria; one table for each scale that criteria share."""
    for place, pooled in enumerate(dict.fromkeys(f.key.pooled for f in results.pooled), start=1):
        name = "pooled-agreement" if place == 1 else f"pooled-agreement-{place}"
        found = [f for f in results.pooled if f.key.pooled == pooled]
        yield _agreement(name, f"{' and '.join(pooled)} together", found, {})


def _systems(name: str, question: str, found: Sequence[Finding], labels: Labels) -> Table:
    warning = "" if all(f.is_comparable for f in found) else f" {_DIFFERENT_ITEMS}"
    optional = ("label", "wins", "losses", "ties", *_SPREAD)
    return finding_table(
        name,
        f"Systems on {question}. {_methods(found)}{warning}",
        found,
        (optional[0], "system", "measure", "value", "interval", "n", *optional[1:]),
        labels=labels,
    ).without_empty(*optional)


def _agreement(name: str, question: str, found: Sequence[Finding], labels: Labels) -> Table:
    return finding_table(
        name,
        f"Agreement on {question}. {_methods(found)}",
        found,
        ("coefficient", "systems", "value", "interval", "interval for new people", "units"),
        labels=labels,
        digits=3,
    )


def _test(finding: Finding) -> str | None:
    if not finding.by or (finding.group and not finding.systems):
        return None
    return finding.by if finding.alternative == "two-sided" else f"{finding.by}, one-sided"


def _of_tally(part: str) -> Callable[[Finding], Cell]:
    return lambda f: getattr(f.tally, part) if f.tally else None


def _of_spread(part: str) -> Callable[[Finding], Cell]:
    return lambda f: getattr(f.spread, part) if f.spread else None


def _effects(finding: Finding) -> Iterator[str]:
    """The size of a difference in units of its own, such as d = 0.51 [0.20, 0.82]."""
    for effect in (finding.effect, *finding.further_effects):
        if effect is not None:
            ends = effect.interval
            spread = f" [{ends.low:.2f}, {ends.high:.2f}]" if ends else ""
            yield f"{effect.name} = {effect.value:.2f}{spread}"


def _methods(found: Sequence[Finding]) -> str:
    """The n, the methods and the level of the intervals, for a caption."""
    if not found:
        return ""
    sizes = sorted({finding.n or 0 for finding in found})
    n = f"n = {sizes[0]:,}" if len(sizes) == 1 else f"n from {sizes[0]:,} to {sizes[-1]:,}"
    methods = list(dict.fromkeys(f"{f.by}: {f.method}" if f.by else f.method for f in found))
    more = f"; and {len(methods) - _MOST_METHODS} more" if len(methods) > _MOST_METHODS else ""
    levels = {f"{100 * f.interval.level:g} %" for f in found if f.interval}
    spread = f" Intervals at {', '.join(sorted(levels))}." if levels else ""
    return f"{n}. {'; '.join(methods[:_MOST_METHODS])}{more}.{spread}"


# claims of the study


def claim_table(claims: Sequence[ClaimOutcome], labels: Labels) -> Table:
    """The claims of a study, the verdict on each, and the numbers that decide."""
    return tabulate(
        "claims",
        "Claims of the study and the verdict on each. A claim is supported, and its opposite "
        "contradicts it, only by a test or an interval; scores in one order or the other are not "
        "enough.",
        claims,
        (csv_only(Column("claim")), "says"),
        (print_only(Column("claim")), lambda each: claim_in_words(each.says, labels)),
        (Column("verdict"), lambda each: VERDICT_WORDS[each.verdict]),
        (csv_only(Column("because")), "because"),
        (print_only(Column("because")), lambda each: minus_signs(each.because)),
    )


# choices of the analysis, side by side


def choice_tables(results: Results, labels: Labels) -> Iterator[Table]:
    """Each number with and without exclusions, and for each way to treat multiple judgments."""
    without = results.select(case=WITHOUT_EXCLUSIONS)
    if without:
        states = {"with": results.select(), "without": without}
        yield _choice_table(
            "exclusions", "With and without exclusions.", states, results=results, labels=labels
        )
    if results.cases:
        cases = "; ".join(_case_in_words(case) for case in results.cases)
        by_case = {case.id: results.select(case=case.id) for case in results.cases}
        method = method_of([case.multiple for case in results.cases])
        caption = f"Outputs that several people judged, combined as {cases}. {method}"
        yield _choice_table("cases", caption, by_case, results=results, labels=labels)


def _choice_table(
    name: Literal["exclusions", "cases"],
    caption: str,
    choices: Mapping[str, Sequence[Finding]],
    *,
    results: Results,
    labels: Labels,
) -> Table:
    """Each number in every state of a choice; a pair's outcome too, and whether it is the same."""
    changed = {each.finding for each in results.depends if each.choice == name}
    by_key = {choice: {f.key.in_case(""): f for f in found} for choice, found in choices.items()}
    keys = dict.fromkeys(key for found in by_key.values() for key in found if key.systems)
    rows = []
    for each in keys:
        states = [by_key[choice].get(each) for choice in choices]
        known = next(f for f in states if f is not None)
        is_pair = len(known.systems) == _PAIR and known.measure != "agreement"
        outcomes = [_better(f, labels) if is_pair else "" for f in states]
        is_tested = is_pair and "undefined" not in outcomes
        rows.append(
            (
                known.question,
                known.by,
                _named(known, labels),
                *(
                    cell
                    for f, out in zip(states, outcomes, strict=True)
                    for cell in (f.value if f else None, out)
                ),
                each.id not in changed if is_tested else None,
            )
        )
    columns = (
        *(Column(word) for word in ("question", "by", "systems")),
        *(c for choice in choices for c in (Column(choice, 2), Column(f"{choice}: better"))),
        Column("same outcome"),
    )
    return Table(name, caption, columns, tuple(rows))


def _named(finding: Finding, labels: Labels) -> str:
    """The systems of a finding, after the label that it is about, if it is about one."""
    label = f"{finding.category}: " if finding.category else ""
    return f"{label}{versus(names_of(finding, labels), finding.measure)}"


def _better(finding: Finding | None, labels: Labels) -> str:
    result = outcome(finding) if finding else "undefined"
    if finding is None or result in {"open", "undefined"}:
        return result
    name = names_of(finding, labels)[0 if result == "first" else 1]
    return f"{name} more often" if finding.category else name


def _case_in_words(case: Case) -> str:
    return f"{case.id}: {case.multiple} ({count(case.rows, 'judgment')})"


# models that were asked for by a formula


def model_tables(results: Results) -> Iterator[Table]:
    """The fixed effects of each model, and the differences between the levels of its factors."""
    estimates = (
        (Column("estimate", 2), "value"),
        (Column("standard error", 2), "standard_error"),
        (Column("df", 1), "df"),
        (Column("t", 2), "t"),
        (p_column("p"), "p"),
    )
    for place, model in enumerate(results.models, start=1):
        yield tabulate(
            f"model-{place}",
            _model_caption(model),
            model.terms,
            (Column("term"), "term"),
            (Column("level"), "level"),
            *estimates,
            (interval_column(), "interval"),
        )
        yield tabulate(
            f"model-{place}-contrasts",
            f"{model.formula}: differences between the levels of each factor, the first minus the "
            f"second, all else equal; {model.n:,} judgments. t with Satterthwaite's degrees of "
            "freedom; p of each alone, and corrected for all pairs of the factor by Tukey and by "
            "Holm; the interval is Tukey's.",
            model.contrasts,
            (Column("term"), "term"),
            (Column("first"), "first"),
            (Column("second"), "second"),
            *estimates,
            (p_column("p Tukey"), "p_tukey"),
            (p_column("p Holm"), "p_holm"),
            (interval_column(), "interval"),
        )


def _model_caption(model: Model) -> str:
    variances = ", ".join(
        f"{part.group} {part.variance:.3g}" for part in model.variances if part.variance is not None
    )
    caption = f"{model.formula}; {model.n:,} judgments; variances: {variances}. {model.method}."
    return f"{caption} {model.note}".strip()
