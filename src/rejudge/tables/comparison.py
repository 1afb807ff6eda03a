"""A comparison of runs as tables: everything that it found, each table in a section of the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

from rejudge.analysis.results import VERDICT_WORDS
from rejudge.compare.comparison import (
    EVERY,
    IN_TABLE,
    OF_CRITERIA,
    OF_PAIRS,
    SHARE,
    TOGETHER,
    CaseOfRun,
    ClaimVerdict,
    Comparison,
    Known,
    PrintedCheck,
)
from rejudge.compare.effects import DIFFERENCE, EQUIVALENCE
from rejudge.compare.precision import BY_ROUNDING, VARIANTS
from rejudge.compare.run import RunCriterion
from rejudge.english import count, join_words, versus
from rejudge.findings.model import Finding, Measure
from rejudge.layout.numbers import MINUS, minus_signs
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
from rejudge.tables.wording import COEFFICIENTS, claim_in_words

Getter: TypeAlias = str | Callable[[Any], Cell]  # of records of many kinds
Names: TypeAlias = Mapping[str, str]  # of runs, by id; "": as they are
ROUNDING = interval_column(2, BY_ROUNDING, ends=("least", "greatest"))
SYMBOLS: Mapping[Measure, str] = {
    "pearson": "r",
    "spearman": "ρ",
    "kendall-tau": "τ",
    "kendall-w": "W",
}
FAMILY_NAMES = {"pairwise-ranks": "pairwise ranks", "significance": "significant differences"}
FIGURES: Mapping[str, str] = {
    "cv-star": "CV*",
    "pearson": "r",
    "spearman": "ρ",
    "kendall-tau": "τ",
    "kendall-w": "W",
    "matching-accuracy": "matching accuracy",
    "significance-f1": "F1 of significance",
    **FAMILY_NAMES,
}
_EFFECT_MEASURES = {"g": "Hedges’ g", "score-difference": "difference of scores"}
_MOST_COLUMNS = 8  # that fit a page of a paper
_SEVERAL = 2
_PAIR = 2
_LONGEST = 8  # characters of a printed figure
_LONG = 1e7  # from here on powers of ten are shorter


# names


def run_name(comparison: Comparison, run: str) -> str:
    """A run as it is called at the head of a column."""
    return next((card.name for card in comparison.runs if card.id == run), run)


def system_name(comparison: Comparison, system: str) -> str:
    """A system as the original calls it."""
    return comparison.systems.get(system) or system


def criterion_name(comparison: Comparison, finding: Finding) -> str:
    """The criterion of a finding as the original calls it."""
    criterion = comparison.criterion_of(finding)
    if criterion is not None:
        return criterion.name
    return "mean of criteria" if finding.key.method == OF_CRITERIA else "all criteria"


def case_in_words(comparison: Comparison, runs: Sequence[str], case: str, names: Names) -> str:
    """Runs with the case they are in, such as `A – B` or `lin-2022 – ito-2023:case-1`."""
    several = [run.id for run in comparison.runs if len(run.cases) > 1]
    cases = iter(case.split("+") if sum(run in several for run in runs) > 1 else [case])
    told = []
    for run in runs:
        own = next(cases, "") if run in several else ""
        told.append(f"{names.get(run, run)}:{own}" if own else names.get(run, run))
    return join_runs(told)


def join_runs(names: Sequence[str]) -> str:
    """Runs that belong together, such as A–B."""
    return ("–" if all(len(name) <= _PAIR for name in names) else " – ").join(names)


def value_in_words(value: Known) -> str | None:
    """The value of a condition; None if it is not known."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(value)
    if isinstance(value, float):
        return f"{value:g}"
    return None if value is None else str(value)


# scores side by side


@dataclass(frozen=True, slots=True)
class ScoresOfRuns:
    """Scores on one criterion, of the systems that two runs or more have scored."""

    criterion: RunCriterion
    runs: tuple[CaseOfRun, ...]  # the original first
    systems: tuple[str, ...]  # the original's highest first
    scores: Mapping[tuple[str, str], Finding]  # by system and run; not there: no score

    def value(self, system: str, run: CaseOfRun) -> float | None:
        """The score of a system in a run."""
        score = self.scores.get((system, run.id))
        return None if score is None else score.value

    def sd(self, system: str, run: CaseOfRun) -> float | None:
        """The SD of the judgments behind it."""
        score = self.scores.get((system, run.id))
        return None if score is None or score.spread is None else score.spread.sd

    @property
    def values(self) -> list[float]:
        """All scores."""
        return [each.value for each in self.scores.values() if each.value is not None]

    @property
    def begin(self) -> float:
        """Where bars begin: 0, or the lower end of a scale that begins above it."""
        return max(0.0, self.criterion.low or 0.0)

    @property
    def digits(self) -> int:
        """Decimals that fit the size of these numbers."""
        return digits_for(max(map(abs, self.values)))

    def text(self, system: str, run: CaseOfRun) -> str:
        """A score with no more decimals than it was printed with."""
        score = self.scores[system, run.id]
        digits = self.digits
        if score.half_unit > 0:  # 0.005 is two decimals; a stretched scale may leave less than one
            digits = min(digits, max(0, math.floor(0.5 - math.log10(2 * score.half_unit))))
        return score_text(score.value or 0.0, digits)


