"""Linear mixed models: scores explained by systems, with random participants and items.

A mean over judgments treats each judgment as independent. But the same participants judge many
items, and the same items are judged by many participants, so judgments are correlated and the
standard error of a plain mean is far too small. Here each participant and each item has a random
offset from a normal distribution whose variance is estimated. `profile_interval` gives intervals
from the profile likelihood; `estimated_fit_seconds` predicts how long a fit takes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from rejudge.errors import DataError, Problem, require_known
from rejudge.stats.arrays import Codes, Numbers, count_distinct, one_thread
from rejudge.stats.clusters import Interval
from rejudge.stats.mixed.effects import (
    Basis,
    Coefficient,
    Fixed,
    Layout,
    Solution,
    coefficients,
    find_coefficient,
    inverse,
    lay_out,
    orthonormal,
)
from rejudge.stats.mixed.evaluation import Exact, Solver
from rejudge.stats.mixed.iterative import Iterative
from rejudge.stats.mixed.kenward_roger import MOST_LEVELS, kenward_roger
from rejudge.stats.mixed.probes import (
    LEAST_RATIO,
    Fingerprints,
    fingerprints,
    nest_probes,
    sampled_rows,
)
from rejudge.stats.mixed.search import (
    ENOUGH_OF_SAMPLE,
    Likelihood,
    LinearOptimum,
    Progress,
    known_criterion,
    maximise,
)
from rejudge.stats.mixed.sums import (
    Component,
    Sums,
    components,
    fit_note,
    nests,
    no_model,
    refuse_bad_columns,
    tally,
)
from rejudge.stats.roots import find_root

DfMethod: TypeAlias = Literal["satterthwaite", "kenward-roger"]

EXACT_UP_TO = 800  # levels beside the largest nest; beyond, iteration is quicker
RESIDUAL = "residual"
NO_VARIATION = "The values do not vary beyond the fixed effects."
TOO_MANY_EFFECTS = "There are as many fixed effects as judgments."
NO_RESIDUAL = "The groups explain every judgment: no residual is left."
NO_KENWARD_ROGER = (
    "The table is too large for Kenward and Roger's adjustment: errors and degrees of freedom are "
    "those of Satterthwaite's method."
)
_NOTHING = 1e-20  # of the values' sum of squares: what rounding leaves
# Measured by benchmarks/bench_mixed.py, which writes the estimate beside each measurement.
_START = 0.02
_PER_JUDGMENT = 0.25e-6  # and column: adding up
_START_OF_ITERATIONS = 0.1
_PER_CELL = 0.3e-6  # 〃: all iterations of all evaluations
_PROBES = 10  # columns that are solved besides the fixed effects and the value
_PER_CUBE = 1.1e-9  # of the levels that are solved exactly: all evaluations
_PER_SQUARE = 0.25e-6  # 〃


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
    refit: RefitInput | None = field(default=None, repr=False, compare=False)
    df_method: DfMethod = "satterthwaite"  # of coefficients and all that is derived from the fit

    def coefficient(self, term: str, level: int | None = None) -> Coefficient:
        """The effect of a covariate, or of a level of a factor against the lowest."""
        return find_coefficient(self.coefficients, term, level)

    def variance(self, group: str) -> float | None:
        """The variance between the levels of a grouping, or 'residual'."""
        for part in self.components:
            if part.group == group:
                return part.variance
        known = ", ".join(part.group for part in self.components)
        raise DataError(f"The model has no grouping '{group}'. It has: {known}.")


@dataclass(frozen=True, slots=True)
class RefitInput:
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
    df: DfMethod = "satterthwaite",
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
    From a few hundred thousand judgments on the search starts where it ends for a sample of them.
    `progress` is called with the approximate share of the work that is done.

    `df="kenward-roger"` takes the errors and degrees of freedom of Kenward & Roger (1997), as
    R's pbkrtest has them, for REML only. Where the model was solved by iteration, or has more than
    8,000 levels, they stay Satterthwaite's and the note says so (`df_method` tells which).
    """
    require_known(df, get_args(DfMethod), option="df")
    if df == "kenward-roger" and not reml:
        raise DataError(
            Problem("Kenward and Roger's degrees of freedom need REML.", "Leave out reml=False.")
        )
    refuse_bad_columns(value, groups)
    tallied = _prepare_sums(value, fixed, groups, reml=reml)
    if isinstance(tallied, str):
        return undefined_fit(groups, len(value), tallied, reml=reml)
    fit = fit_sums(tallied, groups, reml=reml, level=level, progress=progress)
    return with_kenward_roger(fit, groups, level=level) if df == "kenward-roger" else fit


