"""Dawid–Skene and MACE: how reliable participants are where the correct label is unknown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rejudge.english import join_notes
from rejudge.errors import DataError
from rejudge.stats.arrays import Codes, Numbers
from rejudge.stats.labels import (
    ALONE,
    NO_LABELS,
    ONE_LABEL,
    LabelTable,
    label_table,
    probabilities,
    weighted_counts,
)

_TINY = 1e-10  # replaces an expected count of 0, whose logarithm is needed
_NOT_CONVERGED = "Not converged after {} iterations: the numbers may still change."
_SWITCHED = (
    "On average participants give the estimated label less often than by chance: labels may be "
    "switched, and these rates say nothing about who is right."
)
_SHORT = 15  # iterations of each start; only the best goes on
_MARGIN = 1e-6  # per judgment, by which a later start must be better: rounding never chooses


@dataclass(frozen=True, slots=True)
class DawidSkene:
    """Latent labels of units, and how often each participant gives each label for each of them.

    `confusion[j, t, l]` is the probability that participant j says l where t is right.
    `reliability` is 1 for somebody who is always right, and 0 for somebody who gives the same
    labels as often, whatever is right; NaN where that is undefined.
    """

    labels: Numbers
    prevalence: Numbers  # of each label
    participants: Codes
    judgments: NDArray[np.int64]  # of each participant
    confusion: Numbers
    accuracy: Numbers  # the probability of the right label, averaged over prevalence
    reliability: Numbers
    units: Codes
    label: Numbers  # the most probable of each unit,
    probability: Numbers  # and how probable it is
    log_likelihood: float | None
    n: int  # judgments
    iterations: int
    is_converged: bool
    note: str = ""


def dawid_skene(
    unit: Codes,
    participant: Codes,
    label: NDArray[Any],
    *,
    smoothing: float = 0.01,
    tolerance: float = 1e-7,
    max_iterations: int = 200,
) -> DawidSkene:
    """Right labels and error rates by the EM algorithm of Dawid & Skene (1979).

    Labels are nominal and given independently of each other, once the right one is known. The start
    is the share of each label among a unit's judgments (their 3.1). `smoothing` is added to the
    expected count of each cell of each confusion matrix, so that one judgment does not make a
    probability of 0; with 0 the estimates are those of maximum likelihood. It ends when the log
    likelihood (with the smoothing as its prior) grows by less than `tolerance` per judgment.
    Somebody may judge a unit more than once.
    """
    if smoothing < 0:
        raise DataError(f"dawid_skene needs a smoothing of 0 or more, got {smoothing:g}.")
    table = label_table(unit, participant, label)
    if not table.n:
        return _undefined_result(table)
    votes = table.votes()
    posterior = votes / votes.sum(axis=1, keepdims=True)
    reached, iterations, is_converged = -np.inf, 0, False
    while iterations < max_iterations and not is_converged:
        prevalence, confusion = _rates(table, posterior, smoothing)
        posterior, log_likelihood = _expectation(table, prevalence, confusion)
        before, reached = reached, log_likelihood + smoothing * float(np.log(confusion).sum())
        iterations += 1
        is_converged = reached - before <= tolerance * table.n
    prevalence, confusion = _rates(table, posterior, smoothing)
    found = _summary(table, prevalence, confusion)
    chance = float(np.nansum(found.reliability * found.judgments)) < 0
    note = join_notes(
        ONE_LABEL if table.width == 1 else "",
        "" if table.is_shared else ALONE,
        "" if is_converged else _NOT_CONVERGED.format(iterations),
        _SWITCHED if chance else "",
    )
    return DawidSkene(
        labels=table.labels,
        prevalence=prevalence,
        participants=table.people,
        judgments=found.judgments,
        confusion=confusion,
        accuracy=found.accuracy,
        reliability=found.reliability,
        units=table.units,
        label=table.labels[posterior.argmax(axis=1)],
        probability=posterior.max(axis=1),
        log_likelihood=log_likelihood,
        n=table.n,
        iterations=iterations,
        is_converged=is_converged,
        note=note,
    )


@dataclass(frozen=True, slots=True)
class _Summary:
    judgments: NDArray[np.int64]
    accuracy: Numbers
    reliability: Numbers


def _rates(table: LabelTable, posterior: Numbers, smoothing: float) -> tuple[Numbers, Numbers]:
    """Prevalence of labels, and each participant's confusion (2.3 and 2.4)."""
    people, width = len(table.people), table.width
    cell = table.cell
    said = np.empty((people, width, width))  # participant, right label, label that was given
    for right in range(width):
        weights = table.times * posterior[table.unit, right]
        said[:, right] = np.bincount(cell, weights, people * width).reshape(people, width)
    said = np.maximum(said + smoothing, _TINY)
    return posterior.mean(axis=0), said / said.sum(axis=2, keepdims=True)


