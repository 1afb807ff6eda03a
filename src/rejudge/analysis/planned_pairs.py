"""Tests that are limited to some pairs of systems, each pair in the order in which it is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from rejudge.analysis.analysis_plan import Agenda, undefined
from rejudge.analysis.outline import Asked
from rejudge.analysis.pairs import LimitedPairs, Pair
from rejudge.analysis.results import Finding
from rejudge.errors import Problem, UsageError
from rejudge.study import PlannedTest, has_direction

Compute: TypeAlias = Callable[[Agenda], Iterator[Finding]]

_PAIR = 2
_NOT_JUDGED = "Undefined: there are no judgments that compare these two systems."


def on_planned_pairs(
    agenda: Agenda, asked: Asked, planned: PlannedTest, compute: Compute
) -> Iterator[Finding]:
    """The findings of a test on all pairs of systems, or on the pairs that it is limited to.

    A test takes each pair in the order of the systems. Pairs that are named in the other order are
    computed with the systems reversed, so that sign and direction follow the pair.
    """
    if not planned.pairs:
        yield from compute(agenda)
        return
    found: list[Finding] = []
    for systems in _orders(agenda.outline.systems, planned.pairs):
        ordered = replace(agenda, outline=replace(agenda.outline, systems=systems))
        wanted = [pair for pair in planned.pairs if _is_in_order(pair, systems)]
        found += [
            each
            for each in compute(ordered)
            if each.systems in wanted or (not found and len(each.systems) < _PAIR)
        ]
    place: dict[tuple[str, ...], int] = {pair: n for n, pair in enumerate(planned.pairs)}
    yield from sorted(found, key=lambda each: place.get(each.systems, -1))
    if all(each.systems for each in found):
        missing = set(planned.pairs) - {each.systems for each in found}
        for pair in planned.pairs:
            if pair in missing:
                yield _without_result(agenda, asked, planned, pair)


def _orders(systems: tuple[str, ...], pairs: Sequence[Pair]) -> Iterator[tuple[str, ...]]:
    """The systems as they are listed, reversed, or both, as the pairs need it."""
    for order in (systems, systems[::-1]):
        if any(_is_in_order(pair, order) for pair in pairs):
            yield order


def _is_in_order(pair: Pair, systems: Sequence[str]) -> bool:
    return systems.index(pair[0]) < systems.index(pair[1])


def _without_result(agenda: Agenda, asked: Asked, planned: PlannedTest, pair: Pair) -> Finding:
    blank = undefined(
        agenda,
        asked,
        planned.test,
        _NOT_JUDGED,
        measure="win-percent" if asked.is_comparison else "mean-difference",
    )
    return replace(blank, id=f"{blank.id}.{pair[0]}.{pair[1]}", systems=pair)


def limited_pairs_of(agenda: Agenda) -> Iterator[LimitedPairs]:
    """The pairs that were tested on each question, where these are only some."""
    for asked in agenda.outline.questions:
        tests = [each for each in agenda.tests(asked) if has_direction(each.test)]
        for pairs in dict.fromkeys(each.pairs for each in tests if each.pairs):
            limited = [each.test for each in tests if each.pairs == pairs]
            yield LimitedPairs(asked.id, tuple(limited), pairs, len(limited) == len(tests))


def refuse_unknown_pairs(agenda: Agenda) -> None:
    """Pairs of a table that cannot be tested."""
    systems, seen = agenda.outline.systems, set[frozenset[str]]()
    for pair in agenda.further.pairs:
        unknown = [name for name in pair if name not in systems]
        if unknown:
            what = f"there is no system '{unknown[0]}'."
            _refuse(what, f"The systems are {', '.join(systems)}.")
        if pair[0] == pair[1]:
            _refuse(f"'{pair[0]}' is paired with itself.", "Name two systems.")
        if frozenset(pair) in seen:
            _refuse(f"the pair of '{pair[0]}' and '{pair[1]}' is named twice.", "Name it once.")
        seen.add(frozenset(pair))
    for each in agenda.further.tests:
        if agenda.further.pairs and not has_direction(each.test):
            what = f"{each.test} compares all systems at once and cannot be limited to pairs."
            _refuse(what, "Leave out --pairs, or take a test of pairs such as paired-t.")


def _refuse(what: str, remedy: str) -> None:
    raise UsageError(Problem(what, remedy, field="--pairs"))
