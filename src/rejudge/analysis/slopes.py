"""Mixed models of scores with free random slopes: each system varies in its own way."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from rejudge.analysis.columns import Scores
from rejudge.stats import (
    CoverageTerm,
    FreeSlopesFit,
    LevelContrast,
    SystemSpread,
    estimated_slopes_seconds,
    free_slopes_model,
    level_contrasts,
    limit_of_slopes_df,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ONLY_SCORES = "Free slopes are for scores; in the model of choices every system varies equally."

_FORMS = {
    "covariance": "systems random over {}, each with a variance of its own and any correlations",
    "variances": "systems random over {}, each with a variance of its own",
    "offset": "{} random",
}


def free_contrasts(
    table: Scores, terms: Sequence[CoverageTerm], *, level: float
) -> tuple[FreeSlopesFit, tuple[LevelContrast, ...]]:
    """The model, and its difference of each two systems; none where it is undefined."""
    fit = free_slopes_model(
        table.value,
        table.system,
        _groups(table),
        covariates={term.name: term.column for term in terms},
        level=level,
    )
    alone = level_contrasts(fit, "system", adjust="none", level=level)
    pairs = [(each.first, each.second) for each in alone]
    limits = {pair: limit_of_slopes_df(fit, pair, "participant") for pair in pairs}
    limited = (
        level_contrasts(
            fit, "system", pairs=[pair], adjust="none", level=level, df_limit=limits[pair]
        )
        for pair in pairs
    )
    return fit, tuple(chain.from_iterable(limited))


def slopes_seconds(table: Scores) -> float:
    """About how long the model will take."""
    return estimated_slopes_seconds(table.system, _groups(table))


def slopes_in_words(fit: FreeSlopesFit) -> str:
    """What is random, for the sentence on the method."""
    groups = {form: [s.group for s in fit.spreads if s.form == form] for form in _FORMS}
    known = ((words, groups[form]) for form, words in _FORMS.items() if groups[form])
    return "; ".join(words.format(" and ".join(names)) for words, names in known)


def variances_in_words(fit: FreeSlopesFit, systems: Sequence[str]) -> str:
    """The variance of every system over each grouping."""
    parts = [_variances(each, systems) for each in fit.spreads]
    return f"variances: {'; '.join(parts)}; residual {fit.residual:.3g}"


def _variances(spread: SystemSpread, systems: Sequence[str]) -> str:
    if spread.form == "offset":
        return f"{spread.group} {spread.covariance[0][0]:.3g}"
    each = (f"{systems[code]} {spread.variance(code):.3g}" for code in spread.systems)
    return f"over {spread.group} {', '.join(each)}"


def _groups(table: Scores) -> dict[str, NDArray[np.integer]]:
    people = {"participant": table.participant} if table.has_participants else {}
    return {**people, "item": table.item}
