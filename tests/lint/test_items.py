"""Rules about items: each bad study is the sound one with one thing spoiled."""

from __future__ import annotations

from dataclasses import replace

import pytest
from good_study import MEANING, RATING, make_item, make_plan, make_study, only

from rejudge.lint.rules import check


def codes(study, plan=None):
    """Codes of all findings."""
    return [finding.code for finding in check(study, plan)]


def same_first_two(number):
    """An item for which alder and birch wrote the same, but for a line break."""
    item = make_item(number)
    return make_item(number, outputs=(item.outputs[0], f" {item.outputs[0]}\n", item.outputs[2]))


def test_identical_outputs_without_a_tie_are_found():
    """One of the eight items has a twin pair; eight items have 3 pairs each: 1 of 24."""
    finding = only(make_study(items=[same_first_two(3)]))
    assert (finding.code, finding.severity) == ("R101", "warning")
    assert finding.message.startswith("The same text is shown twice in 1 of 24 pairs, and meaning")
    assert "alder/birch 1" in finding.message
    assert finding.places == ("items.csv:4",)


def test_with_a_plan_identical_outputs_are_counted_over_its_tasks():
    """The plan has 4 inputs × 3 pairs = 12 tasks; item 3 is in it, item 8 is not."""
    study = make_study(items=[same_first_two(3), same_first_two(8)])
    finding = only(study, make_plan(study))
    assert "1 of 12 pairs" in finding.message
    assert finding.places == ("items.csv:4",)


def test_the_published_case_is_counted_as_published():
    """300 inputs, four systems, all six pairs: 1,800; 100 items have one twin pair, and 82 more
    have another: 182."""
    changes = {
        "systems": ["alder", "birch", "cedar", "doumo"],
        "items.sample": None,
        "claims": [],
    }
    items = []
    for number in range(1, 301):
        a, b, c = make_item(number).outputs
        d = a if number <= 100 else b if number <= 182 else f"{c} Indeed?"
        items.append(make_item(number, outputs=(a, b, c, d)))
    finding = only(make_study(changes, items=items))
    assert "182 of 1,800 pairs" in finding.message
    assert "(alder/doumo 100, birch/doumo 82)" in finding.message
    assert len(finding.places) == 182


def test_a_tie_answers_for_identical_outputs():
    questions = [{**MEANING, "tie": True}]
    assert codes(make_study({"questions": questions}, items=[same_first_two(3)])) == []


@pytest.mark.parametrize(
    "question",
    [
        {"id": "meaning", "kind": "best-worst", "prompt": "Best and worst?", "of": 3},
        {"id": "meaning", "kind": "ranking", "prompt": "Put them in order."},
    ],
)
def test_best_worst_and_ranking_have_no_tie_for_identical_outputs(question):
    """All three systems stand side by side: one set for each of eight items."""
    finding = only(make_study({"questions": [question]}, items=[same_first_two(3)]))
    assert finding.code == "R101"
    assert "1 of 8 sets of 3" in finding.message


def test_ratings_may_have_identical_outputs():
    changes = {
        "questions": [{**RATING, "id": "meaning"}],
        "checks": [],
        "recruitment.platform": "link",
        "analysis.exclude": {},
    }
    assert codes(make_study(changes, items=[same_first_two(3)])) == []


def test_a_system_that_copies_more_than_a_fifth_of_its_inputs_is_noted():
    """alder copies 2 of 8 inputs (25 %), cedar 1 of 8 (12.5 %, rounded 12), birch none."""
    items = [make_item(n) for n in (1, 2)]
    copied = [
        make_item(n, outputs=(i.input, *i.outputs[1:])) for n, i in zip((1, 2), items, strict=True)
    ]
    third = make_item(3)
    copied.append(make_item(3, outputs=(*third.outputs[:2], third.input)))
    finding = only(make_study(items=copied))
    assert (finding.code, finding.severity) == ("R102", "note")
    assert finding.message.endswith("alder 25 %, birch 0 %, cedar 12 %.")
    assert finding.places == ("items.csv:2", "items.csv:3", "items.csv:4")


def test_few_copies_are_not_worth_a_note():
    """1 of 8 is 12.5 %."""
    item = make_item(1)
    copy = make_item(1, outputs=(item.input, *item.outputs[1:]))
    assert codes(make_study(items=[copy])) == []


def test_the_same_input_under_another_id_is_found():
    twin = make_item(7, input=make_item(2).input)
    finding = only(make_study(items=[twin]))
    assert finding.code == "R103"
    assert finding.message.startswith("2 items share their input with another item (1 text")
    assert finding.places == ("items.csv:3", "items.csv:8")


def test_items_of_one_group_share_their_input():
    twin = make_item(7, input=make_item(2).input, group="q2")
    assert codes(make_study(items=[twin])) == []


