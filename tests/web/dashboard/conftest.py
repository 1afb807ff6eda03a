"""A study with a dashboard, and somebody who can log in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dashboard_site import PAYMENT, DashboardSite, opened
from judged_study import PAIRWISE, RATING, checked_study


@pytest.fixture
def site(tmp_path) -> Iterator[DashboardSite]:
    """A study of two questions with a check, where one failure excludes."""
    made = opened(tmp_path, checked_study(PAIRWISE, RATING, payment=PAYMENT))
    yield made
    made.client.close()
    made.store.close()
