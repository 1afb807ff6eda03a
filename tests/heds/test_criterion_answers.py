"""Answers about a criterion, for every kind of question."""

from __future__ import annotations

import pytest

from judged_study import BEST_WORST, EVERY_KIND, PAIRWISE, RANKING, RATING, SEGMENTS, SLIDER, by_id
from sheet_facts import actual_facts, filled, options, planned_facts, text

LABELLED = {**RATING, "labels": {1: "not at all, never", 5: "I strongly agree"}}


@pytest.mark.parametrize(
    ("question", "size", "values", "shown", "form"),
    [
        (RATING, "5", "1, 2, 3, 4, 5", 1, 2),
        (SLIDER, "continuous", "[0, 100]", 3, 2),
        (SEGMENTS, "3", "0, 1, 2", 1, 2),
        (PAIRWISE, "3", "A is better, B is better, about the same", 1, 3),
        ({**PAIRWISE, "tie": False}, "2", "A is better, B is better", 1, 3),
        (RANKING, "N/A", "N/A", 4, 3),
        (BEST_WORST, "N/A", "N/A", 4, 3),
    ],
)
def test_the_scale_of_each_kind(question, size, values, shown, form):
    found, name = filled(planned_facts(question)), question["id"]
    assert text(found, "4.3.3", name) == size
    assert text(found, "4.3.4", name) == values
    assert options(found, "4.3.5", name) == (shown,)
    assert options(found, "4.3.8", name) == (form,)
    has_scale = size != "N/A"
    assert (found.sheet.answer("4.3.6", name).state == "absent") is has_scale
    assert options(found, "4.2.2", name) == ((2,) if form == 3 else (1,))


def test_labels_stand_beside_their_values_and_do_not_add_values():
    found = filled(planned_facts(LABELLED))
    values = text(found, "4.3.4", "fluency")
    assert values == "1 (not at all; never), 2, 3, 4, 5 (I strongly agree)"
    assert len(values.split(",")) == int(text(found, "4.3.3", "fluency"))
    assert options(found, "4.3.8", "fluency") == (1,)


def test_question_and_definition_are_verbatim():
    asked = {**RATING, "prompt": "How *fluent* <is> it?", "definition": "2 * 3 < 7 &amp; so on"}
    found = filled(planned_facts(asked))
    assert text(found, "4.3.7", "fluency") == asked["prompt"]
    assert text(found, "4.3.2", "fluency") == asked["definition"]
    assert text(filled(planned_facts()), "4.3.2", "fluency") == "no definition given"


def test_agreement_is_pending_before_data_collection():
    found = filled(planned_facts(analysis={"agreement": ["krippendorff-alpha", "percent"]}))
    assert text(found, "4.3.11.1", "fluency") == "Krippendorff’s alpha and percent agreement."
    assert found.sheet.answer("4.3.11.2", "fluency").state == "blank"
    assert found.sheet.answer("4.3.12.1", "fluency").state == "absent"


def test_agreement_is_that_of_the_results():
    facts = actual_facts()
    found = filled(facts)
    alpha = by_id(facts.results)["fluency.krippendorff-alpha"]
    score = text(found, "4.3.11.2", "fluency")
    assert score.startswith(f"{alpha.value:.2f}".replace("-", "−"))
    assert f"{alpha.n} units" in score
    assert "95\u202f% interval" in score


def test_agreement_with_oneself_is_known_where_tasks_are_repeated():
    facts = actual_facts(design={"repeats": {"share": 0.34}})
    found = filled(facts)
    assert "%" in text(found, "4.3.12.2", "fluency")
    planned = filled(planned_facts(design={"repeats": {"share": 0.34}}))
    assert planned.sheet.answer("4.3.12.1", "fluency").state == "value"
    assert planned.sheet.answer("4.3.12.2", "fluency").state == "blank"


def test_tests_are_those_planned_and_those_computed():
    planned = text(filled(planned_facts()), "4.3.10", "fluency")
    assert planned == "Cluster-robust test; p values corrected (holm)."
    assert text(filled(actual_facts()), "4.3.10", "fluency").startswith("Cluster-robust test")
    unplanned = planned_facts(analysis={"correction": "none"})
    assert "not corrected" in text(filled(unplanned), "4.3.10", "fluency")


@pytest.mark.slow
@pytest.mark.parametrize("question", EVERY_KIND, ids=lambda each: each["kind"])
def test_every_kind_can_be_filled_in_after_data_collection(question):
    found = filled(actual_facts(question))
    computed = [each for each in found.cells if each.cell.question.fill == "auto"]
    unknown = {"3.2.2.2"}  # the study does not say whether people are paid
    assert {c.cell.question.number for c in computed if c.state == "missing"} == unknown
