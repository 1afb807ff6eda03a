"""The effect is stated, never observed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planned_studies import PAIRWISE, RATING, planned_study, rating_study
from rejudge.design.draw import draw
from rejudge.errors import DesignError, UsageError
from rejudge.power.plan import EVERY, EffectRequest, expected_order, state_task
from rejudge.simulate.parameters import Parameters, ParameterSet, for_each_question
from rejudge.simulate.sources import read_parameters

TESTS = "{question: fluency, test: mixed-model}, {question: meaning, test: cluster-robust}"


def stated(study, effect, parameters=None):
    return state_task(study, draw(study), parameters or read_parameters(study), effect=effect)


def observed(study):
    """Parameters as a pilot gives them: with qualities."""
    quality = {name: -place / 2 for place, name in enumerate(study.system_ids)}
    known = read_parameters(study)
    by_question = {name: Parameters(quality=quality) for name in known.by_question}
    return replace(known, by_question=by_question)


def test_without_an_effect_there_is_no_power():
    with pytest.raises(UsageError, match="no effect of interest is stated for fluency"):
        stated(rating_study(), EffectRequest({}))


def test_an_observed_effect_is_not_taken_and_the_reason_is_given():
    study = rating_study()
    with pytest.raises(UsageError, match="Hoenig & Heisey 2001"):
        stated(study, EffectRequest({}), observed(study))


def test_a_pilots_differences_do_not_matter():
    study = rating_study()
    one = stated(study, EffectRequest({EVERY: 0.3}), observed(study))

    assert one.task.truth["fluency"]["a", "b"] == pytest.approx(0.3)


def test_qualities_that_were_stated_by_hand_are_the_truth():
    study = rating_study()
    found = stated(study, EffectRequest({}, takes_qualities=True), observed(study))

    assert found.task.parameters["fluency"].quality == {"a": 0.0, "b": -0.5}
    assert found.effects[0].effect is None
    assert found.effects[0].order == ("a", "b")


def test_scores_and_choices_need_an_effect_each():
    study = planned_study((RATING, PAIRWISE), TESTS)
    with pytest.raises(UsageError, match=r"--effect fluency=0\.3 --effect meaning=10"):
        stated(study, EffectRequest({EVERY: 0.3}))

    found = stated(study, EffectRequest({"fluency": 0.3, "meaning": 10.0}))
    assert [each.unit for each in found.effects] == ["points of the scale", "percentage points"]


@pytest.mark.parametrize(
    ("effect", "message"),
    [
        (EffectRequest({"fluent": 0.3}), "no planned test of 'fluent'"),
        (EffectRequest({EVERY: 0.3}, ("a", "z")), "no system 'z'"),
        (EffectRequest({EVERY: 0.3}, ("a", "a")), "a pair has two systems"),
    ],
)
def test_what_does_not_fit_the_study_is_refused(effect, message):
    with pytest.raises(UsageError, match=message):
        stated(rating_study(), effect)


@pytest.mark.parametrize(
    ("claim", "order"),
    [
        ("c best on fluency", ("c", "a", "b")),
        ("a worst on fluency", ("b", "c", "a")),
        ("c > a on fluency", ("c", "a", "b")),
        ("order b > c on fluency", ("b", "c", "a")),
        ("a > b on fluency", ("a", "b", "c")),
    ],
)
def test_systems_are_in_the_order_that_is_claimed(claim, order):
    study = planned_study(
        (RATING,), "", systems="[a, b, c]", more=f"claims: [{{id: it, says: {claim}}}]\n"
    )

    assert expected_order(study, "fluency") == order


def test_qualities_are_in_the_order_of_the_study():
    """The engine takes them by place."""
    study = rating_study(more="claims: [{id: it, says: b best on fluency}]\n")
    found = stated(study, EffectRequest({EVERY: 0.3}))

    assert list(found.task.parameters["fluency"].quality) == ["a", "b"]
    assert found.task.truth["fluency"]["a", "b"] == pytest.approx(-0.3)


@pytest.mark.parametrize(
    "question",
    [
        "kind: segments, id: fluency, prompt: How fluent, points: 4, lowest: 0",
        "kind: slider, id: fluency, prompt: How fluent, low: bad, high: good",
    ],
)
def test_models_of_points_are_refused_where_there_are_none(question):
    """The analysis leaves them out, so there is no power to state."""
    study = planned_study((question,), "{question: fluency, test: ordinal-mixed-model}")
    with pytest.raises(DesignError, match="it is for points of a scale"):
        state_task(study, draw(study), read_parameters(study), effect=EffectRequest({EVERY: 0.5}))


def test_people_who_leave_are_replaced():
    study = rating_study()
    parameters = for_each_question(study, Parameters(dropout=0.2))
    stated = state_task(
        study,
        draw(study),
        ParameterSet(parameters, "by hand"),
        effect=EffectRequest({EVERY: 0.5}),
    )

    assert stated.task.parameters["fluency"].dropout == 0
