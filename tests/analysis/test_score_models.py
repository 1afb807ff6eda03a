"""Mixed models in an analysis know that items and people favour systems."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from judged_study import RATING, SYSTEMS, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.analysis_plan import MOST_JUDGMENTS, Further, FurtherTest
from rejudge.analysis.columns import Scores
from rejudge.analysis.formula import crossed_groups as _groups
from rejudge.analysis.score_models import _MOST_FURTHER
from rejudge.judgments.table import Judgment, Judgments
from rejudge.stats import level_contrasts, linear_mixed, ordinal_mixed

ORDINAL = Further(tests=(FurtherTest("ordinal-mixed-model"),))


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
    return by_name(analyse(rated(table)), "mixed-model")


def rated(table):
    return Judgments.from_rows(
        Judgment(f"p{person}", f"i{item}", "fluency", float(value), system=f"s{system}")
        for value, item, person, system in zip(*table, strict=True)
    )


def by_name(results, *names: str):
    return [finding for finding in results.findings if finding.by in names]


def p_value(value, system, groups):
    fit = linear_mixed(value, {"system": system}, groups)
    return level_contrasts(fit, "system", adjust="none")[0].p


def test_the_model_says_that_systems_vary_over_items_and_people():
    (finding,) = mixed_findings(favourites(np.random.default_rng(1)))
    assert "system × participant, system × item and item × participant random" in finding.method


def even(items=20, people=6):
    """Everybody prefers the second system to the same degree, so system × participant is 0."""
    axes = np.meshgrid(np.arange(items), np.arange(people), np.arange(2), indexing="ij")
    item, participant, system = (axis.ravel() for axis in axes)
    noise = np.where((item + system * (participant + item // 2)) % 2, 0.5, -0.5)
    return 3 + 0.2 * system + item % 3 / 4 + noise, item, participant, system


def test_degrees_of_freedom_that_were_limited_are_named_as_such():
    """Satterthwaite's take a variance of 0 as known: 2 × (6 − 1) at most."""
    (finding,) = mixed_findings(even())
    assert finding.df == 10
    assert (
        "t with Satterthwaite's degrees of freedom, here limited to 10 = 2 × (6 participants − 1), "
        "since the variance of system × participant was estimated as 0;"
    ) in finding.method


def test_degrees_of_freedom_that_were_not_limited_are_plain():
    (finding,) = mixed_findings(favourites(np.random.default_rng(1)))
    assert "t with Satterthwaite's degrees of freedom;" in finding.method


def test_outputs_judged_once_have_no_favour_of_items_to_show():
    """One participant judges each item, so system × item would be the noise itself."""
    value, item, participant, system = favourites(np.random.default_rng(1))
    once = participant == item % 6
    (finding,) = mixed_findings([column[once] for column in (value, item, participant, system)])
    assert "system × item" not in finding.method
    assert "system × participant" in finding.method


@pytest.mark.slow
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


def pointed(table):
    """The same table on a scale of five points."""
    value, *rest = table
    return [np.clip(np.round(3 + value), 1, 5), *rest]


MODELS = ("mixed-model", "ordinal-mixed-model")


def test_with_few_people_models_that_nobody_planned_are_left_out():
    """Four people are too few to keep the level; the cluster-robust difference stays."""
    results = analyse(
        rated(pointed(favourites(np.random.default_rng(1), people=4))), further=ORDINAL
    )
    found = by_name(results, *MODELS)
    assert [finding.value for finding in found] == [None, None]
    assert all("Left out: 4 participants cannot show" in finding.note for finding in found)
    assert all("plan it" in finding.note for finding in found)
    (difference,) = [f for f in by_name(results, "cluster-robust") if len(f.systems) == 2]
    assert difference.p is not None


def test_with_five_people_models_are_among_the_usual_numbers():
    results = analyse(
        rated(pointed(favourites(np.random.default_rng(1), people=5))), further=ORDINAL
    )
    assert all(finding.p is not None for finding in by_name(results, *MODELS))


def test_a_model_of_one_system_says_that_it_is_one():
    value, item, person, _ = pointed(favourites(np.random.default_rng(1), people=5))
    results = analyse(rated((value[::2], item[::2], person[::2], item[::2] * 0)))
    notes = {finding.note for finding in by_name(results, *MODELS)}
    assert notes == {"Undefined: only one system was judged."}


def test_a_planned_model_of_few_people_is_computed_with_its_warning():
    tests = [{"question": RATING["id"], "test": name} for name in MODELS]
    study = small_study(RATING, analysis={"tests": tests})
    rng = np.random.default_rng(3)
    everything = product(range(3), range(12), SYSTEMS)
    table = Judgments.from_rows(
        Judgment(f"p{person}", f"i{item}", RATING["id"], float(rng.integers(1, 6)), system=system)
        for person, item, system in everything
    )
    results = analyse(table, study=study)
    linear = by_name(results, "mixed-model")
    assert all(finding.value is not None for finding in by_name(results, *MODELS))
    assert all("slightly too many false positives" in finding.note for finding in linear)


def test_an_ordinal_difference_is_as_unsure_as_its_few_people():
    """Six people: t with 5 degrees of freedom, and an error √(6/5) times that of the model."""
    table = pointed(favourites(np.random.default_rng(1)))
    value, item, participant, system = table
    groups = _groups(Scores(value=value, system=system, item=item, participant=participant))
    groups.pop("item × participant")  # too few judgments of each for Laplace's approximation
    fit = ordinal_mixed(value, {"system": system}, groups)
    (own,) = level_contrasts(fit, "system", adjust="none")
    (finding,) = by_name(analyse(rated(table), further=ORDINAL), "ordinal-mixed-model")
    t = own.statistic / math.sqrt(6 / 5)
    assert finding.value == pytest.approx(own.value)
    assert (finding.statistic.name, finding.statistic.df) == ("t", (5.0,))
    assert finding.statistic.value == pytest.approx(t)
    assert finding.p == pytest.approx(2 * scipy.stats.t.sf(abs(t), 5))
    reach = scipy.stats.t.ppf(0.975, 5) * own.standard_error * math.sqrt(6 / 5)
    assert finding.interval.high - finding.value == pytest.approx(reach)
    assert "t with 5 degrees of freedom and errors widened for 6 clusters" in finding.method


def test_the_notes_name_what_a_large_table_does_not_get(monkeypatch):
    """README names the limits; here they are lower, so that a small table is beyond them."""
    rows = [
        Judgment(f"p{p}", f"i{i}", q, float((p * i + k) % 5), system=system)
        for q in ("fluency", "meaning")
        for p in range(6)
        for i in range(5)
        for k, system in enumerate(("ash", "beech"))
    ]
    table = Judgments.from_rows(rows)
    assert not any("Left out" in note for note in analyse(table).notes)
    monkeypatch.setattr("rejudge.analysis.score_models.MOST_JUDGMENTS", 5)
    monkeypatch.setattr("rejudge.analysis.score_models._MOST_FURTHER", 5)
    monkeypatch.setattr("rejudge.analysis.agreement._MOST_RESAMPLED", 5)
    further = replace(ORDINAL, agreement=("cohen-kappa",))
    assert analyse(table, further=further).notes[-1] == (
        "Left out because the table is too large: mixed-model (fluency, "
        "meaning); "
        "ordinal-mixed-model (fluency, meaning); agreement intervals for new participants "
        "(fluency, meaning)."
    )


def test_readme_names_the_limits_of_large_tables():
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    assert f"above {MOST_JUDGMENTS:,} judgments" in readme
    assert f"above {_MOST_FURTHER:,}" in readme
