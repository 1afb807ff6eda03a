"""Which examples property tests try, and how many: `REJUDGE_HYPOTHESIS` chooses.

- `fixed` (where nothing is set): the same examples every time and everywhere.
- `random`: new examples; the seed is printed at the end. `make fuzz` runs these.
- `thorough`: random, and ten times as many.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

if TYPE_CHECKING:
    import pytest

PROFILE = os.environ.get("REJUDGE_HYPOTHESIS", "fixed")
_TIMES = {"fixed": 1, "random": 1, "thorough": 10}


def examples(usual: int) -> int:
    """The number of examples for a test that usually tries so many."""
    return usual * _TIMES[PROFILE]


def load() -> None:
    """Set Hypothesis up so that the examples depend on nothing but the profile and the seed.

    No test asserts a time, and neither does Hypothesis: machines are shared, and first calls slow.
    """
    if PROFILE not in _TIMES:
        known = ", ".join(_TIMES)
        raise ValueError(f"REJUDGE_HYPOTHESIS is '{PROFILE}'. Choose one of: {known}.")
    settings.register_profile(
        "rejudge",
        settings.get_profile("default"),  # where CI is set, Hypothesis has loaded another
        deadline=None,
        derandomize=PROFILE == "fixed",
        max_examples=examples(100),
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("rejudge")
    _ignore_constants()


def _ignore_constants() -> None:
    """One example in twenty is a constant from the modules that happen to be loaded: in another
    order of the tests, or among another number of workers, these are others."""
    none = providers._local_constants  # before a module was read
    assert len(none) == 0
    providers._get_local_constants = lambda: none


def choose_seed(config: pytest.Config) -> None:
    """Choose the seed here, so that it can be printed; pytest-xdist hands it to its workers."""
    is_worker = hasattr(config, "workerinput")
    if PROFILE != "fixed" and not is_worker and config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(int.from_bytes(os.urandom(4), "big"))


def seed_line(config: pytest.Config) -> str:
    """What to write below the tests' summary."""
    if PROFILE == "fixed":
        return "Hypothesis: fixed examples."
    seed = config.option.hypothesis_seed
    return f"Hypothesis: {PROFILE} examples; repeat them with --hypothesis-seed={seed}"
