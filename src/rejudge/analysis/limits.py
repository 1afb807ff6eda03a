"""Why something is left out of an analysis: it would take too long, or too few people judged."""

from __future__ import annotations

from rejudge.analysis.population import FEWEST
from rejudge.english import count

LONGEST_FIT = 120.0  # seconds that a linear mixed model or another long step may take, by estimate
SHARE_OF_FURTHER = 1 / 20  # of the limit, for a model that nobody planned and that decides nothing
TOO_LONG = "takes too long."  # ends the reason of every number that is left out for size


def over_limit(seconds: float, limit: float, what: str = "the model") -> str:
    """Why a model or another step is left out by its estimated time; empty if it is not."""
    if seconds <= limit:
        return ""
    return (
        f"Left out: {what}, with an estimated {count(round(seconds), 'second')} and a limit of "
        f"{limit:g}, {TOO_LONG}"
    )


# Seconds of one processor of each, measured on the machine of benchmarks/bench_analyse.py and
# rounded up.
_PER_MEETING = 0.5e-6  # of two people's judgments of one unit
_PER_RESAMPLED_MEETING = 20e-6  # 〃 in all resamples
_PER_CELL = 0.3e-6  # of a table of units by values
_PER_LABEL = 12e-6  # that was given: all iterations of both models of participants' errors
_PER_LABEL_AND_CHOICE = 5e-6  # 〃, for each label that could have been given


def seconds_of_pairs(meetings: float) -> float:
    """About how long it takes to compare everybody with everybody."""
    return _PER_MEETING * meetings


def seconds_of_resampled_pairs(meetings: float) -> float:
    """〃 to resample people, and with them the pairs."""
    return _PER_RESAMPLED_MEETING * meetings


def seconds_of_cells(cells: float) -> float:
    """About how long it takes to find what each unit takes off alpha."""
    return _PER_CELL * cells


def seconds_of_labels(judgments: int, labels: int) -> float:
    """About how long participants' error rates take if every iteration is needed."""
    return (_PER_LABEL + _PER_LABEL_AND_CHOICE * labels) * judgments


def too_few(items: int, participants: int | None) -> str:
    """Why a model that nobody planned is left out: its level could not be kept (decision 8)."""
    if participants is not None and participants < FEWEST:
        few, vary = count(participants, "participant"), "people"
    elif items < FEWEST:
        few, vary = count(items, "item"), "items"
    else:
        return ""
    return (
        f"Left out: {few} cannot show how much {vary} vary, so the model would have too many false "
        "positives. To have it computed anyway, plan it."
    )
