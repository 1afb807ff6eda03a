"""Sites start quickly here: the tests are about a platform."""

from __future__ import annotations

from quick_sites import quick_sites  # noqa: F401 - used by all tests here
