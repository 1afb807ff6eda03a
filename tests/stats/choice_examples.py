"""Choices that several tests use, and a mixed model of them with every matrix written out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from scipy.linalg import helmert
from scipy.optimize import minimize

from rejudge.stats import Comparisons, JudgedSets, choice_model

# Eight items × five participants × the pairs (0,1), (0,2), (1,2): one string per item, participant
# by participant. The figures that tests compare with come from R 4.2.2: lme4 1.1-31 for the joint
# model, with Zt replaced by one of signs, and lmerTest 3.1-3 for the pair.
_TABLE = """
--+++++++0+++++ ++++0-+++++++++ +--++-++-+--+0+ 0++++-++0++++--
++-+--+--+--+-- --++-+++00+++++ --++-++0+--+00+ -00++--++-+0++-
"""
_OUTCOME = {"+": 1.0, "0": 0.5, "-": 0.0}


def table() -> tuple[Comparisons, np.ndarray]:
    """The comparisons, and the side: 1 if item + participant + both systems is odd, else −1."""
    pairs = ((0, 1), (0, 2), (1, 2))
    rows = [
        (item, place // 3, *pairs[place % 3], _OUTCOME[sign])
        for item, signs in enumerate(_TABLE.split())
        for place, sign in enumerate(signs)
    ]
    item, participant, first, second, preference = map(np.array, zip(*rows, strict=True))
    side = np.where((item + participant + first + second) % 2, 1, -1)
    return Comparisons(first, second, preference, item, participant, 3), side


def crowd(seed, n=400, *, systems=4, items=20, people=12, tail=0.0, favour=0.4, liking=0.3):
    """Simulated comparisons with ties, unbalanced: people judge more or less often (Zipf's law with
    the exponent `tail`), and items and people favour systems."""
    rng = np.random.default_rng(seed)
    often = 1 / np.arange(1, people + 1) ** tail
    item, person = rng.integers(0, items, n), rng.choice(people, n, p=often / often.sum())
    first = rng.integers(0, systems, n)
    second = (first + rng.integers(1, systems, n)) % systems
    lean = 0.2 * np.arange(systems) + rng.normal(0, favour, (items, systems))[item]
    lean += rng.normal(0, liking, (people, systems))[person]
    rows = np.arange(n)
    apart = lean[rows, first] - lean[rows, second] + rng.normal(size=n)
    preference = np.where(apart > 0.3, 1.0, np.where(apart < -0.3, 0.0, 0.5))
    return Comparisons(first, second, preference, item, person, systems)


def rotated(systems):
    """Three people and twelve items: on half of the items two people prefer the first system of
    every pair, on the others one does, and they take turns."""
    item, person, pair = (axis.ravel() for axis in np.mgrid[:12, :3, : len(pairs(systems))])
    first, second = np.array(pairs(systems))[pair].T
    turn = (item + person + pair) % 3
    won = np.where(item < 6, turn != 0, turn == 0).astype(float)
    return Comparisons(first, second, won, item, person, systems)


def best_worst(seed, *, systems=5, items=12, people=8, sizes=(3, 4, 5), share=0.6):
    """Simulated best–worst choices among three to five systems."""
    rng = np.random.default_rng(seed)
    favour, liking = rng.normal(0, 0.5, (items, systems)), rng.normal(0, 0.4, (people, systems))
    rows = []
    for number, (item, person) in enumerate(np.ndindex(items, people)):
        if rng.random() > share:
            continue
        shown = rng.permutation(systems)[: rng.choice(sizes)]
        latent = (0.2 * np.arange(systems) + favour[item] + liking[person])[shown]
        order = np.argsort(latent + rng.normal(size=len(shown)))
        score = np.zeros(len(shown))
        score[order[-1]], score[order[0]] = 1.0, -1.0
        rows += [(number, *each, item, person) for each in zip(shown, score, strict=True)]
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return JudgedSets(*columns, systems)


def as_sets(comparisons):
    """Comparisons of two as judgments of two systems, half a point for and against."""
    n = len(comparisons.preference)
    both = np.stack([comparisons.first, comparisons.second], axis=1).ravel()
    score = np.stack([comparisons.preference, 1 - comparisons.preference], axis=1).ravel()
    item, participant = np.repeat(comparisons.item, 2), np.repeat(comparisons.participant, 2)
    return JudgedSets(np.repeat(np.arange(n), 2), both, score, item, participant, 3)


# ── the model written out ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Dense:
    """REML of y = X β + Z₁ u + Z₂ v + e, found by a general search over the variances."""

    variances: np.ndarray  # items, participants, residual
    criterion: float
    beta: np.ndarray
    covariance: np.ndarray

    def contrast(self, first, second):
        """Value and standard error; the first system is the reference."""
        weights = np.zeros(len(self.beta))
        for system, sign in ((first, 1.0), (second, -1.0)):
            if system:
                weights[system - 1] += sign
        return weights @ self.beta, np.sqrt(weights @ self.covariance @ weights)


def dense_choices(comparisons, side=None):
    """The joint model of comparisons."""
    n, systems = len(comparisons.preference), comparisons.systems
    signed = np.zeros((n, systems))
    signed[np.arange(n), comparisons.first] += 1
    signed[np.arange(n), comparisons.second] -= 1
    columns = signed[:, 1:] if side is None else np.column_stack([signed[:, 1:], side])
    groups = comparisons.item, comparisons.participant
    return dense(2 * comparisons.preference - 1, columns, [spread(signed, g) for g in groups])


def dense_sets(sets):
    """The joint model of sets, by k − 1 orthonormal Helmert differences for each judgment."""
    values, signed, items, people = [], [], [], []
    for each in np.unique(sets.judgment):
        rows = sets.judgment == each
        turn = helmert(rows.sum())
        shown = np.zeros((rows.sum(), sets.systems))
        shown[np.arange(rows.sum()), sets.system[rows]] = 1
        values.append(turn @ sets.score[rows])
        signed.append(turn @ shown)
        items += [sets.item[rows][0]] * len(turn)
        people += [sets.participant[rows][0]] * len(turn)
    signed = np.vstack(signed)
    terms = [spread(signed, np.array(codes)) for codes in (items, people)]
    return dense(np.concatenate(values), signed[:, 1:], terms)


def spread(signed, codes):
    """Z: the systems' columns once for each level."""
    return np.hstack([signed * (codes == level)[:, None] for level in np.unique(codes)])


