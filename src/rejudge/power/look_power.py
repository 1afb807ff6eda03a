"""What planned looks do to power and to the length of a study, for the comparison that decides.

The statistics of successive looks follow a Brownian motion (`stats.sequential_boundary`). Its drift
is taken from the simulated studies of the planned size: the mean difference in half-widths of its
interval. The looks test the deciding comparison alone, without a correction for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING

from rejudge import stats
from rejudge.power.planned_power import ComparisonPower, LookPower
from rejudge.study.model import Study
from rejudge.study.sample_size import Stop

if TYPE_CHECKING:
    from rejudge.power.studies import StudyShape

_NORMAL = NormalDist()


def look_power(
    study: Study, shape: StudyShape, comparisons: Sequence[ComparisonPower], *, alpha: float
) -> LookPower | None:
    """The power of the comparison that decides, with all looks; None if it is not known.

    `comparisons` are those of the study as planned.
    """
    stop = study.spec.stop
    if stop is None:
        return None
    decides = next((each for each in comparisons if _decides(each, stop)), None)
    if decides is None or not decides.width:
        return None
    usual = _NORMAL.inv_cdf(1 - alpha / 2)
    drift = usual * abs(decides.truth) / (decides.width / 2)
    levels = _levels(stop, min(shape.items, shape.participants), alpha)
    critical = [_NORMAL.inv_cdf(1 - level / 2) for level in levels]
    shares = stop.shares
    stops = stats.crossing_probabilities(critical, shares, drift=drift).tolist()
    single = float(stats.crossing_probabilities([usual], [1.0], drift=drift)[0])
    goes_on = 1 - sum(stops[:-1])
    used = sum(share * chance for share, chance in zip(shares, [*stops[:-1], goes_on], strict=True))
    return LookPower(
        stop.question, stop.systems, stop.boundary, shares, sum(stops), single, tuple(stops), used
    )


def _decides(each: ComparisonPower, stop: Stop) -> bool:
    return each.question == stop.question and set(each.systems) == set(stop.systems)


def _levels(stop: Stop, clusters: int, alpha: float) -> Sequence[float]:
    """The two-sided level of each look."""
    if stop.boundary == "always-valid":
        return [
            stats.always_valid_level(max(1, round(share * clusters)), planned=clusters, alpha=alpha)
            for share in stop.shares
        ]
    return stats.sequential_boundary(stop.shares, stop.boundary, alpha=alpha).levels
