"""How often each participant gives the right label, where nobody knows which label is right."""

from __future__ import annotations

from dataclasses import dataclass
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
)
from rejudge.stats.resampling import joined

_TINY = 1e-10  # stands for an expected count of nothing, whose logarithm is needed
_NOT_CONVERGED = "Not converged after {} iterations: the numbers may still change."
_SWITCHED = (
    "On average participants give the estimated label less often than by chance: labels may be "
    "switched, and these rates say nothing about who is right."
)


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
    table = labelled(unit, participant, label)
    if not table.n:
        return _without(table)
    votes = table.votes()
    posterior = votes / votes.sum(axis=1, keepdims=True)
    reached, iterations, is_converged = -np.inf, 0, False
    while iterations < max_iterations and not is_converged:
        prevalence, confusion = _rates(table, posterior, smoothing)
        posterior, log_likelihood = _expected(table, prevalence, confusion)
        before, reached = reached, log_likelihood + smoothing * float(np.log(confusion).sum())
        iterations += 1
        is_converged = reached - before <= tolerance * table.n
    prevalence, confusion = _rates(table, posterior, smoothing)
    found = _summary(table, prevalence, confusion)
    chance = float(np.nansum(found.reliability * found.judgments)) < 0
    note = joined(
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


def _rates(table: Labelled, posterior: Numbers, smoothing: float) -> tuple[Numbers, Numbers]:
    """Prevalence of labels, and each participant's confusion (2.3 and 2.4)."""
    people, width = len(table.people), table.width
    cell = table.cell
    said = np.empty((people, width, width))  # participant, right label, label that was given
    for right in range(width):
        weights = table.times * posterior[table.unit, right]
        said[:, right] = np.bincount(cell, weights, people * width).reshape(people, width)
    said = np.maximum(said + smoothing, _TINY)
    return posterior.mean(axis=0), said / said.sum(axis=2, keepdims=True)


def _expected(table: Labelled, prevalence: Numbers, confusion: Numbers) -> tuple[Numbers, float]:
    """How probable each label is for each unit (2.5), and the log likelihood (2.7)."""
    units, cell = len(table.units), table.cell
    scores = np.empty((units, table.width))
    for right in range(table.width):
        logs = np.log(confusion[:, right]).ravel()[cell] * table.times
        scores[:, right] = np.bincount(table.unit, logs, units)
    posterior, constant = normalised(scores + np.log(np.maximum(prevalence, _TINY)))
    return posterior, float(constant.sum())


def _summary(table: Labelled, prevalence: Numbers, confusion: Numbers) -> _Summary:
    """What a confusion matrix says in one number: kappa between what was said and what is right."""
    accuracy = np.einsum("jtt,t->j", confusion, prevalence)
    given = np.einsum("jtl,t->jl", confusion, prevalence)
    by_chance = np.einsum("jl,l->j", given, prevalence)
    room = 1 - by_chance
    with np.errstate(invalid="ignore", divide="ignore"):
        reliability = np.where(room > _TINY, (accuracy - by_chance) / room, np.nan)
    judgments = np.bincount(table.person, table.times, len(table.people)).astype(np.int64)
    return _Summary(judgments, accuracy, reliability)


def _without(table: Labelled) -> DawidSkene:
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
