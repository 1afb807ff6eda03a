"""Whom a test or an interval speaks for: other items, other participants, or both."""

from __future__ import annotations

from typing import Final

from rejudge.analysis.results import Population
from rejudge.study import Unit

FEWEST: Final = 5  # participants, or items, that can show how far they vary (decision 8)
POPULATIONS: Final[dict[Population, str]] = {
    "items and participants": "for new items and new participants",
    "items": "for new items and these participants",
    "participants": "for new participants and these items",
    "batches": "for new batches",
    "judgments": "for new judgments, each taken as independent",
}
_OF_UNITS: Final[dict[Unit, Population]] = {
    "judgment": "judgments",
    "item": "items",
    "participant": "participants",
    "batch": "batches",
}


def population_of_unit(unit: Unit) -> Population:
    """The population of a test that takes its units as drawn at random."""
    return _OF_UNITS[unit]


def population_of_clusters(*, has_participants: bool) -> Population:
    """The population of a method that allows for items and, where known, for participants."""
    return "items and participants" if has_participants else "items"
