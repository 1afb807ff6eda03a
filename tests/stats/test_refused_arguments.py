"""Arguments with which a statistic would be silently wrong are refused."""

from __future__ import annotations

import numpy as np
import pytest

from rejudge import stats
from rejudge.errors import DataError

UNIT = np.repeat(np.arange(4), 2)
PARTICIPANT = np.tile([0, 1], 4)
VALUE = np.array([1.0, 2.0, 3.0, 3.0, 5.0, 4.0, 2.0, 1.0])


@pytest.mark.parametrize(
    ("compute", "option"),
    [
        (lambda: stats.adjust_p([0.1, 0.2], "holms"), "correction"),
        (lambda: stats.disagreement_by_unit(UNIT, VALUE, "ordnal"), "measured"),
        (lambda: stats.t_test(VALUE, VALUE + 1, alternative="larger"), "alternative"),
        (lambda: stats.wilcoxon(VALUE, VALUE[::-1], alternative="larger"), "alternative"),
        (lambda: stats.pearson(VALUE, VALUE[::-1], p_value="exact"), "p_value"),
        (lambda: stats.cv_star([56.9, 58.0], scale_minimum=0, variant="cv**"), "variant"),
        (lambda: stats.sequential_boundary([0.5, 1.0], "pococks"), "shape"),
    ],
)
def test_an_unknown_name_of_an_option_is_refused_with_the_known_ones(compute, option):
    with pytest.raises(DataError, match=f"{option}: .* is unknown. Give "):
        compute()


@pytest.mark.parametrize(
    "compute",
    [
        lambda: stats.intraclass(UNIT[:-1], PARTICIPANT, VALUE),
        lambda: stats.alpha_for_new_participants(UNIT[:-1], PARTICIPANT, VALUE, "interval"),
        lambda: stats.score_interaction(
            VALUE, PARTICIPANT == 0, UNIT // 2, item=UNIT[:-1], participant=PARTICIPANT
        ),
    ],
)
def test_columns_of_different_lengths_are_refused(compute):
    with pytest.raises(DataError, match="different lengths"):
        compute()


def test_a_level_or_an_alpha_in_percent_is_refused():
    with pytest.raises(DataError, match="level is 95"):
        stats.mean_by_system(VALUE, PARTICIPANT, item=UNIT, participant=UNIT, systems=2, level=95)
    with pytest.raises(DataError, match="alpha is 5"):
        stats.t_test_sample_size(stats.CohenD(0.4), alpha=5)
