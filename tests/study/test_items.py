"""Item files: every form gives the same items, every fault its line."""

from __future__ import annotations

import codecs
import csv
import io
import json
from datetime import datetime

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from item_files import items, problems, wide

from rejudge.study.items import read_items
from rejudge.study.model import Item
from small_study import minimal

SCRIPTS = (
    "ذهب الولد إلى المدرسة، ثم عاد.\u200f",  # Arabic with a right-to-left mark
    "👩\u200d🔬 and 🏳️\u200d🌈, 👍🏽",  # emoji joined without width, with a tone of skin
    "e\u0301 is not é; n\u0303; ﬁ; Å \u212b",  # combining signs and look-alikes: not normalised
    "他说：“你好。”\u3000（笑）",  # Chinese with full-width signs and an ideographic space
    "हिन्दी में क्षत्रिय; ภาษาไทย; 한국어 각",
    ' "quoted", with; separators\tand ends \n\r\n\r  kept ',
    "zero\u200bwidth, \ufeffmark inside, \u2028line separator, \x0bvertical tab",
)
BROAD = minimal(questions=[{"kind": "rating", "id": "q", "prompt": "?", "beside": ["reference"]}])


def as_csv(rows: list[list[str]], delimiter: str = ",") -> bytes:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return buffer.getvalue().encode()


def as_jsonl(rows: list[list[str]], **options: object) -> bytes:
    header, *body = rows
    lines = (json.dumps(dict(zip(header, row, strict=True)), **options) for row in body)
    return "\n".join(lines).encode()


# ── texts survive ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8], ids=["without mark", "with mark"])
@pytest.mark.parametrize("text", SCRIPTS)
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "escaped.jsonl"])
def test_texts_in_any_script_survive_unchanged(form, text, mark):
    rows = wide([(text, text, text, text)])
    content = {
        "csv": as_csv(rows),
        "tsv": as_csv(rows, "\t"),
        "jsonl": as_jsonl(rows, ensure_ascii=False),
        "escaped.jsonl": as_jsonl(rows),
    }[form]
    (item,) = read_items(mark + content, BROAD, file=f"items.{form}").items
    assert (item.input, item.reference, *item.outputs) == (text, text, text, text)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@given(st.lists(st.tuples(*[TEXT.filter(str.strip)] * 4), min_size=1, max_size=4))
def test_any_texts_come_back_from_every_form(texts):
    rows = wide(texts)
    forms = {"csv": as_csv(rows), "tsv": as_csv(rows, "\t"), "jsonl": as_jsonl(rows)}
    found = {
        form: [
            (i.input, i.reference, *i.outputs)
            for i in read_items(raw, BROAD, file=f"x.{form}").items
        ]
        for form, raw in forms.items()
    }
    assert found == dict.fromkeys(forms, texts)


@given(st.binary(max_size=80), st.sampled_from(["csv", "tsv", "jsonl"]))
def test_any_bytes_give_items_or_a_study_error(content, form):
    header = b"id,input,a,b\n" if form == "csv" else b""
    assert all(p.file == f"x.{form}" for p in problems(header + content, file=f"x.{form}"))


# ── forms ────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_left_out_has_its_usual_value():
    (item,) = items("id,input,a,b\none,Hi,x,y\n")
    assert item == Item(
        id="one", group="one", dataset="", input="Hi", reference=None, outputs=("x", "y"),
        language="en", line=2,
    )  # fmt: skip


def test_all_columns_are_read():
    text = "a,dataset,id,input,language,group,reference,b,notes\nx,d,one,Hi,zh,g,r,y,\n"
    (item,) = items(text)
    assert (item.dataset, item.language, item.group, item.reference) == ("d", "zh", "g", "r")


def test_long_and_wide_files_give_the_same_items():
    long = "id,input,dataset,system,output\n1,Hi,d,b,y\n2,,e,a,u\n1,,,a,x\n2,Ho,e,b,v\n"
    wide_ = "id,input,dataset,a,b\n1,Hi,d,x,y\n2,Ho,e,u,v\n"
    found = [(i.id, i.input, i.dataset, i.outputs) for i in items(long)]
    assert found == [(i.id, i.input, i.dataset, i.outputs) for i in items(wide_)]


def test_jsonl_takes_outputs_by_system_and_numbers_as_ids():
    spec = minimal(systems=[{"id": "a", "column": "System A"}, "b"])
    line = '{"id": 7, "input": "Hi", "score": 0.5, "outputs": {"a": "x", "b": "y", "c": "z"}}'
    (item,) = items(line, spec, "i.jsonl")
    assert (item.id, item.outputs) == ("7", ("x", "y"))


