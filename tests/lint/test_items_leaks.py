"""Rules about texts that give away the system or the right answer."""

from __future__ import annotations

from good_study import MEANING, make_item, make_study, only

from rejudge.lint.rules import check


def codes(study, plan=None):
    """Codes of all findings."""
    return [finding.code for finding in check(study, plan)]


def test_a_system_that_names_itself_is_found():
    item = make_item(1)
    named = make_item(1, outputs=("Alder: where are otters?", *item.outputs[1:]))
    finding = only(make_study(items=[named]))
    assert (finding.code, finding.severity) == ("R105", "warning")
    assert "“alder” in outputs of alder 1" in finding.message
    assert finding.places == ("items.csv:2",)


def test_a_name_with_digits_is_found_in_anybodys_output():
    systems = [{"id": "alder", "name": "GPT-9"}, "birch", "cedar"]
    item = make_item(1)
    named = make_item(1, outputs=(item.outputs[0], "I am gpt-9. Where?", item.outputs[2]))
    finding = only(make_study({"systems": systems}, items=[named]))
    assert "“gpt-9” in outputs of birch 1" in finding.message


def test_a_system_in_an_items_id_is_found():
    named = make_item(9, id="park_cedar_9", group="q9")
    finding = only(make_study({"items.sample": None, "systems": ["alder", "birch", "cedar"]},
                              items=[named, make_item(10)]))  # fmt: skip
    assert finding.code == "R105"
    assert "“cedar” in ids 1" in finding.message


def test_an_output_that_equals_the_shown_reference_is_found():
    item = make_item(1)
    equal = make_item(1, outputs=(item.outputs[0], item.reference, item.outputs[2]))
    changes = {"questions": [{**MEANING, "beside": ["input", "reference"]}]}
    finding = only(make_study(changes, items=[equal]))
    assert finding.code == "R107"
    assert finding.message.endswith("1 output (birch 1).")


def test_an_output_may_equal_a_reference_that_nobody_sees():
    item = make_item(1)
    equal = make_item(1, outputs=(item.outputs[0], item.reference, item.outputs[2]))
    assert codes(make_study(items=[equal])) == []


def test_a_short_right_answer_may_equal_the_reference():
    short = make_item(1, reference="By the river.", outputs=("By the river.", "At sea?", "Where?"))
    changes = {"questions": [{**MEANING, "beside": ["input", "reference"]}]}
    assert codes(make_study(changes, items=[short])) == []
