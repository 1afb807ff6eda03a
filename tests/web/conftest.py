"""Sites that are closed again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from participants import OpenSite, made_study
from quick_sites import quick_sites  # noqa: F401 - used by all tests here
from rejudge.study.model import Study


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., OpenSite]]:
    """Opens the site of a study, over a new SQLite file."""
    sites: list[OpenSite] = []

    def open_site(study: Study | None = None, **context: Any) -> OpenSite:  # parts of SiteContext
        folder = tmp_path / str(len(sites))
        folder.mkdir()
        sites.append(OpenSite(study or made_study(), folder, **context))
        return sites[-1]

    yield open_site
    for site in sites:
        site.close()
