"""What the selection of inputs does to results, and which population each number is for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from judged_study import PAIRWISE, RATING, SEGMENTS, analysed, by_id, drawn, small_study
from rejudge.analysis.analyse import analyse
from rejudge.analysis.item_selection import selection_of
from rejudge.analysis.look import deciding_finding
from rejudge.analysis.partial_analysis import altered_findings
from rejudge.design.draw import draw
from rejudge.judgments.table import Judgment, Judgments
from rejudge.report.figures.context import describe_intervals
from rejudge.study.item_sample import Sample
from rejudge.study.model import Study
from rejudge.study.sample_size import Stop
from rejudge.tables.results import result_tables
from rejudge.tables.wording import WEIGHTED_INPUTS

WEIGHTED = {"inputs": 8, "method": "weighted", "column": "w"}
LISTED = {"method": "listed", "column": "use"}
MODEL = {"tests": [{"question": "fluency", "test": "mixed-model"}]}


def selected(sample: dict, *questions: dict, inputs: int = 12, **parts: Any) -> Study:
    """The small study with a method; its items have growing weights, and every other is listed."""
    plain = small_study(*questions, inputs=inputs, **parts)
    items = tuple(
        replace(
            item,
            weight=float(1 + n**2) if sample["method"] == "weighted" else None,
            stratum="rare" if n < 4 else "usual",
            is_listed=sample["method"] == "listed" and n % 2 == 0,
        )
        for n, item in enumerate(plain.items)
    )
    chosen = plain.spec.items.model_copy(update={"sample": Sample.model_validate(sample)})
    return replace(plain, spec=plain.spec.model_copy(update={"items": chosen}), items=items)


def scores_of(study: Study, difference) -> Judgments:
    """Four people rate all selected items alike; ash leads by so much on each."""
    rows = [
        Judgment(f"p{person}", item, "fluency", score, system=system)
        for person in range(4)
        for item in sorted({task.item for task in drawn(study).tasks()})
        for system, score in (("ash", 2 + difference(item) + person % 2), ("beech", 2 + person % 2))
    ]
    return Judgments.from_rows(rows, systems=study.system_ids)


def test_a_planned_look_weights_inputs_like_the_analysis():
    tests = {"tests": [{"question": "fluency", "test": "cluster-robust"}]}
    study = selected(WEIGHTED, RATING, analysis=tests)
    plan, leads = draw(study), {f"i{n}" for n in range(10)}
    rows = scores_of(study, lambda item: item in leads)
    stop = Stop(looks=2, question="fluency", systems=("ash", "beech"))
    whole = by_id(analyse(rows, study=study, plan=plan))["fluency.cluster-robust.ash.beech"]
    seen = deciding_finding(study, stop, rows, plan=plan)
    assert (seen.value, seen.p) == (whole.value, whole.p)
    assert seen.value != pytest.approx(deciding_finding(study, stop, rows).value)


def test_a_study_without_a_method_is_analysed_as_before():
    study = small_study(RATING)
    assert selection_of(study, drawn(study)) is None


def test_means_and_differences_count_items_by_the_inverse_of_their_probability():
    """Ash leads by 1 on the first ten items only; the weights are those of the plan."""
    study = selected(WEIGHTED, RATING)
    plan = draw(study)
    leads = {f"i{n}" for n in range(10)}
    rows = scores_of(study, lambda item: item in leads)
    found = by_id(analyse(rows, study=study, plan=plan))
    weights = plan.selection.weights
    share = sum(w for name, w in weights.items() if name in leads) / sum(weights.values())
    difference = found["fluency.cluster-robust.ash.beech"]
    assert difference.value == pytest.approx(share)
    assert difference.value != pytest.approx(len(leads & set(weights)) / len(weights))
    assert found["fluency.mean.ash"].value == pytest.approx(2.5 + share)
    assert "by inverse probability of selection" in difference.method
    assert difference.population == "items and participants"


def test_equal_numbers_from_unequal_strata_are_weighted_back():
    """Ash leads by 1 in the rare stratum, which is 4 of 16 inputs and half of those judged."""
    sample = {"inputs": 8, "method": "stratified", "column": "genre"}
    study = selected(sample, RATING)
    plan = draw(study)
    rare = {item.id for item in study.items if item.stratum == "rare"}
    results = analyse(scores_of(study, lambda item: item in rare), study=study, plan=plan)
    assert by_id(results)["fluency.cluster-robust.ash.beech"].value == pytest.approx(0.25)


def test_win_rates_are_weighted_and_their_counts_are_not():
    study = selected(WEIGHTED, PAIRWISE)
    plan = draw(study)
    leads = {f"i{n}" for n in range(10)}
    rows = [
        Judgment(
            f"p{n}", item, "meaning", "a" if item in leads else "b", system_a="ash",
            system_b="beech",
        )
        for n in range(4)
        for item in plan.selection.weights
    ]  # fmt: skip
    table = Judgments.from_rows(rows, systems=study.system_ids)
    found = by_id(analyse(table, study=study, plan=plan))
    weights = plan.selection.weights
    share = sum(w for name, w in weights.items() if name in leads) / sum(weights.values())
    pair = found["meaning.cluster-robust.ash.beech"]
    assert pair.value == pytest.approx(100 * share)
    assert found["meaning.wins.ash"].value == pytest.approx(100 * share)
    assert found["meaning.best-worst.ash"].value == pytest.approx(200 * share - 100)
    assert pair.tally.wins == 4 * len(leads & set(weights))
    assert pair.method.startswith("share preferring the first, counting a tie as half, by inverse")


@pytest.mark.slow
@pytest.mark.parametrize("question", [RATING, PAIRWISE, SEGMENTS])
def test_results_of_a_weighted_study_are_found_again_in_its_judgments(question):
    study = selected(WEIGHTED, question)
    results = analysed(study)
    plan = drawn(study)
    kept = _simulated(study)
    assert altered_findings(results, study, kept, plan=plan) == ()
    assert altered_findings(results, study, kept) != ()


def _simulated(study: Study) -> Judgments:
    from rejudge.judgments.answers import tabulate
    from rejudge.judgments.exclusions import exclude
    from rejudge.simulate.people import judge

    plan = drawn(study)
    answers = judge(study, plan, rng=np.random.default_rng(1))
    return exclude(study, plan, tabulate(study, plan, answers, origin="simulated")).kept


def test_a_model_does_not_know_of_the_weights_and_says_so():
    study = selected(WEIGHTED, RATING, analysis=MODEL, design={"participants_per_batch": 6})
    found = by_id(analysed(study))
    model = found["fluency.mixed-model.ash.beech"]
    assert model.population == "participants"
    assert "for new participants and these items" in model.method
    assert model.note.endswith("Unweighted, for the selected items only.")
    assert model.role == "headline"  # since it was planned
    assert found["fluency.cluster-robust.ash.beech"].population == "items and participants"


@pytest.mark.slow
def test_without_a_plan_the_weighted_comparison_decides():
    study = selected(WEIGHTED, RATING, design={"participants_per_batch": 6})
    study = replace(study, spec=study.spec.model_copy(update={"analysis": None}))
    found = by_id(analysed(study))
    assert found["fluency.cluster-robust.ash.beech"].role == "headline"
    assert found["fluency.mixed-model.ash.beech"].role == "further"


@pytest.mark.slow
def test_nearly_equal_weights_leave_the_model_its_place():
    sample = {"inputs": 9, "method": "stratified", "allocation": "proportional", "column": "g"}
    study = selected(sample, RATING, design={"participants_per_batch": 6})
    study = replace(study, spec=study.spec.model_copy(update={"analysis": None}))
    plan = draw(study)
    assert 1 < plan.selection.design_effect < 1.05
    found = by_id(analysed(study))
    assert found["fluency.mixed-model.ash.beech"].role == "headline"
    assert found["fluency.mixed-model.ash.beech"].population == "items and participants"


def test_results_on_listed_items_are_for_these_items():
    study = selected(LISTED, RATING)
    results = analysed(study)
    pair = by_id(results)["fluency.cluster-robust.ash.beech"]
    assert pair.population == "participants"
    assert pair.method.endswith("for new participants and these items")
    assert any("results are for these items only" in note for note in results.notes)


def test_weights_that_the_analysis_is_told_to_ignore_leave_results_on_these_items():
    study = selected(WEIGHTED, RATING, analysis={"item_weights": False})
    found = selection_of(study, drawn(study))
    assert (found.is_random, found.weight) == (False, {})
    assert "does not account for this" in found.note


def test_batches_from_a_file_have_no_known_probabilities():
    study = selected(WEIGHTED, RATING)
    plan = replace(draw(study), selection=None)
    assert not selection_of(study, plan).is_random


def test_a_random_sample_is_for_all_inputs_without_weights():
    study = selected({"inputs": 8, "method": "random"}, RATING)
    found = selection_of(study, drawn(study))
    assert (found.is_random, found.weight) == (True, {})
    assert "8 of the 16 inputs in items.csv were selected at random" in found.note
    assert "for all 16 inputs of items.csv and inputs like them without weights" in found.note
    assert "There is no finite-population correction" in found.note


def test_inputs_of_weight_0_are_not_in_the_population():
    study = selected(WEIGHTED, RATING)
    study = replace(study, items=(replace(study.items[0], weight=0.0), *study.items[1:]))
    assert "are for all 15 of the 16 inputs" in selection_of(study, drawn(study)).note


@pytest.mark.slow
def test_cases_and_groups_are_weighted_too():
    study = selected(
        WEIGHTED, RATING, analysis={"cases": [{"id": "mean", "multiple": "mean"}],
                                    "groups": ["dataset"]},
    )  # fmt: skip
    results = analysed(study)
    found = by_id(results)
    in_case = found["fluency.cluster-robust.ash.beech#mean"]
    in_group = found["fluency.mean.ash@dataset=woods"]
    assert "by inverse probability" in in_case.method
    assert "by inverse probability" in in_group.method


def test_captions_say_that_inputs_are_weighted():
    results = analysed(selected(WEIGHTED, RATING))
    tables = " ".join(each.caption for each in result_tables(results))
    figure = describe_intervals(results.select("fluency", "mean"))
    assert WEIGHTED_INPUTS in tables
    assert figure.endswith(f"cluster-robust by item and participant. {WEIGHTED_INPUTS}")