def scores_of_runs(comparison: Comparison) -> Iterator[ScoresOfRuns]:
    """The criteria that two runs or more have scores on."""
    runs = {comparison.address([run]): run for run in comparison.in_cases}
    for criterion in comparison.criteria:
        found = {
            (each.systems[0], runs[each.key.runs, each.key.case].id): each
            for each in comparison.select("mean", "best-worst-score", criterion=criterion)
        }
        names = [system for system, _ in found]
        kept = {key: each for key, each in found.items() if names.count(key[0]) >= _SEVERAL}
        if kept:
            yield ScoresOfRuns(
                criterion,
                tuple(run for run in runs.values() if any(run.id == at for _, at in kept)),
                tuple(sorted(dict.fromkeys(s for s, _ in kept), key=lambda s: _place(kept, s))),
                kept,
            )


def _place(scores: Mapping[tuple[str, str], Finding], system: str) -> tuple[bool, float]:
    """By the original's scores; what it did not score comes last, by the first run that did."""
    first = next(iter(scores))[1]
    found = [each.value or 0.0 for (name, _), each in scores.items() if name == system]
    return (system, first) not in scores, -found[0]


def digits_for(largest: float) -> int:
    """Two decimals, fewer for numbers of hundreds, more for those below a tenth."""
    size = math.floor(math.log10(largest)) if largest > 0 else 0
    return max(0, min(2, 3 - size)) if size >= -1 else min(8, 1 - size)


def score_text(value: float, digits: int = 2) -> str:
    """A score as it is printed in a figure, with a true minus."""
    text = f"{value:.3g}" if abs(value) >= _LONG else f"{value:,.{digits}f}"
    is_zero = float(text.replace(",", "")) == 0
    return text.lstrip("-") if is_zero else text.replace("-", MINUS)


def groups_of_runs(comparison: Comparison, criterion: RunCriterion | None) -> list[list[CaseOfRun]]:
    """The runs whose CV* is computed together: all studies, if there are three, then each pair."""
    cases = {comparison.address([run]): run for run in comparison.in_cases}
    found = {
        (each.key.runs, each.key.case)
        for each in comparison.select("cv-star", criterion=criterion, method="mean")
        if criterion is not None or not each.key.question
    }
    studies = [run.in_cases()[0] for run in comparison.runs if not run.shares]
    pairs = [
        [one, two]
        for place, one in enumerate(cases.values())
        for two in list(cases.values())[place + 1 :]
    ]
    having = [run for run in studies if any(run.study in runs for runs, _ in found)]
    return [
        each
        for each in ([having] if len(having) > _PAIR else []) + pairs
        if comparison.address(each) in found
    ]


def spread(
    comparison: Comparison,
    criterion: RunCriterion | None,
    system: str | None,
    runs: Sequence[CaseOfRun],
) -> Finding | None:
    """CV* over those of the runs that have a score; None where fewer than two have one."""
    runs_of, case = comparison.address(runs)
    found = [
        each
        for each in comparison.select("cv-star", criterion=criterion)
        if each.key.systems == (() if system is None else (system,))
        and (criterion is not None or not each.key.question)
        and set(each.key.runs) <= set(runs_of)
        and (each.key.case == case or len(runs_of) > _PAIR)
    ]
    return max(found, key=lambda each: len(each.key.runs), default=None)


def covers(comparison: Comparison, mean: Finding) -> str:
    """What a mean CV* covers, such as `2 of 4 criteria; fluency in 3 of 5 runs`."""
    if mean.systems:
        return ""
    criterion = comparison.criterion_of(mean)
    noun = "system" if criterion is not None else "criterion"
    parts = [
        each
        for each in comparison.select("cv-star", criterion=criterion)
        if set(each.key.runs) <= set(mean.key.runs)
        and (each.key.case == mean.key.case or len(mean.key.runs) > _PAIR)
        and (each.systems if criterion else each.key.question and not each.systems)
    ]
    widest: dict[str, int] = {}
    for each in parts:
        name = each.systems[0] if each.systems else criterion_name(comparison, each)
        widest[name] = max(widest.get(name, 0), len(each.key.runs))
    every = len(mean.key.runs)
    fewer = (f"{name} in {n} of {every} runs" for name, n in widest.items() if n < every)
    of = int(_extra(mean, "of") or 0)
    return "; ".join((f"{mean.n or 0:,} of {count(of, noun)}", *fewer))


