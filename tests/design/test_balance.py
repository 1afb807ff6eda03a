"""Balanced incomplete block designs against the literature, and how even a plan is said to be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from studies import make_study

from property_settings import examples
from rejudge.design.balance import BlockDesign, block_design, even_blocks, measure_balance
from rejudge.design.draw import draw
from rejudge.errors import DesignError


@pytest.mark.parametrize(
    ("systems", "width", "blocks", "meetings"),
    [
        (4, 3, 4, 2),  # all triples
        (6, 3, 10, 2),  # Colbourn & Dinitz (2007), Handbook of Combinatorial Designs, table II.1.1
        (7, 3, 7, 1),  # the Fano plane
        (7, 4, 7, 2),  # its complement
        (8, 4, 14, 3),
        (9, 3, 12, 1),  # the affine plane of order 3
        (10, 5, 18, 4),
        (11, 5, 11, 2),  # the Paley biplane
        (13, 4, 13, 1),  # the projective plane of order 3
        (16, 4, 20, 1),  # the affine plane of order 4
    ],
)
def test_known_designs_are_found_at_their_smallest_size(systems, width, blocks, meetings):
    design = block_design(systems, width)
    assert len(design.blocks) == blocks
    assert design.meetings == (meetings, meetings)
    assert design.is_balanced


@settings(max_examples=examples(50))
@given(st.integers(3, 12), st.integers(3, 8))
def test_a_design_that_calls_itself_balanced_is_balanced(systems, width):
    design = block_design(systems, min(systems, width))
    met = Counter(pair for block in design.blocks for pair in combinations(sorted(block), 2))
    counts = {met[pair] for pair in combinations(range(systems), 2)}
    assert design.is_balanced == (len(counts) == 1)


@given(st.integers(4, 14), st.integers(3, 8), st.integers(1, 60))
def test_blocks_chosen_one_by_one_show_every_system_about_equally_often(systems, width, count):
    design = even_blocks(systems, min(width, systems - 1), count)
    low, high = design.occurrences
    assert len(design.blocks) == count
    assert all(len(set(block)) == min(width, systems - 1) for block in design.blocks)
    assert high - low <= 2


def test_an_unbalanced_design_says_so():
    assert not BlockDesign(((0, 1, 2), (0, 1, 3)), points=4).is_balanced


def statements(study, plan):
    return {s.what: (s.is_even, s.detail) for s in measure_balance(study, plan).statements}


def test_an_even_plan_is_called_even_with_its_counts():
    """Ten inputs × six pairs of four systems: each pair ten times, each system in 30 tasks."""
    study = make_study(inputs=10, datasets=2)
    balance = measure_balance(study, draw(study))
    assert balance.is_even
    said = statements(study, draw(study))
    assert said["inputs per dataset"] == (True, "set0 5, set1 5")
    assert said["tasks per system"] == (True, "sys0 30, sys1 30, sys2 30, sys3 30")
    assert said["pairs of systems compared"] == (True, "6 of 6, 10 times each")


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
    balance = measure_balance(study, replace(plan, batches=(changed, *plan.batches[1:])))
    pair = tuple(sorted(task.options))
    assert sorted(balance.sides_by_pair[pair]) == [4, 6]
    assert not balance.is_even


def test_named_pairs_are_counted_among_all_pairs():
    study = make_study(inputs=10, design={"pairs": [["sys0", "sys1"], ["sys1", "sys2"]]})
    detail = statements(study, draw(study))["pairs of systems compared"][1]
    assert detail == "2 of 6, 10 times each"


def test_a_plan_of_single_outputs_says_nothing_of_sides():
    rating = {"id": "f", "kind": "rating", "prompt": "How fluent?"}
    study = make_study(inputs=10, questions=[rating])
    assert "sides" not in statements(study, draw(study))


@pytest.mark.parametrize("width", [-1, 0, 4])
def test_a_design_needs_a_width_that_the_systems_allow(width):
    with pytest.raises(DesignError, match=f"{width} of 3 systems cannot be shown at a time"):
        block_design(3, width)
