"""How far systems, items and participants differ on the latent scale, estimated from choices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from rejudge import stats
from rejudge.simulate.components import (
    BY_ITEM,
    BY_PARTICIPANT,
    LEAST_NOISE,
    NO_UNIT,
    NOISE,
    Components,
    assumed_spread,
    not_separable_note,
    share_out,
)
from rejudge.simulate.hidden_scale import HiddenScale, correlation_behind
from rejudge.stats import Comparisons
from rejudge.stats.arrays import Codes, Numbers

_TIED = 0.5
_MOST = 6.0  # standard deviations: a system that always wins has no finite quality
_RIDGE = 1e-4  # of a choice: keeps what always wins or loses within bounds, and moves nothing else


def components_of_choices(
    comparisons: Comparisons, side: Codes | None, samples: Sequence[Codes] = ()
) -> Components | str:
    """Quality and spreads behind choices, in units in which opinions vary as in `Parameters`.

    Only ratios show in choices. The marginal probit model (quality, ties and position, as if all
    choices were independent) is consistent whatever the covariances; these come from the mixed
    model of choices. `samples` are rows for the latter, where not all are independent given the
    opinions: the variances are means over them.
    """
    variances = _variances_of_choices(comparisons, side, samples)
    if isinstance(variances, str):
        return variances
    marginal = fit_marginal_probit(comparisons, side)
    if isinstance(marginal, str):
        return marginal
    own = HiddenScale.of_choice(marginal.tie_width).coefficients(marginal.differences, 1.0)
    shares = {
        name: correlation_behind(own, own, 2 * variance, weights=marginal.weights)
        for name, variance in variances.items()
    }
    missing = [name for name in (BY_ITEM, BY_PARTICIPANT) if name not in shares]
    rest = max(LEAST_NOISE, 1 - sum(shares.values()))
    shares |= share_out(rest, (NOISE, *missing))
    unit = math.sqrt(2) * assumed_spread((BY_ITEM, BY_PARTICIPANT, NOISE))
    return Components(
        {system: unit * value for system, value in marginal.quality.items()},
        {name: unit * math.sqrt(share / 2) for name, share in shares.items()},
        (NO_UNIT, *([not_separable_note((NOISE, *missing))] if missing else [])),
        None if marginal.position_bias is None else unit * marginal.position_bias,
        unit * marginal.tie_width if marginal.tie_width else None,
    )


def _variances_of_choices(
    comparisons: Comparisons, side: Codes | None, samples: Sequence[Codes]
) -> dict[str, float] | str:
    """System × item and system × participant effects on choices, where they can be estimated."""
    models = []
    for rows in samples or [np.arange(len(comparisons.preference))]:
        shown = None if side is None else side[rows]
        some = comparisons if not samples else take_comparisons(comparisons, rows)
        models.append(stats.choice_model(some, side=shown, adjust="none"))
    reasons = [model.note for model in models if not model.variances]
    if reasons:
        return reasons[0].rstrip(".").removeprefix("Undefined: ")
    found: dict[str, float] = {}
    for name, group in ((BY_ITEM, "system × item"), (BY_PARTICIPANT, "system × participant")):
        each = [model.variances.get(group) for model in models]
        known = [variance for variance in each if variance is not None]
        if len(known) == len(models):
            found[name] = sum(known) / len(known)
    return found


def take_comparisons(table: Comparisons, rows: Codes) -> Comparisons:
    """Some of the comparisons."""
    columns = {each.name: getattr(table, each.name) for each in fields(table)}
    taken: dict[str, Any] = {  # each of its own type
        name: column[rows] for name, column in columns.items() if isinstance(column, np.ndarray)
    }
    return replace(table, **taken)


@dataclass(frozen=True, slots=True, eq=False)
class MarginalProbit:
    """In units of the standard deviation of the difference of two opinions."""

    quality: Mapping[int, float]  # by number of the system, with mean 0
    tie_width: float  # 0 where there are no ties
    position_bias: float | None  # None: the position is not known, or always the same
    differences: Numbers  # of the two qualities and the position: those that occur
    weights: Numbers  # how often each


def fit_marginal_probit(comparisons: Comparisons, side: Codes | None) -> MarginalProbit | str:
    """P(first preferred) = Φ(q_a − q_b + bias · side − width), Φ(…) for ties between ± width.

    `side` is 1 where the first was shown first, −1 where the second was, 0 if unknown. Maximum
    likelihood as if choices were independent (Thurstone 1927; ties as Glenn & David 1960).
    """
    from scipy.optimize import minimize

    systems = np.unique(np.concatenate([comparisons.first, comparisons.second]))
    shown = np.zeros(len(comparisons.preference)) if side is None else side.astype(np.float64)
    knows_side = _shows_position(comparisons, systems, shown)
    has_ties = bool(np.any(comparisons.preference == _TIED))
    columns = _columns(comparisons, systems, shown if knows_side else None)
    cells, counts = _count(columns, comparisons.preference)
    start = np.zeros(columns.shape[1] + 1)
    start[-1] = -1.0
    found = minimize(
        _loss, start, args=(cells, counts), jac="3-point", method="L-BFGS-B",
        bounds=[(-_MOST, _MOST)] * (len(start) - 1) + [(-_MOST, 2.0)],
    )  # fmt: skip
    if not np.all(np.isfinite(found.x)):
        return "the model of choices did not converge"
    effects = found.x[:-1]
    quality = np.concatenate([[0.0], effects[: len(systems) - 1]])
    quality -= quality.mean()
    return MarginalProbit(
        dict(zip(systems.tolist(), quality.tolist(), strict=True)),
        float(np.exp(found.x[-1])) if has_ties else 0.0,
        float(effects[-1]) if knows_side else None,
        np.asarray(cells @ effects),
        counts.sum(axis=1),
    )


def _shows_position(comparisons: Comparisons, systems: Numbers, side: Numbers) -> bool:
    """Whether position and system can be separated: no system always comes first."""
    if not side.any():
        return False
    cells = np.unique(_columns(comparisons, systems, side), axis=0)
    return bool(np.linalg.matrix_rank(cells) > np.linalg.matrix_rank(cells[:, :-1]))


def _columns(comparisons: Comparisons, systems: Numbers, side: Numbers | None) -> Numbers:
    """+1 for the first and −1 for the second of each comparison, the first system left out."""
    first, second = (
        np.searchsorted(systems, codes) for codes in (comparisons.first, comparisons.second)
    )
    rows = np.arange(len(first))
    columns = np.zeros((len(first), len(systems)))
    columns[rows, first] += 1
    columns[rows, second] -= 1
    columns = columns[:, 1:]
    return columns if side is None else np.column_stack([columns, side])


def _count(columns: Numbers, preference: Numbers) -> tuple[Numbers, Numbers]:
    """The different rows, and how often each ended lost, tied and won."""
    cells, which = np.unique(columns, axis=0, return_inverse=True)
    outcome = np.rint(2 * preference).astype(np.int64)
    counts = np.bincount(which.reshape(-1) * 3 + outcome, minlength=3 * len(cells))
    return cells, counts.reshape(-1, 3).astype(np.float64)


def _loss(place: Numbers, cells: Numbers, counts: Numbers) -> float:
    """Minus the log likelihood of each judgment on average."""
    from scipy.special import log_ndtr, ndtr

    width = float(np.exp(place[-1])) if counts[:, 1].any() else 0.0
    mean = cells @ place[:-1]
    tied = np.log(np.maximum(ndtr(width - mean) - ndtr(-width - mean), 1e-300))
    loss = -(
        counts[:, 2] @ log_ndtr(mean - width)
        + counts[:, 0] @ log_ndtr(-mean - width)
        + counts[:, 1] @ tied
    )
    return float(loss / counts.sum() + _RIDGE * place[:-1] @ place[:-1] / len(place))