def _expectation(
    table: LabelTable, prevalence: Numbers, confusion: Numbers
) -> tuple[Numbers, float]:
    """How probable each label is for each unit (2.5), and the log likelihood (2.7)."""
    units, cell = len(table.units), table.cell
    scores = np.empty((units, table.width))
    for right in range(table.width):
        logs = np.log(confusion[:, right]).ravel()[cell] * table.times
        scores[:, right] = np.bincount(table.unit, logs, units)
    posterior, constant = probabilities(scores + np.log(np.maximum(prevalence, _TINY)))
    return posterior, float(constant.sum())


def _summary(table: LabelTable, prevalence: Numbers, confusion: Numbers) -> _Summary:
    """A confusion matrix in one number: kappa between the given and the right labels."""
    accuracy = np.einsum("jtt,t->j", confusion, prevalence)
    given = np.einsum("jtl,t->jl", confusion, prevalence)
    by_chance = np.einsum("jl,l->j", given, prevalence)
    beyond_chance = 1 - by_chance
    with np.errstate(invalid="ignore", divide="ignore"):
        reliability = np.where(
            beyond_chance > _TINY, (accuracy - by_chance) / beyond_chance, np.nan
        )
    judgments = np.bincount(table.person, table.times, len(table.people)).astype(np.int64)
    return _Summary(judgments, accuracy, reliability)


def _undefined_result(table: LabelTable) -> DawidSkene:
    none = np.zeros(0)
    return DawidSkene(
        labels=none,
        prevalence=none,
        participants=table.people,
        judgments=np.zeros(0, dtype=np.int64),
        confusion=np.zeros((0, 0, 0)),
        accuracy=none,
        reliability=none,
        units=table.units,
        label=none,
        probability=none,
        log_likelihood=None,
        n=0,
        iterations=0,
        is_converged=True,
        note=NO_LABELS,
    )


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
    """Competence by the model MACE (Hovy, Berg-Kirkpatrick, Vaswani & Hovy 2013).

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
    table = label_table(unit, participant, label)
    if not table.n:
        return _mace_result(table, _MaceFit(_start(table, None), 0, is_converged=True))
    added = smoothing / table.width
    short = min(_SHORT, max_iterations)
    best = _fit_mace(table, _start(table, None), added, tolerance=tolerance, most=short)
    for _ in range(restarts - 1):
        other = _fit_mace(table, _start(table, rng), added, tolerance=tolerance, most=short)
        if other.state.reached > best.state.reached + _MARGIN * table.n:
            best = other
    if not best.is_converged and max_iterations > best.iterations:
        left = max_iterations - best.iterations
        rest = _fit_mace(table, best.state, added, tolerance=tolerance, most=left)
        best = replace(rest, iterations=best.iterations + rest.iterations)
    return _mace_result(table, best)


@dataclass(frozen=True, slots=True)
class _State:
    competence: Numbers
    guesses: Numbers  # participants by labels, in one row
    posterior: Numbers
    log_likelihood: float
    reached: float  # the log likelihood with its prior


@dataclass(frozen=True, slots=True)
class _MaceFit:
    state: _State
    iterations: int
    is_converged: bool


def _start(table: LabelTable, rng: np.random.Generator | None) -> _State:
    """One half and even guesses, or drawn around them."""
    people, width = len(table.people), table.width
    competence, guesses = np.full(people, 0.5), np.ones((people, width))
    if rng is not None:
        competence = rng.uniform(0.2, 0.8, people)
        guesses = rng.uniform(0.5, 1.5, (people, width))
    guesses /= np.maximum(guesses.sum(axis=1, keepdims=True), 1)
    even = np.full((len(table.units), width), 1 / max(width, 1))
    return _State(competence, guesses.ravel(), even, -np.inf, -np.inf)


def _fit_mace(
    table: LabelTable, state: _State, added: float, *, tolerance: float, most: int
) -> _MaceFit:
    """This many iterations, or until nothing is gained."""
    place, cell = table.place, table.cell
    said = weighted_counts(cell, table.times, len(state.guesses))
    for iteration in range(1, most + 1):
        before = state.reached
        state = _em_step(table, state, added, (place, cell, said))
        if state.reached - before <= tolerance * table.n:
            return _MaceFit(state, iteration, is_converged=True)
    return _MaceFit(state, most, is_converged=False)


def _em_step(
    table: LabelTable,
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
    posterior, constant = probabilities(scores.reshape(-1, width))
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


def _mace_result(table: LabelTable, found: _MaceFit) -> Mace:
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
        note=join_notes(
            "" if table.n else NO_LABELS,
            ONE_LABEL if width == 1 else "",
            ALONE if table.n and not table.is_shared else "",
            "" if found.is_converged else _NOT_CONVERGED.format(found.iterations),
        ),
    )
