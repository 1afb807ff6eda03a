"""What is said of a plan's balance is counted from the plan."""

from __future__ import annotations

from dataclasses import replace

from studies import make_study

from rejudge.design import draw, measure


def statements(study, plan):
    return {s.what: (s.is_even, s.detail) for s in measure(study, plan).statements}


def test_an_even_plan_is_called_even_with_its_counts():
    """Ten inputs × six pairs of four systems: each pair ten times, each system in 30 tasks."""
    study = make_study(inputs=10, datasets=2)
    balance = measure(study, draw(study))
    assert balance.is_even
    said = statements(study, draw(study))
    assert said["inputs per dataset"] == (True, "set0 5, set1 5")
    assert said["tasks per system"] == (True, "sys0 30, sys1 30, sys2 30, sys3 30")
    assert said["meetings of systems"] == (True, "6 of 6 pairs of systems, 10 times each")


def test_datasets_of_unequal_size_are_called_uneven():
    """Eleven inputs of two datasets: 6 and 5."""
    study = make_study(inputs=11, datasets=2)
    assert statements(study, draw(study))["inputs per dataset"] == (False, "set0 6, set1 5")


def test_turning_one_task_round_shows_in_the_sides():
    """Each pair stands five times each way; one turned task makes it 6 to 4 (or 4 to 6)."""
    study = make_study(inputs=10)
    plan = draw(study)
    batch = plan.batches[0]
    task = batch.tasks[0]
    turned = replace(task, options=task.options[::-1])
    changed = replace(batch, tasks=(turned, *batch.tasks[1:]))
    balance = measure(study, replace(plan, batches=(changed, *plan.batches[1:])))
    pair = tuple(sorted(task.options))
    assert sorted(balance.sides_by_pair[pair]) == [4, 6]
    assert not balance.is_even


def test_named_pairs_are_counted_among_all_pairs():
    study = make_study(inputs=10, design={"pairs": [["sys0", "sys1"], ["sys1", "sys2"]]})
    detail = statements(study, draw(study))["meetings of systems"][1]
    assert detail == "2 of 6 pairs of systems, 10 times each"


def test_a_plan_of_single_outputs_says_nothing_of_sides():
    rating = {"id": "f", "kind": "rating", "prompt": "How fluent?"}
    study = make_study(inputs=10, questions=[rating])
    assert "sides" not in statements(study, draw(study))