def _prepare_sums(
    value: Numbers, fixed: Fixed, groups: Mapping[str, Codes], *, reml: bool
) -> PreparedSums | str:
    """The sums to fit, or why there is no model. The columns themselves end here: of ten million
    judgments they are a gigabyte, which the fit has no use for."""
    layout, columns = lay_out(fixed, len(value))
    reason = no_model(columns, groups)
    if reason:
        return reason
    directions, basis = orthonormal(columns)
    offset = directions.T @ value
    left = value - directions @ offset
    if float(left @ left) <= _NOTHING * max(float(value @ value), np.finfo(float).tiny):
        return NO_VARIATION
    if len(basis.kept) >= len(value):
        return TOO_MANY_EFFECTS
    codes = list(groups.values())
    sums = tally(directions, left, codes)
    prints = fingerprints(value, codes) if _is_large(sums) else []
    start = _sampled_start(directions, value, groups, prints, reml=reml)
    return PreparedSums(sums, _solver(sums, prints), layout, basis, offset, start)


def with_kenward_roger(
    fit: MixedFit, groups: Mapping[str, Codes], *, level: float = 0.95
) -> MixedFit:
    """The same fit with Kenward and Roger's errors and degrees of freedom, if available."""
    if fit.solution is None:
        return fit
    if fit.refit is None or sum(map(count_distinct, groups.values())) > MOST_LEVELS:
        return replace(fit, note=f"{fit.note} {NO_KENWARD_ROGER}".strip())
    point, back = fit.refit.likelihood.at(fit.refit.ratios), fit.refit.directions
    found = kenward_roger(point, list(groups.values()), fit.n)
    solution = replace(
        fit.solution,
        adjusted=back @ found.adjusted @ back.T,
        slopes=back @ found.slopes @ back.T,
        uncertainty=found.uncertainty,
    )
    return replace(
        fit,
        solution=solution,
        coefficients=coefficients(solution, level),
        df_method="kenward-roger",
    )


@dataclass(frozen=True, slots=True)
class PreparedSums:
    """Sums of perpendicular columns, how they are solved, and what the columns mean."""

    sums: Sums
    solver: Solver | None
    layout: Layout
    basis: Basis
    offset: Numbers  # of the plain regression, which was taken off the values
    start: Numbers | None = None  # variance ratios that are nearly right


def fit_sums(
    tallied: PreparedSums,
    groups: Mapping[str, Codes],
    *,
    reml: bool,
    level: float,
    progress: Progress | None = None,
) -> MixedFit:
    """Search for the most likely variances of these groupings, and build the fit."""
    likelihood = Likelihood(tallied.sums, reml, tallied.solver)
    peak = maximise(likelihood, tallied.start, progress=progress)
    if peak.exhausted:
        return undefined_fit(groups, tallied.sums.n, NO_RESIDUAL, reml=reml)
    back = inverse(tallied.basis.triangle)
    refit = RefitInput(likelihood, peak.point.ratios, back, tallied.offset)
    solution = _solution(tallied.layout, tallied.basis, peak, refit)
    return _fit(solution, peak, groups, refit=refit, level=level)


def _is_large(sums: Sums) -> bool:
    return sums.stacked_levels > EXACT_UP_TO


def _solver(sums: Sums, prints: Sequence[Fingerprints]) -> Solver | None:
    if sums.stack is None:
        return None
    if not _is_large(sums):
        return Exact(sums, sums.stack)
    return Iterative(sums, sums.stack, nest_probes(sums, sums.stack, prints))


def _sampled_start(
    columns: Numbers,
    value: Numbers,
    groups: Mapping[str, Codes],
    prints: Sequence[Fingerprints],
    *,
    reml: bool,
) -> Numbers | None:
    """The variance ratios of a sample of the judgments; None if there are too few to sample."""
    rows = sampled_rows(list(groups.values()), prints)
    if rows is None:
        return None
    some = {name: codes[rows] for name, codes in groups.items()}
    if no_model(columns[rows], some):
        return None
    directions, _ = orthonormal(np.asfortranarray(columns[rows]))
    left = value[rows] - directions @ (directions.T @ value[rows])
    sums = tally(directions, left, list(some.values()))
    prints = fingerprints(value[rows], list(some.values())) if _is_large(sums) else []
    start = _sampled_start(directions, value[rows], some, prints, reml=reml)
    likelihood = Likelihood(sums, reml, _solver(sums, prints))
    found = maximise(likelihood, start, enough=ENOUGH_OF_SAMPLE)
    return None if found.exhausted else np.maximum(found.point.ratios, LEAST_RATIO)