def test_jsonl_takes_rows_of_one_output_too():
    lines = '{"id": 1, "input": "Hi", "system": "b", "output": "y"}\n\n'
    lines += '{"id": 1, "system": "a", "output": "x"}\n'
    (item,) = items(lines, file="i.jsonl")
    assert (item.id, item.input, item.outputs) == ("1", "Hi", ("x", "y"))


def test_segments_given_as_a_list_are_joined_with_the_marker_of_the_question():
    spec = minimal(
        questions=[{"kind": "segments", "id": "q", "prompt": "?", "split": "marker", "marker": "|"}]
    )
    line = '{"id": "1", "input": "Hi", "a": ["One.", "Two. "], "b": "whole", "reference": ["R"]}'
    (item,) = items(line, spec, "i.jsonl")
    assert (item.outputs, item.reference) == (("One.|Two. ", "whole"), "R")


@pytest.mark.parametrize("segments", ['["x", ""]', '["x", 1]', '["x|y", "z"]'])
def test_segments_that_would_move_a_boundary_are_refused(segments):
    question = {"kind": "segments", "id": "q", "prompt": "?", "split": "marker", "marker": "|"}
    line = f'{{"id": "1", "input": "Hi", "a": {segments}, "b": "y"}}'
    (problem,) = problems(line, minimal(questions=[question]), "i.jsonl")
    assert "a segment of the" in problem.what


def test_a_text_longer_than_the_usual_limit_of_csv_is_read():
    text = "long " * 100_000
    assert items(f'id,input,a,b\n1,"{text}",x,y\n')[0].input == text


def test_no_input_is_needed_where_none_is_shown():
    spec = minimal(questions=[{"kind": "rating", "id": "q", "prompt": "?", "beside": []}])
    (item,) = items("id,a,b\n1,x,y\n", spec)
    assert item.input == ""


# ── faults ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id,input,a\n1,Hi,x\n", [(1, "column 'b'")]),
        ("name,text\n1,Hi\n", [(1, "no system has"), (1, "'id' is"), (1, "'input' is missing")]),
        ("id,input,A,B\n1,Hi,x,y\n", [(1, "column 'a'"), (1, "column 'b'")]),
        ("id,input,Dataset,a,b\n1,Hi,d,x,y\n", [(1, "'dataset' is missing")]),
        ("id,input,a,b,a\n1,Hi,x,y,z\n", [(1, "'a' occurs 2 times")]),
        ("id,input,a,b\n1,Hi,x\n2,Hi,x,y,z\n", [(2, "3 cells"), (3, "5 cells")]),
        ("id,input,a,b\n1,Hi,,y\n2,,x, \n", [(2, "'a' is empty"), (3, "'b' is"), (3, "input is")]),
        ("id,input,a,b\n1,Hi,x,y\n1,Hi,x,y\n1,Hi,x,y\n", [(3, "2 and 3"), (4, "2 and 4")]),
        ("id,input,a,b\n\x07,Hi,x,y\n", [(2, "control character")]),
        ("id,input,a,b\n@1,Hi,x,y\n/2,Hi,x,y\n", [(2, "begins with '@'"), (3, "begins with '/'")]),
        ("id,input,a,b\n 1,Hi,x,y\n1 ,Hi,x,y\n", [(2, "with a space"), (3, "with a space")]),
        (f"id,input,a,b\n{'x' * 101},Hi,x,y\n", [(2, "has 101 characters")]),
        ("id,input,language,a,b\n1,Hi,german,x,y\n", [(2, "'german'")]),
        ('id,input,a,b\n1,Hi,"x,y\n2,Hi,x,y\n', [(2, "never closed")]),
        ('id,input,a,b\n1,Hi,"x"x,y\n2,Hi,,y\n', [(2, "closing quote"), (3, "'a' is empty")]),
        ('id,"input,a,b\n1,Hi,x,y\n', [(1, "never closed")]),
        ("id,input,system,output\n1,Hi,a,x\n", [(2, "'1' has no output from 'b'")]),
        ("id,input,system,output\n1,Hi,a,\n1,Hi,b,y\n", [(2, "output is empty")]),
        ("id,input,system,output\n1,Hi,,x\n1,Hi,a,x\n1,Hi,b,y\n", [(2, "system is empty")]),
        ("id,input,system,output\n1,Hi,a,x\n1,Ho,b,y\n", [(3, "differs from the one on line 2")]),
        ("id,input,system,output\n1,Hi,a,x\n1,Hi,a,x\n1,Hi,b,y\n", [(3, "two outputs from 'a'")]),
        ("id,input,system,output\n1,Hi,A,x\n1,Hi,a,x\n1,Hi,b,y\n", [(2, "no system 'A'")]),
    ],
)  # fmt: skip
def test_every_fault_of_a_table_is_told_by_line(text, told):
    found = problems(text)
    assert [p.line for p in found] == [line for line, _ in told]
    assert [words for (_, words), p in zip(told, found, strict=True) if words not in p.what] == []
    assert all(p.remedy for p in found)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ("nonsense", "not JSON"),
        ("[]", "not an object"),
        ('"x"', "not an object"),
        ('{"id": "1", "id": "2"}', "'id' occurs twice"),
        ('{"id": "\\ud800"}', "not stand for a whole character"),
        ('{"id": "1", "x": ["\\u0000"]}', "not stand for a whole character"),
        ('{"id": ' + "9" * 5000 + "}", "too large"),
        ("[" * 100_000, "too large"),
        ('{"id": "1", "input": "Hi", "a": "x", "outputs": {"a": "x", "b": "y"}}', "given twice"),
        ('{"id": true, "input": "Hi", "a": "x", "b": "y"}', "the id is a truth value"),
        ('{"id": 1.5, "input": "Hi", "a": "x", "b": "y"}', "the id is a number"),
        ('{"id": null, "input": "Hi", "a": "x", "b": "y"}', "the id is empty"),
        ('{"id": "1", "input": {"x": 1}, "a": "x", "b": "y"}', "the input is an object"),
        ('{"id": "1", "input": ["x"], "a": "x", "b": "y"}', "the input is a list"),
        ('{"id": "1", "input": "Hi", "a": null, "b": "y"}', "'a' is empty"),
        ('{"id": "1", "input": "Hi", "a": false, "b": "y"}', "'a' is a truth value"),
        ('{"id": "1", "input": "Hi", "a": "x", "b": "y", "dataset": []}', "dataset is a list"),
        ('{"id": "1", "input": "Hi", "b": "y"}', "'a' is empty"),
    ],
)
def test_every_fault_of_a_json_line_is_told(line, words):
    sound = '{"id": "sound", "input": "Hi", "a": "x", "b": "y"}\n'
    (problem,) = problems(sound + line + "\n", file="i.jsonl")
    assert problem.line == 2
    assert words in problem.what
    assert problem.remedy


