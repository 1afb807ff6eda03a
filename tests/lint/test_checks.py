"""Rules about checks, practice and baselines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from good_study import (
    GOLD,
    INSTRUCTION,
    MEANING,
    NONSENSE,
    RATING,
    SLIDER,
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
from rejudge.lint.checks import _sign_test
from rejudge.lint.rules import check


def test_a_check_aimed_at_nothing_is_found():
    """The published case: meaning is asked, but the check for dissimilarity was kept."""
    stray = {**GOLD, "id": "copy", "question": "dissimilarity", "contrast": "input"}
    finding = only(make_study({"checks": [GOLD, stray]}))
    assert (finding.code, finding.severity) == ("R301", "error")
    assert "'copy' uses the question 'dissimilarity'" in finding.message
    assert finding.places == ("checks[1]",)


def golds(letters):
    """A plan with one gold check per batch, whose right answers stand as told."""
    pairs = (("alder", "birch"), ("birch", "alder"))
    batches = [
        make_batch(f"b{n:02}", [real("q1", *pairs[n % 2]), gold_task("q5", "q6", letter)])
        for n, letter in enumerate(letters)
    ]
    study = make_study(
        {"systems": ["alder", "birch"], "items.sample": {"inputs": 1}, "checks": [GOLD],
         "analysis.exclude.failed_checks": 1},
    )  # fmt: skip
    return study, make_plan(study, batches)


def test_four_checks_on_the_same_side_are_found():
    finding = only(*golds("bbbb"))
    assert (finding.code, finding.severity) == ("R302", "warning")
    assert "'gold' is B in 4 of 4 tasks" in finding.message
    assert finding.places[0] == "batch b00, task b00-02"
    assert len(finding.places) == 4


def test_three_checks_on_the_same_side_can_be_chance():
    assert check(*golds("bbb")) == ()


def test_a_split_that_chance_does_not_explain_is_found():
    """14 of 15: 2 × (1 + 15) / 2^15 = .00098, under .001."""
    assert codes(only(*golds("a" * 14 + "b"))) == ["R302"]


def test_a_split_that_chance_explains_is_left_alone():
    """13 of 14: 2 × (1 + 14) / 2^14 = .0018."""
    assert check(*golds("a" * 13 + "b")) == ()


def test_the_sign_test_is_exact():
    assert _sign_test(14, 1) == pytest.approx(2 * 16 / 2**15)
    assert _sign_test(5, 5) == 1.0


def b01_with(gold, told):
    return [make_batch("b01", [*paired_tasks("q1", "q2"), gold, told]), good_batches()[1]]


def test_a_check_made_from_an_item_of_its_batch_is_found():
    study = make_study()
    plan = make_plan(study, b01_with(gold_task("q2", "q6", "a"), told_task("q7", "b")))
    finding = only(study, plan)
    assert (finding.code, finding.severity) == ("R303", "warning")
    assert finding.places == ("batch b01, task b01-07",)


def test_a_check_that_borrows_the_reference_of_an_item_of_its_batch_is_found():
    study = make_study()
    plan = make_plan(study, b01_with(gold_task("q5", "q1", "a"), told_task("q7", "b")))
    assert codes(only(study, plan)) == ["R303"]


def test_a_check_may_borrow_from_a_batch_that_the_person_never_sees():
    study = make_study()
    plan = make_plan(study, b01_with(gold_task("q3", "q4", "a"), told_task("q7", "b")))
    assert check(study, plan) == ()


def test_who_does_several_batches_can_meet_a_borrowed_item():
    study = make_study({"design.batches_per_participant": 2})
    plan = make_plan(study, b01_with(gold_task("q3", "q6", "a"), told_task("q7", "b")))
    assert codes(only(study, plan)) == ["R303"]


def test_a_check_that_comes_first_is_found():
    study = make_study()
    b01, b02 = good_batches()
    first = make_batch("b01", [b01.tasks[6], *b01.tasks[:6], b01.tasks[7]])
    finding = only(study, make_plan(study, [first, b02]))
    assert (finding.code, finding.severity) == ("R304", "warning")
    assert finding.places == ("batch b01, task b01-01",)


def test_gold_may_never_reject():
    finding = only(make_study({"checks": [{**GOLD, "on_fail": "reject", "per_batch": 2}]}))
    assert (finding.code, finding.severity) == ("R305", "error")
    assert "gold items are not attention checks" in finding.message
    assert finding.places == ("checks[0].on_fail",)


def test_one_instruction_may_not_reject_in_a_study_of_five_minutes():
    study = make_study({"checks": [GOLD, {**INSTRUCTION, "on_fail": "reject"}],
                        "payment.minutes": 5})  # fmt: skip
    finding = only(study)
    assert finding.code == "R305"
    assert "a study of 5 minutes needs two failed checks for that, and a batch has 1" in (
        finding.message
    )


def test_one_instruction_may_reject_in_a_shorter_study():
    study = make_study({"checks": [GOLD, {**INSTRUCTION, "on_fail": "reject"}],
                        "payment.minutes": 4})  # fmt: skip
    assert check(study) == ()


def test_two_instructions_may_reject_in_a_longer_study():
    checks = [{**INSTRUCTION, "on_fail": "reject", "per_batch": 2}]
    assert check(make_study({"checks": checks, "payment.minutes": 20})) == ()


def test_nonsense_under_a_question_with_a_tie_may_not_reject():
    changes = {
        "questions": [{**MEANING, "tie": True}],
        "checks": [{**NONSENSE, "on_fail": "reject", "per_batch": 2}],
    }
    finding = only(make_study(changes))
    assert finding.code == "R305"
    assert "'meaning' has a neutral answer" in finding.message


def test_nonsense_under_a_forced_choice_may_reject():
    checks = [{**NONSENSE, "on_fail": "reject", "per_batch": 2}]
    assert check(make_study({"checks": checks})) == ()


def test_practice_needs_a_second_attempt():
    finding = only(make_study({"practice.attempts": 1}))
    assert (finding.code, finding.severity) == ("R306", "warning")


@pytest.mark.parametrize("platform", ["prolific", "mturk"])
def test_a_crowd_without_checks_is_found(platform):
    changes = {"checks": [], "recruitment.platform": platform, "analysis.exclude": {}}
    finding = only(make_study(changes))
    assert (finding.code, finding.severity) == ("R307", "warning")


def test_invited_people_need_no_checks():
    changes = {"checks": [], "recruitment.platform": "link", "analysis.exclude": {}}
    assert check(make_study(changes)) == ()


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "We reserve the right to reject the task if controls are not completed correctly."),
        ("de", "Wird eine Kontrolle nicht richtig beantwortet, so wird Ihre Arbeit abgelehnt."),
        ("nl", "Als je een controle niet goed beantwoordt, wordt je werk afgewezen."),
        ("es", "Si falla un control, rechazaremos su trabajo."),
        ("zh", "如果没有认真回答，我们将拒绝支付报酬。"),
        ("ar", "إذا لم تجب بشكل صحيح فسنرفض عملك."),
    ],
)
def test_a_threat_of_rejection_is_found(language, sentence):
    pages = {
        "instructions": f"Read carefully. {sentence} {{practice}}",
        "consent": _CONSENT[language],
    }
    finding = only(make_study({"language": language}, pages=pages))
    assert (finding.code, finding.severity) == ("R308", "warning")
    assert sentence in finding.message
    assert finding.places == ("pages/instructions.md",)


_CONSENT = {
    "en": "I consent. I can stop at any time.",
    "de": "Ich bin einverstanden. Ich kann jederzeit abbrechen.",
    "nl": "Ik geef toestemming. Ik kan op elk moment stoppen.",
    "es": "Acepto participar. Puedo retirarme en cualquier momento.",
    "zh": "我同意参加。我可以随时退出。",
    "ar": "أوافق على المشاركة. يمكنني الانسحاب في أي وقت.",
}


@pytest.mark.parametrize(
    "sentence",
    [
        "Your work will not be rejected because of a wrong answer.",
        "Nobody is rejected for failing a check.",
        "Does the text reject the theory?",
    ],
)
def test_a_sentence_that_threatens_nobody_is_left_alone(sentence):
    assert check(make_study(pages={"instructions": f"{sentence} {{practice}}"})) == ()


def test_a_rejection_that_is_allowed_may_be_announced():
    checks = [{**INSTRUCTION, "on_fail": "reject", "per_batch": 2}]
    pages = {"instructions": "If you fail both checks, we reject your submission. {practice}"}
    assert check(make_study({"checks": checks}, pages=pages)) == ()


def test_an_exclusion_that_nobody_can_reach_is_found():
    """Two checks in a batch, one batch per person, three failures asked for."""
    finding = only(make_study({"analysis.exclude.failed_checks": 3}))
    assert (finding.code, finding.severity) == ("R309", "warning")
    assert finding.message == "Exclusion needs 3 failed checks, but a person sees 2."


def test_checks_that_only_flag_do_not_count_towards_exclusion():
    checks = [GOLD, {**INSTRUCTION, "on_fail": "flag"}]
    finding = only(make_study({"checks": checks}))
    assert finding.message == "Exclusion needs 2 failed checks, but a person sees 1."


def test_checks_of_several_batches_add_up():
    """Two checks in each of two batches: 4."""
    changes = {"analysis.exclude.failed_checks": 4, "design.batches_per_participant": 2}
    assert check(make_study(changes)) == ()


def test_checks_without_a_rule_of_exclusion_are_found():
    finding = only(make_study({"analysis.exclude": {}}))
    assert finding.code == "R309"
    assert finding.message.startswith("Failing gold, told should have consequences")


def test_checks_that_only_flag_need_no_rule():
    checks = [{**GOLD, "on_fail": "flag"}]
    assert check(make_study({"checks": checks, "analysis.exclude": {}})) == ()


LOW = {"kind": "nonsense", "id": "salad", "question": "fluency", "per_batch": 2}


def found(study, code: str):
    return [each for each in check(study, draw(study)) if each.code == code]


def rated(question=RATING, checks=(LOW,), **exclude: Any):
    return make_study(
        {
            "questions": [question],
            "checks": list(checks),
            "claims": [],
            "practice": None,
            "analysis.tests": [{"question": "fluency", "test": "cluster-robust"}],
            "analysis.exclude": {"failed_checks": 1, **exclude},
        }
    )


@pytest.mark.parametrize("question", [RATING, SLIDER])
def test_ratings_whose_checks_all_ask_for_a_low_score_are_found(question):
    (finding,) = found(rated(question), "R446")
    assert (finding.severity, finding.places) == ("warning", ("checks",))
    assert "always gives the lowest score" in finding.message
    assert "4 check tasks" in finding.message


@pytest.mark.parametrize(
    "exclude",
    [{"straight_lining": 0.9}, {"faster_than_reading": True}, {"too_fast_total_seconds": 60}],
)
def test_what_other_exclusions_notice_is_not_reported(exclude):
    messages = [each.message for each in found(rated(**exclude), "R446")]
    assert not any("always gives the lowest" in message for message in messages)


def test_instructions_cannot_be_passed_with_one_answer():
    told = {"kind": "instruction", "id": "told", "question": "fluency", "per_batch": 2}
    assert found(rated(checks=({**LOW, "per_batch": 1}, told)), "R446") == []


def test_checks_that_only_flag_do_not_count():
    assert found(rated(checks=({**LOW, "on_fail": "flag"},)), "R446") == []


def test_few_check_tasks_can_be_passed_by_luck():
    assert found(rated(checks=({**LOW, "per_batch": 1},)), "R446") == []


def test_a_gold_answer_that_is_always_the_shorter_text_is_found():
    """Shuffled words of two references are longer than either."""
    study = make_study(
        {"checks": [{**NONSENSE, "per_batch": 2}], "analysis.exclude": {"failed_checks": 1}}
    )
    (finding,) = found(study, "R446")
    assert "always prefers the shorter output" in finding.message


def test_gold_of_equal_lengths_is_not_left_to_chance():
    """Texts that differ in no way a rule sees: chance decides, and chance fails."""
    items = [make_item(number, reference=f"Reference {number}.") for number in range(1, 9)]
    study = make_study(
        {"checks": [{**GOLD, "per_batch": 2}], "analysis.exclude": {"failed_checks": 1}},
        items=items,
    )
    assert found(study, "R446") == []


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (["top"], "no question has a scale"),
        (["random", "longer-wins"], "'random' comes before it"),
    ],
)
def test_rules_that_decide_nothing_are_found(rules, reason):
    study = make_study({"baselines": [{"id": "lazy", "rules": rules}]})
    (finding,) = [each for each in check(study) if each.code == "R447"]
    assert reason in finding.message


def test_rules_need_what_they_look_at():
    study = rated(checks=())
    bare = replace(study, items=tuple(replace(i, input="", reference=None) for i in study.items))
    spec = bare.spec.model_copy(update={"baselines": make_study({"baselines": [
        {"id": "all", "rules": ["copy-wins", "reference-overlap-wins", "first-shown"]}
    ]}).spec.baselines})  # fmt: skip
    messages = [e.message for e in check(replace(bare, spec=spec)) if e.code == "R447"]
    assert ["no inputs" in messages[0], "no references" in messages[1]] == [True, True]
    assert "side by side" in messages[2]


def test_baselines_that_can_decide_are_left_alone():
    study = make_study({"baselines": [{"id": "usual", "rules": ["copy-wins", "first-shown"]}]})
    assert [each for each in check(study) if each.code == "R447"] == []
