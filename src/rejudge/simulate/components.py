"""How far systems, items and participants differ on the hidden line, estimated from judgments.

Scores and choices are answered in steps and end where the scale ends, so the variances of a mixed
model of the answers are not those of the opinions: rounding adds to them (Sheppard 1898), and the
ends of the scale take away. Here the model gives the covariances of answers, and `HiddenScale` the
opinions that have such answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations

import numpy as np

from rejudge import stats
from rejudge.simulate.hidden_scale import HiddenScale, correlation_behind
from rejudge.simulate.parameters import Parameters
from rejudge.stats import Comparisons
from rejudge.stats.arrays import Codes, Numbers

SYSTEM = "system"
ITEM, BY_ITEM = "item_difficulty", "system_by_item"
SEVERITY, BY_PARTICIPANT = "severity", "system_by_participant"
NOISE = "noise"
WORDS = {
    ITEM: "difficulty of items",
    BY_ITEM: "system × item",
    SEVERITY: "severity of participants",
    BY_PARTICIPANT: "system × participant",
    NOISE: "noise",
}
_LEAST_NOISE = 0.02  # of the variance of opinions; nobody is without
_MOST_SPREAD = 20.0  # in quarters of the scale: all answers at the two ends
_TWO = 2
NO_UNIT = (
    "Choices, and scores on two points, show only ratios: the variance of opinions is that assumed "
    "without data, and everything else is relative to it."
)


@dataclass(frozen=True, slots=True)
class Components:
    """What judgments show: standard deviations on the hidden line, and each system's quality."""

    quality: Mapping[int, float]  # by number of the system; those that were judged
    spreads: Mapping[str, float]  # by name of the parameter
    shared: tuple[str, ...] = ()  # sentences: parts that cannot be told apart, and how they were
    position_bias: float | None = None  # None: not known
    tie_width: float | None = None  # 〃


@dataclass(frozen=True, slots=True)
class ScoreRows:
    """Scores by column; each score on the hidden line, where the scale runs from −2 to 2."""

    value: Numbers
    system: Codes
    item: Codes
    participant: Codes


def components_of_scores(rows: ScoreRows, scale: HiddenScale) -> Components | str:
    """Quality and spreads behind scores, or why they cannot be estimated."""
    codes = {
        ITEM: rows.item,
        SEVERITY: rows.participant,
        BY_ITEM: _together(rows.system, rows.item),
        BY_PARTICIPANT: _together(rows.system, rows.participant),
    }
    separable = _separable(rows)
    groups = {name: codes[name] for name in separable}
    several = len(np.unique(rows.system)) > 1
    fixed = {SYSTEM: rows.system} if several else {}
    if not groups:
        return "there is one judgment of each thing, or only one participant and item"
    fit = stats.linear_mixed(rows.value, fixed, groups)
    residual = fit.components[-1].variance
    if fit.solution is None or residual is None:
        return fit.note.rstrip(".")
    found = {part.group: part.variance or 0.0 for part in fit.components[:-1]}
    variances, shared = _split({**found, NOISE: residual}, rows)
    answers = _means(fit, rows, several=several)
    return _behind_scores(answers, variances, scale, shared)


def _means(fit: stats.MixedFit, rows: ScoreRows, *, several: bool) -> dict[int, float]:
    """Each system's mean answer, as if all had been judged by the same people on all items."""
    if not several:
        return {int(rows.system[0]): fit.coefficients[0].value or 0.0}
    return {
        each.level: each.value
        for each in stats.marginal_means(fit, SYSTEM)
        if each.value is not None
    }


