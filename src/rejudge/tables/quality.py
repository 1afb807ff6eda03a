"""Tables on how far results can be trusted: plan, agreement, checks, exclusions, precision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rejudge.analysis.details import Precision, Sensitivity
from rejudge.analysis.results import Flow, Results
from rejudge.english import as_sentence, capital
from rejudge.findings.model import Finding
from rejudge.judgments.answers import CheckCount
from rejudge.judgments.exclusions import RULE_LABELS
from rejudge.layout.numbers import NARROW
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
from rejudge.tables.columns import MOST_IN_PRINT
from rejudge.tables.view import Labels
from rejudge.tables.wording import (
    TEST_NAMES,
    coefficient,
    name_of_test,
)

_PAIR = 2
POWERS = (0.8, 0.9)
_DIAGNOSTICS = {
    "first-shown-percent": "bias towards the side shown first",
    "score-by-position": "drift of scores",
    "first-shown-by-position": "drift towards a side",
    "agreement-by-position": "drift of agreement",
    "seconds-by-position": "drift of times",
}
_ON_FAIL = {"exclude": "leads to exclusion", "flag": "is only flagged", "reject": "is rejected"}


# planned and exploratory analyses


def planned_table(results: Results) -> Table:
    """Every analysis with whether it was planned, planned ones first."""
    rows = sorted(_planned_rows(results), key=lambda row: row[2] != "planned")
    return Table(
        "planned",
        "Every analysis of systems and of agreement, and whether it was planned before data "
        "collection. Exploratory results can suggest hypotheses, but do not confirm them. How "
        "participants worked and what they disagree about is exploratory, too.",
        (
            *map(Column, ("question", "analysis", "status")),
            Column("numbers", 0),
            Column("supported", 0),
        ),
        tuple(rows),
    )


def _planned_rows(results: Results) -> Iterator[tuple[Cell, ...]]:
    for question in results.questions:
        found = [f for f in results.select() if f.question == question and _is_analysis(f)]
        for kind in dict.fromkeys(_kind(f) for f in found):
            these = [f for f in found if _kind(f) == kind]
            name, is_planned = kind
            yield (
                question,
                name,
                "planned" if is_planned else "exploratory",
                sum(f.value is not None for f in these),
                _count_supported(these),
            )


def _is_analysis(finding: Finding) -> bool:
    is_agreement = finding.measure == "agreement" and not finding.systems
    is_diagnostic = finding.by in _DIAGNOSTICS or finding.measure in _DIAGNOSTICS
    return is_comparison_of_systems(finding) or is_agreement or is_diagnostic


def is_comparison_of_systems(finding: Finding) -> bool:
    """Whether a finding says which system is better, or whether any differ."""
    is_pair = len(finding.systems) == _PAIR and finding.measure != "agreement"
    return is_pair or finding.measure == "test"


def _kind(finding: Finding) -> tuple[str, bool]:
    """What an analysis is called, and whether it was planned; diagnostics never are."""
    diagnostic = _DIAGNOSTICS.get(finding.by) or _DIAGNOSTICS.get(finding.measure)
    if diagnostic:
        return capital(diagnostic), False
    name = name_of_test(finding) if finding.by in TEST_NAMES else coefficient(finding.by)
    return capital(name), finding.is_planned


def _count_supported(found: Sequence[Finding]) -> str | None:
    tested = [f for f in found if f.is_supported is not None]
    if not tested:
        return None
    return f"{sum(bool(f.is_supported) for f in tested):,} of {len(tested):,}"


# agreement, checks and drift


def check_table(checks: Sequence[CheckCount], aims: Mapping[str, str]) -> Table:
    """How many checks were answered and failed; `aims` are the questions they are aimed at."""
    return tabulate(
        "checks",
        "Checks: how many were answered by all who took part, and how many failed.",
        checks,
        (Column("check"), "check"),
        (Column("aimed at"), lambda each: aims.get(each.check)),
        (Column("a failure"), lambda each: _ON_FAIL[each.on_fail]),
        (Column("answered", 0), "answered"),
        (Column("failed", 0), "failed"),
        (
            Column("failed, %", 1),
            lambda each: 100 * each.failed / each.answered if each.answered else None,
        ),
    )


def drift_table(found: Sequence[Finding]) -> Table:
    """Whether answers change along the tasks of a participant."""
    return tabulate(
        "drift",
        "Change from one task to the next, mean over participants of their slopes. Exploratory.",
        found,
        (Column("question"), "question"),
        (Column("what"), lambda f: f.by.removesuffix("-by-position")),
        (Column("change per task", 4), "value"),
        (interval_column(4), "interval"),
        (p_column("p"), "p"),
    )


# exclusions


def exclusion_table(flow: Flow) -> Table:
    """What each rule left out; kept and excluded add up."""

    def left_out(rule: str) -> tuple[Cell, ...]:
        these = [each for each in flow.exclusions if each.rule == rule]
        people = len({each.participant for each in these})
        return f"– {RULE_LABELS.get(rule, rule)}", people, sum(each.rows for each in these)

    return Table(
        "exclusions",
        "Exclusions by rule, with all rows of those left out (judgments of systems, checks and "
        "repeats). Kept and excluded rows add up to what was collected.",
        (Column("step"), Column("participants", 0), Column("rows", 0)),
        (
            ("collected", flow.participants, flow.rows),
            *map(left_out, dict.fromkeys(each.rule for each in flow.exclusions)),
            ("kept", flow.participants_kept, flow.rows_kept),
        ),
    )


# sensitivity, precision and reliability


def precision_tables(results: Results, labels: Labels) -> Iterator[Table]:
    """What each comparison could detect, and how precise and reliable other sizes would be."""
    pairs = [each for each in results.sensitivity if len(each.systems) == _PAIR]
    yield sensitivity_table(pairs, labels)
    yield precision_table([e for e in results.precision if len(e.systems) == _PAIR], labels)


def sensitivity_table(found: Sequence[Sensitivity], labels: Labels, digits: int = 2) -> Table:
    """The smallest difference that each comparison would detect."""

    def smallest(power: float, *, is_corrected: bool) -> Callable[[Sensitivity], Cell]:
        return lambda each: each.smallest(power, corrected=is_corrected)

    return tabulate(
        "sensitivity",
        _with_method(
            "The smallest true difference that each comparison detects with the given power.", found
        ),
        found,
        (Column("question"), "question"),
        (csv_only(Column("test")), "by"),
        (csv_only(Column("first")), lambda each: labels.get(each.systems[0], each.systems[0])),
        (csv_only(Column("second")), lambda each: labels.get(each.systems[1], each.systems[1])),
        (
            print_only(Column("systems")),
            lambda each: " and ".join(labels.get(name, name) for name in each.systems),
        ),
        (
            print_only(Column("test")),
            lambda each: TEST_NAMES.get(each.by, each.by),
        ),
        (csv_only(Column("unit")), "unit"),
        (csv_only(Column("n", 0)), "n"),
        (Column("standard error", digits + 1, "SE"), "standard_error"),
        (csv_only(Column("df", 1)), "df"),
        (
            print_only(Column("df", 0, "df")),
            lambda each: None if each.df is None else f"{each.df:.4g}",
        ),
        (csv_only(Column("tests", 0)), "tests"),
        *(
            (
                Column(
                    f"{100 * power:g} percent power, {'' if is_corrected else 'un'}corrected",
                    digits,
                    f"{100 * power:g}{NARROW}% power",
                    only="" if is_corrected else "csv",
                ),
                smallest(power, is_corrected=is_corrected),
            )
            for power in POWERS
            for is_corrected in (False, True)
        ),
        (csv_only(Column("planned")), "is_planned"),
        (
            print_only(Column("status")),
            lambda each: "planned" if each.is_planned else "exploratory",
        ),
        (csv_only(Column("note")), "note"),
        notes=_notes(text for each in found for text in (each.method, each.note)),
    )


def precision_table(found: Sequence[Precision], labels: Labels) -> Table:
    """Half the width of the interval of each comparison, for studies of other sizes."""
    return tabulate(
        "precision",
        _with_method(
            "Half the width of the interval of each comparison, for studies of other sizes.", found
        ),
        [(each, by, point) for each in found for by, point in _points(each)],
        (Column("question"), lambda row: row[0].question),
        (Column("first"), lambda row: labels.get(row[0].systems[0], row[0].systems[0])),
        (Column("second"), lambda row: labels.get(row[0].systems[1], row[0].systems[1])),
        (Column("unit"), lambda row: row[0].unit),
        (Column("grows by"), lambda row: row[1]),
        (Column("participants", 0), lambda row: row[2].participants),
        (Column("items", 0), lambda row: row[2].items),
        (Column("judgments", 0), lambda row: row[2].judgments),
        (csv_only(Column("standard error", 3)), lambda row: row[2].standard_error),
        (Column("half width", 2), lambda row: row[2].half_width),
        (Column("cost", 2), lambda row: row[2].cost),
        (Column("currency"), lambda row: row[0].currency),
        most_in_print=MOST_IN_PRINT,
        notes=_notes(text for each in found for text in (each.method, each.note)),
    )


def _points(each: Precision) -> Iterator[tuple[str, Any]]:  # points of a kind
    for by in ("participants", "items"):
        for point in getattr(each, f"by_{by}"):
            yield by, point


def _with_method(caption: str, found: Sequence[Sensitivity | Precision]) -> str:
    methods = [capital(as_sentence(each.method)) for each in found if each.method]
    return " ".join([caption, *methods[:1]])


def _notes(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(capital(as_sentence(text)) for text in texts if text))
