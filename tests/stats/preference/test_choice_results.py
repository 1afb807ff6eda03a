"""How long a mixed model of choices takes."""

from __future__ import annotations

import numpy as np

from rejudge.stats import estimated_choice_seconds


def test_the_estimate_of_seconds_grows_with_judgments_and_systems():
    sizes = np.full(10**5, 2)
    few = estimated_choice_seconds(sizes, systems=4, items=1000, participants=300)
    many = estimated_choice_seconds(sizes, systems=40, items=1000, participants=300)
    more = estimated_choice_seconds(np.tile(sizes, 9), systems=4, items=1000, participants=300)
    assert few < many
    assert few < more
    tukey = estimated_choice_seconds(sizes, systems=40, items=1000, participants=300, is_tukey=True)
    assert tukey > many


def test_the_estimate_of_seconds_knows_that_a_single_grouping_is_quick():
    sizes = np.full(10**5, 2)
    one = estimated_choice_seconds(sizes, systems=10, items=1000, participants=1)
    both = estimated_choice_seconds(sizes, systems=10, items=1000, participants=300)
    assert one < both
