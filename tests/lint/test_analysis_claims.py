"""Rules about claims."""

from __future__ import annotations

import pytest
from good_study import (
    MEANING,
    RATING,
    make_study,
    only,
)

from rejudge.lint.rules import check

STYLE = {**MEANING, "id": "style"}


def test_a_claim_without_a_test_is_found():
    """Two questions, a test on the first, a claim on the second."""
    claims = [{"id": "style", "says": "alder best on style"}]
    finding = only(make_study({"claims": claims, "questions": [MEANING, STYLE]}))
    assert (finding.code, finding.severity) == ("R602", "warning")
    assert finding.places == ("claims[0]",)
    assert "“alder best on style”) has no planned test on 'style'" in finding.message


def test_a_claim_about_agreement_needs_its_measure():
    claims = [{"id": "agree", "says": "icc >= 0.6 on meaning"}]
    finding = only(make_study({"claims": claims}))
    assert finding.code == "R602"
    assert "is about icc, which is not planned" in finding.message


def test_a_claim_about_planned_agreement_is_fine():
    claims = [{"id": "agree", "says": "krippendorff-alpha >= 0.6 on meaning"}]
    assert check(make_study({"claims": claims})) == ()


def about_claim(says: str, *tests: str, questions: list[dict[str, object]] | None = None):
    """What is found about a claim whose question has these tests planned."""
    asked = questions or [MEANING]
    plan = [{"question": asked[0]["id"], "test": test} for test in tests]
    changes = {"claims": [{"id": "c", "says": says}], "questions": asked, "analysis.tests": plan}
    return [finding for finding in check(make_study(changes)) if finding.code == "R609"]


@pytest.mark.parametrize(
    ("says", "tests", "expected"),
    [
        ("alder > birch on meaning with p < 0.05", ("friedman",), "only tests all at once"),
        ("alder > birch on meaning with p < 0.05", ("friedman", "sign-flip"), None),
        ("alder > birch on meaning", ("friedman",), None),  # a rank needs no test
        ("alder ~ birch on meaning within 10", ("sign-flip",), "sign-flip gives none"),
        ("alder ~ birch on meaning within 10", ("sign-flip", "bradley-terry"), "gives none"),
        ("alder ~ birch on meaning within 10", ("sign-flip", "cluster-robust"), None),
        ("alder ~ birch on meaning within 200", ("cluster-robust",), "only 200 wide"),
    ],
)
def test_a_claim_that_the_planned_tests_cannot_decide_is_found(says, tests, expected):
    found = about_claim(says, *tests)
    assert bool(found) == (expected is not None)
    assert all(str(expected) in finding.message for finding in found)


def test_an_ordinal_model_has_no_interval_on_the_scale_of_the_ratings():
    claim = f"alder ~ birch on {RATING['id']} within 0.2"
    (finding,) = about_claim(claim, "ordinal-mixed-model", questions=[RATING])
    assert (finding.severity, finding.places) == ("warning", ("claims[0]",))
    assert about_claim(claim, "mixed-model", questions=[RATING]) == []


def limited_to(pairs: list[list[str]], says: str):
    tests = [{"question": "meaning", "test": "cluster-robust", "pairs": pairs}]
    changes = {"claims": [{"id": "c", "says": says}], "analysis.tests": tests}
    return [finding for finding in check(make_study(changes)) if finding.code == "R602"]


def test_a_claim_about_a_pair_that_no_test_is_limited_to_is_found():
    systems = make_study({}).system_ids
    others = [[systems[1], systems[2]]]
    (finding,) = limited_to(others, f"{systems[0]} > {systems[1]} on meaning")
    assert "are limited to other pairs" in finding.message
    assert limited_to(others, f"{systems[2]} > {systems[1]} on meaning") == []


def test_to_be_best_is_a_claim_about_all_pairs_of_a_system():
    systems = make_study({}).system_ids
    pairs = [[systems[0], other] for other in systems[1:]]
    assert limited_to(pairs, f"{systems[0]} best on meaning") == []
    assert limited_to(pairs[1:], f"{systems[0]} best on meaning")