# all tables


def comparison_tables(comparison: Comparison, names: Names | None = None) -> tuple[Table, ...]:
    """All tables of a comparison that have a row; `names` are short names of runs."""
    from rejudge.tables.comparison_summary import verdict_table

    maker = _Maker(comparison, names or {})
    return tuple(table for table in (verdict_table(comparison), *maker.tables()) if table.rows)


def _extra(finding: Finding, name: str) -> float | None:
    value = finding.extra.get(name)
    return None if isinstance(value, Interval) else value


def _number(name: str) -> Callable[[Finding], Cell]:
    """A further number of a finding."""
    return lambda finding: _extra(finding, name)


def _interval(name: str) -> Callable[[Finding], Cell]:
    def get(finding: Finding) -> Cell:
        value = finding.extra.get(name)
        return value if isinstance(value, Interval) else None

    return get


def _yes(name: str) -> Callable[[Finding], Cell]:
    def get(finding: Finding) -> Cell:
        value = finding.extra.get(name)
        return None if value is None else bool(value)

    return get


@dataclass(frozen=True, slots=True)
class _Maker:
    """The tables of one comparison, with its names."""

    comparison: Comparison
    names: Names

    def tables(self) -> Iterator[Table]:
        """Each section in the order of the page."""
        yield from self.scores()
        yield self.variation()
        yield self.correlations(("pearson", "spearman", "kendall-tau"), "type-2-correlation")
        yield self.correlations(("kendall-w",), "type-2-concordance")
        yield self.wins()
        yield self.agreement()
        yield self.confirmed()
        yield self.claims()
        yield self.matching()
        yield self.effects()
        yield self.effect_differences()
        yield self.equivalence()
        yield self.success()
        yield self.pooled()
        yield self.stability()
        yield self.printed()
        yield from self.conditions()

    # columns

    def table(
        self,
        section: str,
        name: str,
        caption: str,
        records: Iterable[Any],
        *columns: tuple[Column, Getter],
        notes: Sequence[str] = (),
    ) -> Table:
        """One row per record; what their notes say is below it, and in its CSV file."""
        found = list(records)
        has_notes = any(getattr(each, "note", "") for each in found)
        if has_notes:
            columns = (*columns, (csv_only(Column("note")), "note"))
        told = dict.fromkeys(each.note for each in found if has_notes and each.note)
        table = tabulate(name, caption, found, *columns, notes=(*notes, *told))
        return replace(table, section=section)

    def criterion(self) -> tuple[Column, Getter]:
        return Column("criterion"), lambda each: criterion_name(self.comparison, each)

    def system(self, place: int, name: str) -> tuple[Column, Getter]:
        return Column(name), lambda each: system_name(self.comparison, each.systems[place])

    def pair(self) -> Iterator[tuple[Column, Getter]]:
        """The two systems apart for programs, together for people."""
        for place, name in enumerate(("first", "second")):
            column, get = self.system(place, name)
            yield csv_only(column), get
        yield print_only(Column("systems")), self.versus

    def versus(self, each: Finding) -> str:
        return versus([system_name(self.comparison, s) for s in each.systems], each.measure)

    def runs(self, *, is_first_said: bool = True) -> Iterator[tuple[Column, Getter]]:
        """The runs that a number is of, with the case; nothing where there is no choice."""
        yield csv_only(Column("runs")), lambda each: " – ".join(each.key.runs)
        yield csv_only(Column("case")), lambda each: each.key.case or None
        if len(self.comparison.runs) > _PAIR:
            yield print_only(Column("runs")), lambda each: self.in_words(each, is_first_said)
        elif len(self.comparison.in_cases) > _PAIR:
            yield print_only(Column("case")), _case

    def in_words(self, each: Finding, is_first_said: bool = True) -> str:  # noqa: FBT001, FBT002 - of the original
        if each.measure == EVERY:
            return "every run"
        runs = each.key.runs if is_first_said else each.key.runs[1:]
        return case_in_words(self.comparison, runs, each.key.case, self.names)

    def run(self) -> Iterator[tuple[Column, Getter]]:
        """The run of a claim, a printed figure or a number about one run."""

        def of(each: Any) -> str:  # a finding, a claim or a printed figure
            return each.key.runs[-1] if isinstance(each, Finding) else str(each.run)

        def case(each: Any) -> str:
            return each.key.case if isinstance(each, Finding) else str(each.case)

        yield csv_only(Column("run")), of
        yield csv_only(Column("case")), lambda each: case(each) or None
        if len(self.comparison.runs) == _PAIR and len(self.comparison.in_cases) > _PAIR:
            yield print_only(Column("run")), lambda each: case(each) or of(each)
        else:
            yield (
                print_only(Column("run")),
                lambda each: case_in_words(self.comparison, [of(each)], case(each), self.names),
            )

    # type I

    def scores(self) -> Iterator[Table]:
        """One table per criterion, as papers print it: each run's score, and their spread."""
        for each in scores_of_runs(self.comparison):
            groups = groups_of_runs(self.comparison, each.criterion)
            if groups and len(groups[0]) > _PAIR:
                groups = groups[:1]
            with_sd = [
                run for run in each.runs if any(each.sd(s, run) is not None for s in each.systems)
            ]
            further: tuple[tuple[Column, Getter], ...] = (
                *((Column(f"SD {self.name(run)}", 2), _sd(each, run)) for run in with_sd),
                *((Column(f"Δ {self.name(run)}", 2), _apart(each, run)) for run in each.runs[1:]),
            )
            columns: list[tuple[Column, Getter]] = [
                (Column("system"), lambda s: system_name(self.comparison, s)),
                *((Column(self.name(run), 2), _value(each, run)) for run in each.runs),
            ]
            if len(groups) == 1:
                spreads = self.one_spread(each, groups[0])
            else:
                spreads = [
                    (Column(f"CV* {self.join(group)}", 2), self.cv_star(each, group))
                    for group in groups
                ]
            fits = not self.names and len(columns) + len(further) + len(spreads) <= _MOST_COLUMNS
            whose = ""
            if len(groups) == 1 and len(groups[0]) != len(each.runs):
                whose = f" CV* is of {join_words([run.name for run in groups[0]])}."
            yield self.table(
                "scores",
                f"scores-{each.criterion.id}",
                f"Scores on {each.criterion.name} in {count(len(each.runs), 'run')}, and CV*.",
                each.systems,
                *columns,
                *(further if fits else ((csv_only(column), get) for column, get in further)),
                *spreads,
                notes=(
                    (
                        "On the scale of the original. CV*: how far the scores spread, in "
                        "percent; by rounding: what it may be, given how the scores were rounded. "
                        "SD: of the judgments; Δ: minus the score of "
                        f"{self.name(each.runs[0])}.{whose}"
                    ),
                ),
            )

    def name(self, run: CaseOfRun) -> str:
        """A run at the head of a column; on the terminal its case, where that is enough."""
        if not self.names:
            return run.name
        is_clear = run.case and len(self.comparison.runs) == _PAIR
        return run.case if is_clear else f"{self.names[run.study]} {run.case}".strip()

    def join(self, runs: Sequence[CaseOfRun]) -> str:
        """The runs whose CV* it is; on the terminal the second alone, where there are only two."""
        if not self.names:
            return join_runs([run.id for run in runs])
        is_clear = len(self.comparison.runs) == len(runs) == _PAIR
        return self.name(runs[1]) if is_clear else join_runs([self.name(run) for run in runs])

    def cv_star(self, each: ScoresOfRuns, group: Sequence[CaseOfRun]) -> Getter:
        def get(system: str) -> Cell:
            found = spread(self.comparison, each.criterion, system, group)
            return None if found is None else found.value

        return get

    def one_spread(
        self, each: ScoresOfRuns, group: Sequence[CaseOfRun]
    ) -> list[tuple[Column, Getter]]:
        def by_rounding(system: str) -> Cell:
            found = spread(self.comparison, each.criterion, system, group)
            between = None if found is None else found.extra.get(BY_ROUNDING)
            return between if isinstance(between, Interval) else None

        def n(system: str) -> Cell:
            found = spread(self.comparison, each.criterion, system, group)
            return None if found is None else found.n

        return [
            (Column("CV*", 2), self.cv_star(each, group)),
            (ROUNDING, by_rounding),
            (csv_only(Column("n", 0, "n")), n),
        ]

    def variation(self) -> Table:
        def system(each: Finding) -> str:
            return system_name(self.comparison, each.systems[0]) if each.systems else "mean"

        return self.table(
            "scores",
            "type-1-variation",
            "CV* (type I) of all runs together and of every pair.",
            self.comparison.select("cv-star"),
            self.criterion(),
            (Column("system"), system),
            *self.runs(),
            (Column("CV*", 2), "value"),
            (ROUNDING, _interval(BY_ROUNDING)),
            (Column("n", 0, "n"), "n"),
            (Column("covers"), lambda each: covers(self.comparison, each) or None),
            *(
                (csv_only(Column(name, digits)), _number(name))
                for name, digits in (("shift", 2), ("unbiased SD", 3))
            ),
            (
                csv_only(
                    interval_column(3, "interval of the SD", ends=("SD low", "SD high")),
                ),
                _interval("interval of the SD"),
            ),
            *((csv_only(Column(name, 2)), _number(name)) for name in sorted(VARIANTS)),
            notes=(
                (
                    "n is the number of runs, or for a mean the number of systems or criteria. A "
                    "criterion or system that not all runs have is computed over those that have "
                    "it."
                ),
            ),
        )

    # type II

    def correlations(self, measures: tuple[Measure, ...], name: str) -> Table:
        """One row for all coefficients of the same scores."""
        rows: dict[tuple[object, ...], dict[Measure, Finding]] = {}
        for each in self.comparison.select(*measures):
            key = each.key
            where = (key.cell, key.runs, key.case, key.method)
            rows.setdefault(where, {})[each.measure] = each
        found = list(rows.values())

        def of(measure: Measure, get: Callable[[Finding], Cell]) -> Getter:
            return lambda row: get(row[measure]) if measure in row else None

        def first(get: Getter) -> Getter:
            return lambda row: get(next(iter(row.values())))  # type: ignore[operator]  # these are functions

        columns: list[tuple[Column, Getter]] = [
            (Column("criterion"), first(self.correlated)),
            *((column, first(get)) for column, get in self.runs()),
            (Column("n", 0, "n"), first(lambda each: each.n)),
        ]
        for measure in measures:
            symbol = SYMBOLS[measure]
            p = p_column(f"p of {symbol}", "p")
            interval = interval_column(
                3, f"interval of {symbol}", ends=(f"{symbol} low", f"{symbol} high")
            )
            columns += [
                (Column(symbol, 3, symbol), of(measure, lambda each: each.value)),
                (csv_only(p) if measure == "kendall-tau" else p, of(measure, lambda each: each.p)),
                (csv_only(interval), of(measure, lambda each: each.interval)),
            ]
        told = dict.fromkeys(note for row in found for each in row.values() if (note := each.note))
        methods = dict.fromkeys(each.method for row in found for each in row.values())
        table = self.table(
            "order",
            name,
            "How similarly runs order and space the systems (type II).",
            found,
            *columns,
            (csv_only(Column("method")), first(lambda each: each.method)),
            (csv_only(Column("note")), first(lambda each: each.note or None)),
            notes=(
                (
                    "n is the number of scores; for a mean, that of criteria or of pairs of runs. "
                    "With few systems, p means little."
                ),
                *methods,
                *told,
            ),
        )
        empty = [column.name for column, _ in columns if column.kind in {"p", "interval"}]
        return table.without_empty(*empty) if table.rows else table

    def correlated(self, each: Finding) -> str:
        name = criterion_name(self.comparison, each)
        if each.key.method == TOGETHER:
            return "all scores together"
        return f"{name}, mean of pairs" if each.key.method == OF_PAIRS else name

    def wins(self) -> Table:
        return self.table(
            "order",
            "wins",
            "How often the first of two systems was preferred to the second, in percent.",
            self.comparison.select("win-percent"),
            *self.run(),
            self.criterion(),
            *self.pair(),
            (Column("percent", 1), "value"),
            (Column("n", 0, "n"), "n"),
            notes=("n is the number of comparisons; ties count half.",),
        )

    # type III

    def agreement(self) -> Table:
        def where(each: Finding) -> str:
            place = "between" if len(each.key.runs) > 1 else "inside"
            return f"{place}, from the printed table" if is_from_table(each) else place

        return self.table(
            "labels",
            "type-3-labels",
            "Agreement of labels (type III) between runs on the same items, and inside each run.",
            self.comparison.select("agreement"),
            self.criterion(),
            (csv_only(Column("runs")), lambda each: " – ".join(each.key.runs)),
            (csv_only(Column("case")), lambda each: each.key.case or None),
            (print_only(Column("runs")), self.in_words),
            (Column("where"), where),
            (Column("coefficient"), coefficient_name),
            (Column("value", 3), "value"),
            (Column("n", 0, "n"), "n"),
            (interval_column(3), "interval"),
            (csv_only(Column("method")), "method"),
            notes=(
                "n is the number of units.",
                *dict.fromkeys(each.method for each in self.comparison.select("agreement")),
            ),
        )

    # type IV

    def confirmed(self) -> Table:
        def missed(each: Finding) -> str:
            return "; ".join(
                check_in_words(self.comparison, one) for one in unconfirmed(self.comparison, each)
            )

        shares = self.comparison.select(SHARE, EVERY)
        return self.table(
            "findings",
            "type-4-findings",
            "Findings of the original that a run confirms (type IV).",
            shares,
            *self.runs(is_first_said=False),
            (Column("family"), lambda each: FAMILY_NAMES.get(each.by, each.by)),
            self.criterion(),
            (Column("confirmed", 0), _number("confirmed")),
            (Column("assessable", 0), "n"),
            (csv_only(Column("share", 2)), "value"),
            (Column("contradicted", 0), _number("contradicted")),
            (csv_only(Column("left out", 0)), _number("left out")),
            (Column("not confirmed"), missed),
            notes=(
                "Families of findings are never mixed. Contradicted: a test supports the opposite.",
            ),
        )

    def claims(self) -> Table:
        names = {system: system_name(self.comparison, system) for system in self.comparison.systems}

        def words(each: ClaimVerdict) -> str:
            return each.words or claim_in_words(each.says, names)

        return self.table(
            "findings",
            "claims",
            "Claims of the original, and the verdict on each in every run.",
            self.comparison.claims,
            (csv_only(Column("claim")), lambda each: each.words or each.says),
            (print_only(Column("claim")), words),
            *self.run(),
            (Column("verdict"), lambda each: VERDICT_WORDS[each.verdict]),
            (csv_only(Column("because")), "because"),
            (print_only(Column("because")), lambda each: minus_signs(each.because)),
        )

    def matching(self) -> Table:
        """How each run and case relates to the original as a whole: r, ρ, A and F1."""

        def whole(measure: Measure) -> Callable[[Finding], Finding | None]:
            def get(each: Finding) -> Finding | None:
                found = [
                    one
                    for one in self.comparison.select(measure)
                    if (one.key.runs, one.key.case) == (each.key.runs, each.key.case)
                    and one.key.method != OF_CRITERIA
                ]
                together = [one for one in found if not one.key.question]
                return next(iter(together or (found if len(found) == 1 else ())), None)

            return get

        def value(measure: Measure) -> Getter:
            def get(each: Finding) -> Cell:
                found = whole(measure)(each)
                return None if found is None else found.value

            return get

        def f1(name: str) -> Getter:
            def get(each: Finding) -> Cell:
                found = whole("significance-f1")(each)
                return None if found is None else _extra(found, name)

            return get

        return self.table(
            "findings",
            "matching",
            "All scores, trends and significant differences beside those of the original.",
            self.comparison.select("matching-accuracy"),
            *self.run(),
            (Column("r", 3, "r"), value("pearson")),
            (Column("ρ", 3, "ρ"), value("spearman")),
            (Column("matched", 0), _number("matched")),
            (Column("pairs", 0), "n"),
            (Column("A", 2), "value"),
            (Column("F1", 2), value("significance-f1")),
            *(
                (csv_only(Column(name, 0)), f1(name))
                for name in ("true positives", "significant here", "significant there")
            ),
            notes=(
                (
                    "r and ρ: of all scores together. A: matching accuracy, the share of pairs of "
                    "systems with the same sign. F1: of significance, with the original as truth "
                    "(Ito et al. 2023)."
                ),
            ),
        )

    # effects

    def effects(self) -> Table:
        return self.table(
            "effects",
            "effects",
            "Differences of two systems as effect sizes in each run, first minus second.",
            sorted(
                self.comparison.select("effect"),
                key=lambda each: (str(each.key.cell), each.systems),
            ),
            self.criterion(),
            *self.pair(),
            *self.run(),
            (Column("effect"), "by"),
            (Column("value", 2), "value"),
            (interval_column(2), "interval"),
        )

    def effect_differences(self) -> Table:
        return self.table(
            "effects",
            "effect-differences",
            "How far two runs differ in an effect: the first run minus the second.",
            self.comparison.select("effect-difference"),
            self.criterion(),
            *self.pair(),
            *self.runs(),
            (Column("effect"), "by"),
            (Column("difference", 2), "value"),
            (interval_column(2), "interval"),
            (Column("overlap"), _yes("overlap")),
            notes=("Overlapping intervals alone do not show that two effects are equal.",),
        )

    def equivalence(self) -> Table:
        usual = {
            (each.key.cell, each.systems, each.key.runs, each.key.case): each
            for each in self.comparison.select("run-difference", method=DIFFERENCE)
        }

        def differ(each: Finding) -> Finding:
            return usual[each.key.cell, each.systems, each.key.runs, each.key.case]

        return self.table(
            "effects",
            "equivalence",
            "Whether a system’s score is the same in two runs: two tests.",
            self.comparison.select("run-difference", method=EQUIVALENCE),
            self.criterion(),
            self.system(0, "system"),
            *self.runs(),
            (Column("difference", 2), "value"),
            (csv_only(interval_column()), "interval"),
            (p_column("p of a difference"), lambda each: differ(each).p),
            (csv_only(Column("d", 2)), lambda each: _effect(differ(each))),
            (Column("bound", 2), _number("bound")),
            (csv_only(Column("bound in SDs", 2)), _number("bound in SDs")),
            (p_column("p"), "p"),
            (Column("equivalent"), "is_supported"),
            (csv_only(Column("bound from")), "method"),
            notes=(
                (
                    "p of a difference: that the two scores are the same. p: that they lie farther "
                    "apart than the bound (two one-sided tests)."
                ),
            ),
        )

    def success(self) -> Table:
        return self.table(
            "effects",
            "readings",
            "Three definitions of success side by side; no single one is the verdict.",
            self.comparison.select("success"),
            *self.run(),
            (Column("by"), lambda each: each.key.method),
            (Column("agreeing", 0), _number("agreeing")),
            (Column("of", 0), "n"),
            (Column("that is"), success_in_words),
        ).without("note")

    def pooled(self) -> Table:
        return self.table(
            "together",
            "pooled",
            "Differences of two systems over several runs by random effects.",
            [each for each in self.comparison.select("pooled-effect") if len(each.key.runs) > 1],
            self.criterion(),
            *self.pair(),
            (csv_only(Column("measure")), lambda each: each.key.method),
            (print_only(Column("measure")), lambda each: _EFFECT_MEASURES[each.key.method]),
            (Column("value", 2), "value"),
            (interval_column(heading="95 % interval"), "interval"),
            (
                interval_column(2, "a further lab", ends=("further lab low", "further lab high")),
                _interval("a further lab"),
            ),
            (csv_only(p_column("p")), "p"),
            (p_column("p adjusted", "p (Holm)"), "p_adjusted"),
            (csv_only(Column("variance between labs", 4)), _number("variance between labs")),
            (Column("n", 0, "n"), "n"),
            (csv_only(Column("runs")), lambda each: " – ".join(each.key.runs)),
            (csv_only(Column("method")), "method"),
            notes=(
                (
                    "First minus second; the interval is of the mean over labs, and a further "
                    "lab’s difference lies in the other one. p is corrected over the pairs of a "
                    "criterion, the intervals are not."
                ),
                *dict.fromkeys(
                    each.method
                    for each in self.comparison.select("pooled-effect")
                    if len(each.key.runs) > 1
                ),
            ),
        )

    def stability(self) -> Table:
        found = self.comparison.select("same-order")

        def pairs(each: Finding) -> str:
            wanted = list(pairwise(each.systems))
            return "; ".join(
                f"{' > '.join(one.systems)} {one.value:.2f}"
                for one in found
                if len(one.systems) == _PAIR
                and one.value is not None
                and (one.key.cell, one.key.runs, one.key.case)
                == (each.key.cell, each.key.runs, each.key.case)
                and (len(wanted) == 1 or one is not each)
            )

        return self.table(
            "order",
            "rank-stability",
            "Probability that a repetition of a run gives the same order of systems.",
            orders(found),
            self.criterion(),
            *self.run(),
            (
                Column("order"),
                lambda each: " > ".join(system_name(self.comparison, s) for s in each.systems),
            ),
            (Column("probability", 2), "value"),
            (csv_only(Column("pair by pair")), pairs),
            (csv_only(Column("method")), "method"),
            notes=(
                (
                    "With a flat prior and normal errors (Killeen 2005). For two equal systems it "
                    "is 0.70 on average, not 0.50."
                ),
                *dict.fromkeys(each.method for each in found),
            ),
        )

    # what the papers print, and how the runs were made

    def printed(self) -> Table:
        names = {each.id: each.name for each in self.comparison.criteria}
        return self.table(
            "printed",
            "printed-figures",
            "Reproducibility figures that the papers print, next to what their scores give.",
            self.comparison.printed,
            *self.run(),
            (csv_only(Column("measure")), "measure"),
            (print_only(Column("measure")), lambda each: figure_name(each.measure)),
            (
                Column("criterion"),
                lambda each: names.get(each.criterion or "", each.criterion or "all criteria"),
            ),
            (
                Column("system"),
                lambda each: (
                    None if each.system is None else system_name(self.comparison, each.system)
                ),
            ),
            (csv_only(Column("printed")), "printed"),
            (print_only(Column("printed")), lambda each: _cut(each.printed)),
            (Column("computed", 3), "computed"),
            (csv_only(Column("reproduced")), "is_reproduced"),
            (print_only(Column("reproduced")), _reproduction),
            (Column("because"), "because"),
            (csv_only(Column("place")), "place"),
        )

    def conditions(self) -> Iterator[Table]:
        comparison = self.comparison

        def value(run: str) -> Getter:
            return lambda each: value_in_words(each.values.get(run))

        yield self.table(
            "conditions",
            "conditions",
            "Conditions of measurement in every run; what is not known is empty.",
            comparison.conditions,
            (Column("condition"), "title"),
            (csv_only(Column("group")), "group"),
            *((Column(run.id), value(run.id)) for run in comparison.runs),
        )
        yield self.table(
            "conditions",
            "similarity",
            "How similarly two runs were carried out: equal conditions among those known in both.",
            comparison.similarities,
            (csv_only(Column("first")), "first"),
            (csv_only(Column("second")), "second"),
            (
                print_only(Column("runs")),
                lambda each: join_runs(
                    [self.names.get(run, run) for run in (each.first, each.second)]
                ),
            ),
            (Column("equal", 0), "equal"),
            (Column("known in both", 0), "known_in_both"),
            (Column("share", 2), "share"),
        )
        deviations = self.table(
            "conditions",
            "deviations",
            "What was done differently from the original, and the impact that is expected.",
            comparison.deviations,
            (csv_only(Column("run")), lambda each: self.names.get(each.run, each.run)),
            (Column("condition"), "title"),
            (Column("original"), lambda each: value_in_words(each.original)),
            (Column("here"), lambda each: value_in_words(each.here)),
            (Column("reason"), "reason"),
            (Column("impact"), "impact"),
            (print_only(Column("note")), "note"),
        )
        runs = tuple(self.names.get(each.run, each.run) for each in comparison.deviations)
        yield replace(deviations, notes=(), blocks=runs)


