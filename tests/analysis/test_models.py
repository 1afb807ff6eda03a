"""Mixed models in an analysis know that items and people favour systems."""

from __future__ import annotations

import numpy as np

from rejudge.analysis import analyse
from rejudge.analysis.columns import Scores
from rejudge.analysis.models import _groups
from rejudge.judgments import Judgment, Judgments
from rejudge.stats import level_contrasts, linear_mixed


def favourites(rng, items=40, people=6):
    """Two equally good systems; items favour one by 0.6 of the noise, people by 0.4."""
    axes = np.meshgrid(np.arange(items), np.arange(people), np.arange(2), indexing="ij")
    item, participant, system = (axis.ravel() for axis in axes)
    value = (
        rng.normal(0, 0.6, (items, 2))[item, system]
        + rng.normal(0, 0.4, (people, 2))[participant, system]
        + rng.normal(0, 1, len(item))
    )
    return value, item, participant, system


def mixed_findings(table):
    rows = [
        Judgment(f"p{person}", f"i{item}", "fluency", float(value), system=f"s{system}")
        for value, item, person, system in zip(*table, strict=True)
    ]
    results = analyse(Judgments.from_rows(rows))
    return [finding for finding in results.findings if finding.by == "mixed-model"]


def p_value(value, system, groups):
    fit = linear_mixed(value, {"system": system}, groups)
    return level_contrasts(fit, "system", adjust="none")[0].p_alone


def test_the_model_says_that_systems_vary_over_items_and_people():
    (finding,) = mixed_findings(favourites(np.random.default_rng(1)))
    assert "system × participant and system × item random" in finding.method


def test_outputs_judged_once_have_no_favour_of_items_to_show():
    """One participant judges each item, so system × item would be the noise itself."""
    value, item, participant, system = favourites(np.random.default_rng(1))
    once = participant == item % 6
    (finding,) = mixed_findings([column[once] for column in (value, item, participant, system)])
    assert "system × item" not in finding.method
    assert "system × participant" in finding.method


def test_equally_good_systems_are_seldom_told_apart():
    """60 studies without a difference: at 5 % three are expected, 9 is beyond 3.5 SD (√2.85).

    A model with offsets alone finds a difference in a good part of the same studies.
    """
    rng = np.random.default_rng(7)
    told_apart, naive = 0, 0
    for _ in range(60):
        table = favourites(rng)
        value, item, participant, system = table
        ours = _groups(Scores(value=value, system=system, item=item, participant=participant))
        told_apart += p_value(value, system, ours) < 0.05
        naive += p_value(value, system, {"participant": participant, "item": item}) < 0.05
    assert told_apart <= 8
    assert naive >= 12