def _behind_scores(
    answers: Mapping[int, float],
    variances: Mapping[str, float],
    scale: HiddenScale,
    shared: tuple[str, ...],
) -> Components:
    """Solve for opinions whose answers have these means, variances and covariances."""
    listed = np.array(list(answers.values()))
    has_unit = len(scale.values) > _TWO
    total = total_spread(listed, sum(variances.values()), scale) if has_unit else 1.0
    quality = scale.opinion(inside(listed, scale), total)
    own = scale.coefficients(quality, total)
    pairs = list(combinations(range(len(own)), 2)) or [(0, 0)]
    first, second = (own[[pair[side] for pair in pairs]] for side in (0, 1))
    several = _Several(first, second, own)
    item, by_item = several.shares(variances[ITEM], variances[BY_ITEM])
    severity, taste = several.shares(variances[SEVERITY], variances[BY_PARTICIPANT])
    noise = max(_LEAST_NOISE, 1 - item - by_item - severity - taste)
    shares = {
        ITEM: item,
        BY_ITEM: by_item,
        SEVERITY: severity,
        BY_PARTICIPANT: taste,
        NOISE: noise,
    }
    unit = 1.0 if has_unit else assumed_spread(tuple(shares))
    notes = (*shared, *([] if has_unit else [NO_UNIT]))
    spreads = {name: unit * total * math.sqrt(share) for name, share in shares.items()}
    return Components(
        {system: unit * each for system, each in zip(answers, quality.tolist(), strict=True)},
        spreads,
        notes,
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
    """The parts that the table can tell from each other and from noise."""
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
    """Share out what parts have together that cannot be told apart, as in the assumed values."""
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
        notes.append(_not_separable(parts))
    return variances, tuple(notes)


def _absorber(name: str, kept: Sequence[str], kinds: Numbers) -> str:
    """The part in whose estimate another one is included: what it has in common with pairs."""
    column = kinds[:, _COLUMNS.index(name)]
    if not len(kinds) or not column.any() or not kept:
        return NOISE
    others = kinds[:, [_COLUMNS.index(each) for each in kept]]
    weights = np.linalg.lstsq(others, column, rcond=None)[0]
    return kept[int(np.argmax(weights))]


def share_out(variance: float, parts: Sequence[str]) -> dict[str, float]:
    """A variance shared out in the proportions of the assumed values."""
    assumed = {name: getattr(Parameters(), name) ** 2 for name in parts}
    total = sum(assumed.values())
    if not total:
        return {name: variance / len(parts) for name in parts}
    return {name: variance * each / total for name, each in assumed.items()}


def _not_separable(parts: Sequence[str]) -> str:
    words = [WORDS[name] for name in parts]
    listed = f"{', '.join(words[:-1])} and {words[-1]}"
    return (
        f"The design cannot separate {listed}: what they have together was shared out as in the "
        "values assumed without data."
    )


def _together(one: Codes, other: Codes) -> Codes:
    both = one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other
    return np.asarray(np.unique(both, return_inverse=True)[1])


# ── choices ──────────────────────────────────────────────────────────────────────────────────────


def components_of_choices(
    comparisons: Comparisons, side: Codes | None, samples: Sequence[Codes] = ()
) -> Components | str:
    """Quality and spreads behind choices, in units in which opinions vary as in `Parameters`.

    Only ratios show in choices. The marginal probit model (quality, ties and position, as if all
    choices were independent) is consistent whatever the covariances; these come from the mixed
    model of choices. `samples` are rows for the latter, where not all are independent given the
    opinions: the variances are means over them.
    """
    from rejudge.simulate.marginal_probit import fit_marginal_probit

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
    rest = max(_LEAST_NOISE, 1 - sum(shares.values()))
    shares |= share_out(rest, (NOISE, *missing))
    unit = math.sqrt(2) * assumed_spread((BY_ITEM, BY_PARTICIPANT, NOISE))
    return Components(
        {system: unit * value for system, value in marginal.quality.items()},
        {name: unit * math.sqrt(share / 2) for name, share in shares.items()},
        (NO_UNIT, *([_not_separable((NOISE, *missing))] if missing else [])),
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
    columns = [each.name for each in fields(table) if each.name not in {"systems", "answer"}]
    return replace(table, **{name: getattr(table, name)[rows] for name in columns})


def assumed_spread(parts: Sequence[str]) -> float:
    """How far opinions differ by these parts together, where nothing is known."""
    return math.sqrt(sum(getattr(Parameters(), name) ** 2 for name in parts))
