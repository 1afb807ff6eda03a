"""Linear mixed models with random slopes: systems vary freely over items and participants.

`linear_mixed` with crossed groupings assumes that every system varies equally and that every two
systems correlate equally. Here each system has its own variance over items and over participants,
and each pair of systems a correlation: R's
`value ~ system + … + (0 + system | item) + (0 + system | participant)`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from rejudge.english import join_notes
from rejudge.errors import DataError, Problem
from rejudge.stats.arrays import Codes, Numbers, number_codes, one_thread
from rejudge.stats.mixed.effects import (
    Basis,
    Coefficient,
    Layout,
    Solution,
    coefficients,
    find_coefficient,
    inverse,
    lay_out,
    orthonormal,
)
from rejudge.stats.mixed.linear import NO_RESIDUAL, NO_VARIATION, TOO_MANY_EFFECTS, DfMethod
from rejudge.stats.mixed.slopes_likelihood import SlopePoint, SlopesOptimum, search, uncertainty
from rejudge.stats.mixed.slopes_sums import Form, GroupingSums, SlopeSums, slope_sums
from rejudge.stats.mixed.sums import few_levels, no_model, refuse_bad_columns

SYSTEM = "system"
_NOTHING = 1e-20  # of the values' sum of squares: what rounding leaves
_NO_VARIANCE = 1e-6  # of the residual variance: the criterion cannot tell less from 0
_MOST_GROUPINGS = 2
_DENSE = 11  # cells for each judgment; up to this many a table is kept in full
_QUICKER = 8.0  # how much a product of full tables is


@dataclass(frozen=True, slots=True)
class SystemSpread:
    """How systems vary over the levels of a grouping.

    `form` tells what the table could show: a full `covariance`; `variances` alone, where no level
    has two systems; or one `offset` that all systems share, where none has two judgments of one.
    """

    group: str
    levels: int
    form: Form
    systems: tuple[int, ...]
    covariance: tuple[tuple[float, ...], ...]  # in the order of `systems`
    is_singular: bool  # some combination of systems was found not to vary
    note: str = ""

    def variance(self, system: int) -> float:
        """How much a system varies over the levels."""
        place = self.systems.index(system)
        return self.covariance[place][place]

    def correlation(self, first: int, second: int) -> float | None:
        """The correlation of two systems; None if one does not vary, or no level has both."""
        spread = math.sqrt(self.variance(first) * self.variance(second))
        if self.form == "variances" or not spread:
            return None
        between = self.covariance[self.systems.index(first)][self.systems.index(second)]
        return max(-1.0, min(1.0, between / spread))

    def difference_variance(self, first: int, second: int) -> float:
        """How much the difference of two systems varies over the levels."""
        between = self.covariance[self.systems.index(first)][self.systems.index(second)]
        return max(0.0, self.variance(first) + self.variance(second) - 2 * between)


@dataclass(frozen=True, slots=True)
class FreeSlopesFit:
    """A fitted model. Where it is undefined there are no coefficients, and `note` says why."""

    coefficients: tuple[Coefficient, ...]
    spreads: tuple[SystemSpread, ...]  # in the order of the groupings
    residual: float | None  # variance
    criterion: float | None  # −2 log restricted likelihood
    n: int
    converged: bool
    note: str = ""
    solution: Solution | None = field(default=None, repr=False, compare=False)

    @property
    def singular(self) -> bool:
        """Whether some combination of systems was found not to vary."""
        return any(each.is_singular for each in self.spreads)

    @property
    def df_method(self) -> DfMethod:
        return "satterthwaite"

    def coefficient(self, term: str, level: int | None = None) -> Coefficient:
        """The effect of a covariate, or of a system against the lowest."""
        return find_coefficient(self.coefficients, term, level)

    def spread(self, group: str) -> SystemSpread:
        """How systems vary over the levels of a grouping."""
        return next(each for each in self.spreads if each.group == group)


@one_thread()
def free_slopes_model(
    value: Numbers,
    system: Codes,
    groups: Mapping[str, Codes],
    *,
    covariates: Mapping[str, Numbers] | None = None,
    level: float = 0.95,
) -> FreeSlopesFit:
    """Fit value = system + covariates + an offset of each system for each level of each grouping.

    `groups`: one or two, such as item and participant. Restricted likelihood (REML), as in lme4
    (Bates, Mächler, Bolker & Walker 2015), and Satterthwaite's degrees of freedom from the observed
    information, as in lmerTest (Kuznetsova, Brockhoff & Christensen 2017). `level_contrasts` gives
    the differences of systems, `limit_of_slopes_df` the most degrees of freedom of each.

    With S systems a grouping has S (S + 1) / 2 variances and covariances, so that many systems need
    many participants. Where a table cannot show them, a grouping has less (`SystemSpread.form`).
    A covariance without full rank is kept and reported, not hidden. The work grows with the third
    power of the levels of the smaller grouping times the systems.
    """
    _refuse(value, system, groups)
    layout, columns = lay_out({SYSTEM: system, **(covariates or {})}, len(value))
    reason = no_model(columns, groups)
    if reason:
        return _undefined_fit(len(value), reason)
    directions, basis = orthonormal(columns)
    offset = directions.T @ value
    left = value - directions @ offset
    size = math.sqrt(float(left @ left) / len(left))
    if size**2 <= _NOTHING * max(float(value @ value) / len(left), np.finfo(float).tiny):
        return _undefined_fit(len(value), NO_VARIATION)
    if len(basis.kept) >= len(value):
        return _undefined_fit(len(value), TOO_MANY_EFFECTS)
    numbers, codes = number_codes(system)
    sums = slope_sums(np.column_stack([directions, left / size]), codes, groups)
    peak = search(sums)
    if peak.exhausted:
        return _undefined_fit(len(value), NO_RESIDUAL)
    model = _Model(layout, basis, offset, size, tuple(numbers.tolist()))
    return _fit(model, sums, peak, tuple(groups), level=level)


def limit_of_slopes_df(fit: FreeSlopesFit, pair: tuple[int, int], group: str) -> int | None:
    """The most degrees of freedom that the difference of two systems should have, or None for no
    limit: the rule of `limit_of_df` for free slopes.

    `group` is the grouping that people are sampled in ("participant"). Where the two systems vary
    over its levels as one, or one of them not at all, Satterthwaite's degrees of freedom take that
    as known. The limit is then 2 (G − 1), G the levels of the smallest grouping.

    Of 600 simulated studies without any difference, 100 items rated by 3 and 5 people and 40 by 6,
    6.2, 6.0 and 4.2 % had p < .05 without the limit, and 5.2, 5.7 and 3.7 % with it, which held in
    48, 12 and 21 % of them.
    """
    known = [each for each in fit.spreads if each.group == group]
    if not known or fit.residual is None:
        return None
    spread = known[0]
    places = [spread.systems.index(system) for system in pair]
    part = np.array(spread.covariance)[np.ix_(places, places)]
    if spread.form == "offset":
        part = part[:1, :1]
    if np.linalg.eigvalsh(part)[0] > _NO_VARIANCE * fit.residual:
        return None
    return 2 * (min(each.levels for each in fit.spreads) - 1)


@dataclass(frozen=True, slots=True)
class _Model:
    """What the columns of the sums mean."""

    layout: Layout
    basis: Basis
    offset: Numbers  # of the plain regression, which was taken off the values
    size: float  # by which the values were divided
    systems: tuple[int, ...]


def _refuse(value: Numbers, system: Codes, groups: Mapping[str, Codes]) -> None:
    refuse_bad_columns(value, groups)
    problems = []
    if len(groups) > _MOST_GROUPINGS:
        problems.append(
            Problem(
                f"A model with free slopes has one or two groupings, got {len(groups)}.",
                "Give item and participant.",
            )
        )
    if not np.issubdtype(system.dtype, np.integer):
        problems.append(Problem("Systems must be codes, that is whole numbers."))
    if problems:
        raise DataError.of(problems)


def _fit(
    model: _Model, sums: SlopeSums, peak: SlopesOptimum, names: tuple[str, ...], *, level: float
) -> FreeSlopesFit:
    solution = _solution(model, sums, peak)
    residual = peak.point.variance * model.size**2
    sides = {
        side.name: _spread(side, factor, model.systems, residual)
        for side, factor in zip(sums.sides, peak.point.factors, strict=True)
    }
    spreads = tuple(sides[name] for name in names)
    return FreeSlopesFit(
        coefficients=coefficients(solution, level),
        spreads=spreads,
        residual=residual,
        criterion=peak.point.criterion + _scale(model, peak.point),
        n=sums.n,
        converged=peak.converged,
        note=_note(spreads, converged=peak.converged),
        solution=solution,
    )


def _scale(model: _Model, point: SlopePoint) -> float:
    """What the criterion owes to the size of the values and of the columns, which were made 1."""
    columns = 2 * float(np.linalg.slogdet(model.basis.triangle)[1])
    return columns + 2 * point.df * math.log(model.size)


def _spread(
    side: GroupingSums, factor: Numbers, systems: tuple[int, ...], residual: float
) -> SystemSpread:
    covariance = residual * factor @ factor.T
    is_singular = np.linalg.eigvalsh(covariance)[0] <= _NO_VARIANCE * residual
    if side.form == "offset":
        covariance = np.full((len(systems), len(systems)), covariance[0, 0])
    return SystemSpread(
        side.name,
        side.levels,
        side.form,
        systems,
        tuple(map(tuple, covariance.tolist())),
        bool(is_singular),
        few_levels(side.name, side.levels),
    )


def _solution(model: _Model, sums: SlopeSums, peak: SlopesOptimum) -> Solution:
    """Estimates in terms of the columns that were given, and all that errors are computed from."""
    point, way_back = peak.point, inverse(model.basis.triangle)
    spread = way_back @ point.inverse @ way_back.T
    bend = way_back @ point.inverse
    slopes = [point.variance * bend @ fall @ bend.T for fall in _information_slopes(sums, point)]
    return Solution(
        layout=model.layout,
        kept=model.basis.kept,
        left_out=model.basis.left_out,
        dependence=model.basis.dependence,
        beta=way_back @ (model.offset + model.size * point.beta),
        covariance=model.size**2 * point.variance * spread,
        slopes=model.size**2 * np.stack([*slopes, spread]),
        uncertainty=uncertainty(sums, peak),
    )


def _information_slopes(sums: SlopeSums, point: SlopePoint) -> list[Numbers]:
    """Xᵀ V⁻¹ V_j V⁻¹ X for each element of the factors."""
    p, falls = len(point.beta), []
    for side, factor, seen in zip(sums.sides, point.factors, point.solved.seen, strict=True):
        some = seen[:, :, :p]
        turned = np.einsum("lti,tc->lci", some, factor)
        for row, column in zip(*side.places, strict=True):
            half = some[:, row].T @ turned[:, column]
            falls.append(half + half.T)
    return falls


def _note(spreads: tuple[SystemSpread, ...], *, converged: bool) -> str:
    """The notes on a fit, in one line."""
    notes = [each.note for each in spreads]
    notes += [_form_note(each) for each in spreads]
    notes += [
        f"Some combination of the systems does not vary over levels of {each.group}: its variance "
        "is 0 (singular fit)."
        for each in spreads
        if each.is_singular
    ]
    if not converged:
        notes.append("The search for the variances did not converge: do not rely on this fit.")
    return join_notes(*notes)


def _form_note(spread: SystemSpread) -> str:
    if spread.form == "variances":
        return f"No {spread.group} has two systems: their correlations over it cannot be estimated."
    if spread.form == "offset":
        return (
            f"No {spread.group} has two judgments of a system: how systems vary over it cannot be "
            "separated from the residual, and they share one random intercept."
        )
    return ""


def _undefined_fit(n: int, reason: str) -> FreeSlopesFit:
    return FreeSlopesFit((), (), None, None, n, converged=False, note=reason)
