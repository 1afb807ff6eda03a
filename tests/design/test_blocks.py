"""Balanced incomplete block designs against the tables of the literature."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.design import BlockDesign, block_design
from rejudge.design.blocks import even_blocks


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
