"""YAML as values with lines."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import StudyError
from rejudge.study.yaml_file import YamlFile, field_name, read_yaml


def written(text: str) -> YamlFile:
    return read_yaml(text, file="study.yaml")


def test_every_value_knows_its_line():
    found = written("a: 1\nb:\n  - x\n  - c: 2\n    d: >\n      long\n      text\ne: {f: 3}\n")
    assert found.lines[("a",)] == 1
    assert found.lines[("b",)] == 2
    assert found.lines[("b", 0)] == 3
    assert found.lines[("b", 1)] == 4
    assert found.lines[("b", 1, "d")] == 5
    assert found.lines[("e", "f")] == 8


def test_what_is_missing_has_the_line_of_what_is_around_it():
    found = written("a: 1\nb:\n  c:\n    d: 2\n")
    assert found.line(("b", "c", "absent", 3)) == 3
    assert found.line(("absent",)) == 1


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("5", 5),
        ("-3", -3),
        ("0.5", 0.5),
        (".5", 0.5),
        ("1e3", 1000.0),  # a text in YAML 1.1, which nobody expects
        ("1:30", "1:30"),  # 90 in YAML 1.1
        ("010", 10),  # 8 in YAML 1.1
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("2024-01-31", "2024-01-31"),  # a date in YAML 1.1
        ("true", True),
        ("No", False),
        ("ON", True),
        ("~", None),
        ("null", None),
        ("-.inf", -math.inf),
        ("=", "="),
        ("1.2.3", "1.2.3"),
        ("'5'", "5"),
        ('"no"', "no"),
        ("|\n  no", "no"),
        ("٣", "٣"),  # a digit, but not one that YAML counts with
        ("9" * 5000, float("inf")),  # no whole number that long is meant
    ],
)
def test_a_word_stands_for_what_most_people_expect(word, value):
    found = written(f"key: {word}").values["key"]
    assert (found, type(found)) == (value, type(value))


def test_keys_are_text_as_written():
    """The Norway problem does not touch keys: `no: …` is about “no”."""
    assert written("no: 1\n5: 2\n1.50: 3\n").values == {"no": 1, "5": 2, "1.50": 3}


def test_the_word_as_written_is_kept_for_messages():
    assert written("version: 1.10\nquoted: '1.10'\n").words == {("version",): "1.10"}


def test_all_duplicate_keys_are_told_with_both_lines_and_the_first_counts():
    found = written("a: 1\nb: 2\na: 3\nc: {d: 1, d: 2}\nb: [4]\n")
    assert found.values == {"a": 1, "b": 2, "c": {"d": 1}}
    assert [(p.line, p.field) for p in found.problems] == [(3, "a"), (4, "c.d"), (5, "b")]
    assert "on lines 1 and 3" in found.problems[0].what


def test_one_and_one_point_zero_are_the_same_key():
    assert len(written("labels: {1: a, 1.0: b}").problems) == 1


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("", None, "empty"),
        ("# only a comment\n", None, "empty"),
        ("---\n", None, "empty"),
        ("just words", 1, "no keys"),
        ("- a\n- b", 1, "no keys"),
        ("a: 1\nb: &x 2\n", 2, "anchor"),
        ("a: 1\nb: *a\n", 2, "alias"),
        ("a: !!python/object:os.system 1\n", 1, "tag"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("a:\n\tb: 1\n", 2, "tab"),
        ("a: 1\n? [x, y]\n: 2\n", 2, "where a key is expected"),
        ("a: 'open\nb: 1\n", 1, "never closed"),
        ('a: "open\nb: 1\n', 1, "never closed"),
        ("a: 1\nb: [1, 2\nc: 3\n", 2, "bracket"),
        ("a: @home\n", 1, "reserved in YAML"),
        ('a: "\\q"\n', 1, "backslash"),
        ("a: *bold* words\n", 1, "special meaning"),
        ("a: - b\n", 1, "not YAML"),
        ("a: one\nb: \x07\n", 2, "U+0007"),
        ('a: "\\ud83d"\n', 1, "half of a character"),
        ("a:\n  b: 1\n c: 2\n", 3, "indented"),
        ("a: b: c\n", 1, "': '"),
        ("a: 'x' y\n", 1, "text after the end"),
        ("a: [\n", 2, "closing bracket is missing"),
    ],
)
def test_what_cannot_be_read_is_one_problem_with_its_line_and_a_remedy(text, line, word):
    with pytest.raises(StudyError) as caught:
        written(text)
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("study.yaml", line)
    assert word in problem.what
    assert problem.remedy


def test_a_billion_laughs_are_refused_at_the_first_alias():
    bomb = "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(50))
    with pytest.raises(StudyError, match="anchor"):
        written(bomb)


def test_nesting_without_end_is_refused_without_a_crash():
    with pytest.raises(StudyError, match="nested more than 20 deep"):
        written("a: " + "[" * 20_000)


def test_an_emoji_written_as_two_escapes_is_one_character():
    assert written('a: "\\ud83d\\ude00"').values["a"] == "😀"


def test_a_path_is_written_as_people_write_it():
    assert field_name(("questions", 2, "points")) == "questions[2].points"
    assert field_name(()) is None


@given(st.text(max_size=60))
def test_any_text_gives_values_or_one_study_error(text):
    try:
        assert isinstance(written(text).values, dict)
    except StudyError as error:
        assert len(error.problems) == 1  # noqa: PT017 - either outcome is right


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30))
def test_a_quoted_text_survives_unchanged(text):
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    quoted = "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)
    assert written(f'a: "{quoted}"').values["a"] == text


# Each is read differently by the parser of PyYAML in C.
PECULIAR = (
    "a: b\t", "{x?a: 1}", "[a?b]", "a: |#x", "\n---\na:", "a: 1\n\ufeff", "{?\n\n}",
    "a: x\u2028b: 2",
)  # fmt: skip


@given(
    st.lists(
        st.sampled_from([*"abc:-?{}[],#&*!|>'\"%@\\ \t\n1", ": ", "\n- ", "\n  ", "é", *PECULIAR])
    ).map("".join)
)
def test_both_parsers_of_yaml_give_the_same(text):
    """The one in C is used where PyYAML has it, and must not be noticed."""
    with pytest.MonkeyPatch.context() as patched:
        found = outcome(text)
        patched.delattr("yaml.CSafeLoader", raising=False)
        assert found == outcome(text)


@pytest.mark.parametrize("text", PECULIAR)
def test_texts_that_the_parser_in_c_reads_differently_are_read_as_without_it(text, monkeypatch):
    found = outcome(text)
    monkeypatch.delattr("yaml.CSafeLoader", raising=False)
    assert found == outcome(text)


def outcome(text: str) -> object:
    try:
        return repr(written(text))
    except StudyError as error:
        return str(error)
