"""Who gives the right label and who gives any, where nobody knows which label is right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rejudge.errors import DataError
from rejudge.stats.clusters import Codes, Numbers
from rejudge.stats.labelled import (
    ALONE,
    NO_LABELS,
    ONE_LABEL,
    Labelled,
    labelled,
    normalised,
    weighted_counts,
)
from rejudge.stats.resampling import joined

_SHORT = 15  # iterations of each start; only the best goes on
_MARGIN = 1e-6  # per judgment, by which a later start must be better: rounding never chooses
_NOT_CONVERGED = "Not converged after {} iterations: the numbers may still change."


@dataclass(frozen=True, slots=True)
class Mace:
    """How often each participant knows the right label, and what they say when they do not."""

    labels: Numbers
    participants: Codes
    judgments: NDArray[np.int64]  # of each participant
    competence: Numbers  # the share of judgments in which they give the right label on purpose
    guesses: Numbers  # participants by labels: how they choose in the others
    units: Codes
    posterior: Numbers  # units by labels
    log_likelihood: float | None
    n: int  # judgments
    iterations: int
    is_converged: bool
    note: str = ""

    @property
    def label(self) -> Numbers:
        """The most probable label of each unit."""
        return np.asarray(self.labels[self.posterior.argmax(axis=1)])

    @property
    def probability(self) -> Numbers:
        """How probable it is."""
        return np.asarray(self.posterior.max(axis=1))


def mace(
    unit: Codes,
    participant: Codes,
    label: NDArray[Any],
    *,
    rng: np.random.Generator,
    smoothing: float = 0.1,
    restarts: int = 5,
    tolerance: float = 1e-7,
    max_iterations: int = 200,
) -> Mace:
    """Competence by the model of Hovy, Berg-Kirkpatrick, Vaswani & Hovy (2013).

    For each judgment a participant either knows the right label, with the probability that is their
    competence, or draws one from a distribution of their own. Right labels are equally frequent
    beforehand. Fitted by EM with additive smoothing, which is the first of the paper's two ways,
    not variational Bayes: `smoothing`, divided by the number of labels, is added to each expected
    count. The first start has a competence of one half and even guesses, the other `restarts` − 1
    are drawn from `rng`; each runs for 15 iterations, and the best goes on until the log likelihood
    (with the smoothing as its prior) grows by less than `tolerance` per judgment.
    """
    if smoothing <= 0 or restarts < 1:
        raise DataError(
            f"mace needs a smoothing above 0 and at least one start, got {smoothing:g} and "
            f"{restarts}."
        )
    table = labelled(unit, participant, label)
    if not table.n:
        return _described(table, _Climbed(_start(table, None), 0, is_converged=True))
    added = smoothing / table.width
    short = min(_SHORT, max_iterations)
    best = _climb(table, _start(table, None), added, tolerance=tolerance, most=short)
    for _ in range(restarts - 1):
        other = _climb(table, _start(table, rng), added, tolerance=tolerance, most=short)
        if other.state.reached > best.state.reached + _MARGIN * table.n:
            best = other
    if not best.is_converged and max_iterations > best.iterations:
        left = max_iterations - best.iterations
        rest = _climb(table, best.state, added, tolerance=tolerance, most=left)
        best = replace(rest, iterations=best.iterations + rest.iterations)
    return _described(table, best)


@dataclass(frozen=True, slots=True)
class _State:
    competence: Numbers
    guesses: Numbers  # participants by labels, in one row
    posterior: Numbers
    log_likelihood: float
    reached: float  # the log likelihood with its prior


@dataclass(frozen=True, slots=True)
class _Climbed:
    state: _State
    iterations: int
    is_converged: bool


def _start(table: Labelled, rng: np.random.Generator | None) -> _State:
    """One half and even guesses, or drawn around them."""
    people, width = len(table.people), table.width
    competence, guesses = np.full(people, 0.5), np.ones((people, width))
    if rng is not None:
        competence = rng.uniform(0.2, 0.8, people)
        guesses = rng.uniform(0.5, 1.5, (people, width))
    guesses /= np.maximum(guesses.sum(axis=1, keepdims=True), 1)
    even = np.full((len(table.units), width), 1 / max(width, 1))
    return _State(competence, guesses.ravel(), even, -np.inf, -np.inf)


def _climb(
    table: Labelled, state: _State, added: float, *, tolerance: float, most: int
) -> _Climbed:
    """So many iterations, or until nothing is gained."""
    place, cell = table.place, table.cell
    said = weighted_counts(cell, table.times, len(state.guesses))
    for iteration in range(1, most + 1):
        before = state.reached
        state = _iterated(table, state, added, (place, cell, said))
        if state.reached - before <= tolerance * table.n:
            return _Climbed(state, iteration, is_converged=True)
    return _Climbed(state, most, is_converged=False)


def _iterated(
    table: Labelled,
    state: _State,
    added: float,
    counted: tuple[NDArray[np.int64], NDArray[np.int64], Numbers],
) -> _State:
    """One E step from the present parameters and one M step to the next."""
    place, cell, said = counted
    people, width = len(table.people), table.width
    known = np.repeat(state.competence, width)
    guessed = (1 - known) * state.guesses
    # A label counts for itself alone: guesses have the same probability whatever is right.
    gain = np.log1p(known / guessed)
    scores = weighted_counts(place, gain[cell] * table.times, len(table.units) * width)
    posterior, constant = normalised(scores.reshape(-1, width))
    # sums of products without `@`, whose threads take longer than the product itself
    of_guesses = float((said * np.log(guessed)).sum())
    fit = of_guesses + float(constant.sum()) - len(table.units) * float(np.log(width))
    prior = np.log(state.competence) + np.log1p(-state.competence)
    reached = fit + added * float(prior.sum() + np.log(state.guesses).sum())
    right = weighted_counts(cell, posterior.ravel()[place] * table.times, people * width)
    purpose = right * known / (known + guessed)
    by_person = purpose.reshape(people, width).sum(axis=1)
    rest = (said - purpose).reshape(people, width) + added
    total = said.reshape(people, width).sum(axis=1)
    competence = (by_person + added) / (total + 2 * added)
    guesses = (rest / rest.sum(axis=1, keepdims=True)).ravel()
    return _State(competence, guesses, posterior, fit, reached)


def _described(table: Labelled, found: _Climbed) -> Mace:
    people, width, state = len(table.people), table.width, found.state
    return Mace(
        labels=table.labels,
        participants=table.people,
        judgments=np.bincount(table.person, table.times, people).astype(np.int64),
        competence=state.competence,
        guesses=state.guesses.reshape(people, width),
        units=table.units,
        posterior=state.posterior,
        log_likelihood=state.log_likelihood if table.n else None,
        n=table.n,
        iterations=found.iterations,
        is_converged=found.is_converged,
        note=joined(
            "" if table.n else NO_LABELS,
            ONE_LABEL if width == 1 else "",
            ALONE if table.n and not table.is_shared else "",
            "" if found.is_converged else _NOT_CONVERGED.format(found.iterations),
        ),
    )
