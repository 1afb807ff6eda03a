"""Baselines go through the study's analysis and are compared with its participants."""

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
from rejudge.judgments.exclude import exclude
from rejudge.simulate.baseline_run import run_baselines
from rejudge.simulate.people import judge
from rejudge.simulate.rules import answer_by_rules
from rejudge.study.baselines import Baseline
from rejudge.study.model import Item, Spec, Study

CHOICE = {**PAIRWISE, "tie": False}


def people(study, plan, seed=1):
    answers = judge(study, plan, rng=np.random.default_rng(seed))
    return collected(study, plan, answers)


def collected(study, plan, answers):
    cleaned = exclude(study, plan, tabulate(study, plan, answers))
    return cleaned, analyse(cleaned, study=study, plan=plan)


def only(found, name):
    return next(run for run in found.runs if run.id == name)


def baselines(**chains: str):
    return tuple(Baseline(id=name, rules=tuple(rules.split())) for name, rules in chains.items())


@pytest.mark.parametrize("question", EVERY_KIND, ids=[q["kind"] for q in EVERY_KIND])
def test_every_kind_of_study_can_be_compared_with_rules(question):
    study = checked_study(question, inputs=3)
    plan = drawn(study)
    rules = baselines(longer="longer-wins", same="first-shown top")
    found = run_baselines(study, plan, baselines=rules, participants=people(study, plan))
    for run in found.runs:
        (outcome,) = run.outcomes
        assert [each.system for each in outcome.scores] == list(study.system_ids)
        assert outcome.pairs == 3
        assert 0 <= outcome.pairs_in_order <= 3
        assert 0 <= outcome.agreement.value <= 100
        assert outcome.agreement.n > 0


def test_before_data_collection_only_the_rules_answer():
    study = checked_study(PAIRWISE, claims=[{"id": "best", "says": "ash best on meaning"}])
    found = run_baselines(study, drawn(study))
    assert not found.has_participants
    assert found.measured == ()
    run = only(found, "longer")
    assert run.outcomes[0].agreement is run.outcomes[0].pairs is None
    assert {check.id for check in run.checks} == {"gold", "failed-checks"}
    assert run.claims[0].is_same is None


def test_the_longer_output_wins_by_its_length():
    """“By ash” is one letter shorter than “By beech” and “By cedar”, so ash always loses."""
    study = small_study(CHOICE)
    found = run_baselines(study, drawn(study), baselines=baselines(longer="longer-wins"))
    (outcome,) = only(found, "longer").outcomes
    assert outcome.score("ash") == -100
    assert outcome.decided == pytest.approx(100 * 2 / 3)  # beech and cedar are equally long
    assert outcome.score("beech") + outcome.score("cedar") == pytest.approx(100)


def test_participants_who_follow_a_rule_agree_with_it_completely():
    study = small_study(CHOICE, inputs=3)
    plan = drawn(study)
    first = Baseline(id="first", rules=("first-shown",))
    followed = collected(study, plan, answer_by_rules(study, plan, first))
    found = run_baselines(
        study, plan, baselines=baselines(a="first-shown", b="last-shown"), participants=followed
    )
    shares = [run.outcomes[0].agreement.value for run in found.runs]
    assert shares == [100.0, 0.0]


def test_a_rule_that_participants_follow_gives_their_order_and_their_claims():
    study = small_study(RATING, claims=[{"id": "w", "says": "ash worst on fluency"}])
    plan = drawn(study)
    longer = Baseline(id="longer", rules=("longer-wins",))
    followed = collected(study, plan, answer_by_rules(study, plan, longer))
    run = run_baselines(study, plan, baselines=(longer,), participants=followed).runs[0]
    (outcome,) = run.outcomes
    assert (outcome.pairs_in_order, outcome.has_same_order) == (outcome.pairs, True)
    assert (outcome.pearson, outcome.spearman) == (pytest.approx(1), pytest.approx(1))
    assert outcome.supported == outcome.supported_in_order > 0
    assert run.claims[0].is_same
    assert run.claims[0].verdict == "supported"


def test_chance_puts_no_system_above_another():
    """Whatever a single draw shows: an order counts if 19 of 20 draws have it."""
    claims = [{"id": s, "says": f"{s} best on meaning"} for s in ("ash", "beech", "cedar")]
    study = small_study(CHOICE, inputs=3, claims=claims)
    plan = drawn(study)
    found = run_baselines(
        study, plan, baselines=baselines(r="random"), participants=people(study, plan)
    )
    (outcome,) = found.runs[0].outcomes
    assert (outcome.pairs_in_order, outcome.pearson, outcome.decided) == (0, None, 0.0)
    assert all(score.low < score.value < score.high for score in outcome.scores)
    assert "supported" not in {claim.verdict for claim in found.runs[0].claims}


def test_a_rule_that_cannot_decide_a_question_says_so():
    study = small_study(PAIRWISE, RATING)
    found = run_baselines(study, drawn(study), baselines=baselines(top="top", a="first-shown"))
    compared, rated = only(found, "top").outcomes
    assert compared.note == "'top' cannot decide a comparison: there is no scale."
    assert rated.scores
    compared, rated = only(found, "a").outcomes
    assert rated.note == "'first-shown' cannot decide a rating: one output is shown at a time."
    assert compared.scores


def test_a_study_in_which_no_rule_decides_anything_has_no_scores():
    study = small_study(PAIRWISE)
    run = run_baselines(study, drawn(study), baselines=baselines(top="top")).runs[0]
    assert (run.outcomes[0].scores, run.participants, run.checks) == ((), 0, ())


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
    share = known.runs[0].outcomes[0].agreement
    assert without.runs[0].outcomes[0].agreement == share
    assert without.runs[0].outcomes[0].agreement_decided.value is None


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
    share = found.runs[0].outcomes[0].agreement
    assert share.interval is None
    assert "not known who judged" in share.note
    assert share.value is not None


def test_progress_is_told_by_baseline():
    seen = []
    study = small_study(RATING, inputs=4)
    run_baselines(study, drawn(study), baselines=baselines(a="top", b="middle"),
                  watch=lambda name, share: seen.append((name, share)))  # fmt: skip
    assert seen == [("a", 0.0), ("b", 0.5)]


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

    for each in found.measured:
        assert each.value == pytest.approx(expected[f"scale.{each.system}"]["value"])

    (outcome,) = only(found, "figure5").outcomes
    by_hand = preferences_by_hand(texts)
    for system in SYSTEMS:  # 3,600 judgments in each of 20 draws: a standard error below 0.6
        assert outcome.score(system) == pytest.approx(by_hand[system], abs=3)
    scores = {system: outcome.score(system) for system in SYSTEMS}
    assert sorted(scores, key=lambda s: -scores[s]) == ["vae", "lbow", "sep_ae", "dips"]
    assert scores["vae"] > 35
    assert (outcome.pairs_in_order, outcome.pairs) == (5, 6)
    assert outcome.pearson > 0.9
    verdicts = {
        claim.id: (claim.verdict, claim.measured) for claim in only(found, "figure5").claims
    }
    assert verdicts["best"] == ("supported", "supported")
    assert verdicts["second"][0] != "supported"
    assert verdicts["second"][1] == "supported"

    (side,) = only(found, "side").outcomes
    assert side.agreement.value == pytest.approx(FIRST_CHOSEN)
    assert side.agreement.interval.low > 50
    assert (side.agreement.n, side.agreement.participants) == (3600, 120)
