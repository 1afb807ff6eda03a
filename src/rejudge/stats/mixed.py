"""Linear mixed models: scores explained by systems while participants and items differ too.

A mean over judgments takes each as a fresh draw. But the same participants judge many items and the
same items are judged by many participants: what is common to a participant or to an item makes
judgments alike, and whoever leaves it out believes to know twice as much. Here each participant and
each item has an offset of its own, drawn from a normal distribution whose variance is estimated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.mixed_design import Basis, Fixed, Layout, inverse, lay_out, orthonormal
from rejudge.stats.mixed_effects import Coefficient, Solution, coefficients, found
from rejudge.stats.mixed_evaluation import Solver
from rejudge.stats.mixed_exact import Exact
from rejudge.stats.mixed_groups import (
    Component,
    components,
    fit_note,
    no_model,
    refuse_bad_columns,
)
from rejudge.stats.mixed_iterative import Iterative, fingerprints
from rejudge.stats.mixed_search import Likelihood, Peak, Progress, climb
from rejudge.stats.mixed_sums import Sums, tally
from rejudge.stats.one_thread import one_thread

EXACT_UP_TO = 800  # levels beside the largest nest; beyond, iteration is quicker
RESIDUAL = "residual"
_NOTHING = 1e-20  # of the values' sum of squares: what rounding leaves


@dataclass(frozen=True, slots=True)
class MixedFit:
    """A fitted linear mixed model. Where it is undefined there are no coefficients, and `note` says
    why."""

    coefficients: tuple[Coefficient, ...]
    components: tuple[Component, ...]  # in the order given, the residual last
    criterion: float | None  # −2 log likelihood, restricted if `reml`; None if solved by iteration
    reml: bool
    n: int
    converged: bool
    singular: bool  # a variance was estimated as 0
    note: str = ""
    solution: Solution | None = field(default=None, repr=False, compare=False)
    refit: Refit | None = field(default=None, repr=False, compare=False)

    def coefficient(self, term: str, level: int | None = None) -> Coefficient:
        """The effect of a covariate, or of a level of a factor against the lowest."""
        return found(self.coefficients, term, level)

    def variance(self, group: str) -> float | None:
        """The variance between the levels of a grouping, or «residual»."""
        return next(part.variance for part in self.components if part.group == group)


@dataclass(frozen=True, slots=True)
class Refit:
    """What is needed to fit again with one effect held at a value."""

    likelihood: Likelihood
    ratios: Numbers
    directions: Numbers  # from perpendicular columns back to those kept: β = directions @ γ
    offset: Numbers  # γ of the plain regression, which was taken off the values first


@one_thread()
def linear_mixed(
    value: Numbers,
    fixed: Fixed,
    groups: Mapping[str, Codes],
    *,
    reml: bool = True,
    level: float = 0.95,
    progress: Progress | None = None,
) -> MixedFit:
    """Fit value = fixed effects + an offset for each level of each grouping + residual.

    `fixed`: whole numbers are codes of a factor in treatment coding (its lowest level is the
    reference), other numbers a covariate; an intercept is always there. `groups`: one or more
    groupings, crossed or nested, each with random intercepts. The fit is that of lme4 (Bates,
    Mächler, Bolker & Walker 2015), REML by default; tests and intervals use Student's t with
    Satterthwaite's degrees of freedom, from the average information (Gilmour, Thompson & Cullis
    1995). A variance of 0 is kept and reported, not hidden.

    With more than `EXACT_UP_TO` levels beside the largest nest the equations are solved by
    iteration, in time and memory that grow with the number of judgments. Variances are then within
    about 0.4 % of the exact ones, standard errors within 0.1 %, and estimates within 0.001 of a
    standard error. There is no criterion, hence no likelihood-ratio test and no profile interval.
    `progress` is called with the share of the work that is done, about.
    """
    n = len(value)
    refuse_bad_columns(value, groups)
    layout, columns = lay_out(fixed, n)
    reason = no_model(columns, groups)
    if reason:
        return _undefined(groups, n, reml, reason)
    basis = orthonormal(columns)
    offset = basis.directions.T @ value
    left = value - basis.directions @ offset
    if float(left @ left) <= _NOTHING * max(float(value @ value), np.finfo(float).tiny):
        return _undefined(groups, n, reml, "The values do not vary beyond the fixed effects.")
    if len(basis.kept) >= n:
        return _undefined(groups, n, reml, "There are as many fixed effects as judgments.")
    sums = tally(basis.directions, left, list(groups.values()))
    likelihood = Likelihood(sums, reml, _solver(sums, value, groups))
    peak = climb(likelihood, progress=progress)
    if peak.exhausted:
        return _undefined(
            groups, n, reml, "The groups explain every judgment: no residual is left."
        )
    refit = Refit(likelihood, peak.point.ratios, inverse(basis.triangle), offset)
    return _fit(_solution(layout, basis, peak, refit), peak, groups, refit=refit, level=level)


def _solver(sums: Sums, value: Numbers, groups: Mapping[str, Codes]) -> Solver | None:
    if sums.stack is None:
        return None
    if sums.stack.levels <= EXACT_UP_TO:
        return Exact(sums, sums.stack)
    return Iterative(sums, sums.stack, fingerprints(value, list(groups.values())))


def _solution(layout: Layout, basis: Basis, peak: Peak, refit: Refit) -> Solution:
    """Estimates in terms of the columns that were given, and all that errors are computed from."""
    point, p, way_back = peak.point, len(basis.kept), refit.directions
    spread = way_back @ point.inverse @ way_back.T
    bend = way_back @ point.inverse
    slopes = [point.variance * bend @ point.seen.falls[k][:p, :p] @ bend.T for k in peak.free]
    return Solution(
        layout=layout,
        kept=basis.kept,
        left_out=basis.left_out,
        dependence=basis.dependence,
        beta=way_back @ (refit.offset + point.beta),
        covariance=point.variance * spread,
        slopes=np.stack([*slopes, spread]),
        uncertainty=peak.uncertainty,
    )


def _fit(
    solution: Solution,
    peak: Peak,
    groups: Mapping[str, Codes],
    *,
    refit: Refit,
    level: float,
) -> MixedFit:
    point, criterion = peak.point, peak.point.criterion
    variances = dict(zip(groups, (point.ratios * point.variance).tolist(), strict=True))
    is_exact = criterion is not None
    return MixedFit(
        coefficients=coefficients(solution, level),
        components=(*components(groups, variances), Component(RESIDUAL, point.variance, None)),
        criterion=None if criterion is None else criterion + (_scale(refit) if point.reml else 0.0),
        reml=point.reml,
        n=refit.likelihood.sums.n,
        converged=peak.converged,
        singular=len(peak.free) < len(groups),
        note=fit_note(groups, variances, converged=peak.converged, is_exact=is_exact),
        solution=solution,
        refit=refit if is_exact else None,
    )


def _scale(refit: Refit) -> float:
    """What the restricted criterion owes to the length of the columns, which were made 1."""
    return -2 * float(np.linalg.slogdet(refit.directions)[1])


def _undefined(groups: Mapping[str, Codes], n: int, reml: bool, reason: str) -> MixedFit:  # noqa: FBT001
    variances = dict.fromkeys(groups)
    parts = (*components(groups, variances), Component(RESIDUAL, None, None))
    return MixedFit((), parts, None, reml, n, converged=False, singular=False, note=reason)
