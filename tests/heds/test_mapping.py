"""Where the answer to a question comes from in the other version."""

from __future__ import annotations

from rejudge.heds.convert import MappedAnswer, map_answer, source_numbers
from rejudge.heds.schema import SheetQuestion, schema
from rejudge.heds.sheet import SheetAnswer


def test_every_question_has_a_source_or_is_new():
    newer = {each.number: source_numbers(each) for each in schema("3.0").questions}
    assert [number for number, sources in newer.items() if not sources] == ["4.3.1.2"]
    assert newer["1.2"] == ("1.2.1",)
    assert newer["4.3.1.1"] == ("4.3.1",)
    assert newer["3.2.5"] == ("3.2.2.5", "3.2.5")


def test_every_answer_of_the_older_form_goes_somewhere():
    used = {number for each in schema("3.0").questions for number in source_numbers(each)}
    assert used == {each.number for each in schema("2.x").questions}


def test_blank_answers_stay_blank():
    for question in schema("3.0").questions:
        assert map_answer(question, lambda _: SheetAnswer()).answer.state == "blank"


def test_every_language_keeps_its_name():
    old, new = (schema(version).question("2.5") for version in ("2.x", "3.0"))
    for option in old.options[:184]:
        answer = SheetAnswer("x", (option.key,))
        (key,) = map_answer(new, lambda _, answer=answer: answer).answer.options
        assert new.option(key).value == option.value


def test_options_move_as_the_two_forms_show(facts):
    """Every option of every question that has options in both forms."""
    older = schema("2.x")
    pairs = [
        each for each in facts("map_2x_to_3") if each["kind"] in {"option_map", "same_options"}
    ]
    assert len(pairs) == 18 + 8 - 3  # three choices of 2.x became texts
    for pair in pairs:
        question = schema("3.0").question(pair["to_number"])
        for option in older.question(pair["from_number"]).options:
            answer = SheetAnswer("x", (option.key,))
            mapped = map_answer(question, lambda _, answer=answer: answer).answer
            expected = pair.get("option_map", {}).get(str(option.key), option.key)
            assert mapped.options == (expected,), (pair["from_number"], option.key)


def test_the_same_questions_need_confirmation(facts):
    wanted = {each["to_number"] for each in facts("map_2x_to_3") if each["confirm"]}
    found = set()
    for question in schema("3.0").questions:
        for options in ((), (1,), (13,)):
            answer = SheetAnswer("x", options)
            mapped = _mapped_or_none(question, answer)
            if mapped is not None and mapped.needs_confirmation:
                found.add(question.number)
    assert found == wanted


def _mapped_or_none(question: SheetQuestion, answer: SheetAnswer) -> MappedAnswer | None:
    """The answer, where the question of the older form has such options."""
    numbers = source_numbers(question)
    olds = [schema("2.x").question(number) for number in numbers]
    if any(key > len(old.options) for old in olds for key in answer.options):
        return None
    return map_answer(question, lambda _: answer)
