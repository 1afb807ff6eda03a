"""The frozen record: what is in it, what changed since, and that nobody altered it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies import PAIRWISE, make_study

from rejudge.design.draw import draw
from rejudge.design.freeze import Change, changes_since_freeze, find_tampering, freeze
from rejudge.errors import StudyError
from rejudge.study.analysis_plan import Analysis
from rejudge.study.claims import Claim

AT = datetime(2026, 5, 1, 12, 30, 15, 999, tzinfo=UTC)
ANALYSIS = Analysis.model_validate({"tests": [{"question": "meaning", "test": "sign-flip"}]})
CLAIMS = (Claim(id="c1", says="sys0 > sys1 on meaning"),)
PAGES = {"consent": "I agree.", "thanks": "Thank you."}


def with_spec(study, **parts: Any):
    return replace(study, spec=study.spec.model_copy(update=parts))


@pytest.fixture
def study():
    return replace(with_spec(make_study(), analysis=ANALYSIS, claims=CLAIMS), pages=PAGES)


@pytest.fixture
def frozen(study):
    return freeze(study, draw(study), at=AT)


def changed(frozen, study):
    """What changed when the plan is drawn again, as (path, touches)."""
    return [
        (change.path, change.touches) for change in changes_since_freeze(frozen, study, draw(study))
    ]


def test_a_study_as_it_was_frozen_has_no_changes(study, frozen):
    assert changes_since_freeze(frozen, study, draw(study)) == ()


def test_the_record_names_everything_that_is_fixed(study, frozen):
    assert frozen.study == study.fingerprint
    assert frozen.plan == draw(study).fingerprint
    assert frozen.items == study.items_fingerprint
    assert list(frozen.item_hashes) == [item.id for item in study.items]
    assert set(frozen.page_hashes) == {"consent", "thanks", "interface"}
    assert set(frozen.present_pages) == {"consent", "thanks"}
    assert set(frozen.parts) == {"spec", "analysis", "claims"}
    assert [(t["question"], t["test"]) for t in frozen.analysis["tests"]] == [
        ("meaning", "sign-flip")
    ]
    assert frozen.claims == [{"id": "c1", "says": "sys0 > sys1 on meaning"}]
    assert not {"analysis", "claims"} & set(frozen.spec)


def test_the_time_is_kept_in_utc_and_whole_seconds(study):
    there = AT.astimezone(timezone(timedelta(hours=2)))
    assert freeze(study, draw(study), at=there).at == datetime(2026, 5, 1, 12, 30, 15, tzinfo=UTC)


def test_the_hash_is_a_whole_sha256_of_the_record_and_its_time(study, frozen):
    later = freeze(study, draw(study), at=AT + timedelta(seconds=1))
    assert len(frozen.hash) == 64
    assert frozen.hash == freeze(study, draw(study), at=AT).hash
    assert frozen.hash != later.hash


def test_a_study_without_a_plan_of_analysis_is_not_frozen():
    study = make_study()
    with pytest.raises(StudyError, match="no analysis plan") as refused:
        freeze(study, draw(study), at=AT)
    assert refused.value.problems[0].field == "analysis"


def test_a_changed_analysis_is_marked_as_such(study, frozen):
    bolder = ANALYSIS.model_copy(update={"alpha": 0.1})
    (change,) = changes_since_freeze(frozen, with_spec(study, analysis=bolder), draw(study))
    assert change == Change("analysis.alpha", 0.05, 0.1, "analysis")
    assert str(change) == "analysis.alpha: 0.05 → 0.1"


def test_an_analysis_taken_out_is_marked_as_such(study, frozen):
    (change,) = changes_since_freeze(frozen, with_spec(study, analysis=None), draw(study))
    assert (change.path, change.after, change.touches) == ("analysis", None, "analysis")


def test_claims_are_known_by_their_id(study, frozen):
    """One was reworded, one is new."""
    claims = (
        Claim(id="c0", says="sys2 best on meaning"),
        Claim(id="c1", says="sys1 > sys0 on meaning"),
    )
    found = changes_since_freeze(frozen, with_spec(study, claims=claims), draw(study))
    assert [(change.path, change.touches) for change in found] == [
        ("claims.c1.says", "claims"),
        ("claims.c0", "claims"),
    ]


def test_a_change_of_the_design_shows_in_the_plan_too(study, frozen):
    design = study.spec.design.model_copy(update={"participants_per_batch": 5})
    other = with_spec(study, design=design)
    assert changed(frozen, other) == [
        ("design.participants_per_batch", "design"),
        ("plan", "plan"),
    ]


def test_a_new_title_changes_neither_design_nor_plan(study, frozen):
    assert changed(frozen, with_spec(study, title="Another")) == [("title", "pages")]


def test_questions_in_another_order_are_noticed(study):
    second = {**PAIRWISE, "id": "fluency"}
    one = with_spec(make_study(questions=[PAIRWISE, second]), analysis=ANALYSIS)
    two = with_spec(make_study(questions=[second, PAIRWISE]), analysis=ANALYSIS)
    plan = draw(one)
    (change,) = changes_since_freeze(freeze(one, plan, at=AT), two, plan)
    assert change == Change(
        "questions.order", ["meaning", "fluency"], ["fluency", "meaning"], "design"
    )


def test_items_added_removed_and_changed_are_told_apart(study, frozen):
    first, second, *rest = study.items
    new = replace(first, id="new")
    items = (new, replace(second, input="Something else."), *rest)
    found = changes_since_freeze(frozen, replace(study, items=items), draw(study))
    assert [str(change) for change in found] == [
        "items[i0] removed",
        "items[i1] changed",
        "items[new] added",
    ]
    assert {change.touches for change in found} == {"items"}


def test_items_in_another_order_are_noticed(study, frozen):
    turned = replace(study, items=study.items[::-1])
    found = changes_since_freeze(frozen, turned, draw(study))
    assert [str(change) for change in found] == ["items changed"]


def test_a_changed_page_is_named(study, frozen):
    pages = {"consent": "I agree!", "information": "New."}
    found = changes_since_freeze(frozen, replace(study, pages=pages), draw(study))
    assert [str(change) for change in found] == [
        "pages[consent] changed",
        "pages[thanks] removed",
        "pages[information] added",
    ]


def test_own_words_of_the_interface_are_noticed_like_a_page(study, frozen):
    (added,) = changes_since_freeze(frozen, replace(study, interface="{}"), draw(study))
    assert (str(added), added.touches) == ("pages[interface] added", "pages")
    own = freeze(replace(study, interface="{}"), draw(study), at=AT)
    (removed,) = changes_since_freeze(own, study, draw(study))
    assert str(removed) == "pages[interface] removed"


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ({"contact": {"name": "Ada", "email": "ada@example.org"}}, "contact"),
        ({"ethics": "Board 7"}, "ethics"),
        (
            {"site": {"exit_questions": [{"id": "age", "prompt": "Age?", "kind": "number"}]}},
            "site.exit_questions.age",
        ),
        (
            {"site": {"consent_statements": [{"id": "adult", "text": "I am 18."}]}},
            "site.consent_statements.adult",
        ),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_what_participants_read_outside_of_pages_is_marked_like_a_page(study, frozen, parts, path):
    spec = study.spec.model_validate(study.spec.model_dump() | parts)
    assert changed(frozen, replace(study, spec=spec)) == [(path, "pages")]


def test_how_long_places_are_kept_is_nothing_that_participants_read(study, frozen):
    site = study.spec.site.model_copy(update={"minutes_held": 90.0})
    assert changed(frozen, with_spec(study, site=site)) == [("site.minutes_held", "other")]


def test_a_plan_that_is_gone_is_noticed(study, frozen):
    assert [str(change) for change in changes_since_freeze(frozen, study, None)] == ["plan removed"]


def test_a_plan_drawn_again_after_a_new_title_is_the_same_plan(study):
    assert draw(study).fingerprint == draw(with_spec(study, title="Another")).fingerprint


def test_long_values_are_shown_short(study, frozen):
    (change,) = changes_since_freeze(frozen, with_spec(study, ethics="x" * 500), draw(study))
    assert len(str(change)) < 100


def test_freezing_again_keeps_the_earlier_records(study, frozen):
    second = freeze(study, draw(study), at=AT + timedelta(days=1), after=frozen)
    third = freeze(study, draw(study), at=AT + timedelta(days=2), after=second)
    assert [record.hash for record in third.earlier] == [frozen.hash, second.hash]
    assert third.previous == second.hash
    assert all(not record.earlier for record in third.earlier)
    assert find_tampering(third) is None


def test_an_honest_record_shows_no_tampering(frozen):
    assert find_tampering(frozen) is None


@pytest.mark.parametrize(
    "altered",
    [
        {"at": AT - timedelta(days=1)},
        {"study": "0" * 16},
        {"plan": "0" * 16},
        {"analysis": None},
        {"claims": []},
        {"items": "0" * 16},
        {"item_hashes": {}},
        {"page_hashes": {}},
        {"parts": {}},
        {"spec": {}},
        {"previous": "0" * 64},
        {"hash": "0" * 64},
    ],
    ids=lambda altered: next(iter(altered)),
)
def test_whatever_is_altered_shows(frozen, altered):
    assert find_tampering(replace(frozen, **altered)) is not None


def test_an_earlier_record_that_was_taken_out_shows(study, frozen):
    second = freeze(study, draw(study), at=AT, after=frozen)
    third = freeze(study, draw(study), at=AT, after=second)
    assert find_tampering(replace(third, earlier=third.earlier[1:])) is not None
    assert find_tampering(replace(third, earlier=third.earlier[:1])) is not None
    assert find_tampering(replace(third, earlier=())) is not None


@given(st.integers(0, 9), st.sampled_from(["input", "dataset", "group", "language"]))
def test_any_change_of_any_item_is_found(number, field):
    study = with_spec(make_study(), analysis=ANALYSIS)
    plan = draw(study)
    items = list(study.items)
    items[number] = replace(items[number], **{field: "other"})
    found = changes_since_freeze(
        freeze(study, plan, at=AT), replace(study, items=tuple(items)), plan
    )
    assert [change.path for change in found] == [f"items[i{number}]"]
