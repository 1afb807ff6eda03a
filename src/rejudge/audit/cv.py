"""Rules about printed CV*: what the scores give, on which scale, by which formula."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.audit import ranges
from rejudge.audit.evidence import Evidence, Found, Joined, Looked, named
from rejudge.audit.ranges import Range, shown
from rejudge.paper import CVStarFormula, Reproducibility
from rejudge.stats import CVVariant, cv_star, cv_star_interval

_WIDE = 0.1  # of the figure, to either side
_VARIANTS: tuple[tuple[CVVariant, str], ...] = (
    ("without-c4", "the usual SD in place of the unbiased one"),
    ("without-small-sample-factor", "no factor 1 + 1/(4n)"),
    ("plain", "neither correction for small samples"),
)


def unshifted_cv_star(seen: Evidence) -> Looked:
    """CV* was computed without moving the scale to begin at 0.

    CV* is a percentage of the mean, and means something only on a scale that begins at 0. On a
    scale of 1 to 4 the 1 must be subtracted first, to best–worst scores 100 must be added.
    Otherwise CV* comes out too small: by 29 to 43 % in one published study.

    Remedy: subtract the lower end of the scale and compute CV* again.
    """
    for figure, joined, place in _cv_figures(seen):
        low = joined.criterion.scale.low or 0.0
        right, unshifted = _cv_range(joined, "cv*"), _cv_range(joined, "unshifted")
        if low == 0 or right is None or unshifted is None:
            continue
        printed = ranges.of(figure.value)
        if printed.meets(right) or not printed.meets(unshifted):
            yield None
            continue
        moved = f"{'minus' if low > 0 else 'plus'} {shown(abs(low))}"
        yield Found(
            f"{named(figure)}: CV* {figure.value.text} is that of the scores as they are, but "
            f"their scale begins at {shown(low)}.",
            f"{_scores(joined)} {moved} give CV* = {_cv(joined, 'cv*')} ({right.text} with "
            f"rounding); as they are, {_cv(joined, 'unshifted')}.",
            place,
            f"Compute CV* again of the scores {moved}.",
        )


def cv_star_differs(seen: Evidence) -> Looked:
    """CV* is not that of the printed scores.

    It is recomputed from the scores of all papers it compares, on the scale of the first and moved
    to begin at 0. Each score may lie half a unit of its last digit to either side; a printed CV*
    inside of what follows is in order.

    Remedy: print the scores it was computed from, with enough decimals, and compute it again.
    """
    for figure, joined, place in _cv_figures(seen):
        right = _cv_range(joined, "cv*")
        if right is None:
            continue
        printed, unshifted = ranges.of(figure.value), _cv_range(joined, "unshifted")
        if (
            printed.meets(right)
            or _meets(printed, unshifted)  # told by a rule of its own
            or ranges.scaled(printed, 100).meets(right)  # a share in place of percent
        ):
            yield None
            continue
        fits = [words for name, words in _VARIANTS if _meets(printed, _cv_range(joined, name))]
        yield Found(
            f"{named(figure)}: CV* {figure.value.text} is printed, but the scores give "
            f"{_cv(joined, 'cv*')}." + (f" It fits {fits[0]}." if fits else ""),
            f"{_scores(joined)} give CV* from {right.text}, whatever was rounded.",
            place,
            "Print the scores it was computed from, and compute it again.",
        )


def cv_star_formula(seen: Evidence) -> Looked:
    """The formula of CV* is printed without its 1 +.

    The factor for small samples is 1 + 1/(4n) (Belz, Popović & Mille 2022). Printed as 1/(4n), it
    would make CV* nine times smaller for two measurements; printed figures show which of the two
    was used.

    Remedy: print the formula that was used, and compute again with the published one.
    """
    for entry, place in seen.entries(CVStarFormula):
        if entry.factor == "1 + 1/(4n)":
            yield None
            continue
        wanted = [
            (figure, joined)
            for figure, joined, _ in _cv_figures(seen)
            if entry.criterion in (None, figure.criterion)
        ]
        yield Found(
            f"{entry.what}: the factor of CV* is printed as {entry.factor}, the published one is "
            "1 + 1/(4n).",
            _as_printed(entry, wanted),
            place,
            "Print the formula that was used: (1 + 1/(4n)) · s* / |mean|.",
        )


def cv_star_of_rounded(seen: Evidence) -> Looked:
    """CV* was computed from rounded scores, and the rounding moves it by more than a tenth.

    The difference of two close scores is small, and half a unit in the last digit of each is a
    large part of it. The figure is then printed with more digits than it has. Reported only where
    all CV* of a paper come out of its rounded scores: if one does not, they were computed before
    rounding.

    Remedy: compute CV* from the values before rounding, or print the range that rounding leaves.
    """
    figures = [(*each, _variant_of(*each[:2])) for each in _cv_figures(seen)]
    are_rounded = all(variant is not None for *_, variant in figures)
    for figure, joined, place, variant in figures:
        near = _cv_range(joined, variant) if variant is not None else None
        value = _cv_value(joined, variant) if variant is not None else None
        if not are_rounded or near is None or value is None:
            yield None
            continue
        reach = max(near.high - value, value - near.low)
        if reach <= max(_WIDE * value, 2 * figure.value.half_unit):
            yield None
            continue
        yield Found(
            f"{named(figure)}: CV* {figure.value.text} comes from rounded scores; before rounding "
            f"it may be {near.text}.",
            f"{_scores(joined)}, each up to half a unit of its last digit off.",
            place,
            "Compute CV* before rounding, or print the range.",
        )


def _variant_of(figure: Reproducibility, joined: Joined) -> CVVariant | None:
    """How a figure comes out of the printed scores to its last digit; None: not at all."""
    variants: tuple[CVVariant, ...] = ("cv*", "unshifted")
    for variant in variants:
        value = _cv_value(joined, variant)
        if value is not None and figure.value.could_be(value):
            return variant
    return None


def _cv_figures(seen: Evidence) -> Iterator[tuple[Reproducibility, Joined, str]]:
    for figure, place in seen.figures("cv-star"):
        joined = seen.joined(figure) if figure.system and figure.criterion else None
        if joined is not None and len(joined) == 1 and joined[0].criterion.scale.low is not None:
            yield figure, joined[0], place


def _cv_range(joined: Joined, variant: CVVariant) -> Range | None:
    found = cv_star_interval(
        joined.values,
        scale_minimum=joined.criterion.scale.low or 0.0,
        half_unit=joined.half_units,
        variant=variant,
    )
    return None if found is None else Range(found.low, found.high)


def _cv_value(joined: Joined, variant: CVVariant) -> float | None:
    low = joined.criterion.scale.low
    return cv_star(joined.values, scale_minimum=low, variant=variant).value


def _cv(joined: Joined, variant: CVVariant) -> str:
    value = _cv_value(joined, variant)
    return "undefined" if value is None else shown(value)


def _meets(printed: Range, found: Range | None) -> bool:
    return found is not None and printed.meets(found)


def _scores(joined: Joined) -> str:
    return " and ".join(shown(each) for each in joined.values)


def _as_printed(entry: CVStarFormula, figures: list[tuple[Reproducibility, Joined]]) -> str:
    if not figures:
        return "No printed CV* could be recomputed to see which of the two was used."
    figure, joined = max(figures, key=lambda each: each[0].value.value)
    n, value = len(joined.values), _cv_value(joined, "without-small-sample-factor") or 0.0
    factor = 1 / (4 * n) if entry.factor == "1/(4n)" else 1.0
    return (
        f"{named(figure)}: as printed the formula gives {shown(factor * value)}, with 1 + 1/(4n) "
        f"{shown((1 + 1 / (4 * n)) * value)}; {figure.value.text} is printed."
    )
