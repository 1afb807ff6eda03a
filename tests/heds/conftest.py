"""The datasheets that other people have filled in, where the public data are available."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


@pytest.fixture
def facts() -> Callable[[str], Any]:
    """The questions of the official forms, or how they map onto each other, as published data."""

    def find(name: str) -> Any:
        path = _SHARED / "specs" / "heds" / f"{name}.json"
        if not path.is_file():
            pytest.skip(f"needs the description '{name}' (set REJUDGE_SHARED to its folder)")
        return json.loads(path.read_text(encoding="utf-8"))

    return find
