"""What judgments show of systems, items and participants on the latent scale.

Scores and choices are answered in steps and end where the scale ends, so the variances of a mixed
model of the answers are not those of the opinions: rounding adds to them (Sheppard 1898), and the
ends of the scale take away. Means and covariances of answers come from such a model, and from
`HiddenScale` the opinions that have such answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Any

import numpy as np

from rejudge import stats
from rejudge.simulate.hidden_scale import HiddenScale, correlation_behind
from rejudge.simulate.parameters import Parameters
from rejudge.stats import Comparisons
from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.reasons import Reason, fill

ITEM, BY_ITEM = "item_difficulty", "system_by_item"
SEVERITY, BY_PARTICIPANT = "severity", "system_by_participant"
NOISE = "noise"
PARTS = (ITEM, BY_ITEM, SEVERITY, BY_PARTICIPANT, NOISE)
LEAST_NOISE = 0.02  # of the variance of opinions; nobody is without
_WORDS = {
    ITEM: "difficulty of items",
    BY_ITEM: "system × item",
    SEVERITY: "severity of participants",
    BY_PARTICIPANT: "system × participant",
    NOISE: "noise",
}
_SYSTEM = "system"
_MOST_SPREAD = 20.0  # in quarters of the scale: all answers at the two ends
_TWO = 2
_TIED = 0.5
_MOST = 6.0  # standard deviations: a system that always wins has no finite quality
_RIDGE = 1e-4  # of a choice: keeps what always wins or loses within bounds, and moves nothing else
NO_UNIT = (
    "Choices, and scores on two points, show only ratios: the variance of opinions is that assumed "
    "without data, and everything else is relative to it."
)


@dataclass(frozen=True, slots=True)
class Components:
    """Standard deviations on the latent scale, and each system's quality."""

    quality: Mapping[int, float]  # by number of the system; those that were judged
    spreads: Mapping[str, float]  # by name of the parameter
    shared: tuple[str, ...] = ()  # sentences: parts that cannot be separated, and how they were
    position_bias: float | None = None  # None: not known
    tie_width: float | None = None  # 〃


def share_out(variance: float, parts: Sequence[str]) -> dict[str, float]:
    """A variance divided in the proportions of the assumed values."""
    assumed = {name: getattr(Parameters(), name) ** 2 for name in parts}
    total = sum(assumed.values())
    if not total:
        return {name: variance / len(parts) for name in parts}
    return {name: variance * each / total for name, each in assumed.items()}


def not_separable_note(parts: Sequence[str]) -> str:
    words = [_WORDS[name] for name in parts]
    listed = f"{', '.join(words[:-1])} and {words[-1]}"
    return (
        f"The design cannot separate {listed}: their sum was divided in the same "
        "proportions as in the values assumed without data."
    )


def assumed_spread(parts: Sequence[str]) -> float:
    """The assumed variance of opinions from these parts together."""
    return math.sqrt(sum(getattr(Parameters(), name) ** 2 for name in parts))


# ── scores ────────────────────────────────────────────────────────────────────────────────────────


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
    fit = stats.linear_mixed(rows.value, {_SYSTEM: rows.system} if several else {}, groups)
    residual = fit.components[-1].variance
    if fit.solution is None or residual is None:
        return _in_brackets(fit.reasons)
    found = {part.group: part.variance or 0.0 for part in fit.components[:-1]}
    variances, shared = _split({**found, NOISE: residual}, rows)
    return ScoreMoments(_means(fit, rows, several=several), variances, shared)


def _in_brackets(reasons: Sequence[Reason]) -> str:
    """Reasons without what they are about, which stands before the bracket."""
    return "; ".join(fill(each.why.template, dict(each.args)).rstrip(".") for each in reasons)


def _means(fit: stats.MixedFit, rows: ScoreRows, *, several: bool) -> dict[int, float]:
    """Each system's mean, as if all had been judged by the same people on all items."""
    if not several:
        return {int(rows.system[0]): fit.coefficients[0].value or 0.0}
    return {
        each.level: each.value
        for each in stats.marginal_means(fit, _SYSTEM)
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


# ── choices ───────────────────────────────────────────────────────────────────────────────────────


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
    failed = next((model for model in models if not model.variances), None)
    if failed is not None:
        return _in_brackets(failed.reasons)
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
