"""How many examples property tests try, and which: `REJUDGE_HYPOTHESIS` chooses.

- `random` (where nothing is set): new examples every time, half as many as `fixed`, so that the
  tests take minutes. The seed is printed at the end.
- `fixed`: the same examples every time.
- `thorough`: random, with ten times as many examples as `fixed`.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

from hypothesis import settings

if TYPE_CHECKING:
    import pytest

PROFILE = os.environ.get("REJUDGE_HYPOTHESIS", "random")
_TIMES = {"random": 0.5, "fixed": 1, "thorough": 10}


def examples(usual: int) -> int:
    """The number of examples for a test that usually tries so many."""
    return math.ceil(usual * _TIMES[PROFILE])


def load() -> None:
    """Set Hypothesis up. No test asserts a time: machines are shared, and first calls are slow."""
    if PROFILE not in _TIMES:
        known = ", ".join(_TIMES)
        raise ValueError(f"REJUDGE_HYPOTHESIS is '{PROFILE}'. Choose one of: {known}.")
    settings.register_profile(
        "rejudge", deadline=None, derandomize=PROFILE == "fixed", max_examples=examples(100)
    )
    settings.load_profile("rejudge")


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
