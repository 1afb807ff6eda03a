"""Problems in words, and errors that carry several of them."""

from __future__ import annotations

import inspect

import pytest

from rejudge import errors
from rejudge.errors import DataError, Problem, RejudgeError, StudyError


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("It is wrong."), "It is wrong."),
        (Problem("It is wrong.", "Change it."), "It is wrong. Change it."),
        (Problem("It is wrong.", file="f.csv"), "f.csv: It is wrong."),
        (Problem("It is wrong.", file="f.csv", line=3), "f.csv:3: It is wrong."),
        (Problem("It is wrong.", line=3), "line 3: It is wrong."),
        (Problem("It is wrong.", file="f", line=3, field="id"), "f:3, id: It is wrong."),
        (Problem("It is wrong.", field="id"), "id: It is wrong."),
    ],
)
def test_a_problem_is_told_with_its_place_and_remedy(problem, text):
    assert str(problem) == text


def test_an_error_carries_all_its_problems_one_per_line():
    error = DataError.of([Problem("One."), Problem("Two.")])
    assert isinstance(error, DataError)
    assert str(error) == "One.\nTwo."
    assert StudyError("Only words.").problems == (Problem("Only words."),)


def test_every_error_that_users_see_is_listed_in_the_overview():
    classes = [
        name
        for name, each in inspect.getmembers(errors, inspect.isclass)
        if issubclass(each, RejudgeError)
    ]
    assert len(classes) > 5
    assert [name for name in classes if name not in (errors.__doc__ or "")] == []
