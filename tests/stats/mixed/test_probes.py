"""Large mixed models, started from a sample."""

from __future__ import annotations

import numpy as np
import pytest
from mixed_examples import crowd

from rejudge.stats import linear_mixed
from rejudge.stats.mixed import probes
from rejudge.stats.mixed.probes import fingerprints, sampled_rows


@pytest.fixture
def large(monkeypatch):
    """Some thousand judgments are as many as millions are."""
    monkeypatch.setattr("rejudge.stats.mixed.linear.EXACT_UP_TO", 0)
    monkeypatch.setattr(probes, "MANY", 1_000)


def shuffled(study):
    value, fixed, groups = study
    order = np.random.default_rng(5).permutation(len(value))
    named = {name: (codes.max() - codes)[order] for name, codes in groups.items()}
    return value[order], {name: codes[order] for name, codes in fixed.items()}, named


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_a_start_from_a_sample_leads_to_the_same_fit(monkeypatch):
    """Variances within a twentieth of a percent of the total, errors within 0.05 %."""
    study = crowd(3, 400, 120, tail=0.8)
    sampled = linear_mixed(*study)
    monkeypatch.setattr(probes, "MANY", 10**9)
    plain = linear_mixed(*study)
    total = sum(part.variance for part in plain.components)
    for one, other in zip(sampled.components, plain.components, strict=True):
        assert one.variance == pytest.approx(other.variance, abs=5e-4 * total)
    for one, other in zip(sampled.coefficients, plain.coefficients, strict=True):
        assert one.standard_error == pytest.approx(other.standard_error, rel=5e-4)
        assert one.value == pytest.approx(other.value, abs=1e-3 * other.standard_error)


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_a_start_from_a_sample_depends_on_neither_names_nor_order():
    study = crowd(4, 400, 120)
    one, other = linear_mixed(*study), linear_mixed(*shuffled(study))
    for a, b in zip(one.components, other.components, strict=True):
        assert a.variance == pytest.approx(b.variance, rel=1e-6)


def test_a_sample_holds_all_judgments_of_an_eighth_of_the_items(monkeypatch):
    monkeypatch.setattr(probes, "MANY", 1_000)
    value, _, groups = crowd(5, 400, 60)
    codes = list(groups.values())
    rows = sampled_rows(codes, fingerprints(value, codes))
    chosen = np.unique(groups["item"][rows])
    assert len(rows) == np.isin(groups["item"], chosen).sum()
    assert 25 < len(chosen) < 85


def test_few_judgments_are_not_sampled():
    value, _, groups = crowd(5, 100, 60)
    codes = list(groups.values())
    assert sampled_rows(codes, fingerprints(value, codes)) is None
