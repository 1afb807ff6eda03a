"""Interactions: whether the difference of two systems varies between groups of items or people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rejudge.stats.arrays import Codes, Numbers, refuse_missing, require_equally_long
from rejudge.stats.estimate import Contrast, Test
from rejudge.stats.mixed.contrasts import factor_test, level_contrasts, limit_of_df
from rejudge.stats.mixed.linear import MixedFit, linear_mixed
from rejudge.stats.reasons import Why
from rejudge.stats.testing.classical import (
    one_way_anova,
    paired_t_test,
    repeated_measures,
    t_test,
)

_TWO = 2
_VARIES = 1e-9  # a share that differs by more than rounding
_DIFFERENCE = "difference"  # the fixed effect that is tested
_ONE_GROUP = Why.NEEDS(least="two", what="groups with judgments of both systems")


def score_interaction(
    value: Numbers,
    is_first: NDArray[np.bool_],
    group: Codes,
    *,
    item: Codes,
    participant: Codes | None = None,
    shares_of: Sequence[str] = ("participant", "item"),
    level: float = 0.95,
) -> Contrast:
    """Scores of two systems: a mixed model in which the difference may differ between groups.

        y = system + group + system × group + random offsets + e

    Random: participants and items, each also crossed with the system, and where a participant or an
    item belongs to several groups, with the group and with both. Where systems were judged on
    different items or by different people, their shares within each group are covariates (Mundlak
    1978); `shares_of` names of what, and is empty where chance dealt the items. The system × group
    effects are tested together by F as in `factor_test`, with the limit of `limit_of_df` on the
    degrees of freedom.
    """
    refuse_missing(value)
    require_equally_long(value, is_first, group, item, participant)
    group = _number_codes(group)
    if len(np.intersect1d(group[is_first], group[~is_first])) < _TWO:
        return _undefined_interaction(len(group), _count(group))
    clusters = _groupings(participant, item)
    system = is_first.astype(np.int64)
    fixed: dict[str, Numbers | Codes] = {
        "system": system,
        "group": group,
        _DIFFERENCE: np.where(is_first, group, 0),
    }
    for name, codes in clusters.items():
        if name not in shares_of:
            continue
        fixed |= _shares(name, is_first, _cross(codes, group), group)
    random = _random(clusters, system, group)
    fit = linear_mixed(value, fixed, random, level=level)
    return _test(fit, _DIFFERENCE, random, level=level)


def choice_interaction(
    preference: Numbers,
    group: Codes,
    *,
    item: Codes,
    participant: Codes | None = None,
    side: Numbers | None = None,
    level: float = 0.95,
) -> Contrast:
    """Choices between two systems: a mixed model in which the preference may differ between groups.

        y = group + side + random offsets + e,   y = 100 · preference, in percentage points

    `preference` is 1 for the first system, 0 for the second, ½ for a tie; `side` is 1 where the
    first was shown first and −1 where the second was. Random: participants and items, and where one
    belongs to several groups, each crossed with the group.
    """
    refuse_missing(preference)
    group = _number_codes(group)
    if group.max(initial=0) < 1:
        return _undefined_interaction(len(group), _count(group))
    fixed: dict[str, Numbers | Codes] = {"group": group}
    if side is not None and np.ptp(side) > 0:
        fixed["side"] = np.asarray(side, dtype=np.float64)
    random = _random(_groupings(participant, item), None, group)
    fit = linear_mixed(100 * preference, fixed, random, level=level)
    return _test(fit, "group", random, level=level)


def _groupings(participant: Codes | None, item: Codes) -> dict[str, Codes]:
    kinds = {"participant": participant, "item": item}
    return {name: codes for name, codes in kinds.items() if codes is not None}


def _undefined_interaction(n: int, groups: int, name: str = "F") -> Contrast:
    return Contrast(None, n, test=Test(None, name, n=n, groups=groups), reasons=(_ONE_GROUP,))


def _test(fit: MixedFit, factor: str, random: dict[str, Codes], *, level: float) -> Contrast:
    """F, and of two groups also the difference of the differences."""
    limit = _limit(fit, random)
    found = factor_test(fit, factor, df_limit=limit)
    groups = round(found.df[0]) + 1 if found.df else 1
    value, interval = None, None
    if groups == _TWO and found.p is not None:
        contrast = level_contrasts(fit, factor, adjust="none", level=level, df_limit=limit)[0]
        value, interval = contrast.value, contrast.interval
    test = replace(
        found, statistic=None if found.p is None else found.statistic, n=fit.n, groups=groups
    )
    reasons = fit.reasons if found.reasons != fit.reasons else ()
    return Contrast(value, fit.n, interval=interval, test=test, reasons=reasons)


def _limit(fit: MixedFit, random: dict[str, Codes]) -> int | None:
    """The most degrees of freedom, where the finest grouping of people or items does not vary.

    Where both are in several groups, always one fewer than there are of the fewer of them: without
    this limit, 6.3 to 7.1 % of simulated studies without any interaction had p < .05.
    """
    sampled = [name for name in ("participant", "item") if name in random]
    if all(any(kind in name and "× group" in name for name in random) for kind in sampled):
        return min(_count(random[kind]) for kind in sampled) - 1
    finest = [[name for name in random if kind in name][-1] for kind in sampled]
    limits = [limit_of_df(fit, name, sampled) for name in finest]
    return min((limit for limit in limits if limit is not None), default=None)


def _random(clusters: dict[str, Codes], system: Codes | None, group: Codes) -> dict[str, Codes]:
    """What judgments share; a crossing is left out where the table cannot show it."""
    found: dict[str, Codes] = {}
    for name, codes in clusters.items():
        found[name] = codes
        by_group = _cross(codes, group)
        is_nested = _count(by_group) == _count(codes)
        parts = [] if is_nested else [(f"{name} × group", by_group)]
        if system is not None:
            parts.append((f"system × {name}", _cross(codes, system)))
            if not is_nested:
                parts.append((f"system × {name} × group", _cross(by_group, system)))
        found |= {key: each for key, each in parts if _count(codes) < _count(each) < len(group)}
    return found


def _shares(
    name: str, is_first: NDArray[np.bool_], cell: Codes, group: Codes
) -> dict[str, Numbers]:
    """By group, the first system's share in the judgments of each item or participant."""
    share = (np.bincount(cell, is_first) / np.bincount(cell))[cell]
    columns = {}
    for code in range(int(group.max()) + 1):
        rows = group == code
        if np.ptp(share[rows]) > _VARIES:
            columns[f"share in the {name}, group {code}"] = np.where(
                rows, share - share[rows].mean(), 0.0
            )
    return columns


