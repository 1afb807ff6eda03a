"""Rules about balance, on plans made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from good_study import (
    MEANING,
    RATING,
    SYSTEMS,
    codes,
    gold_task,
    good_batches,
    make_batch,
    make_item,
    make_plan,
    make_study,
    only,
    paired_tasks,
    real,
    told_task,
)

from rejudge.design.draw import draw
from rejudge.errors import DesignError, Problem
from rejudge.lint.rules import check

ALONE = {  # a study of ratings: no pairs, no checks
    "questions": [{**RATING, "id": "meaning"}],
    "checks": [],
    "recruitment.platform": "link",
    "analysis.exclude": {},
}


def test_what_keeps_a_plan_from_being_drawn_is_a_finding():
    problem = Problem("9 inputs are requested, but items.csv has 8.", "Add items.", field="items")
    finding = only(make_study(), obstacles=[problem])
    assert (finding.code, finding.severity) == ("R201", "error")
    assert finding.message == "9 inputs are requested, but items.csv has 8."
    assert (finding.places, finding.remedy) == (("items",), "Add items.")


def test_the_obstacle_is_the_one_that_the_plan_meets():
    study = make_study({"items.sample.inputs": 9})
    with pytest.raises(DesignError) as caught:
        draw(study)
    assert codes(*check(study, obstacles=caught.value.problems)) == ["R201"]


def test_unequal_datasets_are_counted():
    """The published case: 102, 100 and 98 of 300."""
    datasets = ["coco"] * 102 + ["qqp"] * 100 + ["paralex"] * 98
    items = [make_item(n, dataset=name) for n, name in enumerate(datasets, start=1)]
    finding = only(make_study({"items.sample": None}, items=items))
    assert (finding.code, finding.severity) == ("R202", "warning")
    assert finding.message.endswith("coco 102, qqp 100, paralex 98.")


def test_datasets_are_counted_in_inputs_and_not_in_items():
    """Items 9 and 10 belong to inputs 1 and 2, so there are still four inputs of each dataset."""
    items = [make_item(9, group="q1", input=make_item(1).input, dataset="parks"),
             make_item(10, group="q3", input=make_item(3).input, dataset="parks")]  # fmt: skip
    assert check(make_study({"items.sample": None}, items=items)) == ()


def test_with_a_plan_only_its_inputs_are_counted():
    """The file has 4 of each dataset; the plan takes items 1 to 4, and 3 of them are made parks."""
    study = make_study(items=[make_item(2, dataset="parks"), make_item(5, dataset="rivers")])
    finding = only(study, make_plan(study))
    assert finding.code == "R202"
    assert finding.message.endswith("parks 3, rivers 1.")


def test_a_difference_of_one_input_is_left_over_by_division():
    study = make_study({"items.sample": None}, items=[make_item(9)])
    assert check(study) == ()


def test_unequal_datasets_can_be_meant():
    study = make_study(
        {"items.sample": {"inputs": 4, "balance": False}},
        items=[make_item(2, dataset="parks"), make_item(5, dataset="rivers")],
    )
    assert check(study, make_plan(study)) == ()


def plan_starting_with(study, tasks):
    return make_plan(study, [make_batch("b01", tasks), good_batches()[1]])


def test_a_batch_that_leans_to_one_side_is_found():
    """b01 always shows its pairs in the order alder, birch, cedar: in that batch alder stands
    first 4 of 4 times, cedar never. Over the plan alder is then 6 times first and 2 times second:
    a difference of four, which unlike batches may add up to."""
    study = make_study()
    always = [real(q, *pair) for q in ("q1", "q2")
              for pair in (("alder", "birch"), ("alder", "cedar"), ("birch", "cedar"))]  # fmt: skip
    tasks = [*always, gold_task("q5", "q6", "a"), told_task("q7", "b")]
    finding = only(study, plan_starting_with(study, tasks))
    assert (finding.code, finding.severity) == ("R203", "warning")
    assert "batch b01, alder: 4 / 0" in finding.message
    assert "batch b01, cedar" in finding.places
    assert "alder in all" not in finding.places


def test_sides_that_lean_only_over_the_whole_plan_are_found():
    """Six batches with one pair each: within each batch 1 to 0 is left over, together 6 to 0."""
    study = make_study({"systems": ["alder", "birch"], "items.sample": None})
    batches = [make_batch(f"b{n:02}", [real(f"q{n}", "alder", "birch")]) for n in range(1, 7)]
    finding = only(study, make_plan(study, batches))
    assert finding.places == ("alder in all", "birch in all", "alder against birch")
    assert "alder in all: 6 / 0" in finding.message


def test_places_of_three_outputs_are_counted_too():
    """Two inputs in one batch, both shown as alder, birch, cedar."""
    question = {"id": "meaning", "kind": "ranking", "prompt": "Put them in order."}
    study = make_study({"questions": [question], "checks": [], "recruitment.platform": "link",
                        "analysis.exclude": {}})  # fmt: skip
    batch = make_batch("b01", [real("q1", *SYSTEMS), real("q2", *SYSTEMS)])
    finding = only(study, make_plan(study, [batch]))
    assert finding.code == "R203"
    assert "batch b01, alder: 2 / 0 / 0" in finding.message


def test_systems_that_never_meet_are_found():
    systems = ["alder", "birch", "cedar", "doumo"]
    items = [make_item(n, outputs=(*make_item(n).outputs, f"Fourth version of {n}?"))
             for n in range(1, 9)]  # fmt: skip
    changes = {"systems": systems, "design.pairs": [["alder", "cedar"], ["birch", "doumo"]]}
    finding = only(make_study(changes, items=items))
    assert (finding.code, finding.severity) == ("R204", "error")
    assert "2 groups" in finding.message
    assert "alder + cedar; birch + doumo" in finding.message


def test_systems_may_be_connected_by_way_of_others():
    changes = {"design.pairs": [["alder", "birch"], ["birch", "cedar"]]}
    assert check(make_study(changes)) == ()


def test_a_plan_that_leaves_a_system_out_is_found():
    """Only alder and birch meet, although the study asks for all pairs; cedar is never judged."""
    study = make_study()
    batch = make_batch("b01", [real("q1", "alder", "birch"), real("q2", "birch", "alder")])
    plan = make_plan(study, [batch])
    assert codes(*check(study, plan)) == ["R204", "R205"]


def test_ratings_need_no_connection():
    study = make_study(ALONE)
    assert check(study) == ()


def test_a_system_that_is_judged_less_is_found():
    """Each system alone for q1 and q2, but cedar's outputs for q3 and q4 are missing: 4, 4, 2."""
    study = make_study(ALONE)
    tasks = [real(q, s) for q in ("q1", "q2", "q3", "q4") for s in SYSTEMS]
    fewer = [t for t in tasks if t.options != ("cedar",) or t.item in ("q1", "q2")]
    finding = only(study, make_plan(study, [make_batch("b01", fewer)]))
    assert (finding.code, finding.severity) == ("R205", "warning")
    assert finding.message.endswith("alder 4, birch 4, cedar 2.")


