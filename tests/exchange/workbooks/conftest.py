"""A study with its workbooks, which several tests read."""

from __future__ import annotations

import pytest

from filled_workbooks import export, fill, layouts, simulated
from judged_study import RATING, drawn, small_study


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A study, its plan and its workbooks, the first of them filled in."""
    study = small_study(RATING)
    plan = drawn(study)
    paths = export(tmp_path_factory.mktemp("books"), study, plan)
    book = layouts(study, plan)[0]
    fill(paths[0], book, simulated(study, plan, book))
    return study, plan, paths