def _effect(each: Finding) -> float | None:
    return None if each.effect is None else each.effect.value


def _case(each: Finding) -> str:
    if each.measure == EVERY:
        return "every case"
    return each.key.case or "main"


def _value(each: ScoresOfRuns, run: CaseOfRun) -> Getter:
    return lambda system: each.value(system, run)


def _sd(each: ScoresOfRuns, run: CaseOfRun) -> Getter:
    return lambda system: each.sd(system, run)


def _apart(each: ScoresOfRuns, run: CaseOfRun) -> Getter:
    def get(system: str) -> Cell:
        here, there = each.value(system, run), each.value(system, each.runs[0])
        return None if here is None or there is None else here - there

    return get


# of single findings


def is_from_table(each: Finding) -> bool:
    """Whether agreement comes from a printed table of labels."""
    return each.key.method == f"{each.by}-{IN_TABLE}"


def coefficient_name(each: Finding) -> str:
    """What a coefficient of agreement is called; a printed table is of one pair, not a mean."""
    if is_from_table(each) and each.by == "cohen-kappa":
        return "Cohen’s kappa"
    return COEFFICIENTS.get(each.by, each.by)


def figure_name(measure: str) -> str:
    """What a printed figure is called."""
    name, _, p = measure.partition(" ")
    return f"{'p of ' if p else ''}{FIGURES.get(name, name)}"


