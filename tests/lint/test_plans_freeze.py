"""Rules about what changed after the plan was drawn or the study frozen."""

from __future__ import annotations

from datetime import UTC, datetime

from good_study import make_plan, make_study

from rejudge.design.freeze import changes_since_freeze, freeze
from rejudge.lint.rules import check

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_each_change_since_the_freeze_is_a_finding():
    """The level of the test and the number of people were changed."""
    before = make_study()
    frozen = freeze(before, make_plan(before), at=AT)
    after = make_study({"analysis.alpha": 0.1, "title": "Another title"})
    plan = make_plan(after)
    found = check(after, plan, frozen_changes=changes_since_freeze(frozen, after, plan))
    assert [(finding.code, finding.severity) for finding in found] == [("R701", "warning")] * 2
    assert [finding.places for finding in found] == [("analysis.alpha",), ("title",)]
    assert "0.05 → 0.1" in found[0].message


def test_a_study_that_is_as_it_was_frozen_has_no_finding():
    study = make_study()
    plan = make_plan(study)
    frozen = freeze(study, plan, at=AT)
    assert check(study, plan, frozen_changes=changes_since_freeze(frozen, study, plan)) == ()


def test_a_plan_of_another_state_of_the_study_is_found():
    plan = make_plan(make_study())
    (finding,) = check(make_study({"design.participants_per_batch": 4}), plan)
    assert (finding.code, finding.severity) == ("R702", "error")
    assert finding.places == ("plan.json",)


def test_nothing_else_is_concluded_from_a_stale_plan():
    """Its items are no longer there, which must not stop the other rules."""
    plan = make_plan(make_study())
    renamed = make_study({"systems": ["elm", "fir", "gum"], "claims": []})
    assert [finding.code for finding in check(renamed, plan)] == ["R702"]


def test_a_corrected_page_leaves_the_plan_as_it_is():
    study = make_study(pages={"thanks": "Thank you very much."})
    assert check(study, make_plan(make_study())) == ()