def dense(value, columns, terms):
    """Nelder and Mead's search over log variances, with V, its inverse and its determinant."""
    products = [z @ z.T for z in terms]

    def parts(logs: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        matrix = np.exp(logs[-1]) * np.eye(len(value))
        for log, product in zip(logs, products, strict=False):
            matrix = matrix + np.exp(log) * product
        inverse = np.linalg.inv(matrix)
        spread = np.linalg.inv(columns.T @ inverse @ columns)
        beta = spread @ columns.T @ inverse @ value
        left = value - columns @ beta
        df = len(value) - columns.shape[1]
        criterion = (
            np.linalg.slogdet(matrix)[1]
            - np.linalg.slogdet(spread)[1]
            + left @ inverse @ left
            + df * np.log(2 * np.pi)
        )
        return criterion, beta, spread

    options = {"xatol": 1e-7, "fatol": 1e-10, "maxiter": 2000}
    start = np.log([0.1] * len(terms) + [0.5])
    found = minimize(lambda x: parts(x)[0], start, method="Nelder-Mead", options=options)
    criterion, beta, spread = parts(found.x)
    return Dense(np.exp(found.x), criterion, beta, spread)


def pairs(systems):
    return list(combinations(range(systems), 2))


def iterate(comparisons, *, side=None, adjust="tukey"):
    """Fit by iteration, however few places there are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rejudge.stats.preference.choice_fit.EXACT_UP_TO", 0)
        return choice_model(comparisons, side=side, adjust=adjust)
