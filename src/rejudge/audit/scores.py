"""Rules about printed scores and SDs: whether this many judgments can give them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rejudge.audit import ranges
from rejudge.audit.evidence import ZERO_SUM, Discrepancy, Outcomes, PaperEvidence, figure_name
from rejudge.audit.ranges import Range, digits
from rejudge.paper.arithmetic import PrintedCorrelation
from rejudge.paper.model import Paper, PaperCase, PaperCriterion, PaperScale, PrintedTest, Score
from rejudge.paper.printed import PrintedNumber
from rejudge.stats import Grim, Ratings, grim, grimmer
from rejudge.study.methods import COEFFICIENTS

_FEWEST = 2  # judgments that have an SD
_SHARE = (0.0, 1.0)
_CORRELATION = (-1.0, 1.0)
_BETWEEN: dict[
    str, tuple[float, float]
] = {  # reproducibility figures and coefficients of agreement
    "pearson": _CORRELATION,
    "spearman": _CORRELATION,
    "kendall-tau": _CORRELATION,
    "matching-accuracy": _SHARE,
    "significance-f1": _SHARE,
    "pairwise-ranks": _SHARE,
    "claims": _SHARE,
    "cv-star": (0.0, math.inf),
    **{name: (each.lowest, each.highest) for name, each in COEFFICIENTS.items()},
}
_REMEDY = (
    "Check the number in the paper; if it is printed like this, ask the authors what was meant."
)


def impossible_mean(seen: PaperEvidence) -> Outcomes:
    """A mean cannot come from this many judgments on its scale (GRIM).

    Judgments lie on the points of a scale, so a mean of n of them is a multiple of step / n. A
    printed mean between two such multiples is a misprint, or n or the scale is not what the paper
    says: judgments are missing, were averaged before, or come from another scale. The test is
    by Brown & Heathers (2017). If one of two outputs had to be chosen and ties were not allowed,
    each judgment is a win or a loss, and half a win is impossible.

    Remedy: recompute the mean from the judgments, and print their number.
    """
    for score, _, place, ratings in _means_of_ratings(seen):
        found = grim(score.number.value, score.number.half_unit, ratings)
        if not found.could_fail:
            continue
        yield None if found.is_possible else _no_mean(score, place, ratings, found)


def impossible_sd(seen: PaperEvidence) -> Outcomes:
    """A standard deviation cannot belong to its mean and number of judgments (GRIMMER).

    The sum of squared judgments is a whole number, even or odd like their sum, and a bounded scale
    limits its size. A printed SD for which there is no such number is a misprint, or the mean, n or
    scale is different. The test is by Anaya (2016) and Allard (2018); an SD may be computed with n
    − 1 or with n. If n or the points of the scale are not known, only an SD that is larger than
    with all judgments at the two ends is reported.

    Remedy: recompute mean and SD from the same judgments.
    """
    for score, criterion, place in _spread(seen):
        fault = _beyond_the_most(score, criterion.scale)
        ratings = _ratings(seen, score, criterion)
        if fault is None and ratings is not None:
            fault, is_checked = _off_the_grid(score, ratings)
        else:
            is_checked = fault is not None or criterion.scale.low is not None
        if fault is not None:
            yield Discrepancy(
                f"{score.system}, {score.criterion}: {fault[0]}",
                fault[1],
                place,
                "Recompute mean and SD from the same judgments; check n and the scale.",
            )
        elif is_checked:
            yield None


def impossible_median(seen: PaperEvidence) -> Outcomes:
    """A median lies neither on a point of the scale nor halfway between two.

    The median of ratings is a rating, or the mean of the two in the middle if n is even. Any other
    value is a misprint, a median of means that were computed before, or comes from another scale.

    Remedy: recompute the median from the judgments, and say what it is the median of.
    """
    for _, score, place in seen.scores():
        criterion = seen.criterion(score.criterion)
        median = score.number if score.is_median else score.median
        grid = None if criterion is None else _grid(criterion.scale, seen)
        if median is None or grid is None:
            continue
        low, step, points = grid
        halves = 1 if score.n is not None and score.n % 2 else 2
        candidates = [low + step * place / halves for place in range(halves * (points - 1) + 1)]
        if any(median.could_be(each) for each in candidates):
            yield None
            continue
        near = sorted(candidates, key=lambda each: abs(each - median.value))[:2]
        yield Discrepancy(
            f"{score.system}, {score.criterion}: the median {median.text} is not a median of "
            f"{'an odd number of ' if halves == 1 else ''}ratings on this scale.",
            f"The nearest possible ones are {' and '.join(digits(each) for each in sorted(near))}.",
            place,
            "Recompute the median; check n and the points of the scale.",
        )


def score_differs_from_wins(seen: PaperEvidence) -> Outcomes:
    """A score of comparisons does not follow from the wins and losses printed beside it.

    A win counts as the upper end of the scale, a loss as the lower end and a tie as the middle; the
    score is the mean of them. Wins, losses and ties add up to the number of comparisons.

    Remedy: recompute the score from wins and losses, and check how many comparisons there were.
    """
    for _, score, place in seen.scores():
        criterion = seen.criterion(score.criterion)
        if criterion is None or score.wins is None or score.losses is None or score.is_median:
            continue
        low, high, ties = criterion.scale.low, criterion.scale.high, score.ties or 0
        n = score.wins + score.losses + ties
        if low is None or high is None or n == 0:
            continue
        found = (score.wins * high + score.losses * low + ties * (low + high) / 2) / n
        is_whole = score.n in (None, n) or (score.ties is None and score.n > n)  # ties not printed
        if is_whole and (score.n not in (None, n) or score.number.could_be(found)):
            yield None
            continue
        counts = f"{score.wins} won, {score.losses} lost, {ties} tied"
        yield Discrepancy(
            f"{score.system}, {score.criterion}: {counts} do not give {score.number.text}"
            f"{'' if score.n is None else f' of {score.n} judgments'}.",
            f"These are {n} comparisons with the mean {digits(found)}.",
            place,
            "Recompute the score from wins and losses.",
        )


def unequal_zero_sum(seen: PaperEvidence) -> Outcomes:
    """Scores of comparisons do not add up, although every win is another system's loss.

    With best–worst scores each comparison gives +1 and −1, so the scores of systems that were
    compared equally often add up to 0; win rates add up to half the number of systems. A sum beyond
    what rounding explains means a misprint, a system left out, or unequal numbers of comparisons.

    Remedy: recompute the scores from wins and losses, and print how often each system was
    compared.
    """
    for case in seen.paper.cases:
        for criterion in seen.paper.criteria:
            if criterion.scale.kind in ZERO_SUM:
                yield from _zero_sum(seen, case, criterion)


def _zero_sum(
    seen: PaperEvidence, case: PaperCase, criterion: PaperCriterion
) -> Iterator[Discrepancy | None]:
    scores = [each for each in case.known if each.criterion == criterion.id and not each.is_median]
    low, high = criterion.scale.low, criterion.scale.high
    complete = {each.system for each in scores} == {each.id for each in seen.paper.systems}
    equal = len({each.n for each in scores}) == 1 and all(each.n for each in scores)
    if not complete or not equal or low is None or high is None:
        return
    sum_of_scores = ranges.total(ranges.of(each.number) for each in scores)
    expected = len(scores) * (low + high) / 2
    if sum_of_scores.meets(Range(expected, expected)):
        yield None
        return
    yield Discrepancy(
        f"The {len(scores)} scores on {criterion.id} add up to {sum_of_scores.text}, but one "
        f"system's win is another's loss: the sum must be {digits(expected)}.",
        f"{' + '.join(ranges.in_brackets(each.number) for each in scores)} = {sum_of_scores.text} "
        "with rounding.",
        next((each.place for each in scores if each.place), seen.case_path(case)),
        "Recompute the scores from wins and losses.",
    )


def _means_of_ratings(seen: PaperEvidence) -> Iterator[tuple[Score, PaperCriterion, str, Ratings]]:
    """Scores that are means of a known number of judgments on a known grid."""
    for _, score, place in seen.scores():
        criterion = seen.criterion(score.criterion)
        ratings = None if criterion is None else _ratings(seen, score, criterion)
        if criterion is not None and ratings is not None:
            yield score, criterion, place, ratings


def _ratings(seen: PaperEvidence, score: Score, criterion: PaperCriterion) -> Ratings | None:
    grid = _grid(criterion.scale, seen)
    if grid is None or score.n is None or score.is_median or is_outside(score.number, criterion):
        return None
    return Ratings(score.n, *grid)


def _spread(seen: PaperEvidence) -> Iterator[tuple[Score, PaperCriterion, str]]:
    """Means that are printed with their SD."""
    for _, score, place in seen.scores():
        criterion = seen.criterion(score.criterion)
        if criterion is None or score.sd is None or score.is_median:
            continue
        if not is_outside(score.number, criterion):
            yield score, criterion, place


def is_outside(number: PrintedNumber, criterion: PaperCriterion) -> bool:
    """Whether a score lies outside its scale, however it was rounded."""
    low, high = criterion.scale.low, criterion.scale.high
    near = ranges.of(number)
    return (low is not None and near.high < low) or (high is not None and near.low > high)


def _beyond_the_most(score: Score, scale: PaperScale) -> tuple[str, str] | None:
    """Why no judgments can have this SD, on any grid; None if some can."""
    if score.sd is None:
        return None
    least = score.sd.value - score.sd.half_unit
    if score.sd.value < 0:
        return f"an SD of {score.sd.text} is impossible.", "An SD is a square root, never negative."
    if scale.low is None or scale.high is None:
        return None
    near = ranges.of(score.number)
    middle = min(max((scale.low + scale.high) / 2, near.low), near.high)
    n = max(score.n or _FEWEST, _FEWEST)
    most = math.sqrt(max(0.0, (scale.high - middle) * (middle - scale.low)) * n / (n - 1))
    if least <= most * (1 + 1e-9):
        return None
    ends = f"{digits(scale.low)} to {digits(scale.high)}"
    says = f"no judgments on {ends} with the mean {score.number.text} have the SD {score.sd.text}."
    largest = f"The largest is √((high − mean)(mean − low) n / (n − 1)) = {digits(most)}"
    return says, f"{largest}{'' if score.n else ', for n = 2'}."


def _off_the_grid(score: Score, ratings: Ratings) -> tuple[tuple[str, str] | None, bool]:
    """Why this many judgments cannot have this SD with this mean, and whether it was checked."""
    if score.sd is None:
        return None, False
    found = grimmer(
        score.number.value,
        score.sd.value,
        ratings,
        mean_half_unit=score.number.half_unit,
        sd_half_unit=score.sd.half_unit,
    )
    mean = grim(score.number.value, score.number.half_unit, ratings)
    if not found.could_fail or not mean.is_possible:
        return None, False  # an impossible mean is reported by another rule
    if found.is_possible:
        return None, True
    near = [digits(each) for each in (found.below, found.above) if each is not None]
    return (
        f"no {ratings.n} judgments with the mean {score.number.text} have the SD {score.sd.text}.",
        f"Possible SDs next to it: {', '.join(near)}." if near else "No SD fits this mean.",
    ), True


def _grid(scale: PaperScale, seen: PaperEvidence) -> tuple[float, float, int] | None:
    """Lowest point, step and number of points of what one judgment can be."""
    if scale.low is None or scale.high is None:
        return None
    points = scale.points
    if points is None and scale.kind in ZERO_SUM:  # lost, won, and perhaps tied
        points = 2 if _is_forced_choice(seen.paper) else 3
    if points is None:
        return None
    return scale.low, (scale.high - scale.low) / (points - 1), points


def _is_forced_choice(paper: Paper) -> bool:
    """Whether every comparison had a winner and a loser: one of two was chosen, without ties."""
    asked = str(paper.conditions.get("elicitation", "")).lower()
    of_two = "one of two" in asked or "pair" in asked
    return paper.conditions.get("tie-allowed") is False and of_two


def _no_mean(score: Score, place: str, ratings: Ratings, found: Grim) -> Discrepancy:
    top = ratings.low + ratings.step * ((ratings.points or 1) - 1)
    return Discrepancy(
        f"{score.system}, {score.criterion}: no {ratings.n} judgments on "
        f"{digits(ratings.low)} to {digits(top)} have the mean {score.number.text}.",
        f"Means of {ratings.n} lie {digits(ratings.step)}/{ratings.n} apart: the nearest are "
        f"{found.below:.{score.number.decimals + 2}f} and "
        f"{found.above:.{score.number.decimals + 2}f}.",
        place,
        "Recompute the mean; check n and the points of the scale.",
    )


def out_of_range(seen: PaperEvidence) -> Outcomes:
    """A number is outside its possible range.

    A score lies on its scale, a p value between 0 and 1, a correlation or a coefficient of
    agreement between −1 and 1, a percentage of agreement between 0 and 100, and a confidence
    interval around its estimate. A number outside that range is a misprint, is in another unit, or
    was mistyped when it was entered.

    Remedy: check how it was entered; then ask the authors what was meant.
    """
    yield from _scores_in_range(seen)
    yield from _agreement_in_range(seen)
    for _, test, place in seen.tests():
        yield from _test_in_range(test, place)
    for figure, place in seen.figures(*_BETWEEN):
        what = f"{figure.measure} of {figure_name(figure)}"
        yield _in_range(what, figure.number, _BETWEEN[figure.measure], place)
        if figure.p is not None:
            yield _in_range(f"p of {figure_name(figure)}", figure.p.number, _SHARE, place)
    for entry, place in seen.entries(PrintedCorrelation):
        yield _in_range(entry.what, entry.value, _CORRELATION, place)
        yield _in_range(f"p of {entry.what}", entry.p.number, _SHARE, place)


def _scores_in_range(seen: PaperEvidence) -> Outcomes:
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
            ends = f"{digits(criterion.scale.low)} to {digits(criterion.scale.high)}"
            yield Discrepancy(
                f"{score.system}, {score.criterion}: {number.text} lies outside the scale.",
                f"The scale goes from {ends}.",
                place,
                "Check the number and the ends of the scale.",
            )


def _agreement_in_range(seen: PaperEvidence) -> Outcomes:
    for case in seen.paper.cases:
        for place, each in enumerate(case.agreement):
            where = each.place or f"{seen.case_path(case)}.agreement[{place}]"
            what = f"{each.coefficient} on {each.criterion or 'all criteria'}"
            yield _in_range(what, each.value, _BETWEEN[each.coefficient], where)


def _test_in_range(test: PrintedTest, place: str) -> Iterator[Discrepancy | None]:
    who = f"{' – '.join(test.systems) or 'all systems'}, {test.criterion}"
    if test.p is not None:
        yield _in_range(f"p of {who}", test.p.number, _SHARE, place)
    if test.effect is None or test.effect.interval is None:
        return
    low, high = (ranges.of(end) for end in test.effect.interval)
    effect = ranges.of(test.effect.value)
    if low.low <= effect.high and effect.low <= high.high:
        yield None
        return
    ends = " to ".join(end.text for end in test.effect.interval)
    yield Discrepancy(
        f"{who}: the interval {ends} does not contain the effect {test.effect.value.text}.",
        "An interval contains its estimate, and its lower end comes first.",
        place,
        "Check the order of the ends, and the signs.",
    )


def _in_range(
    what: str, number: PrintedNumber, between: tuple[float, float], place: str
) -> Discrepancy | None:
    low, high = between
    near = ranges.of(number)
    if near.high >= low and near.low <= high:
        return None
    ends = f"from {digits(low)} to {digits(high)}" if high < math.inf else f"{digits(low)} or more"
    return Discrepancy(
        f"{what}: {number.text} is impossible.", f"It must be {ends}.", place, _REMEDY
    )
