"""The power statement of Arvan & Parde (2024), section 5.2: as published, corrected, simulated.

They print a partial η² of 0.17 (0.167 in their script), power 0.67 at n = 300, and 395 for 0.80.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest

from rejudge import stats
from rejudge.audit.rules import audit
from rejudge.design.draw import draw
from rejudge.files.step_files import open_paper
from rejudge.incoming import decode
from rejudge.power.grid import GridRequest, compute_power
from rejudge.power.plan import EVERY, EffectRequest, state_task
from rejudge.power.sizes import planned_shape
from rejudge.simulate.sources import read_parameters
from rejudge.starters.folders import folder_files
from rejudge.study.parse import parse

ETA_SQUARED = 0.167


def test_the_published_numbers_follow_if_eta_squared_is_taken_for_f_and_a_group_for_all():
    wrong = stats.CohenF(ETA_SQUARED)

    assert stats.anova_power(wrong, groups=4, total=300).value == pytest.approx(0.67, abs=0.005)
    needed = stats.anova_sample_size(wrong, groups=4).total_unrounded
    assert needed == pytest.approx(395, abs=0.5)


def test_corrected_the_power_is_1_and_15_per_system_are_enough():
    """R 4.2.2, pwr.anova.test(k = 4, f = sqrt(.167 / .833), power = .8): n = 14.6 per group."""
    right = stats.EtaSquared(ETA_SQUARED)

    assert stats.anova_power(right, groups=4, total=1200).value == pytest.approx(1.0, abs=1e-9)
    assert stats.anova_sample_size(right, groups=4).per_group == 15


def test_the_audit_reports_both_mistakes_and_that_the_effect_was_observed():
    codes = [each.code for each in audit(open_paper("arvan-2024")).findings]

    assert codes.count("A306") == 2
    assert "A308" in codes


@pytest.mark.slow
@pytest.mark.parametrize(("effect", "low", "high"), [(5.0, 0.33, 0.53), (8.0, 0.82, 0.95)])
def test_the_power_of_its_design_under_its_own_estimates(effect, low, high):
    """300 inputs, all pairs of 4 systems, 3 people per batch of 5 inputs, 180 people for 8 minutes.

    The spreads follow from the printed win rates and alpha. A second source: the cluster-robust
    error of their second study is 1.7 to 2.0 points of a win rate with 200 inputs (shared/specs),
    which gives about these powers at the level 0.05 / 6.
    """
    files = folder_files("paraphrase-pairs")
    study = parse(decode(files["study.yaml"], file="study.yaml"), _reader(files))
    plan = draw(study)
    known = read_parameters(study, paper=open_paper("arvan-2024"))
    stated = state_task(study, plan, known, effect=EffectRequest({EVERY: effect}))
    found = compute_power(
        GridRequest(
            study, plan, stated.task, stated.effects, (planned_shape(study, plan),),
            on=date(2026, 11, 17), precision=0.045,
        )
    )  # fmt: skip

    assert (found.planned.items, found.planned.participants) == (300, 180)
    assert low < found.planned.power < high
    assert found.planned.cost == Decimal("431.89")
    assert found.planned.hours == pytest.approx(24)


def _reader(files: dict[str, bytes]) -> Callable[[str], bytes]:
    def read(name: str) -> bytes:
        if name not in files:
            raise FileNotFoundError(name)
        return files[name]

    return read
