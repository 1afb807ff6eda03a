"""Results as runs: of a study, and of a table with its conditions beside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from compared import select
from judged_study import PAIRWISE, RATING, checked_study, drawn, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.evidence import name_of_deciding_test
from rejudge.analysis.results import Results
from rejudge.collect.assignment import STATUSES
from rejudge.compare.alignment import rename
from rejudge.compare.compare import compare
from rejudge.compare.conditions import condition_of_key, study_conditions
from rejudge.compare.from_results import from_described_results, from_results, from_table
from rejudge.compare.run import Run, RunCriterion, contrasts_on, scores_on
from rejudge.design.plan import Plan
from rejudge.design.wages import known_rates
from rejudge.errors import DataError
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import Exclusion, ExclusionRules, exclude, exclude_rows
from rejudge.judgments.table import ORIGINS, Coded, Judgment, Judgments
from rejudge.paper.paper_file import parse_conditions
from rejudge.simulate.people import judge
from rejudge.study.model import Study
from rejudge.study.page_layout import parse_layout


def judged(study: Study, plan: Plan) -> Judgments:
    answers = judge(study, plan, rng=np.random.default_rng(1))
    return tabulate(study, plan, answers, origin="simulated")


def run_of(study: Study, **parts: object) -> Run:
    plan = drawn(study)
    cleaned = exclude(study, plan, judged(study, plan))
    return from_results(
        analyse(cleaned, study=study, plan=plan), study, plan, judgments=cleaned.kept, **parts
    )


@pytest.fixture(scope="module")
def chosen() -> Run:
    return run_of(
        checked_study(
            recruitment={"platform": "prolific", "regions": ["US", "GB"], "approval_percent": 99},
            payment={"currency": "GBP", "hourly": 12.5, "minutes": 10},
            claims=[{"id": "c", "says": "ash best on meaning"}],
        )
    )


def test_a_study_tells_its_conditions(chosen):
    told = chosen.conditions
    assert told["platform"] == "Prolific"
    assert told["countries"] == ("GB", "US")
    assert told["approval"] == 99
    assert (told["pay-per-hour"], told["currency"], told["expected-minutes"]) == (12.5, "GBP", 10)
    assert told["elicitation"] == "choice of one of two outputs"
    assert told["tie-allowed"] is True
    assert (told["items"], told["units"], told["batches"]) == (12, 36, 4)
    assert (told["checks"], told["checks-per-batch"]) == ("distractor for meaning", 1)
    assert (told["criteria"], told["datasets"]) == (("meaning",), ("hills", "woods"))
    assert (told["test"], told["correction"]) == ("cluster-robust", "holm")
    assert "ethics-review" not in told  # nothing was said of it


@pytest.mark.parametrize(
    ("platform", "interfaces", "pages"),
    [
        ("link", ["pages of rejudge", "pages of rejudge", None], [True, True, False]),
        (
            "spreadsheet",
            ["workbooks, one for each participant", "pages of rejudge", None],
            [True, True, False],
        ),
    ],
)
def test_answers_that_were_imported_do_not_tell_on_which_pages_they_were_given(
    platform, interfaces, pages
):
    """Simulated answers are as those of the planned channel; others are from where they came."""
    made = small_study(RATING, recruitment={"platform": platform})
    study = replace(made, pages={"consent": "I agree."})
    plan = drawn(study)
    simulated = judged(study, plan)
    people = replace(simulated, origin=Coded.of(["people"] * len(simulated), ORIGINS))
    ours = replace(people, state=Coded.of(["submitted"] * len(people), STATUSES))
    found = [
        study_conditions(study, plan, participants=3, judgments=each)
        for each in (simulated, ours, people)
    ]
    assert [each.get("interface") for each in found] == interfaces
    assert ["consent" in each for each in found] == pages


def test_an_original_page_is_not_called_a_page_of_rejudge():
    study = replace(small_study(RATING), layout=parse_layout("<p>${text}</p>"))
    told = study_conditions(study, drawn(study), participants=3, judgments=None)
    assert told["interface"] == "the study's own page layout"


def test_the_order_of_given_batches_is_not_that_of_the_item_file():
    study = small_study(RATING)
    plan = replace(drawn(study), order="listed", source="batches.csv")
    told = study_conditions(study, plan, participants=3, judgments=None)
    assert told["order"] == "as in the given batches"


@pytest.mark.parametrize(
    ("payment", "per_batch", "per_hour"),
    [
        ({"kind": "unpaid"}, 0, 0),
        ({"kind": "credit"}, 0, 0),
        ({"currency": "GBP", "hourly": 12.0, "minutes": 10}, 2.0, 12.0),
    ],
)
def test_pay_is_told_in_amounts(payment, per_batch, per_hour):
    found = run_of(checked_study(payment=payment)).conditions
    assert (found["pay-per-batch"], found["pay-per-hour"]) == (per_batch, per_hour)


def test_a_wage_that_is_only_named_is_told_as_its_amount():
    payment = {"currency": "GBP", "living_wage": "GB", "minutes": 60}
    found = run_of(checked_study(payment=payment)).conditions
    newest = [wage for wage in known_rates().wages if (wage.kind, wage.region) == ("living", "GB")]
    assert found["pay-per-hour"] in {float(wage.hourly) for wage in newest}
    assert found["pay-per-batch"] >= found["pay-per-hour"]
    assert found["x-pay-rule"] == "living wage of GB"


def test_what_is_not_there_is_none_and_not_unknown(chosen):
    assert {chosen.conditions[key] for key in ("training", "consent", "information")} == {"none"}


def test_a_choice_is_scored_from_minus_100_to_100_without_rounding(chosen):
    (criterion,) = chosen.criteria
    assert (criterion.kind, criterion.low, criterion.high) == ("best-worst", -100, 100)
    scores = scores_on(chosen, criterion)
    assert [score.systems for score in scores] == [("ash",), ("beech",), ("cedar",)]
    assert sum(score.value for score in scores) == pytest.approx(0)
    assert {score.half_unit for score in scores} == {0}


def test_the_planned_test_decides_and_is_named(chosen):
    first = contrasts_on(chosen, chosen.criteria[0])[0]
    assert first.systems == ("ash", "beech")
    assert "corrected" in name_of_deciding_test(first)
    assert first.interval.low < first.value < first.interval.high


def test_claims_names_and_judgments_come_along(chosen):
    assert [claim.says for claim in chosen.claims] == ["ash best on meaning"]
    assert chosen.systems["beech"] == "Beech"
    assert len(chosen.judgments.of_kind("real"))


def test_what_was_left_out_is_told_by_rule():
    study = checked_study()
    plan = drawn(study)
    table = judged(study, plan)
    cleaned = exclude(study, plan, table)
    found = from_results(analyse(cleaned, study=study, plan=plan), study, plan)
    assert any("simulated" in each for each in found.departures)


def test_a_place_is_filled_by_others_only_when_nobody_is_missing():
    study = checked_study()
    plan = drawn(study)
    kept = judged(study, plan)  # every place is taken by somebody who counts
    results = analyse(exclude(study, plan, kept), study=study, plan=plan)
    gone = Exclusion("px", None, "failed-checks", "failed 2 checks", 9)
    late = Exclusion("py", None, "surplus", "came too late", 9)
    flow = replace(results.flow, exclusions=(gone, late))
    with_gone = replace(results, flow=flow)
    found = from_results(with_gone, study, plan, judgments=kept)
    assert found.departures[-1] == "1 place of excluded participants filled by others."
    fewer = kept.take(kept.participant.codes != 0)
    found = from_results(with_gone, study, plan, judgments=fewer)
    assert not any("filled" in each for each in found.departures)


def apart(run: Run, **parts: str) -> Run:
    """Another run that found the same, by judgments of its own that are not available."""
    return replace(run, fingerprint="another", judgments=None, **parts)


def test_runs_of_the_same_title_are_told_apart():
    first = run_of(small_study(RATING))
    comparison = compare(first, apart(first, id="again"))
    assert [card.name for card in comparison.runs] == [
        f"{first.name} ({first.id})",
        f"{first.name} (again)",
    ]


def test_a_run_that_found_the_same_differs_in_nothing():
    study = small_study(RATING, claims=[{"id": "c", "says": "ash > beech on fluency"}])
    first = run_of(study)
    comparison = compare(first, apart(first, id="again", name="again"))
    assert {each.value for each in select(comparison.findings, "cv-star")} == {0.0}
    assert comparison.deviations == ()
    (alike,) = comparison.similarities
    assert alike.equal == alike.known_in_both


def test_a_study_cannot_confirm_itself():
    first = run_of(small_study(RATING))
    with pytest.raises(DataError, match="judgments cannot confirm themselves"):
        compare(first, replace(first, id="again", name="again"))


def halves(*, raw: bool, shared: int = 0) -> tuple[Run, Run]:
    """One collected table, analysed once for each half of its participants."""
    judgments = Judgments.from_rows(
        [
            Judgment(f"p{person}", f"i{item}", "q", float(1 + (person + item) % 4), system=system)
            for person in range(8)
            for item in range(3)
            for system in ("s", "t")
        ],
        systems=("s", "t"),
    )
    criteria = (RunCriterion("q", "q", "rating", 1.0, 4.0),)
    found = []
    for name, gone in (("one", range(4)), ("two", range(4 + shared, 8))):
        rules = ExclusionRules.parse([f"participants={','.join(f'p{n}' for n in gone)}"])
        cleaned = exclude_rows(judgments, rules)
        kept = cleaned.kept if raw else None
        told = {"platform": "none"}
        results = analyse(cleaned)
        found.append(from_table(results, name, criteria=criteria, conditions=told, judgments=kept))
    return found[0], found[1]


def test_two_runs_of_one_file_with_other_participants_do_not_hold_the_same_judgments():
    one, two = halves(raw=True)
    assert one.fingerprint == two.fingerprint  # of all that was collected
    assert not any("twice" in note for note in compare(one, two).notes)
    with pytest.raises(DataError, match="share the judgments of 2 participants"):
        compare(*halves(raw=True, shared=2))


def test_without_judgments_it_is_not_claimed_that_two_runs_hold_the_same():
    (note,) = [each for each in compare(*halves(raw=False)).notes if "twice" in each]
    assert note == "one and two come from the same file: judgments that both keep count twice here."


def test_ratings_keep_the_ends_of_their_scale():
    found = run_of(small_study(RATING, PAIRWISE))
    ends = {each.id: (each.kind, each.low, each.high) for each in found.criteria}
    assert ends == {"fluency": ("rating", 1, 5), "meaning": ("best-worst", -100, 100)}
    assert found.conditions["criteria-asked-together"] is False  # they stand on different pages


@pytest.mark.parametrize(
    ("key", "condition"),
    [
        ("recruitment.platform", "platform"),
        ("payment.hourly", "pay-per-hour"),
        ("checks.other-text.per_batch", "checks-per-batch"),
        ("design.batch.inputs", "batch-size"),
        ("site.theme_colour", "x-site-theme-colour"),
    ],
)
def test_a_key_of_a_study_decides_a_condition(key, condition):
    assert condition_of_key(key) == condition


# ── tables without a study ───────────────────────────────────────────────────────────────────────


def results_of(*rows: Judgment, chose: tuple[str, ...] = ()) -> Results:
    table = Judgments.from_rows(rows)
    return analyse(exclude_rows(table, ExclusionRules(chose=chose)))


def choices(system_a: str, system_b: str, wins: int, losses: int) -> list[Judgment]:
    return [
        Judgment(
            f"p{n % 3}", f"i{n}", "meaning", "a" if n < wins else "b", None, system_a, system_b
        )
        for n in range(wins + losses)
    ]


CHOICES = [
    *choices("one", "two", 9, 3),
    *choices("two", "three", 8, 4),
    *choices("one", "three", 7, 5),
]
BESIDE = """
id: lab
reproduces: first
conditions: {platform: Prolific, participants-per-item: 1}
deviations: [{property: platform, reason: A rule., impact: low}]
"""


def test_a_table_of_choices_needs_only_conditions():
    """one: 16 won and 8 lost of 24, which is 100 · 8/24."""
    found = from_described_results(results_of(*CHOICES), parse_conditions(BESIDE), run="folder")
    assert (found.id, found.reproduces, found.source) == ("lab", "first", "results")
    scores = scores_on(found, found.criteria[0])
    assert {each.systems[0]: each.value for each in scores} == pytest.approx(
        {"one": 100 / 3, "three": -100 * 6 / 24, "two": -100 * 2 / 24}
    )
    assert found.deviations[0].reason == "A rule."


def test_scores_without_the_ends_of_their_scale_have_no_cv_star():
    rows = [
        Judgment(f"p{p}", f"i{i}", "fluency", float(1 + (p + i) % 4), system)
        for p in range(3)
        for i in range(4)
        for system in ("one", "two")
    ]
    results = results_of(*rows)
    bare = from_described_results(results, parse_conditions("conditions: {items: 4}"), run="folder")
    assert (bare.criteria[0].low, bare.criteria[0].high) == (None, None)
    found = compare(bare, replace(bare, id="again", name="again", fingerprint=""))
    assert {each.value for each in select(found.findings, "cv-star")} == {None}
    assert "ends of the scale of fluency are not known, so CV* is undefined" in found.notes[0]
    beside = parse_conditions(
        "conditions: {items: 4}\n"
        "criteria: [{id: fluency, scale: {kind: rating, low: 1, high: 4}}]\n"
    )
    found = from_described_results(results, beside, run="folder")
    assert (found.id, found.name) == ("folder", "folder")
    assert (found.criteria[0].low, found.criteria[0].high) == (1, 4)


def test_participants_who_were_left_out_are_told():
    rows = [
        *CHOICES,
        Judgment("bad", "i99", "meaning", "a", None, "distractor", "one", kind="check"),
    ]
    found = from_described_results(
        results_of(*rows, chose=("distractor",)), parse_conditions(BESIDE), run="folder"
    )
    assert found.departures == (
        "1 participant of 4 excluded completely.",
        "1 judgment by 1 participant excluded: a system nobody should choose was chosen (chose).",
    )


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def test_a_run_can_be_told_in_the_words_of_the_original():
    found = from_described_results(results_of(*CHOICES), parse_conditions(BESIDE), run="folder")
    named = rename(found, systems={"one": "vae"}, criteria={"meaning": "sense"})
    assert set(named.systems) == {"vae", "two", "three"}
    assert {each.question for each in named.findings} == {"sense"}
    assert "vae" in {each.systems[0] for each in contrasts_on(named, named.criteria[0])}
    assert rename(found, systems={}, criteria={}) is found


def test_judgments_are_renamed_too(chosen):
    named = rename(chosen, systems={"ash": "oak"}, criteria={"meaning": "sense"})
    assert "oak" in named.judgments.system_a.labels
    assert named.judgments.question.labels == ("sense",)
    assert named.conditions["criteria"] == ("sense",)


def test_an_unknown_name_is_not_passed_over():
    found = from_described_results(results_of(*CHOICES), parse_conditions(BESIDE), run="folder")
    with pytest.raises(DataError, match=r"has no system 'x'\. It has systems one, three, two\."):
        rename(found, systems={"x": "vae"}, criteria={})
    with pytest.raises(DataError, match=r"has no criterion 'x'\. It has criteria meaning\."):
        rename(found, systems={}, criteria={"x": "sense"})


def test_two_systems_cannot_become_one():
    found = from_described_results(results_of(*CHOICES), parse_conditions(BESIDE), run="folder")
    with pytest.raises(DataError, match="two systems of 'lab' would both be called 'two'"):
        rename(found, systems={"one": "two"}, criteria={})


def test_a_comparison_says_that_labels_have_no_scores():
    labels = {**RATING, "id": "kind", "points": 3, "measured": "nominal"}
    runs = [run_of(small_study(RATING, labels, design={"seed": seed})) for seed in (5, 6)]
    runs[1] = replace(runs[1], id="again")
    found = compare(*runs)
    assert {each.question for each in select(found.findings, "mean")} == {"fluency"}
    (note,) = [each for each in found.notes if each.startswith("kind has no scores of systems in")]
    assert "Labels without order have shares" in note


def test_labels_alone_cannot_be_compared():
    labels = {**RATING, "points": 3, "measured": "nominal"}
    runs = [run_of(small_study(labels, design={"seed": seed})) for seed in (5, 6)]
    with pytest.raises(DataError, match="no scores of systems") as error:
        compare(runs[0], replace(runs[1], id="again"))
    assert "Labels without order have shares" in str(error.value)
