"""Where the variance of scores comes from, and how reliably a study tells its systems apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rejudge.analysis.analysis_plan import Agenda, joined
from rejudge.analysis.columns import NOBODY, has_participants, scores
from rejudge.analysis.coverage import has_comparable_means
from rejudge.analysis.outline import Asked
from rejudge.analysis.precision import TIMES, Price
from rejudge.analysis.reach import Generalizability, ReliabilityPoint
from rejudge.judgments import Judgments
from rejudge.stats import GStudy, Reliability, g_study, reliability

_METHOD = (
    "variance components from the squared differences of pairs of scores that share systems, items "
    "or participants; reliability as if all systems were judged on the same items by the same "
    "participants, each judging as much as now"
)
_CHOICES = (
    "Undefined: in a choice the gain of one system is the loss of another, so the variance cannot "
    "be split into parts."
)
_CONFOUNDED = (
    "Undefined: the systems were judged on different items or by different people, so differences "
    "between systems cannot be separated from differences between items or people."
)
_ONE = "Undefined: there is one {} only."
_FORETOLD = "Reliability of other sizes is extrapolated from these judgments and has no interval."


def generalizability(
    agenda: Agenda, asked: Asked, judgments: Judgments, price: Price | None
) -> Generalizability:
    """The variance components of one question and its D study, or why there are none."""
    blank = Generalizability(asked.id)
    if asked.is_comparison:
        return replace(blank, note=_CHOICES)
    if not len(judgments) or not has_participants(judgments) or agenda.outline.by_items_alone:
        return replace(blank, note=NOBODY if len(judgments) else "Undefined: no judgments.")
    table = scores(agenda.outline, judgments)
    if not has_comparable_means(agenda, table):
        return replace(blank, note=_CONFOUNDED)
    facets = {"system": table.system, "item": table.item, "participant": table.participant}
    found = g_study(table.value, facets)
    few = next((name for name, size in zip(facets, found.levels, strict=True) if size < 2), None)  # noqa: PLR2004 - one shows no variance
    if few is not None:
        return replace(blank, note=_ONE.format(few))
    return _described(replace(blank, parts=found.parts, method=_METHOD), found, price)


def _described(blank: Generalizability, found: GStudy, price: Price | None) -> Generalizability:
    _, items, people = found.levels
    now = _point(found, items, people, price)
    if now.relative is None:
        reasons = dict.fromkeys(part.note for part in found.parts if part.variance is None)
        why = _at(found, items, people).note
        return replace(blank, note=joined(why, *reasons))
    return replace(
        blank,
        now=now,
        by_participants=tuple(
            _point(found, items, size, price, times=size / people) for size in _sizes(people)
        ),
        by_items=tuple(
            _point(found, size, people, price, times=size / items) for size in _sizes(items)
        ),
        currency=price.currency if price else None,
        note=joined(_at(found, items, people).note, _FORETOLD),
    )


def _sizes(now: int) -> Iterable[int]:
    return dict.fromkeys(max(1, round(times * now)) for times in TIMES)


def _at(found: GStudy, items: int, people: int, times: float = 1.0) -> Reliability:
    each = max(1, round(times * found.n / found.levels[0]))
    return reliability(found, "system", {"item": items, "participant": people}, judgments=each)


def _point(
    found: GStudy, items: int, people: int, price: Price | None, *, times: float = 1.0
) -> ReliabilityPoint:
    each = _at(found, items, people, times)
    return ReliabilityPoint(
        participants=people,
        items=items,
        judgments=each.judgments,
        relative=each.relative,
        absolute=each.absolute,
        cost=price.each * found.levels[2] * times if price else None,
    )
