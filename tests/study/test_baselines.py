"""Baselines in study.yaml: every rule is described, and an opposite leads back."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic import ValidationError

from rejudge.study.baselines import BASELINE_RULES, OPPOSITES, Baseline, RuleName


def test_every_rule_is_described():
    assert tuple(BASELINE_RULES) == get_args(RuleName)


def test_the_opposite_of_an_opposite_is_the_rule():
    assert {rule: OPPOSITES[OPPOSITES[rule]] for rule in OPPOSITES} == {
        rule: rule for rule in OPPOSITES
    }


@pytest.mark.parametrize("rules", [[], ["copy"], "copy-wins"])
def test_a_baseline_has_one_or_more_known_rules(rules):
    with pytest.raises(ValidationError):
        Baseline.model_validate({"id": "copy", "rules": rules})
