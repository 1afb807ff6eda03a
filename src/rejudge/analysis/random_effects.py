"""What varies at random in the mixed models of scores, with equal or with free slopes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from rejudge.analysis.columns import Scores, levels
from rejudge.stats import (
    CoverageTerm,
    FreeSlopesFit,
    LevelContrast,
    SystemSpread,
    estimated_slopes_seconds,
    free_slopes_model,
    level_contrasts,
    limit_of_slopes_df,
    numbered,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

ONLY_SCORES = "Free slopes are for scores; in the model of choices every system varies equally."
_FORMS = {
    "covariance": "systems random over {}, each with a variance of its own and any correlations",
    "variances": "systems random over {}, each with a variance of its own",
    "offset": "{} random",
}


class FixedEffects(Mapping[str, "NDArray[np.integer] | NDArray[np.float64]"]):
    """Codes of systems, and coverage terms, whose columns are made one at a time: together they
    would take as much memory as the table."""

    def __init__(self, system: NDArray[np.integer], terms: Sequence[CoverageTerm]) -> None:
        self._system, self._terms = system, {term.name: term for term in terms}

    def __getitem__(self, name: str) -> NDArray[np.integer] | NDArray[np.float64]:
        return self._system if name == "system" else self._terms[name].column

    def __iter__(self) -> Iterator[str]:
        return iter(("system", *self._terms))

    def __len__(self) -> int:
        return 1 + len(self._terms)


def random_effects(table: Scores, terms: Sequence[CoverageTerm]) -> dict[str, NDArray[np.integer]]:
    """What is random beside these covariates.

    As many shares as there are participants but one (or items) say everything about the mean of
    each. A variance that nothing is left to show would have no information, and take all degrees
    of freedom with it; leaving it out changes no estimate.
    """
    groupings = crossed_groups(table)
    for kind in ("participant", "item"):
        shares = sum(term.kind == kind for term in terms)
        is_crossed = {kind, f"system × {kind}"} <= groupings.keys()
        if is_crossed and shares >= levels(groupings[kind]) - 1:
            del groupings[kind]
    return groupings


def crossed_groups(table: Scores) -> dict[str, NDArray[np.integer]]:
    """What judgments share: the person, the item, and how far each of them favours a system.

    Without the last two a model takes a liking that some items or people have for one system as
    evidence from every judgment, and finds differences in up to half of all studies that have none
    (decision 7). They are left out where the table cannot show them: items that only one system
    wrote for, or outputs judged once.
    """
    people = {"participant": table.participant} if table.has_participants else {}
    return with_crossings(table.system, {**people, "item": table.item})


def with_crossings(
    system: NDArray[np.integer], shared: dict[str, NDArray[np.integer]]
) -> dict[str, NDArray[np.integer]]:
    """What judgments share, and each of it crossed with the system where the table can show it."""
    crossed = {f"system × {name}": _crossed(system, codes) for name, codes in shared.items()}
    return shared | {
        name: cells
        for (name, cells), codes in zip(crossed.items(), shared.values(), strict=True)
        if levels(codes) < levels(cells) < len(cells)
    }


def _crossed(system: NDArray[np.integer], codes: NDArray[np.integer]) -> NDArray[np.integer]:
    cells = codes.astype(np.int64) * (int(system.max(initial=0)) + 1) + system
    return numbered(cells)[1]


def free_contrasts(
    table: Scores, terms: Sequence[CoverageTerm], *, level: float
) -> tuple[FreeSlopesFit, tuple[LevelContrast, ...]]:
    """The model, and its difference of each two systems; none where it is undefined."""
    fit = free_slopes_model(
        table.value,
        table.system,
        _plain_groups(table),
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
    return estimated_slopes_seconds(table.system, _plain_groups(table))


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


def _plain_groups(table: Scores) -> dict[str, NDArray[np.integer]]:
    people = {"participant": table.participant} if table.has_participants else {}
    return {**people, "item": table.item}
