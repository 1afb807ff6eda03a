"""How far systems, items and participants differ on the latent scale, estimated from choices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, replace
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
from rejudge.simulate.marginal_probit import fit_marginal_probit
from rejudge.stats import Comparisons
from rejudge.stats.arrays import Codes


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
    """System × item and system × participant, as of choices −1 to 1; those that can be told."""
    models = []
    for rows in samples or [np.arange(len(comparisons.preference))]:
        shown = None if side is None else side[rows]
        some = comparisons if not samples else take_comparisons(comparisons, rows)
        models.append(stats.choice_model(some, side=shown, adjust="none", most_seconds=math.inf))
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
