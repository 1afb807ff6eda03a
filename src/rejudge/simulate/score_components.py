"""How far systems, items and participants differ on the latent scale, estimated from scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rejudge import stats
from rejudge.simulate.components import (
    BY_ITEM,
    BY_PARTICIPANT,
    ITEM,
    LEAST_NOISE,
    NO_UNIT,
    NOISE,
    PARTS,
    SEVERITY,
    Components,
    assumed_spread,
    not_separable_note,
    share_out,
)
from rejudge.simulate.hidden_scale import HiddenScale, correlation_behind
from rejudge.stats.arrays import Codes, Numbers

SYSTEM = "system"
_MOST_SPREAD = 20.0  # in quarters of the scale: all answers at the two ends
_TWO = 2


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """Scores by column; each score on the latent scale, where the scale runs from −2 to 2."""

    value: Numbers
    system: Codes
    item: Codes
    participant: Codes


@dataclass(frozen=True, slots=True)
class ScoreMoments:
    """Means and variances of scores, as a mixed model gives them."""

    means: Mapping[int, float]  # by number of the system
    variances: Mapping[str, float]  # by name of the parameter
    shared: tuple[str, ...]  # sentences: parts that cannot be separated, and how they were


def moments_of_scores(rows: ScoreRows) -> ScoreMoments | str:
    """Each system's mean and the variances between items and participants, or why there are none.

    A mixed model of scores by restricted likelihood, with all the parts that the table can tell
    from each other.
    """
    codes = {
        ITEM: rows.item,
        SEVERITY: rows.participant,
        BY_ITEM: _together(rows.system, rows.item),
        BY_PARTICIPANT: _together(rows.system, rows.participant),
    }
    groups = {name: codes[name] for name in _separable(rows)}
    if not groups:
        return "each thing was judged once, or by one participant only"
    several = len(np.unique(rows.system)) > 1
    fit = stats.linear_mixed(rows.value, {SYSTEM: rows.system} if several else {}, groups)
    residual = fit.components[-1].variance
    if fit.solution is None or residual is None:
        return fit.note.rstrip(".")
    found = {part.group: part.variance or 0.0 for part in fit.components[:-1]}
    variances, shared = _split({**found, NOISE: residual}, rows)
    return ScoreMoments(_means(fit, rows, several=several), variances, shared)


def _means(fit: stats.MixedFit, rows: ScoreRows, *, several: bool) -> dict[int, float]:
    """Each system's mean, as if all had been judged by the same people on all items."""
    if not several:
        return {int(rows.system[0]): fit.coefficients[0].value or 0.0}
    return {
        each.level: each.value
        for each in stats.marginal_means(fit, SYSTEM)
        if each.value is not None
    }


