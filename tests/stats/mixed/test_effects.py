"""Sums of fixed effects with their errors."""

from __future__ import annotations


def test_below_one_degree_of_freedom_there_is_no_test():
    """Such a t has tails that no probability can be put on; the value and its error remain."""
    from rejudge.stats.mixed.effects import LinearCombination

    found = LinearCombination(value=1.0, standard_error=0.5, df=0.4)
    found = found.estimate(0.95)
    assert (found.value, found.p, found.interval) == (1.0, None, None)
    assert found.reasons[0].lost == "test"
