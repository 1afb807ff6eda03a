"""Fails as soon as systems are compared: for whatever may only watch a running study."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

import rejudge.stats
from rejudge.findings.model import Finding

# every function of `rejudge.stats` that gives a contrast, a test or a strength of systems
COMPARING = (
    "adjusted_difference",
    "binary_mixed",
    "bradley_terry",
    "choice_model",
    "friedman",
    "hotelling",
    "level_contrasts",
    "linear_mixed",
    "mann_whitney",
    "mean_by_system",
    "mean_difference",
    "one_way_anova",
    "ordinal_mixed",
    "pair_rates",
    "paired_t_test",
    "plackett_luce",
    "relative_preference",
    "sign_flip",
    "t_test",
    "tukey_hsd",
    "wilcoxon",
    "win_table",
)


def guard_comparisons(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make every comparison of systems fail from here on; lists those that were attempted."""
    attempted: list[str] = []

    def refusing(name: str) -> Callable[..., NoReturn]:
        def refuse(*_: Any, **__: Any) -> NoReturn:  # whatever it is called with
            attempted.append(name)
            raise AssertionError(f"{name}: systems were compared while the study was running")

        return refuse

    for name in COMPARING:
        real = getattr(rejudge.stats, name)
        for module in [m for key, m in sys.modules.items() if key.startswith("rejudge.")]:
            if vars(module).get(name) is real:
                monkeypatch.setattr(module, name, refusing(name))
    create = Finding.__init__

    def checked(self: Finding, *given: Any, **named: Any) -> None:  # the fields of a finding
        create(self, *given, **named)
        if self.systems or self.p_adjusted is not None:
            refusing(self.id)()

    monkeypatch.setattr(Finding, "__init__", checked)
    return attempted