def test_missing_outputs_are_counted_without_a_plan_too():
    items = [make_item(n, outputs=(*make_item(n).outputs[:2], None)) for n in (1, 2)]
    finding = only(make_study(ALONE, items=items))
    assert finding.message.endswith("alder 8, birch 8, cedar 6.")


def test_named_pairs_may_show_one_system_more_often():
    """alder meets both others; birch and cedar do not meet."""
    study = make_study({"design.pairs": [["alder", "birch"], ["alder", "cedar"]]})
    first = [real("q1", "alder", "birch"), real("q1", "cedar", "alder")]
    second = [real("q2", "birch", "alder"), real("q2", "alder", "cedar")]
    batch = make_batch("b01", [*first, *second])
    assert check(study, make_plan(study, [batch])) == ()


def sharing_batches(study, conflicts=None):
    """Both batches hold inputs 1 and 2."""
    b01, b02 = good_batches()
    again = make_batch("b02", [*paired_tasks("q1", "q2"), *b02.tasks[6:]])
    return make_plan(study, [b01, again], conflicts=conflicts or {})


def test_an_input_in_two_batches_of_one_person_is_found():
    study = make_study({"design.batches_per_participant": 2})
    finding = only(study, sharing_batches(study))
    assert (finding.code, finding.severity) == ("R206", "warning")
    assert finding.message.startswith("2 inputs can be seen again by the same participant: “q1”")
    assert finding.places == ("batch b02",)


def test_batches_that_exclude_each_other_may_share_an_input():
    study = make_study({"design.batches_per_participant": 2})
    conflicts = {"b01": ("b02",), "b02": ("b01",)}
    assert check(study, sharing_batches(study, conflicts=conflicts)) == ()


def test_with_one_batch_each_nobody_meets_an_input_again():
    study = make_study()
    assert check(study, sharing_batches(study)) == ()


def test_a_study_can_ask_for_inputs_anywhere():
    study = make_study({"design.batches_per_participant": 2, "design.inputs": "anywhere"})
    assert check(study, sharing_batches(study)) == ()


def test_a_calibration_input_that_comes_back_is_found():
    study = make_study({"design.calibration": 2})
    plan = sharing_batches(study)
    everybody = replace(plan.batches[0], id="calibration", is_calibration=True)
    finding = only(study, replace(plan, batches=(everybody, plan.batches[1])))
    assert finding.code == "R206"
    assert finding.places == ("batch b02",)


def test_a_batch_of_inputs_apart_holds_each_input_once():
    study = make_study({"design.inputs": "apart"})
    finding = only(study, make_plan(study))
    assert finding.code == "R206"
    assert finding.places == ("batch b01", "batch b02")


def test_a_tie_changes_nothing_about_sides():
    study = make_study({"questions": [{**MEANING, "tie": True}]})
    assert check(study, make_plan(study)) == ()
