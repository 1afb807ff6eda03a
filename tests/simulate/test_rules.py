"""Rules that answer without judging: what each decides, for every kind of question."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judged_study import (
    BEST_WORST,
    EVERY_KIND,
    PAIRWISE,
    RANKING,
    RATING,
    SEGMENTS,
    SLIDER,
    checked_study,
    drawn,
    small_study,
)
from rejudge.judgments.answers import tabulate
from rejudge.simulate.rules import (
    RuleFollower,
    SeenTexts,
    answer_by_rules,
    baselines_of,
    unread_baselines,
    usual_baselines,
    word_overlap,
)
from rejudge.study.baselines import BASELINE_RULES, OPPOSITES, Baseline
from rejudge.study.model import Study

CHOICE = {**PAIRWISE, "tie": False}
INPUT = "The path goes up the hill."
LONG = "A path that goes up the steep hill, slowly."
UNKNOWN = "The <unk> goes up."


def follow(question, *rules: str, **parts: Any):
    study = small_study(question, **parts)
    return RuleFollower(study, Baseline(id="it", rules=rules)), study.spec.questions[0]


def answer(question, outputs, *rules: str, by: str = "p", reference: str = "", **parts: Any):
    follower, asked = follow(question, *rules, **parts)
    seen = SeenTexts(INPUT, reference, tuple(outputs))
    return follower.answer(asked, seen, len(outputs), by=by)


@pytest.mark.parametrize(
    ("rule", "better", "worse"),
    [
        ("copy-wins", INPUT, LONG),
        ("copy-loses", LONG, INPUT),
        ("unknown-loses", LONG, UNKNOWN),
        ("unknown-wins", UNKNOWN, LONG),
        ("longer-wins", LONG, INPUT),
        ("shorter-wins", INPUT, LONG),
        ("input-overlap-wins", "The path goes up.", "Some road climbs."),
        ("input-overlap-loses", "Some road climbs.", "The path goes up."),
        ("reference-overlap-wins", "A trail climbs.", "The path goes up."),
        ("reference-overlap-loses", "The path goes up.", "A trail climbs."),
    ],
)
def test_each_rule_prefers_one_of_two_outputs_whatever_the_side(rule, better, worse):
    texts = {"reference": "A steep trail climbs."}
    assert answer(CHOICE, (better, worse), rule, **texts).raw == "a"
    assert answer(CHOICE, (worse, better), rule, **texts).raw == "b"
    assert answer(CHOICE, (better, worse), rule, **texts).decided == 1.0


def test_order_decides_where_nothing_is_read():
    assert answer(CHOICE, (LONG, INPUT), "first-shown").raw == "a"
    assert answer(CHOICE, (LONG, INPUT), "last-shown").raw == "b"


def test_the_first_rule_that_decides_counts():
    """A copy beats the longer text; of two that are no copies the longer one wins."""
    rules = ("copy-wins", "longer-wins")
    assert answer(CHOICE, (LONG, INPUT), *rules).raw == "b"
    assert answer(CHOICE, (LONG, UNKNOWN), *rules).raw == "a"


def test_what_no_rule_decides_is_a_tie_where_there_is_one():
    same = answer(PAIRWISE, (LONG, "No copy either."), "copy-wins")
    assert (same.raw, same.decided, same.is_by_chance) == ("tie", 0.0, False)


def test_what_no_rule_decides_is_random_where_a_choice_must_be_made():
    raws = {answer(CHOICE, (LONG, "No copy."), "copy-wins", by=f"p{n}").raw for n in range(30)}
    assert raws == {"a", "b"}


def test_random_answers_even_where_ties_are_allowed():
    raws = {answer(PAIRWISE, (LONG, INPUT), "random", by=f"p{n}").raw for n in range(30)}
    assert raws == {"a", "b"}


def test_white_space_and_spelling_of_letters_do_not_hide_a_copy():
    study = small_study(CHOICE)
    items = tuple(
        replace(item, outputs=(item.input.replace(". ", ".  \n"), *item.outputs[1:]))
        for item in study.items
    )
    study = replace(study, items=items)
    plan = drawn(study)
    follower = RuleFollower(study, Baseline(id="copy", rules=("copy-wins",)))
    tasks = [task for task in plan.tasks() if "ash" in task.options and task.is_real]
    won = [next(follower.answers(plan, task, by="p"))[1].raw for task in tasks]
    assert won == [task.letter("ash") for task in tasks]
    assert won


@pytest.mark.parametrize("word", ["<unk>", "[UNK]", "Unk", "UNK", "<unknown>"])
def test_spellings_of_an_unknown_word(word):
    assert answer(CHOICE, (f"What is {word}?", "What is it?"), "unknown-loses").raw == "b"


@pytest.mark.parametrize("word", ["unknown", "junk", "unkind", "Dunk"])
def test_words_that_only_look_like_it(word):
    assert answer(PAIRWISE, (f"What is {word}?", "What is it?"), "unknown-loses").raw == "tie"


@pytest.mark.parametrize(
    ("rule", "text", "point"),
    [
        ("copy-wins", INPUT, 5.0),
        ("copy-loses", INPUT, 1.0),
        ("copy-wins", LONG, 3.0),  # no copy: the middle
        ("unknown-loses", UNKNOWN, 1.0),
        ("unknown-wins", UNKNOWN, 5.0),
        ("input-overlap-wins", INPUT, 5.0),
        ("input-overlap-wins", "Nothing else.", 1.0),
        ("input-overlap-loses", "Nothing else.", 5.0),
        ("top", LONG, 5.0),
        ("middle", LONG, 3.0),
        ("bottom", LONG, 1.0),
        ("longer-wins", "x" * 500, 5.0),
        ("shorter-wins", "x" * 500, 1.0),
        ("longer-wins", "x", 1.0),
    ],
)
def test_each_rule_gives_a_score_by_itself(rule, text, point):
    assert answer(RATING, (text,), rule).raw == f"{point:g}"


def test_a_slider_has_its_ends_and_its_middle():
    scores = [answer(SLIDER, (LONG,), rule).raw for rule in ("bottom", "middle", "top")]
    assert scores == ["0", "50", "100"]


def test_of_two_middle_points_either_is_given():
    even = {**RATING, "points": 4}
    raws = {answer(even, (LONG,), "middle", by=f"p{n}").raw for n in range(40)}
    assert raws == {"2", "3"}


def test_without_a_reference_its_words_decide_nothing():
    assert answer(RATING, (LONG,), "reference-overlap-wins").decided == 0.0
    assert answer(PAIRWISE, (LONG, INPUT), "reference-overlap-wins").raw == "tie"


def test_best_and_worst_and_whole_orders():
    outputs = (LONG, UNKNOWN, INPUT)
    assert answer(BEST_WORST, outputs, "copy-wins", "unknown-loses").raw == "c,b"
    assert answer(RANKING, outputs, "copy-wins", "unknown-loses").raw == "c,a,b"
    assert answer(RANKING, outputs, "last-shown").raw == "c,b,a"


def test_how_much_of_an_order_was_decided_is_counted_by_pair():
    """Of three outputs one is a copy: two of the three pairs are decided."""
    found = answer(RANKING, (LONG, "No copy either.", INPUT), "copy-wins")
    assert found.decided == pytest.approx(2 / 3)
    assert found.raw.startswith("c,")


def test_every_segment_gets_the_score_of_its_output():
    follower, asked = follow(SEGMENTS, "top")
    assert follower.answer(asked, SeenTexts(INPUT, "", (LONG,)), 3, by="p").raw == "2,2,2"


@pytest.mark.parametrize("question", EVERY_KIND, ids=[q["kind"] for q in EVERY_KIND])
@pytest.mark.parametrize("rule", BASELINE_RULES)
def test_every_kind_accepts_what_every_rule_answers(question, rule):
    """`tabulate` refuses what is no answer; a rule that cannot decide the kind gives none."""
    study = checked_study(question, inputs=6)
    plan = drawn(study)
    baseline = Baseline(id="it", rules=(rule,))
    answers = answer_by_rules(study, plan, baseline)
    tabulate(study, plan, answers)
    places = sum(batch.participants * len(batch.tasks) for batch in plan.batches)
    can = RuleFollower(study, baseline).suits(study.spec.questions[0])
    assert len(answers) == (places if can else 0)
    assert can == (
        rule not in ({"top", "middle", "bottom"} if study.spec.questions[0].is_comparison
                     else {"first-shown", "last-shown"})
    )  # fmt: skip


def test_the_same_seed_gives_the_same_answers_and_another_one_others():
    study = small_study(CHOICE)
    plan = drawn(study)
    one, again, other = (
        answer_by_rules(study, plan, Baseline(id="r", rules=("random",), seed=seed))
        for seed in (1, 1, 2)
    )
    assert one == again != other


def gold(contrast: str, question: str = "meaning"):
    return [{"kind": "gold", "id": "gold", "question": question, "contrast": contrast}]


def test_a_question_where_the_input_must_lose_turns_rules_round():
    reversed_ = answer(CHOICE, (INPUT, LONG), "copy-wins", checks=gold("input"))
    assert reversed_.raw == "b"
    assert answer(CHOICE, (INPUT, LONG), "copy-wins", checks=gold("other-reference")).raw == "a"


def test_questions_to_turn_round_can_be_named_or_denied():
    study = small_study(CHOICE, checks=gold("input"))
    seen = SeenTexts(INPUT, "", (INPUT, LONG))
    for stated, raw in ((("meaning",), "b"), ((), "a")):
        baseline = Baseline(id="it", rules=("copy-wins",), reversed=stated)
        assert RuleFollower(study, baseline).answer(
            study.spec.questions[0], seen, 2, by="p"
        ).raw == raw  # fmt: skip


def test_rules_that_look_at_no_text_are_not_turned_round():
    assert answer(CHOICE, (INPUT, LONG), "first-shown", checks=gold("input")).raw == "a"


def test_the_usual_baselines_follow_from_questions_and_texts():
    def ids(study: Study) -> list[str]:
        return [each.id for each in usual_baselines(study)]

    compared, rated = small_study(PAIRWISE), small_study(RATING)
    shared = ["copy-unk", "input-overlap", "reference-overlap", "longer"]
    assert ids(compared) == [*shared, "first-shown", "random"]
    assert ids(rated) == [*shared, "top", "middle", "random"]
    bare = tuple(replace(item, input=" ", reference=None) for item in rated.items)
    assert ids(replace(rated, items=bare)) == ["longer", "top", "middle", "random"]


def test_a_study_that_declares_baselines_has_those():
    study = small_study(PAIRWISE, baselines=[{"id": "a", "rules": ["first-shown"]}])
    assert [each.id for each in baselines_of(study)] == ["a"]


def test_baselines_that_read_nothing_fit_the_questions():
    rules = {each.rules[0] for each in unread_baselines(small_study(RATING))}
    assert rules == {"longer-wins", "shorter-wins", "top", "middle", "bottom"}


# ── overlap ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("one", "two", "share"),
    [
        ("the cat sat", "The cat slept", 2 * 2 / 6),
        ("the the the", "the", 2 * 1 / 4),  # each word as often as it is in both
        ("它在山上", "它在河上", 2 * 3 / 8),  # characters, where no spaces part words
        ("", "", 0.0),
        ("…", "!", 0.0),
        ("قطة سوداء", "قطة بيضاء", 2 * 1 / 4),
    ],
)
def test_overlap_is_f1_of_words(one, two, share):
    assert word_overlap(one, two) == pytest.approx(share)


@given(
    texts=st.lists(st.text(max_size=30), min_size=2, max_size=2),
    rule=st.sampled_from(sorted(OPPOSITES)),
)
def test_exchanging_the_sides_exchanges_the_answer(texts, rule):
    """Of rules that look at texts, whatever the texts are."""
    one, two = answer(PAIRWISE, texts, rule).raw, answer(PAIRWISE, texts[::-1], rule).raw
    assert {"a": "b", "b": "a", "tie": "tie"}[one] == two
