"""All findings in compact tables for the terminal: by question, by group and by case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from rejudge.analysis.results import Groups, Results
from rejudge.english import versus
from rejudge.findings.model import Finding, Group
from rejudge.findings.words import POPULATIONS
from rejudge.layout.numbers import df_text, number, range_text
from rejudge.layout.table import Cell, Column, Table, interval_column, p_column, tabulate
from rejudge.tables.findings import Labels
from rejudge.tables.wording import final_p, names_of

_UNITS = {
    "win-percent": "% won",
    "score-difference": "difference of best–worst scores",
    "mean": "mean",
    "mean-difference": "difference of means",
    "share": "% with this label",
    "share-difference": "difference of shares, percentage points",
    "median-difference": "median difference",
    "latent-difference": "difference in log odds",
    "strength": "log odds",
}
_TRENDS = {
    "score-by-position": "score, change per task",
    "first-shown-by-position": "first shown chosen, change per task",
    "agreement-by-position": "agreement with others, change per task",
    "seconds-by-position": "seconds, change per task",
}
_SCORES = {"mean", "wins", "share"}
_ORDER = {"headline": 1, "check": 2, "further": 3}


def question_findings(results: Results, question: str, labels: Labels) -> Table:
    """All findings on a question, under the test or measure they belong to."""
    found = [f for f in results.select() if f.question == question and _is_listed(f)]
    found.sort(key=_place)
    table = _compact_table(results, found, _under, lambda f: compact_name(f, labels))
    return replace(table, name=question, rows=tuple(_with_new_people(table, found)))


def group_findings(results: Results, groups: Groups, labels: Labels) -> Table:
    """Systems and pairs within each group."""
    found = [
        f
        for question in results.questions
        for size in groups.sizes
        for f in results.select(question, group=(Group(groups.column, size.name),))
        if f.systems
    ]

    def name(finding: Finding) -> str:
        by = f" ({finding.by})" if len(finding.systems) > 1 else ""
        return f"{_systems(finding, labels)}{by}"

    def under(finding: Finding) -> str:
        return f"{finding.question}, {finding.key.group_name}"

    return _compact_table(results, found, under, name)


def case_findings(results: Results, labels: Labels) -> Table:
    """Each system and each pair, with one row for every way to treat multiple judgments."""
    by_case = {
        case.id: {f.key.in_case(""): f for f in results.select(case=case.id)}
        for case in results.cases
    }
    known = dict.fromkeys(key for of in by_case.values() for key in of)
    found = [
        (case, of[key])
        for key in known
        for case, of in by_case.items()
        if key in of and of[key].by in {*_SCORES, "cluster-robust"}
    ]

    def under(finding: Finding) -> str:
        unit = _UNITS.get(finding.measure, "")
        return f"{finding.question}, {compact_name(finding, labels)}, {unit}"

    table = _compact_table(results, [f for _, f in found], under, lambda f: f.id)
    rows = ((row[0], case, *row[2:]) for row, (case, _) in zip(table.rows, found, strict=True))
    return replace(table, rows=tuple(rows))


def compact_name(finding: Finding, labels: Labels) -> str:
    """The systems, coefficient, trend or statistic that a finding is about."""
    if finding.measure == "agreement":
        return finding.by
    if finding.measure == "first-shown-percent":
        return "output shown first, % chosen"
    if finding.measure == "order-effect":
        return _TRENDS.get(finding.by, finding.by)
    if finding.measure == "test" and finding.statistic is not None:
        df = df_text(finding.statistic.df)
        return f"{finding.statistic.name} ({df})" if df else finding.statistic.name
    return _systems(finding, labels) or finding.by


def _compact_table(
    results: Results,
    found: list[Finding],
    under: Callable[[Finding], Cell],
    name: Callable[[Finding], Cell],
) -> Table:
    level = f"{100 * results.signature.level:g} %"
    return tabulate(
        "findings",
        "",
        found,
        (Column("under"), under),
        (Column("finding"), name),
        (Column("value", 2), _value),
        (interval_column(heading=f"{level} interval"), _interval),
        (Column("n", 0, "n"), "n"),
        (p_column("p, corrected"), final_p),
    )


def _value(finding: Finding) -> Cell:
    """The value; changes per task are small and have a third decimal."""
    if finding.value is None:
        return "undefined"
    return number(finding.value, 3) if finding.measure == "order-effect" else finding.value


def _interval(finding: Finding) -> Cell:
    is_small = finding.measure == "order-effect"
    return range_text(finding.interval, 3) if is_small else finding.interval


def _with_new_people(table: Table, found: list[Finding]) -> Iterator[tuple[Cell, ...]]:
    """The rows; below a coefficient, its interval for other participants, if there is one."""
    for row, finding in zip(table.rows, found, strict=True):
        yield row
        if finding.interval_for_new_people is not None:
            ends = finding.interval_for_new_people
            yield row[0], "  for new participants", None, ends, None, None


def _is_listed(finding: Finding) -> bool:
    """The rest is in the files: scores that repeat a percentage, agreement pair by pair."""
    if finding.measure == "best-worst-score":
        return False
    if finding.measure == "agreement":
        return not finding.systems
    return finding.value is not None or bool(finding.systems)


def _place(finding: Finding) -> int:
    """Scores of systems first, then headline, check and further tests, then everything else."""
    return 0 if finding.by in _SCORES else _ORDER.get(finding.role or "", 4)


def _under(finding: Finding) -> str:
    """The test and what it measures, or the part of the findings."""
    if finding.measure == "agreement":
        return "agreement"
    if finding.measure in {"first-shown-percent", "order-effect"}:
        return "conditions of judging"
    unit = _UNITS.get(finding.measure, "")
    if len(finding.systems) == 1 and finding.by in _SCORES:
        return unit
    side = "" if finding.alternative == "two-sided" else ", one-sided"
    role = f"{finding.role}: " if finding.role in {"headline", "check"} else ""
    population = POPULATIONS[finding.population] if finding.population else ""
    what = ", ".join(part for part in (f"{role}{finding.by}{side}", unit, population) if part)
    return what if finding.is_planned else f"{what} (exploratory)"


def _systems(finding: Finding, labels: Labels) -> str:
    label = f"{finding.category}: " if finding.category else ""
    return f"{label}{versus(names_of(finding, labels), finding.measure)}"
