"""Rules about printed means and standard deviations: whether so many judgments can give them."""

from __future__ import annotations

from collections.abc import Iterator

from rejudge.audit import ranges
from rejudge.audit.evidence import ZERO_SUM, Evidence, Found, Looked
from rejudge.audit.ranges import Range, shown
from rejudge.paper import Case, Criterion, Scale, Score
from rejudge.stats import Grim, Ratings, grim, grimmer


def impossible_mean(seen: Evidence) -> Looked:
    """A mean cannot come from so many judgments on its scale (GRIM).

    Judgments lie on the points of a scale, so a mean of n of them is a multiple of step / n. A
    printed mean between two such multiples is a misprint, or n or the scale is not what the paper
    says: judgments are missing, were averaged before, or came from another scale. The test is
    Brown & Heathers' (2017).

    Remedy: compute the mean from the judgments again, and print how many they are.
    """
    for score, _, place, ratings in _rated(seen):
        found = grim(score.value.value, score.value.half_unit, ratings)
        if not found.could_fail:
            continue
        yield None if found.is_possible else _no_mean(score, place, ratings, found)


def impossible_sd(seen: Evidence) -> Looked:
    """A standard deviation cannot belong to its mean and number of judgments (GRIMMER).

    The sum of squared judgments is a whole number, even or odd as their sum is, and a bounded scale
    lets it be neither too small nor too large. A printed SD for which there is no such number is a
    misprint, or the mean, n or scale is another. After Anaya (2016) and Allard (2018); an SD passes
    with n − 1 as well as with n.

    Remedy: compute mean and SD from the same judgments again.
    """
    for score, _, place, ratings in _rated(seen):
        if score.sd is None:
            continue
        found = grimmer(
            score.value.value,
            score.sd.value,
            ratings,
            mean_half_unit=score.value.half_unit,
            sd_half_unit=score.sd.half_unit,
        )
        mean = grim(score.value.value, score.value.half_unit, ratings)
        if not found.could_fail or not mean.is_possible:
            continue  # an impossible mean is told by the rule of means
        if found.is_possible:
            yield None
            continue
        near = [shown(each) for each in (found.below, found.above) if each is not None]
        yield Found(
            f"{score.system}, {score.criterion}: no {ratings.n} judgments with the mean "
            f"{score.value.text} have the SD {score.sd.text}.",
            f"Possible SDs next to it: {', '.join(near)}." if near else "No SD fits this mean.",
            place,
            "Compute mean and SD again from the same judgments; check n and the scale.",
        )


def unequal_zero_sum(seen: Evidence) -> Looked:
    """Scores of comparisons do not add up, although every win is another system's loss.

    With best–worst scores each comparison gives +1 and −1, so the scores of systems that were
    compared equally often add up to 0; win rates add up to half the number of systems. A sum beyond
    what rounding explains means a misprint, a system left out, or unequal numbers of comparisons.

    Remedy: compute the scores again from wins and losses, and print how often each system was
    compared.
    """
    for case in seen.paper.cases:
        for criterion in seen.paper.criteria:
            if criterion.scale.kind in ZERO_SUM:
                yield from _zero_sum(seen, case, criterion)


def _zero_sum(seen: Evidence, case: Case, criterion: Criterion) -> Iterator[Found | None]:
    scores = [each for each in case.scores if each.criterion == criterion.id]
    low, high = criterion.scale.low, criterion.scale.high
    complete = {each.system for each in scores} == {each.id for each in seen.paper.systems}
    equal = len({each.n for each in scores}) == 1 and all(each.n for each in scores)
    if not complete or not equal or low is None or high is None:
        return
    sum_of_scores = ranges.total(ranges.of(each.value) for each in scores)
    expected = len(scores) * (low + high) / 2
    if sum_of_scores.meets(Range(expected, expected)):
        yield None
        return
    yield Found(
        f"The {len(scores)} scores on {criterion.id} add up to {sum_of_scores.text}, but what one "
        f"system wins another loses: the sum must be {shown(expected)}.",
        f"{' + '.join(ranges.bracketed(each.value) for each in scores)} = {sum_of_scores.text} "
        "with rounding.",
        next((each.place for each in scores if each.place), seen.case_path(case)),
        "Compute the scores again from wins and losses.",
    )


def _rated(seen: Evidence) -> Iterator[tuple[Score, Criterion, str, Ratings]]:
    """Scores that are means of a known number of judgments on a known grid."""
    for _, score, place in seen.scores():
        criterion = seen.criterion(score.criterion)
        if criterion is None or score.n is None:
            continue
        grid = _grid(criterion.scale)
        if grid is not None:
            yield score, criterion, place, Ratings(score.n, *grid)


def _grid(scale: Scale) -> tuple[float, float, int] | None:
    """Lowest point, step and number of points of what one judgment can be."""
    if scale.low is None or scale.high is None:
        return None
    if scale.kind in ZERO_SUM:  # lost, tied, won
        return scale.low, (scale.high - scale.low) / 2, 3
    if scale.kind == "rating" and scale.points is not None:
        return scale.low, (scale.high - scale.low) / (scale.points - 1), scale.points
    return None


def _no_mean(score: Score, place: str, ratings: Ratings, found: Grim) -> Found:
    top = ratings.low + ratings.step * ((ratings.points or 1) - 1)
    return Found(
        f"{score.system}, {score.criterion}: no {ratings.n} judgments on "
        f"{shown(ratings.low)} to {shown(top)} have the mean {score.value.text}.",
        f"Means of {ratings.n} lie {shown(ratings.step)}/{ratings.n} apart: the nearest are "
        f"{found.below:.{score.value.decimals + 2}f} and "
        f"{found.above:.{score.value.decimals + 2}f}.",
        place,
        "Compute the mean again; check n and the points of the scale.",
    )
