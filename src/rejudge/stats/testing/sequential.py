"""Planned looks at a growing study: boundaries that keep the false-positive rate over all of them.

The statistics of successive looks follow a Brownian motion in the share of the information that has
been collected (`fractions`): Z at share t has variance 1, and two of them correlate √(t/t′). That
holds, asymptotically, for means and for efficient estimates of differences between systems.
Probabilities of crossing come from the recursion of Armitage, McPherson & Rowe (1969), integrated
by Gauss–Legendre quadrature.

Where clusters are few, a look compares the p value of its t test with `Boundary.levels`, the
two-sided levels that belong to the critical values of a normal statistic. This is the approximation
of significance levels of Jennison & Turnbull (2000, §3.8); `docs/methods.md` has its
simulated level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from rejudge.errors import DataError, require_known
from rejudge.stats.arrays import Numbers
from rejudge.stats.roots import find_root
from rejudge.stats.testing.effects import legendre

BoundaryShape: TypeAlias = Literal["obrien-fleming", "pocock"]
_NODES, _NODES_PER_STEP = 48, 8  # doubling both changes nothing above 1e-12
_LEAST_GAP = 1e-3  # between two fractions; a narrower one needs thousands of nodes
_LARGEST = 12.0  # standard errors beyond which nothing is left of a normal distribution
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Boundary:
    """Critical values for each look, so that all looks together keep `alpha`."""

    shape: BoundaryShape
    alpha: float
    fractions: tuple[float, ...]  # of the information, at each look
    critical: tuple[float, ...]  # values of a normal statistic, two-sided
    levels: tuple[float, ...]  # the two-sided levels of the single looks
    spent: tuple[float, ...]  # chance of a false positive at this look or before

    def level_at(self, fraction: float) -> float:
        """The two-sided level of a look at another fraction than planned.

        A study that ends before its last look is tested with the same boundary where it stands.
        Given that nothing was crossed before, an earlier last look crosses less often than the
        planned ones, so alpha is kept.
        """
        return _level(_critical(self.shape, self.constant, fraction))

    @property
    def constant(self) -> float:
        """The critical value of the last look."""
        return self.critical[-1]


def sequential_boundary(
    fractions: Sequence[float], shape: BoundaryShape, *, alpha: float = 0.05
) -> Boundary:
    """The critical values of O'Brien & Fleming (1979) or Pocock (1977) at any fractions.

    O'Brien & Fleming: c/√t, strict at first and close to the usual value at the end. Pocock: the
    same c at every look. The constant is found for the given fractions, so these need not be
    equally spaced. The last one is 1.
    """
    require_known(shape, get_args(BoundaryShape), option="shape")
    shares = _checked(fractions)
    if not 0 < alpha < 1:
        raise DataError(f"a level must be between 0 and 1, got {alpha:g}.")
    if abs(shares[-1] - 1) > _SAME:
        raise DataError(f"the last fraction is 1, the whole study; got {shares[-1]:g}.")

    def excess(constant: float) -> float:
        critical = [_critical(shape, constant, t) for t in shares]
        return float(crossing_probabilities(critical, shares).sum()) - alpha

    # Between the value of a single test and Bonferroni's: no look is easier than the last one.
    least, most = _quantile(alpha), _quantile(alpha / len(shares))
    constant = find_root(excess, least - 1e-6, most + 1e-6, xtol=1e-10)
    critical = tuple(_critical(shape, constant, t) for t in shares)
    spent = np.cumsum(crossing_probabilities(critical, shares)).tolist()
    levels = tuple(_level(z) for z in critical)
    return Boundary(shape, alpha, shares, critical, levels, tuple(spent))


def crossing_probabilities(
    critical: Sequence[float], fractions: Sequence[float], *, drift: float = 0.0
) -> Numbers:
    """The chance that |Z| first exceeds its critical value at each look.

    `drift`: the expected Z at fraction 1, such as 1.96 + 0.84 where a single test would have 80 %
    power.
    """
    shares = _checked(fractions)
    if len(critical) != len(shares):
        raise DataError(f"{len(critical)} critical values for {len(shares)} looks.")
    upper, lower = _first_passages(np.asarray(critical, dtype=np.float64), shares, drift)
    return upper + lower


def repeated_p(p: float, look: int, boundary: Boundary, *, fraction: float | None = None) -> float:
    """The p value at a look, corrected for all planned looks.

    It is the smallest overall level at which a boundary of this shape would have been reached here,
    and so may be used whenever and for whatever reason the study stopped (Jennison & Turnbull 2000,
    §9.5). `look` counts from 1; `fraction` is given where the look was not at its planned one.
    """
    if not 1 <= look <= len(boundary.fractions):
        raise DataError(f"look {look} of {len(boundary.fractions)} does not exist.")
    if not 0 <= p <= 1:
        raise DataError(f"a p value must be between 0 and 1, got {p:g}.")
    share = boundary.fractions[look - 1] if fraction is None else fraction
    z = _quantile(p)
    constant = z * math.sqrt(share) if boundary.shape == "obrien-fleming" else z
    if constant <= 0:
        return 1.0
    critical = [_critical(boundary.shape, constant, t) for t in boundary.fractions]
    crossed = float(crossing_probabilities(critical, boundary.fractions).sum())
    return min(1.0, max(p, crossed))


def median_unbiased(z: float, look: int, boundary: Boundary) -> float:
    """The statistic at a look without the bias of stopping because it was large.

    The drift at which the study would have stopped as early with as large a statistic, or earlier,
    in half of all repetitions (stage-wise ordering, Armitage 1957; Kim 1989), in units of the
    standard error at this look: estimate · result / z is the median-unbiased estimate. At the first
    look it is z itself.
    """
    shares, place = boundary.fractions, look - 1
    if not 0 <= place < len(shares):
        raise DataError(f"look {look} of {len(shares)} does not exist.")
    critical = np.array([*boundary.critical[:place], abs(z)])
    # The last value counts at its upper side only; whether the lower one is reached there is the
    # other tail of the same look, which is ordered below.
    passed = tuple(shares[:look])

    def excess(drift: float) -> float:
        upper, _ = _first_passages(critical, passed, drift)
        return float(upper.sum()) - 0.5

    reach = (_LARGEST + abs(z)) / math.sqrt(shares[place])
    drift = find_root(excess, -reach, reach, xtol=1e-9)
    return math.copysign(1.0, z) * drift * math.sqrt(shares[place])


def _first_passages(
    critical: Numbers, fractions: tuple[float, ...], drift: float
) -> tuple[Numbers, Numbers]:
    """The chances of leaving first at each look, above and below, of Brownian motion with drift."""
    from scipy.special import ndtr

    looks = len(fractions)
    upper, lower = np.zeros(looks), np.zeros(looks)
    node, mass = np.zeros(1), np.ones(1)  # where the motion can be, and how likely
    before = 0.0
    for look, t in enumerate(fractions):
        step, limit = math.sqrt(t - before), float(critical[look]) * math.sqrt(t)
        mean = node + drift * (t - before)
        upper[look] = float(mass @ ndtr((mean - limit) / step))
        lower[look] = float(mass @ ndtr((-limit - mean) / step))
        if look + 1 < looks:
            node, mass = _continued(mean, mass, step, _inside(limit, drift * t, math.sqrt(t)))
        before = t
    return upper, lower


def _inside(limit: float, centre: float, spread: float) -> tuple[float, float]:
    """Where the motion can be if it goes on: within the limits, and not absurdly far off."""
    low = max(-limit, centre - _LARGEST * spread)
    return low, max(low, min(limit, centre + _LARGEST * spread))


def _continued(
    mean: Numbers, mass: Numbers, step: float, inside: tuple[float, float]
) -> tuple[Numbers, Numbers]:
    wanted = _NODES_PER_STEP * (inside[1] - inside[0]) / step
    count = _NODES + _NODES * math.ceil(wanted / _NODES)  # few different counts: nodes are kept
    node, weight = legendre(count, *inside)
    off = (node[:, None] - mean[None, :]) / step
    density = np.exp(-0.5 * off**2) @ mass / (step * math.sqrt(2 * math.pi))
    return node, weight * density


def _critical(shape: BoundaryShape, constant: float, fraction: float) -> float:
    return constant / math.sqrt(fraction) if shape == "obrien-fleming" else constant


def _checked(fractions: Sequence[float]) -> tuple[float, ...]:
    shares = tuple(float(each) for each in fractions)
    gaps = np.diff([0.0, *shares])
    if not shares or not (gaps >= _LEAST_GAP - _SAME).all() or shares[-1] > 1 + _SAME:
        raise DataError(
            f"fractions rise from above 0 to 1, at least {_LEAST_GAP:g} apart; got "
            f"{', '.join(f'{each:g}' for each in shares) or 'none'}."
        )
    return shares


def _level(z: float) -> float:
    from scipy.special import ndtr

    return 2 * float(ndtr(-z))


def _quantile(p: float) -> float:
    """The normal value with this two-sided p; what is below the smallest float is still finite."""
    from scipy.special import ndtri

    return -float(ndtri(max(p, 1e-300) / 2))


# ── any number of looks ──────────────────────────────────────────────────────────────────────────


def always_valid_level(n: int, *, planned: int, alpha: float = 0.05) -> float:
    """The two-sided level of a single test at n that may be looked at at any time.

    That of the interval x̄ ± σ̂ √(2(nρ²+1)/(n²ρ²) · ln(√(nρ²+1)/α)), an asymptotic confidence
    sequence (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024), with ρ² = (−2 ln α + ln(1 − 2 ln
    α))/`planned`, which is narrowest near `planned`. `n` counts what is independent: clusters such
    as items or participants, never judgments.
    """
    return _level(_multiplier(n, planned, alpha))


def always_valid_p(p: float, n: int, *, planned: int, alpha: float = 0.05) -> float:
    """The p value of a single test at n clusters as one that holds at all times: 1 − the largest
    level of confidence at which the sequence leaves out the null value.

    `planned` and `alpha` fix ρ and with it the sequence; they are those of the plan.
    """
    if not 0 <= p <= 1:
        raise DataError(f"a p value must be between 0 and 1, got {p:g}.")
    part = n * _rho_squared(planned, alpha)
    log = 0.5 * math.log1p(part) - _quantile(p) ** 2 * part / (2 * (part + 1))
    return min(1.0, max(p, math.exp(min(0.0, log))))


def _multiplier(n: int, planned: int, alpha: float) -> float:
    """Half the width of the interval in standard errors."""
    part = n * _rho_squared(planned, alpha)
    return math.sqrt(2 * (part + 1) / part * (0.5 * math.log1p(part) - math.log(alpha)))


def _rho_squared(planned: int, alpha: float) -> float:
    if not 0 < alpha < 1:
        raise DataError(f"a level must be between 0 and 1, got {alpha:g}.")
    twice = -2 * math.log(alpha)
    return (twice + math.log1p(twice)) / planned
