"""Answers outside section 4, compared with the study that they come from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from judged_study import PAIRWISE, RATING
from pictured import profile_frame
from rejudge.design.selection import SelectedInput, Selection
from rejudge.heds.facts import KnownStudy, SheetProfile
from rejudge.heds.schema import schema
from rejudge.judgments.table import ORIGINS, Coded
from sheet_facts import actual_facts, filled, options, planned_facts, text

CHECKS = [{"kind": "gold", "id": "gold", "question": "fluency", "at_most": 2}]


def with_profile(**parts: Any) -> KnownStudy:
    return replace(planned_facts(), profile=SheetProfile.model_validate(parts))


def test_the_number_of_evaluators_is_that_of_the_results():
    facts = actual_facts()
    assert text(filled(facts), "3.2.1") == str(facts.results.flow.participants_kept)


def test_the_planned_number_of_evaluators_is_what_the_plan_needs():
    facts = planned_facts()
    assert text(filled(facts), "3.2.1") == str(facts.plan.places)  # one batch for each person


def test_systems_judged_on_different_items_are_listed():
    facts = actual_facts()
    is_beech = facts.kept.system.codes == facts.kept.system.code("beech")
    rows = is_beech & (facts.kept.item.codes == facts.kept.item.codes[0])
    answer = text(filled(replace(facts, kept=facts.kept.take(~rows))), "3.1.1")
    assert answer == "11 to 12, not the same for each system: Ash <tree> 12, Beech 11 and Cedar 12."


@pytest.mark.parametrize(
    ("payment", "option"),
    [("paid", (1,)), ("voucher", (2,)), ("credit", (2,)), ("unpaid", (3,))],
)
def test_payment(payment, option):
    stated = {"kind": payment} | ({"hourly": 12} if payment in ("paid", "voucher") else {})
    assert options(filled(planned_facts(payment=stated)), "3.2.2.2") == option


def test_payment_that_is_not_stated_is_left_to_people():
    assert options(filled(planned_facts()), "3.2.2.2") == ()


def test_a_balanced_sample_of_several_datasets_is_stratified():
    assert options(filled(planned_facts()), "3.1.2") == (2,)
    random = {"sample": {"inputs": 12, "balance": False}}
    assert options(filled(planned_facts(items=random)), "3.1.2") == (1,)


@pytest.mark.parametrize(
    ("sample", "option"),
    [
        ({"inputs": 12, "method": "random"}, (1,)),
        ({"inputs": 12, "method": "stratified", "allocation": "proportional"}, (2,)),
    ],
)
def test_a_method_of_selection_is_stated(sample, option):
    assert options(filled(planned_facts(items={"sample": sample})), "3.1.2") == option


def test_inputs_that_were_listed_are_described_in_words():
    facts = planned_facts()
    selected = tuple(SelectedInput(name) for name in ("i0", "i1"))
    plan = replace(facts.plan, selection=Selection("listed", 16, column="use", selected=selected))
    sheet = filled(replace(facts, plan=plan))
    assert options(sheet, "3.1.2") == (6,)
    assert "2 of the 16 inputs in items.csv were selected by the" in text(sheet, "3.1.2")


def test_items_that_were_chosen_elsewhere_are_left_to_people():
    facts = planned_facts(items={"sample": None}, checks=[])
    assert options(filled(facts), "3.1.2") == ()


def test_quality_assurance_names_only_what_the_study_does():
    none = filled(planned_facts(analysis={"exclude": {"incomplete": False}}))
    assert options(none, "3.3.3.1") == (7,)
    assert none.sheet.answer("3.3.3.2").state == "absent"
    checked = filled(planned_facts(checks=CHECKS, analysis={"exclude": {"failed_checks": 1}}))
    assert options(checked, "3.3.3.1") == (2, 4)
    timed = filled(planned_facts(analysis={"exclude": {"faster_than_seconds": 2}}))
    assert options(timed, "3.3.3.1") == (2, 5)
    native = filled(planned_facts(recruitment={"languages": ["en-GB"]}))
    assert options(native, "3.3.3.1") == (1,)
    assert "en-GB" in text(native, "3.3.3.2")


def test_the_details_count_failed_checks_and_exclusions():
    facts = actual_facts(checks=CHECKS, analysis={"exclude": {"failed_checks": 1}})
    answered = sum(check.answered for check in facts.results.checks)
    failed = sum(check.failed for check in facts.results.checks)
    told = text(filled(facts), "3.3.3.2")
    assert f"participants gave {answered} answers to these checks, {failed} of them wrong" in told


def test_a_time_limit_is_not_denied_where_the_platform_sets_one():
    own = filled(planned_facts(recruitment={"platform": "link"}))
    crowd = filled(planned_facts(recruitment={"platform": "prolific"}))
    assert text(own, "3.3.5").startswith("No time limit; a batch is reassigned")
    assert text(crowd, "3.3.5").startswith("Prolific sets a maximum time; a batch is reassigned")


def test_what_limits_the_time_elsewhere_is_left_to_people():
    elsewhere = filled(planned_facts(recruitment={"platform": "qualtrics"}))
    assert options(elsewhere, "3.3.5") == ()
    facts = actual_facts()
    people = Coded.of(["people"] * len(facts.kept), ORIGINS)
    imported = replace(facts, kept=replace(facts.kept, origin=people))
    assert options(filled(facts), "3.3.5") == (5,)
    assert options(filled(imported), "3.3.5") == ()


def test_simulated_judgments_are_called_so():
    assert "made by a program" in text(filled(actual_facts()), "3.2.3")


def test_small_groups_of_participants_are_not_told_apart():
    counts = {"daily": (9, 8), "never": (3, 2), "rarely": (4, 4), None: (1, 1)}
    profile = profile_frame(counts, asked="How often do you read?")
    facts = actual_facts()
    results = replace(facts.results, frames=(profile,))
    answer = text(filled(replace(facts, results=results)), "3.2.5")
    assert answer == (
        "How often do you read (15 participants): daily 8, other answers 6, not known 1."
    )


def test_exit_questions_are_announced_before_data_collection():
    asked = {"id": "age", "prompt": "How old are you?", "kind": "number"}
    assert "How old are you?" in text(
        filled(planned_facts(site={"exit_questions": [asked]})), "3.2.5"
    )


def test_what_is_answered_once_comes_from_the_profile():
    facts = with_profile(
        completed_by={"name": "Ada", "affiliation": "Lab", "email": "ada@example.org"},
        contact={"name": "Grace"},
        reference={"kind": "unpublished"},
        resources=["https://example.org/a", "https://example.org/b"],
        preregistration="https://osf.io/abc",
        interface="https://example.org/pages",
        input_types=["Text: sentence", "Other: Weather maps"],
        output_types=["text: SENTENCE"],
        tasks=["Machine translation", "Summarisation"],
        power={"method": "simulation", "value": "0.8"},
        ethics="Board 7",
    )
    found = filled(facts)
    assert [text(found, f"1.3.1.{n}") for n in (1, 2, 3)] == ["Ada", "Lab", "ada@example.org"]
    assert [text(found, f"1.3.2.{n}") for n in (1, 2, 3)] == ["Grace", "", ""]
    assert (options(found, "1.1.1"), text(found, "1.1.1")) == ((2,), "")
    assert text(found, "1.2") == "https://example.org/a\nhttps://example.org/b"
    assert (options(found, "2.1"), text(found, "2.1")) == ((5, 15), "Weather maps")
    assert options(found, "2.2") == (5,)
    assert options(found, "2.3") == (15, 16)
    assert [text(found, f"3.1.3.{n}") for n in (1, 2)] == ["simulation", "0.8"]
    assert (options(found, "3.3.1"), text(found, "3.3.1")) == ((1,), "https://osf.io/abc")
    assert text(found, "5.1") == "Board 7"
    assert options(filled(with_profile(resources="none")), "1.2") == (2,)


def test_contact_and_ethics_of_the_study_are_used_where_the_profile_has_none():
    contact = {"name": "Ada", "email": "ada@example.org"}
    found = filled(planned_facts(contact=contact, ethics="Board 9"))
    assert [text(found, f"1.3.2.{n}") for n in (1, 3)] == ["Ada", "ada@example.org"]
    assert text(found, "5.1") == "Board 9"
    assert options(found, "3.3.6") == (2, 3)


def test_languages_are_those_of_the_items_in_the_plan():
    facts = planned_facts()
    for tag, name in (("he", "Hebrew"), ("xx", None)):
        items = tuple(replace(item, language=tag) for item in facts.study.items)
        answer = options(filled(replace(facts, study=replace(facts.study, items=items))), "2.5")
        question = schema("3.0").question("2.5")
        assert [question.option(key).name for key in answer] == ([name] if name else [])


def test_systems_without_input_have_no_input_language():
    facts = planned_facts()
    items = tuple(replace(item, input="") for item in facts.study.items)
    found = filled(replace(facts, study=replace(facts.study, items=items)))
    assert found.sheet.answer("2.4").is_absent


def test_a_page_is_described_by_its_questions():
    answer = text(filled(planned_facts(RATING, PAIRWISE)), "3.3.4.2")
    assert "“How fluent is it?”" in answer
    assert "2 outputs side by side" in answer


def test_answers_from_elsewhere_are_not_said_to_be_given_on_a_page_of_the_site():
    elsewhere = {"recruitment": {"platform": "spreadsheet"}, "site": {"show": "list"}}
    told = text(filled(planned_facts(RATING, **elsewhere)), "3.3.4.2")
    assert "people see one output" in told
    assert "page" not in told


def test_a_power_analysis_fills_in_value_method_and_script():
    from dataclasses import replace

    from planned_powers import PLANNED

    facts = replace(planned_facts(), power=PLANNED)
    sheet = filled(facts).sheet

    assert sheet.answer("3.1.3.2").text.startswith("0.60 for 0.3 points of the scale on fluency")
    assert "Simulation of 6,000 studies" in sheet.answer("3.1.3.1").text
    assert "`rejudge power DIR --effect 0.3`" in sheet.answer("3.1.3.3").text


def test_planned_looks_are_part_of_how_the_size_was_chosen():
    from looked_study import looked_study
    from rejudge.heds.facts import KnownStudy

    answer = text(filled(KnownStudy(*looked_study())), "3.1.3.1")
    assert "No power analysis is recorded" in answer
    assert "stay smaller than planned: 2 looks with O’Brien–Fleming boundary, after 12" in answer
