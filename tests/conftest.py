"""What tests of several rooms share."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# No test asserts a time: machines are shared, and the first call of a cached function is slow.
settings.register_profile("rejudge", deadline=None)
settings.load_profile("rejudge")

_SHARED = Path(os.environ.get("REJUDGE_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture
def chromium() -> str:
    """Where the browser is; without one a test skips, but not where CI is set."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        reason = "needs Chromium: apt-get install chromium"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return found


@pytest.fixture
def published() -> Callable[[str], tuple[Path, dict[str, Any]]]:
    """Public judgments with their published figures, by name; skips where they are not at hand."""

    def find(name: str) -> tuple[Path, dict[str, Any]]:
        folder = _SHARED / "data" / name
        if not folder.is_dir():
            pytest.skip(f"needs the public data '{name}' (set REJUDGE_SHARED to its folder)")
        figures = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["figures"]
        return folder, {figure["id"]: figure for figure in figures}

    return find
