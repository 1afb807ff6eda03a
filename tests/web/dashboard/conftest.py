"""A study with a dashboard, and somebody who can log in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from judged_study import PAIRWISE, RATING, checked_study
from office import PAYMENT, Office, opened


@pytest.fixture
def office(tmp_path) -> Iterator[Office]:
    """A study of two questions with a check, where one failure excludes."""
    made = opened(tmp_path, checked_study(PAIRWISE, RATING, payment=PAYMENT))
    yield made
    made.client.close()
    made.store.close()
