"""A rule about single numbers: whether they lie where such a number can lie at all."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rejudge.audit import ranges
from rejudge.audit.evidence import Evidence, Found, Looked, named
from rejudge.audit.ranges import shown
from rejudge.audit.scores import is_outside
from rejudge.paper import PrintedCorrelation, PrintedNumber, PrintedTest

_SHARE = (0.0, 1.0)
_CORRELATION = (-1.0, 1.0)
_BETWEEN = {  # reproducibility figures and coefficients of agreement
    "pearson": _CORRELATION,
    "spearman": _CORRELATION,
    "kendall-tau": _CORRELATION,
    "kendall-w": _SHARE,
    "matching-accuracy": _SHARE,
    "significance-f1": _SHARE,
    "pairwise-ranks": _SHARE,
    "claims": _SHARE,
    "cv-star": (0.0, math.inf),
    "percent": (0.0, 100.0),
    "krippendorff-alpha": _CORRELATION,
    "cohen-kappa": _CORRELATION,
    "fleiss-kappa": _CORRELATION,
    "gwet-ac1": _CORRELATION,
    "gwet-ac2": _CORRELATION,
    "icc": _CORRELATION,
}
_REMEDY = "Check the number in the paper; if it is printed so, ask the authors what was meant."


def out_of_range(seen: Evidence) -> Looked:
    """A number lies outside of what such a number can be.

    A score lies on its scale, a p value between 0 and 1, a correlation or a coefficient of
    agreement between −1 and 1, a percentage of agreement between 0 and 100, and a confidence
    interval around its estimate. A number beyond is a misprint, stands in another unit, or was
    mistyped when it was entered.

    Remedy: check how it was entered; then ask the authors what was meant.
    """
    yield from _scores(seen)
    yield from _agreement(seen)
    for _, test, place in seen.tests():
        yield from _test(test, place)
    for figure, place in seen.figures(*_BETWEEN):
        what = f"{figure.measure} of {named(figure)}"
        yield _looked(what, figure.number, _BETWEEN[figure.measure], place)
        if figure.p is not None:
            yield _looked(f"p of {named(figure)}", figure.p.number, _SHARE, place)
    for entry, place in seen.entries(PrintedCorrelation):
        yield _looked(entry.what, entry.value, _CORRELATION, place)
        yield _looked(f"p of {entry.what}", entry.p.number, _SHARE, place)


def _scores(seen: Evidence) -> Looked:
    for _, score, place in seen.scores():
        criterion = seen.criterion(score.criterion)
        if criterion is None or criterion.scale.low is None or criterion.scale.high is None:
            continue
        for number in (score.number, score.median):
            if number is None:
                continue
            if not is_outside(number, criterion):
                yield None
                continue
            ends = f"{shown(criterion.scale.low)} to {shown(criterion.scale.high)}"
            yield Found(
                f"{score.system}, {score.criterion}: {number.text} lies outside the scale.",
                f"The scale goes from {ends}.",
                place,
                "Check the number, and the ends of the scale.",
            )


def _agreement(seen: Evidence) -> Looked:
    for case in seen.paper.cases:
        for place, each in enumerate(case.agreement):
            where = each.place or f"{seen.case_path(case)}.agreement[{place}]"
            what = f"{each.coefficient} on {each.criterion or 'all criteria'}"
            yield _looked(what, each.value, _BETWEEN[each.coefficient], where)


def _test(test: PrintedTest, place: str) -> Iterator[Found | None]:
    who = f"{' – '.join(test.systems) or 'all systems'}, {test.criterion}"
    if test.p is not None:
        yield _looked(f"p of {who}", test.p.number, _SHARE, place)
    if test.effect is None or test.effect.interval is None:
        return
    low, high = (ranges.of(end) for end in test.effect.interval)
    effect = ranges.of(test.effect.value)
    if low.low <= effect.high and effect.low <= high.high:
        yield None
        return
    ends = " to ".join(end.text for end in test.effect.interval)
    yield Found(
        f"{who}: the interval {ends} does not hold the effect {test.effect.value.text}.",
        "An interval lies around its estimate, its lower end first.",
        place,
        "Check the order of the ends, and the signs.",
    )


def _looked(
    what: str, number: PrintedNumber, between: tuple[float, float], place: str
) -> Found | None:
    low, high = between
    near = ranges.of(number)
    if near.high >= low and near.low <= high:
        return None
    ends = f"from {shown(low)} to {shown(high)}" if high < math.inf else f"{shown(low)} or more"
    return Found(f"{what}: {number.text} cannot be.", f"It is a number {ends}.", place, _REMEDY)
