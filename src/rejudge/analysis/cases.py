"""Cases: several judgments of one output combined in several ways, and what depends on it.

Several people may have judged one output. Ito, Fang, Mosteiro, Gatt & van Deemter (2023) compared
four ways to combine their judgments, since the original study did not say which it had used, and
found that their conclusions did not depend on the choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rejudge.analysis.analysis_plan import AnalysisPlan
from rejudge.analysis.columns import units
from rejudge.analysis.decide import correct_again
from rejudge.analysis.evidence import is_first_ahead
from rejudge.analysis.results import Dependence
from rejudge.errors import DataError, Problem, UsageError
from rejudge.findings.model import WITHOUT_EXCLUSIONS, Finding, Key
from rejudge.judgments.table import Coded, Judgments

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TIE = 0.5  # between a preference for one system, 1, and for the other, 0
PERSON = "participant:"
AGGREGATED = ("mean", "median", "majority")
CASES = ("first", "each", *AGGREGATED, "drop")
_PAIR = 2


def combine_judgments(judgments: Judgments, multiple: str) -> Judgments:
    """The judgments of one question, with those of the same output combined as `multiple` says.

    `first` is the earliest (by time of submission, else by row). One person's judgment counts where
    that person gave one, elsewhere the first. `majority` is the most frequent value. Where several
    are equally frequent, a score is their mean and a choice is a tie. `drop` leaves out what
    several people judged. A mean, median or majority belongs to no participant.
    """
    if multiple == "each" or not len(judgments):
        return judgments
    if multiple == "drop":
        return judgments.take(_single_judgments(judgments))
    if multiple in AGGREGATED:
        return _aggregate(judgments, multiple)
    preferred = _rows_of(judgments, multiple)
    return judgments.take(_earliest(judgments, units(judgments), preferred))


def method_of(cases: Sequence[str]) -> str:
    """How the cases were computed, in a sentence."""
    if any(case in AGGREGATED for case in cases):
        return (
            "All cases are computed in the same way, with items as the only clusters, because a "
            "mean, median or majority does not belong to any one participant."
        )
    return "All cases are computed in the same way."


def refuse_unknown(judgments: Judgments, cases: Sequence[str]) -> None:
    """Refuse cases that do not exist, and participants none of whose judgments count."""
    present = np.unique(judgments.participant.codes)
    people = {judgments.participant.labels[code] for code in present[present >= 0]}
    for case in cases:
        if case.startswith(PERSON):
            name = case.removeprefix(PERSON)
            if name not in people:
                what = f"no judgment by a participant '{name}' counts."
                remedy = "Write the id as it is in the judgments; it must not be excluded."
                raise DataError(Problem(what, remedy, field="cases"))
        elif case not in CASES:
            known = f"Choose from {', '.join(CASES)} or {PERSON}ID."
            raise UsageError(Problem(f"'{case}' is not a case.", known, field="cases"))


def _rows_of(judgments: Judgments, multiple: str) -> NDArray[np.bool_]:
    """The judgments of the named person; none if the first judgment counts."""
    if not multiple.startswith(PERSON):
        return np.zeros(len(judgments), dtype=np.bool_)
    code = judgments.participant.code(multiple.removeprefix(PERSON))
    return np.asarray(judgments.participant.codes == code)


def _single_judgments(judgments: Judgments) -> NDArray[np.bool_]:
    unit = units(judgments)
    return np.asarray(np.bincount(unit)[unit] == 1)


def _earliest(
    judgments: Judgments, unit: NDArray[np.int64], preferred: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The row of each unit that counts: a preferred one, else the earliest, else the first."""
    order = np.lexsort((np.arange(len(unit)), judgments.submitted_at, ~preferred, unit))
    _, first = np.unique(unit[order], return_index=True)
    return np.sort(order[first])


def _aggregate(judgments: Judgments, multiple: str) -> Judgments:
    unit = units(judgments)
    a, b = judgments.system_a.codes, judgments.system_b.codes
    is_turned = judgments.is_comparison & (a > b)
    value = np.where(is_turned, 1 - judgments.value, judgments.value)
    made = {"mean": _mean, "median": _median, "majority": _majority}[multiple](unit, value)
    _, first = np.unique(unit, return_index=True)
    if multiple == "majority":
        is_level = judgments.is_comparison[first] & ~np.isin(made, (0.0, 1.0))
        made = np.where(is_level, _TIE, made)
    rows = judgments.take(first)
    nobody = np.full(len(first), -1, dtype=np.int32)
    return replace(
        rows,
        value=np.where(is_turned[first], 1 - made, made),
        participant=Coded(nobody, judgments.participant.labels),
    )


def _mean(unit: NDArray[np.int64], value: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.bincount(unit, weights=value) / np.bincount(unit))


def _median(unit: NDArray[np.int64], value: NDArray[np.float64]) -> NDArray[np.float64]:
    ordered = value[np.lexsort((value, unit))]
    size = np.bincount(unit)
    start = np.cumsum(size) - size
    return np.asarray((ordered[start + (size - 1) // 2] + ordered[start + size // 2]) / 2)


def _majority(unit: NDArray[np.int64], value: NDArray[np.float64]) -> NDArray[np.float64]:
    values, column = np.unique(value, return_inverse=True)
    cell, counts = np.unique(unit * len(values) + column, return_counts=True)
    where, what = cell // len(values), values[cell % len(values)]
    most = np.zeros(int(unit.max()) + 1)
    np.maximum.at(most, where, counts)
    is_most = counts == most[where]
    return _mean(where[is_most], what[is_most])


def dependences(analysis: AnalysisPlan, findings: Sequence[Finding]) -> tuple[Dependence, ...]:
    """Each comparison of two systems that comes out differently by one of the choices."""
    by_case: dict[str, list[Finding]] = {}
    for each in findings:
        by_case.setdefault(each.key.case, []).append(each)
    whole, without = by_case.pop("", []), by_case.pop(WITHOUT_EXCLUSIONS, [])
    by_exclusion = {"with": whole, "without": without} if without else {}
    return (
        *(Dependence(name, "exclusions", out) for name, out in _changes(analysis, by_exclusion)),
        *(Dependence(name, "cases", out) for name, out in _changes(analysis, by_case)),
    )


def _changes(
    analysis: AnalysisPlan, choices: Mapping[str, Sequence[Finding]]
) -> Iterator[tuple[str, dict[str, str]]]:
    """The same tests on both sides: one that cannot be computed is not a different conclusion.

    Such tests do not count in the correction either, which would be stricter on one side.
    """
    shared = _questions_tested_everywhere(tuple(choices.values()))
    outcomes: dict[Key, dict[str, str]] = {}
    for choice, findings in choices.items():
        tested = [each for each in findings if each.key.in_case("") in shared]
        for finding in correct_again(analysis, tested):
            if len(finding.systems) == _PAIR and finding.measure != "agreement":
                outcomes.setdefault(finding.key.in_case(""), {})[choice] = outcome(finding)
    for key, by_choice in outcomes.items():
        if len(set(by_choice.values())) > 1:
            yield key.id, by_choice


def _questions_tested_everywhere(choices: Sequence[Sequence[Finding]]) -> set[Key]:
    tested = [
        {each.key.in_case("") for each in findings if each.p is not None} for findings in choices
    ]
    return set.intersection(*tested) if tested else set()


def outcome(finding: Finding) -> str:
    """Which of two systems is supported as better: first, second, or open."""
    if finding.value is None or finding.is_supported is None:
        return "undefined"
    if not finding.is_supported:
        return "open"
    return "first" if is_first_ahead(finding) else "second"
