"""parameters.yaml: what it says, what is wrong with it, and one to start from."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judged_study import PAIRWISE, RATING, small_study
from rejudge.errors import RejudgeError
from rejudge.simulate.parameters import NUMBERS, Parameters, ParameterSet
from rejudge.simulate.sources import (
    parameters_schema,
    parameters_yaml,
    parse_parameters,
    read_parameters,
)

STUDY = small_study(RATING, PAIRWISE)


def problems(text):
    with pytest.raises(RejudgeError) as caught:
        parse_parameters(STUDY, text)
    return caught.value.problems


def test_values_are_for_all_questions_unless_one_has_its_own():
    found = parse_parameters(STUDY, "noise: 0.5\nquestions:\n  meaning: {noise: 0.9}\n")
    assert found.by_question["fluency"] == Parameters(noise=0.5)
    assert found.by_question["meaning"] == Parameters(noise=0.9)
    assert found.source == "parameters.yaml"
    assert read_parameters(STUDY, file="noise: 0.5").by_question["meaning"].noise == 0.5


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("seed: 1\nnoise: -1\n", 2, "at least 0"),
        ("noise: .nan\n", 1, "finite"),
        ("careless: 1.5\n", 1, "careless"),
        ("nose: 1\n", 1, "Did you mean 'noise'?"),
        ("noise: high\n", 1, "number"),
        ("questions: {fluensy: {noise: 1}}\n", 1, "Did you mean 'fluency'?"),
        ("quality: {ash: 1}\n", None, "no quality"),
        ("quality: {ash: 1, beech: 0, cedar: 0, oak: 1}\n", 1, "'oak'"),
        ("questions: {fluency: {dropout: 0.5}}\n", None, "about people"),
        ("format: 99\n", 1, "format 99"),
        ("", None, "empty"),
        ("- 1\n", 1, "no keys and values. Begin with lines such as `noise: 0.5`"),
        ("noise: &x 1\nslip: *x\n", 1, ""),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text, line, words):
    found = problems(text)
    assert any(words in f"{each.what} {each.remedy}" and each.line == line for each in found)


def test_all_faults_are_reported_at_once():
    assert len(problems("noise: -1\nslip: 3\nquestions: {fluency: {severity: -1}}\n")) == 3


NUMBER = st.integers(0, 10_000).map(lambda number: number / 10_000)


@example(severity=0.0, noise=0.0, source="\xa0", said="")  # a space that Python strips
@example(severity=0.0, noise=0.0, source="0E0", said="")  # a number, but not to every writer
@given(severity=NUMBER, noise=NUMBER, source=st.text(max_size=30), said=st.text(max_size=20))
def test_what_is_shown_can_be_read_again(severity, noise, source, said):
    """Whatever characters the source and the assumptions have."""
    one = Parameters({"ash": 0.5, "beech": -0.25, "cedar": 0.0}, severity=severity)
    given_set = ParameterSet(
        {"fluency": one, "meaning": one.with_numbers({"noise": noise})}, source, (said,)
    )
    text = parameters_yaml(STUDY, given_set)
    assert dict(parse_parameters(STUDY, text).by_question) == dict(given_set.by_question)


def test_the_values_in_use_are_shown_with_what_they_mean():
    text = parameters_yaml(STUDY, read_parameters(STUDY))
    assert "quality: {ash: 0.6, beech: 0.0, cedar: -0.6}" in text
    assert "noise: 0.7  # of a single judgment" in text
    assert "questions:" not in text


def test_the_schema_knows_every_key():
    assert set(NUMBERS) < set(parameters_schema()["properties"])