def components_behind(moments: ScoreMoments, scale: HiddenScale) -> Components:
    """The opinions whose scores have these means, variances and covariances."""
    means = np.array(list(moments.means.values()))
    has_unit = len(scale.values) > _TWO
    total = total_spread(means, sum(moments.variances.values()), scale) if has_unit else 1.0
    quality = scale.opinion(inside(means, scale), total)
    own = scale.coefficients(quality, total)
    pairs = list(combinations(range(len(own)), 2)) or [(0, 0)]
    first, second = (own[[pair[side] for pair in pairs]] for side in (0, 1))
    several, seen = _Several(first, second, own), moments.variances
    shares = dict.fromkeys(PARTS, 0.0)
    shares[ITEM], shares[BY_ITEM] = several.shares(seen[ITEM], seen[BY_ITEM])
    shares[SEVERITY], shares[BY_PARTICIPANT] = several.shares(seen[SEVERITY], seen[BY_PARTICIPANT])
    shares[NOISE] = max(LEAST_NOISE, 1 - sum(shares.values()))
    unit = 1.0 if has_unit else assumed_spread(PARTS)
    return Components(
        {name: unit * each for name, each in zip(moments.means, quality.tolist(), strict=True)},
        {name: unit * total * math.sqrt(share) for name, share in shares.items()},
        (*moments.shared, *([] if has_unit else [NO_UNIT])),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Several:
    """Coefficients of each system's answers, and of both systems of each pair."""

    first: Numbers
    second: Numbers
    own: Numbers

    def shares(self, common: float, specific: float) -> tuple[float, float]:
        """Of the variance of opinions: what all systems share, and what each has for itself."""
        shared = correlation_behind(self.first, self.second, common)
        both = correlation_behind(self.own, self.own, common + specific)
        return min(shared, both), max(0.0, both - shared)


def total_spread(answers: Numbers, variance: float, scale: HiddenScale) -> float:
    """The standard deviation of opinions whose answers have this variance, mean over systems."""
    means = inside(answers, scale)
    low, high = 1e-3, _MOST_SPREAD
    for _ in range(50):
        middle = (low + high) / 2
        quality = scale.opinion(means, middle)
        if float(scale.variance(quality, middle).mean()) < variance:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def inside(answers: Numbers, scale: HiddenScale) -> Numbers:
    """Means that are not quite at the ends: behind those there is no opinion."""
    margin = 1e-3 * float(scale.values[-1] - scale.values[0])
    return np.clip(answers, scale.values[0] + margin, scale.values[-1] - margin)


# ── which parts a table can show ─────────────────────────────────────────────────────────────────

# What two scores have in common if they share the item, the system, the participant: the columns
# are item, system × item, participant, system × participant.
_KINDS_OF_PAIR = {
    "item, system": (1, 1, 0, 0),
    "item": (1, 0, 0, 0),
    "participant, system": (0, 0, 1, 1),
    "participant": (0, 0, 1, 0),
    "item, participant": (1, 0, 1, 0),
    "item, participant, system": (1, 1, 1, 1),
}
_COLUMNS = (ITEM, BY_ITEM, SEVERITY, BY_PARTICIPANT)
_ORDER = (SEVERITY, ITEM, BY_ITEM, BY_PARTICIPANT)  # the first are kept where two are one


def _separable(rows: ScoreRows) -> list[str]:
    """The parts that the data can separate from each other and from noise."""
    kinds = np.array(_present_kinds(rows), dtype=np.float64).reshape(-1, len(_COLUMNS))
    kept: list[str] = []
    for name in _ORDER:
        places = [_COLUMNS.index(each) for each in (*kept, name)]
        if len(kinds) and np.linalg.matrix_rank(kinds[:, places]) == len(places):
            kept.append(name)
    return [name for name in _COLUMNS if name in kept]


def _present_kinds(rows: ScoreRows) -> list[tuple[int, ...]]:
    s, i, p = rows.system, rows.item, rows.participant
    both = _together(s, i)
    same = {
        "i": _pairs(i),
        "p": _pairs(p),
        "si": _pairs(both),
        "sp": _pairs(_together(s, p)),
        "ip": _pairs(_together(i, p)),
        "sip": _pairs(_together(both, p)),
    }
    counts = {
        "item, system": same["si"] - same["sip"],
        "item": same["i"] - same["si"] - same["ip"] + same["sip"],
        "participant, system": same["sp"] - same["sip"],
        "participant": same["p"] - same["sp"] - same["ip"] + same["sip"],
        "item, participant": same["ip"] - same["sip"],
        "item, participant, system": same["sip"],
    }
    return [_KINDS_OF_PAIR[kind] for kind, count in counts.items() if count > 0]


def _pairs(codes: Codes) -> int:
    """How many pairs of rows have the same code."""
    sizes = np.unique(codes, return_counts=True)[1].astype(object)  # never too large
    return int((sizes * (sizes - 1)).sum()) // 2


def _split(found: Mapping[str, float], rows: ScoreRows) -> tuple[dict[str, float], tuple[str, ...]]:
    """Share out what parts have together that cannot be separated, as in the assumed values."""
    kinds = np.array(_present_kinds(rows), dtype=np.float64).reshape(-1, len(_COLUMNS))
    kept = [name for name in _COLUMNS if name in found]
    merged: dict[str, list[str]] = {}
    for name in _COLUMNS:
        if name not in found:
            merged.setdefault(_absorber(name, kept, kinds), []).append(name)
    variances = dict.fromkeys((*_COLUMNS, NOISE), 0.0) | dict(found)
    notes = []
    for into, others in merged.items():
        parts = (into, *others)
        variances |= share_out(found[into], parts)
        notes.append(not_separable_note(parts))
    return variances, tuple(notes)


def _absorber(name: str, kept: Sequence[str], kinds: Numbers) -> str:
    """The part in whose estimate another one is included: what it has in common with pairs."""
    column = kinds[:, _COLUMNS.index(name)]
    if not len(kinds) or not column.any() or not kept:
        return NOISE
    others = kinds[:, [_COLUMNS.index(each) for each in kept]]
    weights = np.linalg.lstsq(others, column, rcond=None)[0]
    return kept[int(np.argmax(weights))]


def _together(one: Codes, other: Codes) -> Codes:
    both = one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other
    return np.asarray(np.unique(both, return_inverse=True)[1])
