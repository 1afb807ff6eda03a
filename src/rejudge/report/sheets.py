"""All results as plain tables, for other programs and for papers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from rejudge.analysis import POPULATIONS, Case, Finding, Results, method_of, outcome
from rejudge.english import count, versus
from rejudge.report.competence import competence_sheets
from rejudge.report.detail_sheets import copied_sheet, dataset_sheets, detail_sheets, time_sheets
from rejudge.report.group_sheets import decision_of, ends_of, group_sheets
from rejudge.report.model_sheets import model_sheets
from rejudge.report.pair_limits import pair_limit
from rejudge.report.reach_sheets import reach_sheets
from rejudge.report.remarks import remark_sheet
from rejudge.report.sheet import (
    Column,
    Sheet,
    file_name,
    to_csv,
    to_latex,
    to_markdown,
)
from rejudge.report.starred import starred_sheets


def sheets(results: Results, labels: Mapping[str, str] | None = None) -> tuple[Sheet, ...]:
    """All tables of an analysis; systems are called by their labels."""
    named = labels or {}
    found = [sheet for q in results.questions for sheet in _of_question(results, q, named)]
    for details in results.details:
        found += detail_sheets(details, named, file_name(details.question))
        found += dataset_sheets(details, named, file_name)
    found.append(copied_sheet(results.copied, named))
    found += time_sheets(results.times)
    found += reach_sheets(results, named)
    found += competence_sheets(results.competence)
    found.append(remark_sheet(results.remarks, named))
    found += _pooled_agreement(results)
    found += group_sheets(results, named)
    found += model_sheets(results)
    found += _of_choices(results, named)
    found += starred_sheets(results, named)
    return tuple(sheet for sheet in found if sheet.rows)


def sheet_files(results: Results, labels: Mapping[str, str] | None = None) -> dict[str, bytes]:
    """Every table as CSV and as LaTeX, by the name of its file."""
    return {
        name: text
        for name, text in table_files(sheets(results, labels)).items()
        if not name.endswith(".md")
    }


def table_files(all_sheets: Iterable[Sheet]) -> dict[str, bytes]:
    """Tables as CSV, LaTeX and Markdown, by the name of their files."""
    return {
        f"tables/{sheet.name}.{ending}": write(sheet).encode("utf-8")
        for sheet in all_sheets
        for ending, write in (("csv", to_csv), ("tex", to_latex), ("md", to_markdown))
    }


_PAIR = 2
_UNLIKE = (
    "The systems were judged on different items or by different people, so their means do not show "
    "which is better."
)
_SPREAD = ("sd", "median", "lower", "upper", "normalised", "z")
_INTERVAL = (("low", 2), ("high", 2))
_TESTED = (
    Column("statistic"),
    Column("statistic value", 2),
    Column("df"),
    Column("p", 4),
    Column("p corrected", 4),
    Column("supported"),
    Column("effects"),
)


def _of_question(results: Results, question: str, labels: Mapping[str, str]) -> Iterator[Sheet]:
    found = [finding for finding in results.findings if finding.question == question]
    name = file_name(question)
    alone = [f for f in found if len(f.systems) == 1]
    pairs = [f for f in found if len(f.systems) == _PAIR and f.measure != "agreement"]
    others = [f for f in found if not f.systems and f.measure != "agreement"]
    agreement = [f for f in found if f.measure == "agreement"]
    yield _systems(f"{name}-systems", question, alone, labels)
    limit = pair_limit(results, question, labels)
    yield _pairs(f"{name}-pairs", question, pairs, labels=labels, limit=limit)
    yield _others(f"{name}-tests", question, others)
    yield _agreement(f"{name}-agreement", question, agreement, labels)


def _systems(
    name: str, question: str, found: Sequence[Finding], labels: Mapping[str, str]
) -> Sheet:
    columns = (
        *(Column(word) for word in ("system", "measure")),
        Column("value", 2),
        *(Column(*part) for part in _INTERVAL),
        *(Column(word, 0) for word in ("n", "wins", "losses", "ties")),
        *(Column(word, 2) for word in _SPREAD),
    )
    rows = tuple(
        (
            labels.get(f.systems[0], f.systems[0]),
            f.measure,
            f.value,
            *ends_of(f),
            f.n,
            *((f.tally.wins, f.tally.losses, f.tally.ties) if f.tally else (None,) * 3),
            *(getattr(f.spread, word) if f.spread else None for word in _SPREAD),
        )
        for f in found
    )
    kept = [
        place
        for place, column in enumerate(columns)
        if column.name in {"system", "measure", "value", *dict(_INTERVAL), "n"}
        or any(row[place] is not None for row in rows)
    ]
    unlike = "" if all(f.is_comparable for f in found) else f" {_UNLIKE}"
    return Sheet(
        name,
        f"Systems on {question}. {_told(found)}{unlike}",
        tuple(columns[place] for place in kept),
        tuple(tuple(row[place] for place in kept) for row in rows),
    )


def _pairs(
    name: str, question: str, found: Sequence[Finding], *, labels: Mapping[str, str], limit: str
) -> Sheet:
    columns = (
        *(Column(word) for word in ("test", "first", "second", "measure")),
        Column("value", 2),
        *(Column(*part) for part in _INTERVAL),
        Column("n", 0),
        *_TESTED,
        Column("planned"),
        Column("role"),
        Column("holds"),
    )
    rows = tuple(
        (
            f.by if f.alternative == "two-sided" else f"{f.by}, one-sided",
            *(labels.get(system, system) for system in f.systems),
            f.measure,
            f.value,
            *ends_of(f),
            f.n,
            *decision_of(f),
            _effects_of(f),
            f.is_planned,
            f.role,
            POPULATIONS[f.population] if f.population else None,
        )
        for f in found
    )
    caption = f"Pairs of systems on {question}. {_told(found)} {limit}".strip()
    return Sheet(name, caption, columns, rows)


def _others(name: str, question: str, found: Sequence[Finding]) -> Sheet:
    columns = (
        *(Column(word) for word in ("test", "measure")),
        Column("value", 2),
        *(Column(*part) for part in _INTERVAL),
        Column("n", 0),
        *_TESTED,
        Column("planned"),
        Column("note"),
    )
    rows = tuple(
        (
            f.by,
            f.measure,
            f.value,
            *ends_of(f),
            f.n,
            *decision_of(f),
            _effects_of(f),
            f.is_planned,
            f.note,
        )
        for f in found
    )
    return Sheet(name, f"Tests of all systems on {question}. {_told(found)}", columns, rows)


def _agreement(
    name: str, question: str, found: Sequence[Finding], labels: Mapping[str, str]
) -> Sheet:
    columns = (
        *(Column(word) for word in ("coefficient", "systems")),
        Column("value", 3),
        Column("low", 3),
        Column("high", 3),
        Column("low for new people", 3),
        Column("high for new people", 3),
        Column("units", 0),
    )
    rows = tuple(
        (
            f.by,
            " – ".join(labels.get(system, system) for system in f.systems) or "all",
            f.value,
            *ends_of(f),
            *(
                (f.interval_for_new_people.low, f.interval_for_new_people.high)
                if f.interval_for_new_people
                else (None, None)
            ),
            f.n,
        )
        for f in found
    )
    return Sheet(name, f"Agreement on {question}. {_told(found)}", columns, rows)


def _pooled_agreement(results: Results) -> Iterator[Sheet]:
    """Agreement over several criteria; one table for each scale that criteria share."""
    for number, each in enumerate(results.pooled_agreement, start=1):
        name = "pooled-agreement" if number == 1 else f"pooled-agreement-{number}"
        yield _agreement(name, f"{' and '.join(each.questions)} together", each.findings, {})


def _of_choices(results: Results, labels: Mapping[str, str]) -> Iterator[Sheet]:
    if results.without_exclusions:
        states = {"with": results.findings, "without": results.without_exclusions}
        yield _beside(
            "exclusions", "With and without exclusions.", states, results=results, labels=labels
        )
    if results.cases:
        ways = "; ".join(_case(case) for case in results.cases)
        by_case = {case.id: case.findings for case in results.cases}
        method = method_of([case.multiple for case in results.cases])
        caption = f"What several people judged, treated as {ways}. {method}"
        yield _beside("cases", caption, by_case, results=results, labels=labels)


def _beside(
    name: Literal["exclusions", "cases"],
    caption: str,
    choices: Mapping[str, Sequence[Finding]],
    *,
    results: Results,
    labels: Mapping[str, str],
) -> Sheet:
    """Each number in every state of a choice; a pair's outcome too, and whether it is the same."""
    changed = {each.finding for each in results.depends if each.choice == name}
    by_id = {choice: {f.id: f for f in found} for choice, found in choices.items()}
    ids = dict.fromkeys(f.id for found in choices.values() for f in found if f.systems)
    rows = []
    for each in ids:
        states = [by_id[choice].get(each) for choice in choices]
        known = next(f for f in states if f is not None)
        is_pair = len(known.systems) == _PAIR and known.measure != "agreement"
        outcomes = [_who(f, labels) if is_pair else "" for f in states]
        is_tested = is_pair and "undefined" not in outcomes
        rows.append(
            (
                known.question,
                known.by,
                versus([labels.get(system, system) for system in known.systems], known.measure),
                *(
                    cell
                    for f, out in zip(states, outcomes, strict=True)
                    for cell in (f.value if f else None, out)
                ),
                each not in changed if is_tested else None,
            )
        )
    columns = (
        *(Column(word) for word in ("question", "by", "systems")),
        *(c for choice in choices for c in (Column(choice, 2), Column(f"{choice}: better"))),
        Column("same outcome"),
    )
    return Sheet(name, caption, columns, tuple(rows))


