"""Where the answer to a question comes from in the other version."""

from __future__ import annotations

from rejudge.heds import SheetAnswer, schema
from rejudge.heds.mapping import map_answer, source_numbers


def test_every_question_has_a_source_or_is_new():
    newer = {each.number: source_numbers(each, "3.0") for each in schema("3.0").questions}
    assert [number for number, sources in newer.items() if not sources] == ["4.3.1.2"]
    assert newer["1.2"] == ("1.2.1",)
    assert newer["4.3.1.1"] == ("4.3.1",)
    assert newer["3.2.5"] == ("3.2.2.5", "3.2.5")


def test_every_answer_of_the_older_form_goes_somewhere():
    used = {number for each in schema("3.0").questions for number in source_numbers(each, "3.0")}
    assert used == {each.number for each in schema("2.x").questions}


def test_blank_answers_stay_blank_in_both_directions():
    for version in ("2.x", "3.0"):
        for question in schema(version).questions:
            mapped = map_answer(question, version, lambda _: SheetAnswer())
            assert mapped.answer.state == "blank"


def test_every_language_keeps_its_name():
    old, new = (schema(version).question("2.5") for version in ("2.x", "3.0"))
    for option in old.options[:184]:
        answer = SheetAnswer("x", (option.key,))
        (key,) = map_answer(new, "3.0", lambda _, answer=answer: answer).answer.options
        assert new.option(key).value == option.value
