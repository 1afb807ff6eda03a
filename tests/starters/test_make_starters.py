"""The shipped item files are what tools/make_starters.py makes of the texts beside it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "make_starters.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("make_starters", TOOL)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_the_shipped_item_files_are_made_again_to_the_byte(tool):
    for name, rows in tool.tables().items():
        assert (tool.STARTERS / name).read_bytes() == tool.as_csv(rows), name


def test_every_item_file_that_is_shipped_is_made_by_the_tool(tool):
    shipped = {path.relative_to(tool.STARTERS).as_posix() for path in tool.STARTERS.rglob("*.csv")}
    assert shipped == set(tool.tables())


def test_each_dataset_has_as_many_rows_as_the_study_needs(tool):
    """27 frames × 4 fillings; 25 situations × 4 variants × 2 roles; 100 terms; 16 reports."""
    rows = {name: len(rows) for name, rows in tool.tables().items()}
    assert rows == {
        "kinds/common/items.csv": 16,
        "like/paraphrase-pairs/items.csv": 3 * 27 * 4,
        "like/question-paraphrases/items.csv": 2 * 27 * 4,
        "like/dialogue-summaries/items.csv": 25 * 4 * 2,
        "like/definitions/items.csv": 100,
    }


def test_no_frame_of_the_two_paraphrase_studies_is_used_twice(tool):
    tables = tool.tables()
    first = {row["input"] for row in tables["like/paraphrase-pairs/items.csv"]}
    second = {row["input"] for row in tables["like/question-paraphrases/items.csv"]}
    assert first.isdisjoint(second)
