"""Rules about how long data are kept."""

from __future__ import annotations

from datetime import date

import pytest
from good_study import make_study

from rejudge.lint import check

TODAY = date(2026, 3, 2)


def found(today: date | None = TODAY, **parts: object) -> set[str]:
    return {each.code for each in check(make_study(parts), today=today)} & {"R422", "R423"}


@pytest.mark.parametrize(
    ("platform", "codes"), [("prolific", {"R422"}), ("mturk", {"R422"}), ("link", set())]
)
def test_paid_platforms_need_an_end(platform, codes):
    assert found(recruitment={"platform": platform}, retention=None) == codes
    assert found(recruitment={"platform": platform}, retention={"days": 30}) == set()


@pytest.mark.parametrize(("day", "codes"), [(1, {"R423"}), (2, set()), (3, set())])
def test_a_day_in_the_past_is_found_when_the_day_is_known(day, codes):
    kept = {"until": date(2026, 3, day)}
    assert found(retention=kept) == codes
    assert found(None, retention=kept) == set()