def _who(finding: Finding | None, labels: Mapping[str, str]) -> str:
    result = outcome(finding) if finding else "undefined"
    if finding is None or result in {"open", "undefined"}:
        return result
    system = finding.systems[0 if result == "first" else 1]
    return labels.get(system, system)


def _case(case: Case) -> str:
    return f"{case.id}: {case.multiple} ({count(case.rows, 'judgment')})"


def _effects_of(finding: Finding) -> str | None:
    return "; ".join(_effects(finding)) or None


def _effects(finding: Finding) -> Iterator[str]:
    """The size of a difference in units of its own, such as d = 0.51 [0.20, 0.82]."""
    for effect in (finding.effect, *finding.further_effects):
        if effect is not None:
            ends = effect.interval
            spread = f" [{ends.low:.2f}, {ends.high:.2f}]" if ends else ""
            yield f"{effect.name} = {effect.value:.2f}{spread}"


def _told(found: Sequence[Finding]) -> str:
    """The n, the methods and the level of the intervals, for a caption."""
    if not found:
        return ""
    sizes = sorted({finding.n for finding in found})
    n = f"n = {sizes[0]:,}" if len(sizes) == 1 else f"n from {sizes[0]:,} to {sizes[-1]:,}"
    methods = dict.fromkeys(f"{f.by}: {f.method}" if f.by else f.method for f in found)
    shown = list(methods)[:_METHODS]
    more = f"; and {len(methods) - len(shown)} more" if len(methods) > len(shown) else ""
    levels = {f"{100 * f.interval.level:g} %" for f in found if f.interval}
    spread = f" Intervals at {', '.join(sorted(levels))}." if levels else ""
    return f"{n}. {'; '.join(shown)}{more}.{spread}"


_METHODS = 6  # so many are told in one caption