def test_a_missing_reference_is_told_where_a_question_shows_or_scores_it():
    shown = {"kind": "rating", "id": "q", "prompt": "?", "beside": ["reference"]}
    scored = {"kind": "segments", "id": "q", "prompt": "?", "unit": "reference"}
    text = "id,input,reference,a,b\n1,Hi,r,x,y\n2,Hi, ,x,y\n"
    assert [p.line for p in problems(text, minimal(questions=[shown]))] == [3]
    assert [p.line for p in problems(text, minimal(questions=[scored]))] == [3]
    assert problems(text) == []


def test_a_thousand_faults_are_told_by_the_first_twenty_and_a_number():
    rows = "".join(f"{n},Hi,,y\n" for n in range(1000))
    found = problems("id,input,a,b\n" + rows)
    assert len(found) == 21
    assert [p.line for p in found[:20]] == list(range(2, 22))
    assert "980 more problems" in found[20].what


@pytest.mark.slow
def test_fifty_thousand_rows_are_read_to_the_last():
    """How long that takes is in benchmarks/bench_plan.py."""
    row = "some words, of a text " * 5
    rows = [["id", "input", "dataset", "reference", "a", "b"]]
    rows += [[str(n), row, "d", row, row, row] for n in range(50_000)]
    found = read_items(as_csv(rows), minimal(), file="i.csv").items
    assert len(found) == 50_000
    assert (found[-1].id, found[-1].line, found[-1].outputs) == ("49999", 50_001, (row, row))


def workbook(*rows: list[object]) -> bytes:
    book, content = openpyxl.Workbook(), io.BytesIO()
    for row in (["id", "input", "a", "b"], *rows):
        book.active.append(row)
    book.save(content)
    return content.getvalue()


def test_numbers_in_a_workbook_are_the_texts_that_a_person_sees():
    (item,) = read_items(workbook([7, "6 × 7", 42, 0.5]), minimal(), file="i.xlsx").items
    assert (item.id, item.outputs) == ("7", ("42", "0.5"))


def test_a_date_in_a_workbook_is_no_text():
    """A spreadsheet makes one of 3/4; nobody judged a date."""
    found = problems(workbook(["1", "Hi", datetime(2024, 4, 3), "y"]), file="i.xlsx")  # noqa: DTZ001
    assert [(each.line, "is a date" in each.what) for each in found] == [(2, True)]
