"""Linear mixed models: scores explained by systems, with random participants and items.

A mean over judgments treats each judgment as independent. But the same participants judge many
items, and the same items are judged by many participants, so judgments are correlated and the
standard error of a plain mean is far too small. Here each participant and each item has a random
offset from a normal distribution whose variance is estimated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal, TypeAlias, get_args

import numpy as np

from rejudge.errors import DataError, Problem, require_known
from rejudge.stats.arrays import Codes, Numbers, count_distinct, number_codes, one_thread
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
    information,
    maximise,
)
from rejudge.stats.mixed.sums import (
    Component,
    Nest,
    Sums,
    Term,
    components,
    fit_reasons,
    no_model,
    refuse_bad_columns,
    tally,
)
from rejudge.stats.reasons import Reason, Why, WithReasons

DfMethod: TypeAlias = Literal["satterthwaite", "kenward-roger"]

EXACT_UP_TO = 800  # levels beside the largest nest; beyond, iteration is quicker
RESIDUAL = "residual"
NO_VARIATION = Why.NO_VARIATION(what="the values", over=" beyond the fixed effects")
TOO_MANY_EFFECTS = Why.NEEDS(least="more", what="judgments than there are fixed effects")
NO_RESIDUAL = Why.NO_RESIDUAL("value", what="the groups")
NO_KENWARD_ROGER = Why.ANOTHER_METHOD(
    what="the table is too large for Kenward and Roger's adjustment: errors and degrees of freedom "
    "are those of Satterthwaite's method"
)
_NOTHING = 1e-20  # of the values' sum of squares: what rounding leaves


@dataclass(frozen=True, slots=True)
class MixedFit(WithReasons):
    """A fitted linear mixed model. Where it is undefined there are no coefficients, and `reasons`
    say why."""

    coefficients: tuple[Coefficient, ...]
    components: tuple[Component, ...]  # in the order given, the residual last
    criterion: float | None  # −2 log likelihood, restricted if `reml`; None if solved by iteration
    reml: bool
    n: int
    converged: bool
    singular: bool  # a variance was estimated as 0
    reasons: tuple[Reason, ...] = ()
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
    """What is needed to look at the likelihood again where it is greatest."""

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
    standard error. There is no criterion, hence no likelihood-ratio test.
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
    if isinstance(tallied, Reason):
        return undefined_fit(groups, len(value), tallied, reml=reml)
    fit = fit_sums(tallied, groups, reml=reml, level=level, progress=progress)
    return with_kenward_roger(fit, groups, level=level) if df == "kenward-roger" else fit


def random_groupings(system: Codes, shared: Mapping[str, Codes]) -> dict[str, Codes]:
    """All that judgments of systems can vary over: each grouping, each crossed with the system, and
    each two crossed with each other, where the judgments show it.

    `shared`: usually participant and item, in this order. Where somebody judged several systems on
    one item, their opinion of the item is in all of these judgments and cancels in a difference.
    Without "item × participant" it would be part of the residual, and standard errors too large.
    """
    found = dict(shared)
    for name, codes in shared.items():
        cells = _cross(codes, system)
        if count_distinct(codes) < count_distinct(cells) < len(cells):
            found[f"system × {name}"] = cells
    for one, other in combinations(reversed([*shared]), 2):
        cells = _cross(shared[one], shared[other])
        width = max(count_distinct(shared[one]), count_distinct(shared[other]))
        spans_systems = count_distinct(cells) < count_distinct(_cross(cells, system))
        if width < count_distinct(cells) < len(cells) and spans_systems:
            found[f"{one} × {other}"] = cells
    return found


def _cross(one: Codes, other: Codes) -> Codes:
    return number_codes(one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other)[1]


def _prepare_sums(
    value: Numbers, fixed: Fixed, groups: Mapping[str, Codes], *, reml: bool
) -> PreparedSums | Reason:
    """The sums to fit, or why there is no model. The columns themselves end here: of ten million
    judgments they are a gigabyte, which the fit has no use for."""
    plain = regress(value, fixed, groups)
    if isinstance(plain, Reason):
        return plain
    codes = list(groups.values())
    sums = tally(plain.directions, plain.left, codes)
    prints = fingerprints(value, codes) if _is_large(sums) else []
    start = _sampled_start(plain.directions, value, groups, prints, reml=reml)
    return PreparedSums(sums, _solver(sums, prints), plain.layout, plain.basis, plain.offset, start)


@dataclass(frozen=True, slots=True)
class PlainRegression:
    """The fixed effects in perpendicular columns, and what these leave of the values."""

    layout: Layout
    directions: Numbers
    basis: Basis
    offset: Numbers
    left: Numbers


def regress(value: Numbers, fixed: Fixed, groups: Mapping[str, Codes]) -> PlainRegression | Reason:
    """The regression without groupings, or why there is no model with them."""
    layout, columns = lay_out(fixed, len(value))
    reason = no_model(columns, groups)
    if reason:
        return reason
    found = regress_on(layout, columns, value)
    if float(found.left @ found.left) <= _NOTHING * max(float(value @ value), np.finfo(float).tiny):
        return NO_VARIATION
    return TOO_MANY_EFFECTS if len(found.basis.kept) >= len(value) else found


def regress_on(layout: Layout, columns: Numbers, value: Numbers) -> PlainRegression:
    """The regression on columns, which are overwritten."""
    directions, basis = orthonormal(columns)
    offset = directions.T @ value
    return PlainRegression(layout, directions, basis, offset, value - directions @ offset)


def with_kenward_roger(
    fit: MixedFit, groups: Mapping[str, Codes], *, level: float = 0.95
) -> MixedFit:
    """The same fit with Kenward and Roger's errors and degrees of freedom, if available."""
    if fit.solution is None:
        return fit
    if fit.refit is None or sum(map(count_distinct, groups.values())) > MOST_LEVELS:
        return replace(fit, reasons=(*fit.reasons, NO_KENWARD_ROGER))
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

    sums: Sums[Term]
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
    solution = solution_of(tallied, peak, refit)
    return _fit(solution, peak, groups, refit=refit, level=level)