def unconfirmed(comparison: Comparison, share: Finding) -> list[Finding]:
    """The findings that a share counts as not confirmed; of every run, those of one or more."""
    is_every = share.measure == EVERY
    found = [
        each
        for each in comparison.select("confirmed", method=share.by)
        if each.value == 0
        and (not share.key.question or each.key.cell == share.key.cell)
        and (is_every or (each.key.runs, each.key.case) == (share.key.runs, share.key.case))
    ]
    return list({(each.key.cell, each.systems, each.category): each for each in found}.values())


def check_in_words(comparison: Comparison, each: Finding) -> str:
    """One finding of the original, such as `a > b on fluency`, or the claim itself."""
    if each.category:
        said = {one.claim: one.says for one in comparison.claims}
        return said.get(each.category, each.category)
    sign = " = " if each.extra.get("equal") else " > "
    return f"{sign.join(each.systems)} on {criterion_name(comparison, each)}"


def success_in_words(each: Finding) -> str:
    """How much of a run agrees with the original, by one definition."""
    if not each.n:
        return f"unknown: {each.note[:1].lower()}{each.note[1:]}"
    held, of = int(_extra(each, "agreeing") or 0), each.n
    if each.key.method == "effects":
        return f"intervals of {held} of {count(of, 'difference')} between systems overlap"
    if each.key.method == "means":
        bare = int(_extra(each, "independent") or 0)
        how = "errors allow for shared items and participants"
        if bare:
            which = "" if bare == of else f" of {count(bare, 'score')}"
            how = f"judgments{which} assumed independent"
        return (
            f"{held} of {count(of, 'score')} equivalent within the smallest difference that the "
            f"original could call significant; {_extra(each, 'different') or 0:.0f} significantly "
            f"different ({how})"
        )
    nouns = {
        "significance": count(of, "significant difference"),
        "claims": count(of, "claim"),
        "pairwise-ranks": f"{count(of, 'rank')} of two systems",
    }
    family = next(name for name in nouns if name in each.extra)
    again = "supported again" if family == "significance" else "confirmed"
    against = _extra(each, "contradicted")
    against_text = f", {against:.0f} contradicted" if against else ""
    return f"{held} of {nouns[family]} of the original {again}{against_text}"


def orders(found: Sequence[Finding]) -> list[Finding]:
    """The whole order of each run on each criterion, without its pairs."""
    whole: dict[tuple[object, ...], Finding] = {}
    for each in found:
        whole.setdefault((each.key.cell, each.key.runs, each.key.case), each)
    return list(whole.values())


def _cut(printed: str) -> str:
    """A figure that was copied from a file with all its decimals is cut."""
    cut = printed if len(printed) <= _LONGEST else f"{printed[: _LONGEST - 1]}…"
    return minus_signs(cut)


def _reproduction(each: PrintedCheck) -> Cell:
    return "by rounding" if each.is_reproduced and each.because else each.is_reproduced
