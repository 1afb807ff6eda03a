"""Numbers of a power analysis from tallies, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from planned_studies import rating_study
from rejudge.design.draw import draw
from rejudge.power.plan import EVERY, EffectRequest, state_task
from rejudge.power.tally import SizeTally, comparison_powers
from rejudge.simulate.sources import read_parameters


def test_type_m_and_s_are_those_of_the_differences_that_were_found():
    """40 of 100 found, one of them reversed, 0.9 on average where 0.6 is true on average."""
    study = rating_study()
    task = state_task(
        study, draw(study), read_parameters(study), effect=EffectRequest({EVERY: 0.6})
    ).task
    row = [100, 40, 1, 36.0, 60.0, 100, 120.0, 100]
    tally = SizeTally(100, np.array([row], dtype=float), 39, {}, {})
    (found,) = comparison_powers(task, tally)

    assert found.power == 0.4
    assert found.exaggeration == pytest.approx(1.5)
    assert found.wrong_sign == pytest.approx(1 / 40)
    assert found.width == pytest.approx(1.2)
