"""One judged study and its bundle, made once; tests change copies."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import bundled


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory) -> Path:
    return bundled.finish(tmp_path_factory.mktemp("bundle") / "trees")


@pytest.fixture(scope="session")
def content(finished_once) -> bytes:
    """A bundle, as bytes."""
    return bundled.bundled(finished_once)


@pytest.fixture
def folder(finished_once, tmp_path) -> Path:
    """A study folder that a test may change."""
    return Path(shutil.copytree(finished_once, tmp_path / "trees"))


@pytest.fixture
def path(content, tmp_path) -> Path:
    """A bundle as a file."""
    file = tmp_path / "trees.zip"
    file.write_bytes(content)
    return file
