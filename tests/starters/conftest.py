"""The starters as studies, each parsed and drawn once for all tests."""

from __future__ import annotations

import functools

import pytest

from rejudge.design.draw import draw
from rejudge.design.plan import Plan
from rejudge.starters.folders import folder_files, starter_names
from rejudge.study.model import Study
from rejudge.study.parse import parse


@functools.cache
def opened(name: str) -> Study:
    files = folder_files(name)
    return parse(files["study.yaml"].decode("utf-8"), files.__getitem__)


@functools.cache
def drawn(name: str) -> Plan:
    return draw(opened(name))


@pytest.fixture(params=starter_names())
def name(request) -> str:
    return request.param


@pytest.fixture
def study(name) -> Study:
    return opened(name)


@pytest.fixture
def plan(name) -> Plan:
    return drawn(name)


@pytest.fixture
def study_of():
    return opened


@pytest.fixture
def plan_of():
    return drawn