def _is_large(sums: Sums[Nest]) -> bool:
    return sums.stacked_levels > EXACT_UP_TO


def _solver(sums: Sums[Nest], prints: Sequence[Fingerprints]) -> Solver | None:
    if sums.stack is None:
        return None
    if not _is_large(sums):
        return Exact(sums, sums.stack)
    return Iterative(sums.stack, nest_probes(sums, sums.stack, prints))


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


def solution_of(tallied: PreparedSums, peak: LinearOptimum, refit: RefitInput) -> Solution:
    """Estimates in terms of the columns that were given, and all that errors are computed from."""
    point, basis, way_back = peak.point, tallied.basis, refit.directions
    p = len(basis.kept)
    spread = way_back @ point.inverse @ way_back.T
    bend = way_back @ point.inverse
    falls, uncertainty = information(refit.likelihood, peak)
    slopes = [point.variance * bend @ fall[:p, :p] @ bend.T for fall in falls]
    return Solution(
        layout=tallied.layout,
        kept=basis.kept,
        left_out=basis.left_out,
        dependence=basis.dependence,
        beta=way_back @ (refit.offset + point.beta),
        covariance=point.variance * spread,
        slopes=np.stack([*slopes, spread]),
        uncertainty=uncertainty,
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
        criterion=None
        if criterion is None
        else criterion + (column_scale(refit) if point.reml else 0.0),
        reml=point.reml,
        n=refit.likelihood.sums.n,
        converged=peak.converged,
        singular=len(peak.free) < len(groups),
        reasons=fit_reasons(groups, variances, converged=peak.converged, is_exact=is_exact),
        solution=solution,
        refit=refit if is_exact else None,
    )


def column_scale(refit: RefitInput) -> float:
    """What the restricted criterion owes to the length of the columns, which were made 1."""
    return -2 * float(np.linalg.slogdet(refit.directions)[1])


def undefined_fit(
    groups: Mapping[str, Codes], n: int, reason: Reason, *, reml: bool = True
) -> MixedFit:
    """No fit, and why."""
    variances = dict.fromkeys(groups)
    parts = (*components(groups, variances), Component(RESIDUAL, None, None))
    return MixedFit((), parts, None, reml, n, converged=False, singular=False, reasons=(reason,))
