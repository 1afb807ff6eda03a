"""The datasheets that other people have filled in, where the public data are available."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

_SHARED = Path(os.environ.get("REJUDGE_SHARED", Path(__file__).parents[3] / "shared"))


@pytest.fixture
def card() -> Callable[[str], bytes]:
    """A filled datasheet of the public collection, by its name."""

    def find(name: str) -> bytes:
        path = _SHARED / "data" / "heds_cards" / f"{name}.json"
        if not path.is_file():
            pytest.skip(f"needs the datasheet '{name}' (set REJUDGE_SHARED to its folder)")
        return path.read_bytes()

    return find
