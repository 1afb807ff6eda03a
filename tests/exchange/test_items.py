"""Which system an item shows: usual names, given names, nested fields, and a table beside it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property_settings import examples
from rejudge.errors import FileError, UsageError
from rejudge.exchange.items import ItemFields

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [{"system": "x"}, {"Model": "x"}, {"model-name": "x"}, {"meta": {"model": "x"}},
     {"metadata": {"system_id": "x"}}, {"model": "y", "system": "x"}, {"system": "", "model": "x"}],
)  # fmt: skip
def test_usual_names_are_found(data):
    assert ItemFields().find("system", data) == "x"


@pytest.mark.parametrize("data", [{}, {"text": "x"}, {"systems": ["x"]}, {"deep": {"model": "x"}}])
def test_other_names_are_not_guessed(data):
    assert ItemFields().find("system", data) is None


@pytest.mark.parametrize(
    ("path", "found"),
    [("by", None), ("made.by", "x"), ("made.list.1.name", "y"), ("dotted.name", "z"), ("", None),
     ("made.list.9", None), ("made.by.more", None), ("made.list.-1", None)],
)  # fmt: skip
def test_a_path_leads_into_fields_and_lists(path, found):
    data = {"made": {"by": "x", "list": [{"name": "w"}, {"name": "y"}]}, "dotted.name": "z"}
    assert ItemFields({"system": path}).find("system", data) == found


@settings(max_examples=examples(50))
@given(data=st.dictionaries(st.text(max_size=8), JSON, max_size=4), path=st.text(max_size=8))
def test_no_fields_and_no_path_raise(data, path):
    fields = ItemFields({"system": path})
    fields.find("system", data)
    ItemFields().find("system", data)
    assert isinstance(fields.names(data), str)
    assert fields.resolve("i", data)[0]


def test_a_row_of_the_table_comes_before_the_items_own_fields(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("id,item,model\n7,s1,north\n", encoding="utf-8")
    fields = ItemFields.read({}, path)
    item, data = fields.resolve("7", {"model": "south", "item": "s2"})
    assert (item, fields.find("system", data)) == ("s1", "north")
    assert fields.resolve("8", {"model": "south"}) == ("8", {"model": "south"})


@pytest.mark.parametrize("name", ["items.json", "items.jsonl"])
def test_a_table_can_be_json(tmp_path, name):
    rows = [{"id": 1, "systems": ["x", "y"]}, {"id": 2, "systems": ["y", "z"]}]
    path = tmp_path / name
    lines = json.dumps(rows) if name == "items.json" else "\n".join(map(json.dumps, rows))
    path.write_text(lines, encoding="utf-8")
    assert ItemFields.read({}, path).resolve("2", {})[1]["systems"] == ["y", "z"]


@pytest.mark.parametrize("content", ["[1, 2]", "{", "[[]]"])
def test_a_table_that_is_not_one_is_refused(tmp_path, content):
    path = tmp_path / "items.json"
    path.write_text(content)
    with pytest.raises(FileError):
        ItemFields.read({}, path)


def test_a_role_that_does_not_exist_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match=r"'colour'.*system_a"):
        ItemFields.read({"colour": "x"}, None)
