"""Baselines go through the study's analysis, beside its participants; and what notices them."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from judged_study import (
    EVERY_KIND,
    PAIRWISE,
    RATING,
    checked_study,
    drawn,
    small_study,
)
from rejudge.analysis.analyse import analyse
from rejudge.design.plan import Batch, Plan, Task
from rejudge.judgments.answers import Answer, tabulate
from rejudge.judgments.exclusions import exclude
from rejudge.simulate.baselines import (
    AGREES,
    AGREES_DECIDED,
    IN_ORDER,
    SUPPORTED_IN_ORDER,
    run_baselines,
)
from rejudge.simulate.people import judge
from rejudge.simulate.rules import answer_by_rules
from rejudge.study.baselines import Baseline
from rejudge.study.model import Item, Spec, Study

CHOICE = {**PAIRWISE, "tie": False}
GOOD, BAD = "What is the way up the hill?", "Up?"


def people(study, plan, seed=1):
    answers = judge(study, plan, rng=np.random.default_rng(seed))
    return collected(study, plan, answers)


def collected(study, plan, answers):
    cleaned = exclude(study, plan, tabulate(study, plan, answers))
    return cleaned, analyse(cleaned, study=study, plan=plan)


def only(found, name):
    return next(run for run in found.runs if run.id == name)


def values(run, question):
    return {each.systems[0]: each.value for each in run.scores(question)}


def compared(run, question, by=AGREES):
    return run.comparison(question, by)


def baselines(**chains: str):
    return tuple(Baseline(id=name, rules=tuple(rules.split())) for name, rules in chains.items())


@pytest.mark.parametrize("question", EVERY_KIND, ids=[q["kind"] for q in EVERY_KIND])
def test_every_kind_of_study_can_be_compared_with_rules(question):
    study = checked_study(question, inputs=3)
    plan = drawn(study)
    rules = baselines(longer="longer-wins", same="first-shown top")
    found = run_baselines(study, plan, baselines=rules, participants=people(study, plan))
    for run in found.runs:
        (name,) = (each.question for each in run.questions)
        assert list(values(run, name)) == list(study.system_ids)
        assert compared(run, name, IN_ORDER).n == 3
        assert 0 <= compared(run, name).value <= 100
        assert compared(run, name).n > 0


def test_before_data_collection_only_the_rules_answer():
    study = checked_study(PAIRWISE, claims=[{"id": "best", "says": "ash best on meaning"}])
    found = run_baselines(study, drawn(study))
    assert not found.has_participants
    assert found.findings == found.claims == ()
    run = only(found, "longer")
    assert compared(run, "meaning") is None
    assert {check.id for check in run.checks} == {"gold", "failed-checks"}
    assert run.claims[0].claim == "best"


def test_the_longer_output_wins_by_its_length():
    """“By ash” is one letter shorter than “By beech” and “By cedar”, so ash always loses."""
    study = small_study(CHOICE)
    found = run_baselines(study, drawn(study), baselines=baselines(longer="longer-wins"))
    run = only(found, "longer")
    scores = values(run, "meaning")
    assert scores["ash"] == -100
    assert scores["beech"] + scores["cedar"] == pytest.approx(100)
    decided = run.question("meaning").decided
    assert decided == pytest.approx(100 * 2 / 3)  # beech and cedar are equally long


def test_participants_who_follow_a_rule_agree_with_it_completely():
    study = small_study(CHOICE, inputs=3)
    plan = drawn(study)
    first = Baseline(id="first", rules=("first-shown",))
    followed = collected(study, plan, answer_by_rules(study, plan, first))
    found = run_baselines(
        study, plan, baselines=baselines(a="first-shown", b="last-shown"), participants=followed
    )
    shares = [compared(run, "meaning").value for run in found.runs]
    assert shares == [100.0, 0.0]


def test_a_rule_that_participants_follow_gives_their_order_and_their_claims():
    study = small_study(RATING, claims=[{"id": "w", "says": "ash worst on fluency"}])
    plan = drawn(study)
    longer = Baseline(id="longer", rules=("longer-wins",))
    followed = collected(study, plan, answer_by_rules(study, plan, longer))
    found = run_baselines(study, plan, baselines=(longer,), participants=followed)
    (run,) = found.runs
    assert compared(run, "fluency", IN_ORDER).value == 100
    assert compared(run, "fluency", SUPPORTED_IN_ORDER).tally.wins > 0
    assert compared(run, "fluency", SUPPORTED_IN_ORDER).value == 100
    for by in ("pearson", "spearman"):
        assert compared(run, "fluency", by).value == pytest.approx(1)
    assert run.verdict("w") == found.claims[0].verdict == "supported"


def test_chance_puts_no_system_above_another():
    """Whatever a single draw shows: an order counts if 19 of 20 draws have it."""
    claims = [{"id": s, "says": f"{s} best on meaning"} for s in ("ash", "beech", "cedar")]
    study = small_study(CHOICE, inputs=3, claims=claims)
    plan = drawn(study)
    found = run_baselines(
        study, plan, baselines=baselines(r="random"), participants=people(study, plan)
    )
    (run,) = found.runs
    assert compared(run, "meaning", IN_ORDER).value == run.question("meaning").decided == 0
    assert compared(run, "meaning", "pearson") is None
    assert all(f.interval.low < f.value < f.interval.high for f in run.scores("meaning"))
    assert not {"supported", "contradicted"} & {claim.verdict for claim in run.claims}


def test_a_rule_that_cannot_decide_a_question_says_so():
    study = small_study(PAIRWISE, RATING)
    found = run_baselines(study, drawn(study), baselines=baselines(top="top", a="first-shown"))
    top, first = found.runs
    assert (values(top, "meaning"), values(first, "fluency")) == ({}, {})
    assert values(top, "fluency")
    assert values(first, "meaning")
    assert "there is no scale" in top.question("meaning").note
    assert "one output is shown at a time" in first.question("fluency").note


def test_a_study_in_which_no_rule_decides_anything_has_no_scores():
    study = small_study(PAIRWISE)
    run = run_baselines(study, drawn(study), baselines=baselines(top="top")).runs[0]
    assert (run.findings, run.participants, run.checks) == ((), 0, ())


def test_judgments_without_tasks_are_matched_by_what_was_judged():
    study = small_study(RATING, inputs=3)
    plan = drawn(study)
    cleaned, results = people(study, plan)
    bare = replace(cleaned.kept, task=type(cleaned.kept.task)(cleaned.kept.task.codes * 0 - 1, ()))
    top = baselines(top="top")
    known = run_baselines(study, plan, baselines=top, participants=(cleaned, results))
    without = run_baselines(
        study, plan, baselines=top, participants=(replace(cleaned, kept=bare), results)
    )
    assert compared(without.runs[0], "fluency") == compared(known.runs[0], "fluency")
    assert compared(without.runs[0], "fluency", AGREES_DECIDED).value is None


def test_judgments_of_unknown_people_have_no_interval():
    study = small_study(RATING, inputs=3)
    plan = drawn(study)
    cleaned, results = people(study, plan)
    who = cleaned.kept.participant
    nobody = replace(cleaned.kept, participant=type(who)(who.codes * 0 - 1, ()))
    found = run_baselines(
        study,
        plan,
        baselines=baselines(top="top"),
        participants=(replace(cleaned, kept=nobody), results),
    )
    share = compared(found.runs[0], "fluency")
    assert share.interval is None
    assert "not known who judged" in share.note
    assert share.value is not None


def test_progress_is_told_by_baseline():
    seen = []
    study = small_study(RATING, inputs=4)
    run_baselines(study, drawn(study), baselines=baselines(a="top", b="middle"),
                  watch=lambda name, share: seen.append((name, share)))  # fmt: skip
    assert seen == [("a", 0.0), ("b", 0.5)]


# ── which checks notice a rule ───────────────────────────────────────────────────────────────────


def checks(study, *rules: str):
    """By sort and id: how many pass, of how many, and whether that is enough."""
    baseline = Baseline(id="it", rules=rules)
    (run,) = run_baselines(study, drawn(study), baselines=(baseline,)).runs
    return {(c.sort, c.id): (c.passed, c.of, c.is_passed) for c in run.checks}, run


def gold(*answers: str):
    """Gold tasks whose right answers are these letters; the longer output is always A."""
    return [{"input": "Up?", "outputs": [GOOD, BAD], "answers": {"meaning": a}} for a in answers]


def test_a_gold_check_on_the_meaning_is_passed_by_counting_words_of_the_input():
    found, run = checks(checked_study(CHOICE, inputs=3), "input-overlap-wins")
    assert found["check", "gold"] == (3, 3, True)
    assert found["exclusion", "failed-checks"] == (3, 3, True)
    assert run.kept == run.participants == 3


def test_checks_that_a_rule_fails_exclude_whoever_follows_it():
    found, run = checks(checked_study(RATING, inputs=3), "top")
    assert found["check", "gold"] == (0, 3, False)
    assert found["exclusion", "failed-checks"] == (0, 3, False)
    assert run.kept == 0


def test_straight_lining_is_noticed():
    rules = {"exclude": {"straight_lining": 0.9}}
    design = {"batch": {"inputs": 4}}
    study = small_study(CHOICE, inputs=4, analysis=rules, design=design)
    assert checks(study, "first-shown")[0]["exclusion", "straight-lining"] == (0, 3, False)
    assert checks(study, "random")[0]["exclusion", "straight-lining"][2]


@pytest.mark.parametrize(("rule", "right"), [("first-shown", 3), ("last-shown", 1)])
def test_a_qualification_is_passed_by_its_mark(rule, right):
    stage = {"pass_mark": 3, "attempts": 1, "tasks": gold("a", "a", "b", "a")}
    found, _ = checks(small_study(CHOICE, inputs=3, qualification=stage), rule)
    assert found["qualification", "qualification"] == (right, 4, right >= 3)


def test_the_best_attempt_at_a_qualification_counts():
    stage = {
        "pass_mark": 2, "attempts": 2, "tasks_per_attempt": 2, "tasks": gold("b", "b", "a", "a")
    }  # fmt: skip
    found, _ = checks(small_study(CHOICE, inputs=3, qualification=stage), "first-shown")
    assert found["qualification", "qualification"] == (2, 2, True)


def test_practice_counts_where_it_has_a_mark():
    examples = [{**each, "explanation": "So."} for each in gold("a", "b")]
    for mark, is_passed in ((1, True), (2, False)):
        practice = {"pass_mark": mark, "examples": examples}
        screening = {"screening": {"reward": 0.1}}
        study = small_study(CHOICE, inputs=3, practice=practice, recruitment=screening)
        found, _ = checks(study, "longer-wins")
        assert found["practice", "practice"] == (1, 2, is_passed)
    study = small_study(CHOICE, inputs=3, practice={"examples": examples})
    assert checks(study, "longer-wins")[0] == {}


def test_what_a_rule_cannot_decide_is_not_right():
    stage = {"pass_mark": 1, "tasks": gold("a")}
    found, _ = checks(small_study(CHOICE, inputs=3, qualification=stage), "top")
    assert found["qualification", "qualification"] == (0, 1, False)


def test_missing_answers_of_a_rule_are_not_held_against_it():
    """`top` answers the rating and not the comparison."""
    study = small_study(RATING, CHOICE, inputs=3)
    _, run = checks(study, "top")
    assert run.kept == run.participants > 0


def test_rules_about_time_are_said_not_to_be_applied():
    study = small_study(CHOICE, inputs=3, analysis={"exclude": {"faster_than_reading": True}})
    found = run_baselines(study, drawn(study), baselines=(Baseline(id="a", rules=("random",)),))
    assert "time were not applied" in found.notes[0]


# ── Steen & Markert (2025), section 6 ────────────────────────────────────────────────────────────

SYSTEMS = ("vae", "sep_ae", "lbow", "dips")
COPIES = {"vae": 46, "sep_ae": 7, "lbow": 12, "dips": 2}  # table 3: percent of outputs
FIRST_CHOSEN = 100 * 1916 / 3600  # `choice_A_rate` of the public data, 0.5322
UNKNOWN_IN_DIPS = 30  # percent; the paper says “a high frequency”


def paraphrase_study(items: list[str], texts: dict[str, tuple[str, ...]]) -> Study:
    spec = Spec.model_validate(
        {
            "id": "paraphrases",
            "title": "Which keeps the meaning?",
            "systems": list(SYSTEMS),
            "questions": [CHOICE],
            "design": {"seed": 1, "batch": {"inputs": 5}},
            "analysis": {"tests": [{"question": "meaning", "test": "cluster-robust"}]},
            "claims": [
                {"id": "best", "says": "vae best on meaning"},
                {"id": "second", "says": "sep_ae > lbow, dips on meaning"},
            ],
        }
    )
    return Study(
        spec=spec,
        items=tuple(
            Item(name, name, "", f"Is it {name}?", None, texts[name], "en", line)
            for line, name in enumerate(items, start=2)
        ),
        pages={},
    )


def outputs_like_table_3(items: list[str]) -> dict[str, tuple[str, ...]]:
    """Copies as often as printed, which of them at random; DiPS also loses words."""
    rng = np.random.default_rng(744)
    copied = {
        system: set(rng.permutation(items)[: len(items) * share // 100].tolist())
        for system, share in COPIES.items()
    }
    unknown = set(rng.permutation(items)[: len(items) * UNKNOWN_IN_DIPS // 100].tolist())

    def output(system: str, item: str) -> str:
        if item in copied[system]:
            return f"Is it {item}?"
        return f"Is it unk {item}?" if system == "dips" and item in unknown else f"{system} {item}"

    return {item: tuple(output(system, item) for system in SYSTEMS) for item in items}


def preferences_by_hand(texts: dict[str, tuple[str, ...]]) -> dict[str, float]:
    """Expected relative preferences by the four rules of the paper, in percent.

    A decided pair is +1 and −1; what is left to chance is 0 on average.
    """
    total = dict.fromkeys(SYSTEMS, 0)
    for item, outputs in texts.items():
        marks = [2 if t == f"Is it {item}?" else 0 if " unk " in t else 1 for t in outputs]
        for one, two in combinations(range(4), 2):
            sign = (marks[one] > marks[two]) - (marks[one] < marks[two])
            total[SYSTEMS[one]] += sign
            total[SYSTEMS[two]] -= sign
    return {system: 100 * wins / (3 * len(texts)) for system, wins in total.items()}


def batches_of_published(rows) -> tuple[Batch, ...]:
    """The 40 batches of 30 comparisons as participants saw them; controls are left out."""
    tasks: dict[str, dict[str, Task]] = {}
    for row in rows:
        name = f"{row['batch']}-{row['position']}"
        options = (row["system_a"], row["system_b"])
        tasks.setdefault(row["batch"], {}).setdefault(name, Task(name, row["item"], options))
    return tuple(Batch(batch, tuple(own.values()), 3) for batch, own in tasks.items())


@pytest.fixture
def published_choices(published):
    """The public judgments of the other lab: real choices by people who passed the controls."""
    folder, expected = published("hosking2021_arvan2025")
    with (folder / "judgments.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    failed = {
        row["rater"]
        for row in rows
        if row["system_a" if row["choice"] == "A" else "system_b"] == "distractor"
    }
    kept = [r for r in rows if r["control"] == "False" and r["rater"] not in failed]
    return kept, expected


@pytest.fixture
def paraphrases(published_choices):
    """The study with the published design, and texts that are copies as often as table 3 says."""
    rows, expected = published_choices
    items = sorted({row["item"] for row in rows})
    texts = outputs_like_table_3(items)
    study = paraphrase_study(items, texts)
    batches = batches_of_published(rows)
    plan = Plan(study.design_fingerprint, 1, "listed", 1, batches, {}, {}, {})
    answers = [
        Answer(r["rater"], r["batch"], f"{r['batch']}-{r['position']}", "meaning",
               r["choice"].lower(), int(r["position"]) + 1)
        for r in rows
    ]  # fmt: skip
    return study, plan, collected(study, plan, answers), texts, expected


@pytest.mark.slow
def test_the_rules_of_steen_and_markert_in_the_published_design(paraphrases):
    """Their rules, on the public judgments of the other reproduction of the same study.

    The outputs themselves are not in the data, so texts are made that copy their input as often as
    table 3 prints. What the paper says of figure 5 then follows: VAE far ahead, DiPS last, and LBoW
    before Separator, which participants put the other way round.
    """
    study, plan, participants, texts, expected = paraphrases
    rules = baselines(figure5="copy-wins unknown-loses random", side="first-shown")
    found = run_baselines(study, plan, baselines=rules, participants=participants)
    assert (found.judgments, found.participants) == (3600, 120)

    for each in found.findings:
        assert each.value == pytest.approx(expected[f"scale.{each.systems[0]}"]["value"])

    run = only(found, "figure5")
    scores = values(run, "meaning")
    by_hand = preferences_by_hand(texts)
    for system in SYSTEMS:  # 3,600 judgments in each of 20 draws: a standard error below 0.6
        assert scores[system] == pytest.approx(by_hand[system], abs=3)
    assert sorted(scores, key=lambda s: -scores[s]) == ["vae", "lbow", "sep_ae", "dips"]
    assert scores["vae"] > 35
    order = compared(run, "meaning", IN_ORDER)
    assert (order.tally.wins, order.n) == (5, 6)
    assert compared(run, "meaning", "pearson").value > 0.9
    verdicts = {each.claim: (run.verdict(each.claim), each.verdict) for each in found.claims}
    assert verdicts["best"] == ("supported", "supported")
    assert verdicts["second"][0] != "supported"
    assert verdicts["second"][1] == "supported"

    side = compared(only(found, "side"), "meaning")
    assert side.value == pytest.approx(FIRST_CHOSEN)
    assert side.interval.low > 50
    assert (side.n, side.participants) == (3600, 120)
