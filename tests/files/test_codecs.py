"""Step files: what is written is read back, and whatever is wrong is said."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property_settings import examples
from rejudge.design.freeze import Frozen
from rejudge.design.plan import Batch, Expected, Plan, Task
from rejudge.errors import DataError, FileError
from rejudge.files.codecs import JsonCodec, format_json
from rejudge.files.step_files import check_fresh, read, read_stored, stale_reason, write

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
number = st.floats(allow_nan=False, allow_infinity=False) | st.none()
expected = st.builds(Expected, text, text | st.none(), text | st.none(), number, number)
tasks = st.builds(
    Task,
    text,
    text,
    st.lists(text, max_size=4).map(tuple),
    st.sampled_from(["real", "check", "repeat"]),
    text | st.none(),
    expected | st.none(),
    text | st.none(),
    text | st.none(),
)
batches = st.builds(
    Batch, text, st.lists(tasks, max_size=4).map(tuple), st.integers(1, 99), st.booleans()
)
plans = st.builds(
    Plan,
    text,
    st.integers(),
    st.sampled_from(["batch", "participant", "latin-square", "listed"]),
    st.integers(1, 9),
    st.lists(batches, max_size=3).map(tuple),
    st.dictionaries(text, text, max_size=3),
    st.dictionaries(text, st.lists(st.integers(0, 999), max_size=3).map(tuple), max_size=3),
    st.dictionaries(text, st.lists(text, max_size=3).map(tuple), max_size=3),
    st.lists(text, max_size=2).map(tuple),
)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=40,
)

SMALL = Plan(
    study="abc",
    seed=7,
    order="batch",
    batches_per_participant=1,
    batches=(
        Batch(
            "b1",
            (
                Task("b1-1", "i1", ("vae", "dips")),
                Task(
                    "b1-2",
                    "i2",
                    ("@reference:i3", "@reference"),
                    "check",
                    "gold",
                    Expected("meaning", best="b"),
                ),
            ),
            3,
        ),
    ),
    texts={"k": "كلمة 字 🙂"},
    segments={"i1/vae": (3, 9)},
    conflicts={},
    notes=("One side is shown once more.",),
)
CODEC = JsonCodec(Plan, "plan", "rejudge plan")


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "plan.json"


def written(path, plan=SMALL) -> dict:
    write(plan, path, made_from={"study": plan.study}, force=True)
    return json.loads(path.read_text(encoding="utf-8"))


def refused(path, content: bytes):
    """The problems of a plan.json with this content."""
    path.write_bytes(content)
    with pytest.raises(FileError) as error:
        read(Plan, path)
    assert {problem.file for problem in error.value.problems} == {str(path)}
    return error.value.problems


def refused_when(path, **changed: object):
    """The problems of a good plan.json with some keys of its content changed."""
    document = written(path)
    document["content"] |= changed
    return refused(path, json.dumps(document).encode())


@settings(max_examples=examples(50))
@given(plans, st.dictionaries(text, text, max_size=2))
def test_a_plan_is_read_back_as_it_was(plan, made_from):
    stored = CODEC.decode(CODEC.encode(plan, made_from), file="plan.json")
    assert stored.content == plan
    assert stored.made_from == made_from


@given(anything)
def test_a_layout_says_what_the_value_says(value):
    assert json.loads(format_json(value)) == value


@given(st.lists(st.dictionaries(text, text, max_size=3), min_size=1, max_size=4))
def test_each_row_stands_on_its_own_line(rows):
    """`{`, `"a": {`, `"b": [`, the rows, `]`, `}`, `}`."""
    lines = format_json({"a": {"b": rows}}).split("\n")
    assert [json.loads(line.removesuffix(",")) for line in lines[3:-3]] == rows


def test_marks_and_braces_in_a_text_do_not_break_a_row():
    rows = [{"a": "x},\x1e{y", "b": ["},{"]}, {"a": "\u2028"}]
    assert json.loads(format_json({"content": {"rows": rows}})) == {"content": {"rows": rows}}


def test_a_file_says_what_it_is_and_what_it_was_made_from(path):
    document = written(path)
    assert {key: document[key] for key in ("format", "kind", "made_from")} == {
        "format": 1,
        "kind": "plan",
        "made_from": {"study": "abc"},
    }
    assert set(document) == {"checksum", "content", "format", "kind", "made_from", "rejudge"}


def test_a_task_is_one_short_line(path):
    written(path)
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    assert '{"id":"b1-1","item":"i1","options":["vae","dips"]},' in lines


def test_texts_of_any_script_are_readable_in_the_file(path):
    written(path)
    assert "كلمة 字 🙂" in path.read_text(encoding="utf-8")


def test_the_same_plan_gives_the_same_bytes(path):
    written(path)
    first = path.read_bytes()
    turned = replace(SMALL, texts=dict(reversed(SMALL.texts.items())))
    written(path, turned)
    assert path.read_bytes() == first


def test_where_a_file_came_from_can_be_asked(path):
    written(path)
    assert read_stored(Plan, path).made_from == {"study": "abc"}


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", 1),
        (b"{", 1),
        (b'{\n "kind": "plan",\n "format" 1}', 3),
        (b"\xff\xfe", 1),
        (b"[" * 10_000, 1),
        (b'{"kind": "plan"} and more', 1),
    ],
)
def test_broken_json_is_refused_with_its_line(path, content, line):
    (problem,) = refused(path, content)
    assert "broken JSON" in problem.what
    assert problem.line == line
    assert "rejudge plan --force" in problem.remedy


@pytest.mark.parametrize("content", [b"[]", b"3", b"null", b"{}", b'{"kind": "plan"}'])
def test_other_json_is_no_step_file(path, content):
    (problem,) = refused(path, content)
    assert "not a step file" in problem.what


def test_another_kind_of_file_is_refused(path):
    (problem,) = refused(path, b'{"kind": "results", "format": 1}')
    assert "kind 'results', not 'plan'" in problem.what


@pytest.mark.parametrize("number", [0, 2, -1, True, "one", None])
@pytest.mark.parametrize("rest", [{}, {"made_from": {}, "rejudge": "9", "content": {"new": 1}}])
def test_a_file_of_another_format_is_refused_whatever_it_contains(path, number, rest):
    (problem,) = refused(path, json.dumps({"kind": "plan", "format": number, **rest}).encode())
    assert problem.what == f"this file has format {number}; this version of rejudge reads 1."


def test_a_file_of_another_format_is_refused_even_if_it_could_be_read(path):
    document = written(path) | {"format": 2}
    (problem,) = refused(path, json.dumps(document).encode())
    assert problem.what.startswith("this file has format 2;")


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"seed": "7"}, "content.seed"),
        ({"seed": 7.5}, "content.seed"),
        ({"seed": True}, "content.seed"),
        ({"order": "random"}, "content.order"),
        ({"batches": {}}, "content.batches"),
        ({"batches": [[]]}, "content.batches.0"),
        ({"texts": {"k": 3}}, "content.texts.k"),
        ({"segments": {"k": ["3"]}}, "content.segments.k.0"),
        ({"notes": "none"}, "content.notes"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(path, changed, field):
    (problem,) = refused_when(path, **changed)
    assert problem.field == field
    assert "but found" in problem.what


def test_an_unknown_key_is_refused(path):
    (problem,) = refused_when(path, colour="red")
    assert (problem.field, problem.what) == ("content.colour", "this key is unknown.")


def test_an_unknown_key_deep_inside_is_refused(path):
    batch = {
        "id": "b",
        "participants": 1,
        "tasks": [{"id": "t", "item": "i", "options": [], "x": 1}],
    }
    (problem,) = refused_when(path, batches=[batch])
    assert problem.field == "content.batches.0.tasks.0.x"


def test_missing_keys_are_told_all_at_once(path):
    document = written(path)
    del document["content"]["seed"], document["content"]["batches"], document["made_from"]
    problems = refused(path, json.dumps(document).encode())
    assert {problem.field for problem in problems} == {
        "content.seed",
        "content.batches",
        "made_from",
    }
    assert {problem.what for problem in problems} == {"this key is missing."}


def test_many_faults_are_counted_not_listed(path):
    problems = refused_when(path, notes=list(range(25)))
    assert len(problems) == 11
    assert "15 more" in problems[-1].what


def test_no_number_is_not_a_number(path):
    content = json.dumps(written(path)).replace('"seed": 7', '"seed": NaN').encode()
    (problem,) = refused(path, content)
    assert problem.field == "content.seed"


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_record_with_a_number_that_is_not_finite_is_refused(tmp_path, number):
    """Parts of a record may hold any JSON, which the types of other files do not allow."""
    path = tmp_path / "frozen.json"
    write(a_record(), path, made_from={}, force=False)
    path.write_bytes(
        path.read_bytes().replace(b'"spec": {}', f'"spec": {{"x": {number}}}'.encode())
    )
    with pytest.raises(FileError, match="NaN or infinite") as refused:
        read(Frozen, path)
    assert refused.value.problems[0].file == str(path)


def test_a_file_that_is_not_there_names_its_command(path):
    with pytest.raises(FileError, match="rejudge plan") as error:
        read(Plan, path)
    assert error.value.problems[0].file == str(path)


def test_a_folder_is_no_file(path):
    path.mkdir()
    with pytest.raises(FileError, match="this is a folder, not a file"):
        read(Plan, path)


def test_what_is_no_step_is_refused_with_the_known_ones(path):
    with pytest.raises(DataError, match="Frozen, Judgments, LookLog, Plan, PlannedPower, Results"):
        write({}, path, made_from={}, force=True)


def a_record() -> Frozen:
    return Frozen(
        at=datetime(2026, 5, 1, tzinfo=UTC),
        study="s",
        plan="p",
        spec={},
        analysis={},
        claims=[],
        items="i",
        item_hashes={},
        page_hashes={},
        parts={},
        previous=None,
        hash="0" * 64,
    )


def test_a_record_that_was_altered_is_noticed_when_read(tmp_path):
    path = tmp_path / "frozen.json"
    write(a_record(), path, made_from={}, force=False)
    with pytest.raises(FileError, match="does not match its hash"):
        read(Frozen, path)


def test_a_file_that_was_edited_is_refused_with_its_remedy(path):
    (problem,) = refused_when(path, seed=8)
    assert problem.what.startswith("this file was edited after rejudge wrote it")
    assert "`rejudge plan … --force`" in problem.remedy


@pytest.mark.parametrize("key", ["made_from", "rejudge"])
def test_the_checksum_covers_the_head_of_a_file(path, key):
    document = written(path)
    document[key] = {"study": "other"} if key == "made_from" else "9.9"
    (problem,) = refused(path, json.dumps(document).encode())
    assert "was edited" in problem.what


def test_a_file_may_be_laid_out_in_another_way(path):
    """Line ends of Windows, other indents and escapes, another order of keys."""
    document = written(path)
    turned = dict(reversed(document.items()))
    text = json.dumps(turned, indent=7, ensure_ascii=True).replace("\n", "\r\n")
    path.write_bytes(text.encode())
    assert read(Plan, path) == SMALL


def test_a_file_needs_its_checksum(path):
    document = written(path)
    del document["checksum"]
    (problem,) = refused(path, json.dumps(document).encode())
    assert (problem.field, problem.what) == ("checksum", "this key is missing.")


@settings(max_examples=examples(50))
@given(plans)
def test_what_was_just_written_counts_as_unedited(plan):
    assert CODEC.decode(CODEC.encode(plan, {}), file="plan.json").is_edited is False


def test_a_plan_of_its_own_study_is_fresh(own):
    plan, study = own
    assert check_fresh(plan, study) is None


def test_a_plan_of_another_state_of_the_study_is_stale(own):
    plan, study = own
    problem = check_fresh(replace(plan, study="0" * 16), study)
    assert problem.file == "plan.json"
    assert "an earlier version of the study" in problem.what
    assert "rejudge plan" in problem.remedy


def test_what_a_file_does_not_name_does_not_make_it_stale():
    assert stale_reason({"study": "a"}, {"study": "a", "plan": "b"}, file="f", remedy="") is None


def test_everything_that_changed_is_named():
    made_from = {"study": "a", "plan": "b", "items": "c"}
    now = {"study": "x", "plan": "y", "items": "c"}
    problem = stale_reason(made_from, now, file="results.json", remedy="Analyse again.")
    assert problem.what == "this was made from an earlier version of the study and the plan."
