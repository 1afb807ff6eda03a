"""Plans that were drawn once are drawn again, whatever has changed in the code or its libraries.

The fingerprints are those of version 0.1.0. A change here means that no published plan of that
kind can be drawn again from its seed: it needs a line under “Numbers” in the changelog.
"""

from __future__ import annotations

import pytest
from studies import PAIRWISE, RATING, make_study

from rejudge.design.draw import draw

GOLD = {"id": "gold", "kind": "gold", "question": "meaning", "per_batch": 2}
SALAD = {"id": "salad", "kind": "nonsense", "question": "meaning"}
TOLD = {"id": "told", "kind": "instruction", "question": "meaning"}
BEST_WORST = {"id": "best", "kind": "best-worst", "prompt": "Best and worst?", "of": 3}

STUDIES = {
    "pairs": {"inputs": 42, "datasets": 3, "sample": 30, "checks": [GOLD, SALAD, TOLD]},
    "ratings": {"questions": [RATING], "design": {"inputs": "apart", "order": "latin-square"}},
    "lists": {
        "questions": [RATING],
        "design": {"inputs": "anywhere", "batch": {"tasks": 8}, "repeats": {"share": 0.2}},
    },
    "tuples": {"systems": 7, "questions": [BEST_WORST], "design": {"tuples_per_input": 3}},
    "calibrated": {"questions": [PAIRWISE, RATING], "design": {"calibration": 2}, "seed": 7},
}
FINGERPRINTS = {
    "pairs": "7ebd0b8a3fe15472",
    "ratings": "1834fce7493ec569",
    "lists": "73be0918ec401ecf",
    "tuples": "2ebbb080d4b80a14",
    "calibrated": "5866d2f1c0acc0ba",
}


@pytest.mark.parametrize("name", STUDIES)
def test_the_plan_of_version_0_1_is_drawn_again(name):
    assert draw(make_study(**STUDIES[name])).fingerprint == FINGERPRINTS[name]
