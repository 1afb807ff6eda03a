"""Rules about printed CV*: what the scores give, on which scale, by which formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from rejudge.audit import ranges
from rejudge.audit.evidence import Discrepancy, MatchedScores, Outcomes, PaperEvidence, figure_name
from rejudge.audit.ranges import Range, digits
from rejudge.errors import DataError
from rejudge.paper.arithmetic import CVStarFormula
from rejudge.paper.printed import PrintedNumber
from rejudge.stats import (
    CVVariant,
    ExplainedFigure,
    cv_star,
    cv_star_interval,
    likeliest_definitions,
)

_WIDE = 0.1  # of the figure, to either side
_UNSHIFTED = ("unshifted", "unshifted-plain")
_VARIANTS: dict[CVVariant, str] = {
    "cv*": "CV* itself",
    "unshifted": "the scores without shifting them to start at 0",
    "without-c4": "the usual SD instead of the unbiased one",
    "without-small-sample-factor": "no factor 1 + 1/(4n)",
    "plain": "neither correction for small samples",
    "unshifted-plain": "the usual coefficient of variation of the unshifted scores",
}


def unshifted_cv_star(seen: PaperEvidence) -> Outcomes:
    """CV* was computed without shifting the scale to start at 0.

    CV* is a percentage of the mean, and is meaningful only on a scale that starts at 0. On a scale
    of 1 to 4 the 1 must be subtracted first; for best–worst scores 100 must be added. Otherwise CV*
    is too small: by 29 to 43 % in one published study. If several definitions give a figure within
    rounding, the one that explains most figures of the table is used.

    Remedy: subtract the lower end of the scale and recompute CV*.
    """
    for figure, fits in _explain_figures(seen):
        low = figure.low
        if low == 0 or figure.near("cv*") is None or figure.near("unshifted") is None:
            continue
        best = next(iter(fits), None)
        if best not in _UNSHIFTED:
            yield None
            continue
        moved = f"{'minus' if low > 0 else 'plus'} {digits(abs(low))}"
        yield Discrepancy(
            f"{figure.name}: CV* {figure.printed.text} is that of the unshifted scores, but "
            f"their scale starts at {digits(low)}.{_alternatives(figure, fits)}",
            f"{figure.scores} {moved} give CV* = {figure.text('cv*')} "
            f"({_text(figure.near('cv*'))} with rounding); unshifted, {figure.text(best)}.",
            figure.place,
            f"Recompute CV* from the scores {moved}.",
        )


def cv_star_differs(seen: PaperEvidence) -> Outcomes:
    """CV* is not that of the printed scores.

    It is recomputed from the scores of all papers it compares, on the scale of the first, shifted
    to start at 0; the CV* of a criterion is the mean over its systems. Each score may lie half a
    unit of its last digit to either side; a printed CV* within the resulting range is accepted. If
    another definition gives the figure, it is named, with alternatives: first the one that explains
    most figures of the table.

    Remedy: print the scores it was computed from, with enough decimals, and recompute it.
    """
    for figure, fits in _explain_figures(seen):
        right = figure.near("cv*")
        if right is None:
            continue
        best = next(iter(fits), None)
        if best == "cv*" or best in _UNSHIFTED or _is_share(figure, right):
            yield None  # unshifted scores have a rule of their own
            continue
        named_ones = (
            "" if best is None else f" It fits {_VARIANTS[best]}.{_alternatives(figure, fits)}"
        )
        yield Discrepancy(
            f"{figure.name}: CV* {figure.printed.text} is printed, but the scores give "
            f"{figure.text('cv*')}.{named_ones}",
            f"{figure.scores} give CV* from {right.text}, whatever was rounded.",
            figure.place,
            "Print the scores it was computed from, and recompute it.",
        )


def cv_star_formula(seen: PaperEvidence) -> Outcomes:
    """The formula of CV* is printed without its 1 +.

    The factor for small samples is 1 + 1/(4n) (Belz, Popović & Mille 2022). Printed as 1/(4n), it
    would make CV* nine times smaller for two measurements; printed figures show which formula was
    used.

    Remedy: print the formula that was used, and compute again with the published one.
    """
    for entry, place in seen.entries(CVStarFormula):
        if entry.factor == "1 + 1/(4n)":
            yield None
            continue
        wanted = [
            figure
            for figure in _figures(seen)
            if entry.criterion in (None, figure.criterion) and len(figure.rows) == 1
        ]
        yield Discrepancy(
            f"{entry.what}: the factor of CV* is printed as {entry.factor}, but the published one "
            "is 1 + 1/(4n).",
            _formula_text(entry, wanted),
            place,
            "Print the formula that was used: (1 + 1/(4n)) · s* / |mean|.",
        )


def cv_star_of_rounded(seen: PaperEvidence) -> Outcomes:
    """CV* was computed from rounded scores, and the rounding changes it by more than a tenth.

    The difference of two close scores is small, and half a unit in the last digit of each is a
    large part of it. The figure then has more digits than are known. Reported only if all CV* of a
    paper follow from its rounded scores: if one does not, they were computed before rounding.

    Remedy: compute CV* from the values before rounding, or print the range that rounding leaves.
    """
    figures = [(each, _variant_of(each)) for each in _figures(seen) if len(each.rows) == 1]
    are_rounded = all(variant is not None for _, variant in figures)
    for figure, variant in figures:
        near = figure.near(variant) if variant is not None else None
        value = figure.value(variant) if variant is not None else None
        if not are_rounded or near is None or value is None:
            yield None
            continue
        reach = max(near.high - value, value - near.low)
        if reach <= max(_WIDE * value, 2 * figure.printed.half_unit):
            yield None
            continue
        yield Discrepancy(
            f"{figure.name}: CV* {figure.printed.text} comes from rounded scores; before rounding "
            f"it may be {near.text}.",
            f"{figure.scores}, each up to half a unit of its last digit off.",
            figure.place,
            "Compute CV* before rounding, or print the range.",
        )


@dataclass(frozen=True, slots=True)
class _PrintedCV:
    """A printed CV*, of one system or averaged over several, and the scores behind it."""

    name: str
    criterion: str | None
    printed: PrintedNumber
    rows: tuple[MatchedScores, ...]
    place: str
    table: tuple[str, tuple[str, ...], str]  # where it stands, and what it compares

    @property
    def low(self) -> float:
        """The lower end of the scale."""
        return self.rows[0].criterion.scale.low or 0.0

    @property
    def scores(self) -> str:
        """The scores that are compared, in words."""
        return "; ".join(" and ".join(digits(each) for each in row.values) for row in self.rows)

    def near(self, variant: CVVariant) -> Range | None:
        """The range that a definition gives for it, given the rounding of the scores."""
        parts = {row: _cv_range(row, variant) for row in self.rows}
        known = {row: part for row, part in parts.items() if part is not None}
        if len(known) < len(self.rows):
            return None
        ends = ({row: part.low for row, part in known.items()},
                {row: part.high for row, part in known.items()})  # fmt: skip
        low, high = (_mean_by_criterion(end) for end in ends)
        return Range(low, high)

    def value(self, variant: CVVariant) -> float | None:
        """The value that a definition gives for the printed scores."""
        parts = {row: _cv_value(row, variant) for row in self.rows}
        known = {row: part for row, part in parts.items() if part is not None}
        return _mean_by_criterion(known) if len(known) == len(self.rows) else None

    def text(self, variant: CVVariant) -> str:
        """That value as text."""
        value = self.value(variant)
        return "undefined" if value is None else digits(value)

    def explanations(self) -> ExplainedFigure:
        """The definitions that give the printed value within rounding."""
        printed = ranges.of(self.printed)
        found = {name: (self.near(name), self.value(name)) for name in _VARIANTS}
        fits = {
            name: value
            for name, (near, value) in found.items()
            if near is not None and value is not None and printed.meets(near)
        }
        exact = frozenset(name for name, value in fits.items() if self.printed.could_be(value))
        return ExplainedFigure(self.printed.value, fits, exact)


def _explain_figures(seen: PaperEvidence) -> Iterator[tuple[_PrintedCV, dict[CVVariant, float]]]:
    """Each figure with the definitions that give it, the likeliest first."""
    figures = [(figure, figure.explanations()) for figure in _figures(seen)]
    for figure, found in figures:
        table = [each for other, each in figures if other.table == figure.table]
        yield figure, {name: found.fits[name] for name in likeliest_definitions(found, table)}


def _alternatives(figure: _PrintedCV, fits: Mapping[CVVariant, float]) -> str:
    """The other definitions, if the first does not give the figure to its last digit."""
    if figure.printed.could_be(next(iter(fits.values()))):
        return ""
    others = [f"{_VARIANTS[name]} ({digits(value)})" for name, value in fits.items()][1:]
    return f" It could also be {' or '.join(others)}." if others else ""


def _is_share(figure: _PrintedCV, right: Range) -> bool:
    """Whether a share was printed instead of a percentage."""
    return ranges.scale(ranges.of(figure.printed), 100).meets(right)


def _variant_of(figure: _PrintedCV) -> CVVariant | None:
    """The definition that gives a figure to its last digit; None if there is none."""
    variants: tuple[CVVariant, ...] = ("cv*", "unshifted")
    for variant in variants:
        value = figure.value(variant)
        if value is not None and figure.printed.could_be(value):
            return variant
    return None


def _figures(seen: PaperEvidence) -> Iterator[_PrintedCV]:
    for figure, place in seen.figures("cv-star"):
        rows = seen.matched_scores(figure)
        if rows is None or (figure.system and len(rows) != 1):
            continue
        lows = {row.criterion.scale.low for row in rows}
        if None not in lows and len(lows) == 1:
            table = (figure.place, figure.among, figure.case)
            yield _PrintedCV(
                figure_name(figure), figure.criterion, figure.number, rows, place, table
            )


def _mean_by_criterion(values: Mapping[MatchedScores, float]) -> float:
    """The mean over the systems of each criterion, and over criteria."""
    by_criterion: dict[str, list[float]] = {}
    for row, value in values.items():
        by_criterion.setdefault(row.criterion.id, []).append(value)
    return fmean(fmean(each) for each in by_criterion.values())


def _cv_range(joined: MatchedScores, variant: CVVariant) -> Range | None:
    try:
        found = cv_star_interval(
            joined.values,
            scale_minimum=joined.criterion.scale.low or 0.0,
            half_unit=joined.half_units,
            variant=variant,
        )
    except DataError:  # a score below its scale, which has a rule of its own
        return None
    return None if found is None else Range(found.low, found.high)


def _cv_value(joined: MatchedScores, variant: CVVariant) -> float | None:
    try:
        return cv_star(
            joined.values, scale_minimum=joined.criterion.scale.low, variant=variant
        ).value
    except DataError:
        return None


def _text(near: Range | None) -> str:
    return "undefined" if near is None else near.text


def _formula_text(entry: CVStarFormula, figures: list[_PrintedCV]) -> str:
    if not figures:
        return "No printed CV* could be recomputed to see which of the two was used."
    figure = max(figures, key=lambda each: each.printed.value)
    n, value = len(figure.rows[0].values), figure.value("without-small-sample-factor") or 0.0
    factor = 1 / (4 * n) if entry.factor == "1/(4n)" else 1.0
    return (
        f"{figure.name}: the printed formula gives {digits(factor * value)}, 1 + 1/(4n) gives "
        f"{digits((1 + 1 / (4 * n)) * value)}; {figure.printed.text} is printed."
    )
