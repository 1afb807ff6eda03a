"""The banned phrases of `make check`: they catch what they should and leave good English alone."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

_FILE = Path(__file__).parents[1] / "tools" / "check_tree.py"
PHRASES = runpy.run_path(str(_FILE))["BANNED_PHRASES"]
PATTERNS = [re.compile(phrase, re.IGNORECASE) for phrase in PHRASES]

BAD = [  # put together from parts, so that this file passes the check
    "1 found " + "wanting",
    "What " + "of a study was reproduced",
    "data.zip is no " + "zip archive",
    "no judgments are at " + "hand",
    "What was done " + "otherwise",
    "others sha" + "ll be spoken" + " for",
    "the scores are held " + "against the data",
    "report/ is no " + "comparison",
    "Nothing that was called " + "saved is lost",
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}about the same" + "»",
]
GOOD = [
    "there is no number in this cell",
    "an amendment of the plan",
    "studies can be assembled by hand",
    "otherwise the interval is undefined",
    "people who declined get a separate code",
    "what often goes wrong",
    "there is no comparison in this folder",
]


@pytest.mark.parametrize("text", BAD)
def test_a_banned_phrase_is_found(text):
    assert any(pattern.search(text) for pattern in PATTERNS)


@pytest.mark.parametrize("text", GOOD)
def test_good_english_is_not_rejected(text):
    assert not any(pattern.search(text) for pattern in PATTERNS)


def test_every_banned_phrase_says_what_to_write():
    assert all(PHRASES.values())