def _solution(layout: Layout, basis: Basis, peak: LinearOptimum, refit: RefitInput) -> Solution:
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
    peak: LinearOptimum,
    groups: Mapping[str, Codes],
    *,
    refit: RefitInput,
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


def _scale(refit: RefitInput) -> float:
    """What the restricted criterion owes to the length of the columns, which were made 1."""
    return -2 * float(np.linalg.slogdet(refit.directions)[1])


def undefined_fit(
    groups: Mapping[str, Codes], n: int, reason: str, *, reml: bool = True
) -> MixedFit:
    """No fit, and why."""
    variances = dict.fromkeys(groups)
    parts = (*components(groups, variances), Component(RESIDUAL, None, None))
    return MixedFit((), parts, None, reml, n, converged=False, singular=False, note=reason)


def estimated_fit_seconds(groups: Mapping[str, Codes], effects: int) -> float:
    """About how many seconds of one processor `linear_mixed` takes, mostly within a factor of two.

    `effects`: how many columns the fixed effects have, the intercept included. The estimate is that
    of the machine of the benchmark; it grows with the judgments, and up to `EXACT_UP_TO` levels
    beside the largest nest with their third power.
    """
    if not groups:
        return 0.0
    n, width = len(next(iter(groups.values()))), effects + 1
    if not n:
        return 0.0
    seconds = _START + _PER_JUDGMENT * n * width
    stacked = sum(nest.levels for nest in nests(list(groups.values()))[1:])
    if stacked <= EXACT_UP_TO:
        return seconds + _PER_CUBE * stacked**3 + _PER_SQUARE * stacked**2
    return seconds + _START_OF_ITERATIONS + _PER_CELL * n * (width + _PROBES)


@one_thread()
def profile_interval(
    fit: MixedFit, term: str, which: int | None = None, *, level: float = 0.95
) -> Interval | None:
    """An interval for one coefficient from the likelihood itself, as lme4's `confint` gives.

    It holds every value at which the model, fitted again by full likelihood with the coefficient
    held there, loses no more than χ²(1)'s quantile. It makes no allowance for few participants, so
    that it is narrower than the interval of the coefficient where there are few. A fit that was
    solved by iteration has none: its likelihood is not known.
    """
    from scipy.special import ndtri

    found = fit.coefficient(term, which)
    if fit.refit is None or fit.solution is None or found.standard_error is None:
        return None
    names = [(column.term, column.level) for column in fit.solution.layout.columns]
    row = fit.refit.directions[fit.solution.kept.index(names.index((term, which)))]
    loss = _Loss(fit, row)
    reach = float(ndtri((1 + level) / 2))
    low, high = (loss.end(side * reach, found.standard_error) for side in (-1.0, 1.0))
    return Interval(low, high, level)


class _Loss:
    """How much likelihood is lost when a sum of effects is held at a value."""

    def __init__(self, fit: MixedFit, row: Numbers) -> None:
        if fit.refit is None:  # pragma: no cover - asked before
            raise TypeError
        self._likelihood = replace(fit.refit.likelihood, reml=False)
        self._ratios = fit.refit.ratios
        self._row = row
        self._others = np.linalg.svd(row[None])[2][1:].T  # directions that leave the sum alone
        best = maximise(self._likelihood, self._ratios).point
        self._least = known_criterion(best)
        self._centre = float(row @ best.beta)
        self._offset = float(row @ fit.refit.offset)

    def end(self, reach: float, error: float) -> float:
        """Where the root of the loss, with its sign, is `reach`; in one variable nearly a line."""
        near, far = 0.0, 1.5 * reach * error
        while abs(self._root(far)) < abs(reach):
            near, far = far, 2 * far
        distance = find_root(lambda at: self._root(at) - reach, near, far, xtol=1e-7 * error)
        return self._offset + self._centre + float(distance)

    def _root(self, distance: float) -> float:
        held = (self._centre + distance) * self._row / float(self._row @ self._row)
        p = len(self._row)
        change = np.zeros((p + 1, p))
        change[:p, : p - 1] = self._others
        change[:p, p - 1] = -held
        change[p, p - 1] = 1.0
        point = maximise(replace(self._likelihood, change=change), self._ratios).point
        return math.copysign(math.sqrt(max(known_criterion(point) - self._least, 0.0)), distance)
