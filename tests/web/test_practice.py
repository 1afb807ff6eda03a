"""Practice: being right leads on; after enough tries the answer is shown and leads on too."""

from __future__ import annotations

import pytest

from participants import PAIRWISE, SLIDER, made_study

PRACTICE = {
    "attempts": 2,
    "examples": [
        {
            "input": "Where do cats sleep?",
            "outputs": ["Where do cats rest?", "Where do dogs sleep?"],
            "answers": {"meaning": "a"},
            "explanation": "B is about dogs.",
        },
        {
            "input": "Why do bees hum?",
            "outputs": ["Who hums?", "For what reason do bees hum?"],
            "answers": {"meaning": "b"},
            "explanation": "A asks something else.",
        },
    ],
}


@pytest.fixture
def person(opened):
    somebody = opened(made_study(PAIRWISE, practice=PRACTICE)).person()
    somebody.to_tasks()
    return somebody


def test_a_right_answer_is_explained_and_leads_to_the_next_example(person):
    assert person.path == "/practice"
    person.send(**{"0:meaning": "a"})
    assert "Right." in person.text
    assert "B is about dogs." in person.text
    person.send(go="on")
    assert "Why do bees hum?" in person.text
    assert "B is about dogs." not in person.text


def test_a_wrong_answer_can_be_tried_again_and_explains_nothing_yet(person):
    person.send(**{"0:meaning": "b"})
    assert "Not quite." in person.text
    assert "B is about dogs." not in person.text
    person.send(**{"0:meaning": "a"})
    assert "Right." in person.text


def test_with_two_questions_it_says_which_answer_was_wrong(opened):
    style = {**PAIRWISE, "id": "style", "prompt": "Which reads better?"}
    example = {**PRACTICE["examples"][0], "answers": {"meaning": "a", "style": "b"}}
    study = made_study(PAIRWISE, style, practice={"attempts": 3, "examples": [example]})
    person = opened(study).person()
    person.to_tasks()

    def told() -> str:
        return person.page.text.split('role="alert"')[1].split("</div>")[0]

    person.send(**{"0:meaning": "a", "0:style": "a"})
    assert style["prompt"] in told()
    assert PAIRWISE["prompt"] not in told()
    person.send(**{"0:meaning": "b", "0:style": "a"})
    assert style["prompt"] in told()
    assert PAIRWISE["prompt"] in told()
    person.send(**{"0:meaning": "a", "0:style": "b"})
    assert "Right." in told()


def test_after_the_tries_the_answer_is_shown_and_nobody_is_turned_away(person):
    person.send(**{"0:meaning": "b"})
    person.send(**{"0:meaning": "b"})
    assert "The right answer" in person.text
    assert "B is about dogs." in person.text
    person.send(go="on")
    assert "Why do bees hum?" in person.text


def test_without_a_right_answer_nobody_goes_on(person):
    person.send(go="on")
    assert person.page.status_code == 422
    person.get("/task/1")
    assert person.path == "/practice"


def test_the_last_example_leads_to_the_tasks(person):
    person.send(**{"0:meaning": "a"})
    person.send(go="on")
    person.send(**{"0:meaning": "b"})
    person.send(go="on")
    assert person.path == "/task/1"


def test_who_comes_back_begins_with_the_first_example_that_is_not_right(person):
    person.send(**{"0:meaning": "a"})
    person.arrive()
    assert "Why do bees hum?" in person.text


def test_practice_answers_are_kept_apart_from_the_batch(opened):
    site = opened(made_study(PAIRWISE, practice=PRACTICE))
    person = site.person()
    person.to_tasks()
    person.send(**{"0:meaning": "b"})
    assert [(row.task, row.raw, row.batch) for row in site.rows()] == [("@practice-1", "b", None)]
    assert list(site.store.all_answers()) == []


def test_on_a_slider_ten_apart_is_right_and_eleven_is_not():
    slider = made_study(SLIDER).spec.questions[0]
    assert slider.is_right("80", "70", parts=1)
    assert not slider.is_right("80", "69", parts=1)
