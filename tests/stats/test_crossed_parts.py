"""How much of a spread comes from participants."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge.stats.agreement.alpha_participants import crossed_parts


def by_definition(pull, unit, participant):
    """By matrices of judgments by judgments: E[pᵀ H K H p] = Σ variance · tr(K H L H)."""
    n = len(pull)
    centring = np.eye(n) - 1 / n
    cell = unit * 1000 + participant
    kinds = [(codes[:, None] == codes).astype(float) for codes in (participant, unit, cell)]
    seen = [centring @ kind @ centring for kind in kinds]
    table = [[np.trace(kind @ other) for other in seen] for kind in kinds]
    observed = [pull @ each @ pull for each in seen]
    variance = np.linalg.solve(np.array(table), observed)
    return variance * [kind.sum() for kind in kinds]


def judgments(seed, *, people=6, units=9, each=3, twice=False):
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(units), each)
    person = np.concatenate([rng.choice(people, each, replace=False) for _ in range(units)])
    if twice:
        unit, person = (np.concatenate([one, one[:10]]) for one in (unit, person))
    pull = rng.normal(size=people)[person] + rng.normal(size=units)[unit]
    return pull + rng.normal(size=len(unit)), unit, person


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_parts_are_those_of_the_definition(seed, twice):
    pull, unit, person = judgments(seed, twice=twice)
    people, _, cells = by_definition(pull, unit, person)
    found = crossed_parts(pull, unit, person)
    assert found.participants == pytest.approx(max(0.0, people))
    assert found.cells == pytest.approx(max(0.0, cells))


def test_units_that_differ_hide_no_participants_in_a_complete_table():
    """Everybody judges all: what units do cancels, however far they differ."""
    unit, person = (part.ravel() for part in np.indices((8, 5)))
    rng = np.random.default_rng(3)
    pull = rng.normal(size=5)[person] + 0.1 * rng.normal(size=40)
    calm = crossed_parts(pull, unit, person)
    wild = crossed_parts(pull + 100 * rng.normal(size=8)[unit], unit, person)
    assert wild.participants == pytest.approx(calm.participants)
    assert wild.cells == pytest.approx(calm.cells)


def test_participants_of_one_unit_each_have_a_part_that_is_a_number():
    pull = np.random.default_rng(4).normal(size=12)
    found = crossed_parts(pull, np.repeat(np.arange(4), 3), np.arange(12))
    assert found.participants >= 0
    assert np.isfinite(found.participants + found.cells)