@pytest.mark.parametrize(
    "nothing", ["nan", "None", "NULL", "<unk> <unk>", "[UNK]", "...", "- ?", " ", "N/A"]
)
def test_an_output_that_says_nothing_is_found(nothing):
    item = make_item(1)
    finding = only(make_study(items=[make_item(1, outputs=(nothing, *item.outputs[1:]))]))
    assert finding.code == "R104"
    assert finding.message.startswith("1 text cannot be judged")
    assert "(output of alder 1)" in finding.message
    assert finding.places == ("items.csv:2",)


def test_an_input_that_says_nothing_is_found():
    finding = only(make_study(items=[make_item(1, input="?")]))
    assert finding.code == "R104"
    assert "(input 1)" in finding.message


def test_an_input_that_is_not_shown_may_be_empty():
    changes = {"questions": [{**MEANING, "beside": []}]}
    assert codes(make_study(changes, items=[make_item(1, input="")])) == []


@pytest.mark.parametrize(
    "something", ["👍", "42", "是", "Nan is my aunt.", "نعم", "<unk> was here"]
)
def test_a_short_output_that_says_something_is_left_alone(something):
    item = make_item(1)
    assert codes(make_study(items=[make_item(1, outputs=(something, *item.outputs[1:]))])) == []


@pytest.mark.parametrize(
    ("system", "text"),
    [
        ("t5", "Is T5 a bus?"),  # too short to be told from other things
        ("best", "What is the best place?"),  # an everyday word
        ("otter", "Where do you see otters?"),  # no whole word
        ("otters", "Where are otters seen?"),  # stands in the input, so it is only repeated
    ],
)
def test_words_that_give_nothing_away_are_left_alone(system, text):
    item = make_item(1)
    changes = {"systems": [system, "birch", "cedar"], "claims": []}
    assert codes(make_study(changes, items=[make_item(1, outputs=(text, *item.outputs[1:]))])) == []


def test_a_plain_word_in_the_output_of_another_system_is_left_alone():
    item = make_item(1)
    other = make_item(1, outputs=(item.outputs[0], "Where is the alder?", item.outputs[2]))
    assert codes(make_study(items=[other])) == []


def test_texts_of_more_than_three_screens_are_noted():
    """Input 600 and two outputs of 1,201 columns: 3,002 on one page, over 3,000."""
    item = make_item(1, input="a" * 600, outputs=("b" * 1201, "c" * 1201, "Where?"))
    finding = only(make_study(items=[item]))
    assert (finding.code, finding.severity) == ("R106", "note")
    assert "1 of 8 items; the longest page" in finding.message
    assert "3,002 (item 'q1')" in finding.message


def test_a_chinese_character_takes_two_columns():
    """Input 300 characters and two outputs of 601: (300 + 601 + 601) × 2 = 3,004."""
    item = make_item(1, input="中" * 300, outputs=("文" * 601, "字" * 601, "哪里？"))
    assert "3,004" in only(make_study(items=[item])).message


def test_three_screens_are_still_fine():
    item = make_item(1, input="a" * 600, outputs=("b" * 1200, "c" * 1200, "Where?"))
    assert codes(make_study(items=[item])) == []


def test_length_does_not_matter_in_a_spreadsheet():
    item = make_item(1, input="a" * 9000)
    changes = {"recruitment.platform": "spreadsheet"}
    assert codes(make_study(changes, items=[item])) == []


def test_a_shown_reference_that_is_missing_is_found():
    changes = {"questions": [{**MEANING, "beside": ["reference"]}]}
    finding = only(make_study(changes, items=[make_item(2, reference=None)]))
    assert (finding.code, finding.severity) == ("R108", "error")
    assert finding.places == ("items.csv:3",)


def test_a_gold_check_without_references_is_found():
    """Eight items, one reference left: another reference cannot be set against it."""
    items = [make_item(number, reference=None) for number in range(2, 9)]
    finding = only(make_study(items=items))
    assert finding.code == "R108"
    assert finding.places == ("checks[0]",)


def test_a_gold_check_against_the_input_needs_one_reference():
    items = [make_item(number, reference=None) for number in range(2, 9)]
    changes = {"checks": [{"id": "gold", "kind": "gold", "question": "meaning",
                           "contrast": "input", "per_batch": 2}]}  # fmt: skip
    assert codes(make_study(changes, items=items)) == []


def test_what_was_assumed_when_the_items_were_read_is_noted():
    finding = only(replace(make_study(), notes=("The file is read as UTF-16.",)))
    assert (finding.code, finding.severity) == ("R109", "note")
    assert finding.message == "The file is read as UTF-16."
    assert finding.places == ("items.csv",)
