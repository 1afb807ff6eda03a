"""The table of rules, and the sound study that has no finding."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from good_study import MEANING, RATING, SLIDER, make_plan, make_study

from rejudge.design.draw import draw
from rejudge.design.duration import estimate_duration
from rejudge.design.pay import quote_price
from rejudge.errors import UsageError
from rejudge.lint.rules import RULES, check, rule_of
from rejudge.rules import SEVERITIES


def test_a_sound_study_has_no_finding():
    assert check(make_study()) == ()


def test_a_sound_study_with_its_plan_and_price_has_no_finding():
    study = make_study()
    plan = make_plan(study)
    price = quote_price(study, plan, on=date(2026, 6, 1))
    assert check(study, plan, quote=price, duration=estimate_duration(study, plan)) == ()


@pytest.mark.parametrize(
    ("question", "test"),
    [
        (MEANING, "bradley-terry"),
        ({**MEANING, "tie": True}, "sign-flip"),
        ({**MEANING, "kind": "best-worst", "of": 3}, "cluster-robust"),
        ({**MEANING, "kind": "ranking"}, "friedman"),
        ({**RATING, "id": "meaning"}, "ordinal-mixed-model"),
        ({**SLIDER, "id": "meaning"}, "mixed-model"),
        ({**RATING, "id": "meaning", "kind": "segments"}, "mixed-model"),
    ],
    ids=lambda each: each["kind"] if isinstance(each, dict) else each,
)
def test_a_drawn_plan_of_a_sound_study_of_any_kind_has_no_finding(question, test):
    tests = [{"question": "meaning", "test": test}]
    study = make_study({"questions": [question], "analysis.tests": tests})
    plan = draw(study)
    price = quote_price(study, plan, on=date(2026, 6, 1))
    assert check(study, plan, quote=price, duration=price.work.duration) == ()


def test_the_gravest_findings_come_first():
    """No analysis (warning), no approval (note), a check aimed at nothing (error)."""
    study = make_study({"analysis": None, "claims": [], "ethics": "", "checks": [
        {"id": "gold", "kind": "gold", "question": "style"}]})  # fmt: skip
    assert [finding.code for finding in check(study)] == ["R301", "R601", "R406"]


def test_codes_are_in_order_and_names_are_given_once():
    assert list(RULES) == sorted(RULES)
    assert len({rule.name for rule in RULES.values()}) == len(RULES)


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_every_rule_explains_itself(rule):
    assert rule.severity in SEVERITIES
    assert rule.explanation.splitlines()[0].endswith(".")
    assert "\nRemedy: " in rule.explanation


@pytest.mark.parametrize("code", RULES)
def test_every_rule_is_tried_with_a_bad_study(code):
    tests = [path for path in Path(__file__).parent.glob("test_*.py") if path != Path(__file__)]
    assert any(f'"{code}"' in path.read_text(encoding="utf-8") for path in tests)


def test_a_rule_is_known_by_its_code_and_by_its_name():
    assert rule_of("r101") is rule_of("identical-outputs") is RULES["R101"]


def test_an_unknown_code_is_answered_with_a_near_one():
    with pytest.raises(UsageError, match="Did you mean R101"):
        rule_of("R1O1")