def unit_interaction(
    value: Numbers, is_first: NDArray[np.bool_], group: Codes, unit: Codes, *, level: float = 0.95
) -> Contrast:
    """Whether the mean difference of units, such as items, differs between groups.

    Each unit has one difference: the mean of the first system's scores minus that of the second's.
    Units that belong to one group each: Welch's t, or Welch's F (1951) for more than two groups.
    Units that belong to several: those that have all groups, by a paired t or by repeated measures
    (Greenhouse & Geisser). It generalises to new units, for these participants (or these items).
    """
    refuse_missing(value)
    differences, places, units = _differences(value, is_first, group, unit)
    groups = np.unique(places)
    if len(groups) < _TWO:
        return _undefined_interaction(len(differences), len(groups), "t")
    if len(np.unique(units)) == len(units):
        return _test_between(differences, places, groups, level)
    return _test_within(differences, places, units, level)


def _test_between(differences: Numbers, places: Codes, groups: Codes, level: float) -> Contrast:
    if len(groups) == _TWO:
        sides = [differences[places == code] for code in groups]
        found = t_test(sides[0], sides[1], equal_variances=False, level=level)
        return _of_units(found, "Welch's t test", groups=_TWO)
    anova = one_way_anova(differences, places, equal_variances=False, level=level)
    whole = Contrast(None, len(differences), test=anova)
    return _of_units(whole, anova.method, groups=len(groups))


def _test_within(differences: Numbers, places: Codes, units: Codes, level: float) -> Contrast:
    """Only units that have a difference in every group."""
    names, row = np.unique(units, return_inverse=True)
    groups, column = np.unique(places, return_inverse=True)
    table = np.full((len(names), len(groups)), np.nan)
    table[row.reshape(-1), column.reshape(-1)] = differences
    whole = table[~np.isnan(table).any(axis=1)]
    lost = len(names) - len(whole)
    left_out = Why.LEFT_OUT(n=lost, total=len(names), what="units lack a group")
    if len(groups) == _TWO:
        found = paired_t_test(whole[:, 0], whole[:, 1], level=level)
        method = "paired t test"
    else:
        found = Contrast(None, len(whole), test=repeated_measures(whole))
        method = "repeated measures, corrected after Greenhouse & Geisser"
    found = _of_units(found, method, groups=len(groups))
    return found.with_reasons((left_out,)) if lost else found


def _of_units(found: Contrast, method: str, *, groups: int) -> Contrast:
    test = replace(found.test or Test(None), method=method, groups=groups)
    return replace(found, test=test, counted="values")


def _differences(
    value: Numbers, is_first: NDArray[np.bool_], group: Codes, unit: Codes
) -> tuple[Numbers, Codes, Codes]:
    """First minus second in each unit and group that has both, with the group and the unit."""
    cell = _cross(unit, group)
    first = np.unique(cell, return_index=True)[1]
    sides = [
        (np.bincount(cell, rows), np.bincount(cell, value * rows))
        for rows in (is_first.astype(np.float64), (~is_first).astype(np.float64))
    ]
    has_both = (sides[0][0] > 0) & (sides[1][0] > 0)
    means = [total[has_both] / count[has_both] for count, total in sides]
    kept = first[has_both]
    return means[0] - means[1], group[kept], unit[kept]


def _cross(one: Codes, other: Codes) -> Codes:
    width = int(other.max(initial=0)) + 1
    return _number_codes(one.astype(np.int64) * width + other)


def _number_codes(codes: Codes) -> Codes:
    """The same codes without gaps."""
    return np.asarray(np.unique(codes, return_inverse=True)[1].reshape(-1))


def _count(codes: Codes) -> int:
    return len(np.unique(codes))
