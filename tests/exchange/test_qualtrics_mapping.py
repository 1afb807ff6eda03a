"""What the columns of somebody else's survey mean."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from qualtrics_files import (
    answered,
    export,
    random_answers,
    session,
    write,
)
from rejudge.design.draw import draw
from rejudge.errors import FileError
from rejudge.exchange.qualtrics import FORMAT
from rejudge.judgments.table import Judgment, Judgments
from small_study import FILES, parse_files

MAPPING = "tag,item,question,system\nQ1,one,fluency,vae\nQ2,one,fluency,dips\n"


def test_a_mapping_file_explains_somebody_elses_survey(tmp_path: Path) -> None:
    row = session("001", {"Q1": "4", "Q2": "2 – poor", "Q9": "a comment"}, number=1)
    mapping = tmp_path / "mapping.csv"
    mapping.write_text(MAPPING)
    imported = FORMAT.read([write(tmp_path, export([row])), mapping], study=None, plan=None)
    assert {(r.item, r.system, r.value) for r in imported.judgments.rows()} == {
        ("one", "vae", 4.0), ("one", "dips", 2.0),
    }  # fmt: skip
    assert imported.unmapped == ("Q9 (1 answer)",)


def test_choice_texts_are_read_by_the_choices_of_the_mapping(tmp_path: Path) -> None:
    row = session("001", {"Q1": "Very good", "Q2": "Awful"}, number=1)
    mapping = tmp_path / "mapping.csv"
    mapping.write_text(
        "tag,item,question,system,choices\nQ1,one,q,s,Very good=5|Bad=1\nQ2,one,q,t,Bad=1\n"
    )
    imported = FORMAT.read([write(tmp_path, export([row])), mapping], study=None, plan=None)
    assert [r.value for r in imported.judgments.rows()] == [5.0]
    assert [r.value for r in imported.rejected] == ["Awful"]


def test_tags_that_name_item_and_system_need_no_mapping(tmp_path: Path) -> None:
    row = session("001", {"one__vae__fluency": "4", "one__dips__fluency": "3"}, number=1)
    imported = FORMAT.read([write(tmp_path, export([row]))], study=None, plan=None)
    assert {(r.system, r.question, r.value) for r in imported.judgments.rows()} == {
        ("vae", "fluency", 4.0), ("dips", "fluency", 3.0),
    }  # fmt: skip


def test_a_survey_that_nobody_explains_is_refused_with_its_columns(tmp_path: Path) -> None:
    file = write(tmp_path, export([session("001", {"Q1": "4"}, number=1)]))
    with pytest.raises(FileError, match="Q1") as error:
        FORMAT.read([file], study=None, plan=None)
    assert "mapping file" in error.value.problems[0].remedy


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tag,item,question,system\nQ1,,fluency,vae\n", "`item` is empty"),
        ("tag,item,question,system\nQ1,one,fluency,\n", "needs a `system`"),
        ("tag,item,question,system\nQ1,a,f,v\nQ1,b,f,v\n", "listed twice"),
        ("tag,item,question,system,kind\nQ1,a,f,v,odd\n", "`kind` must be"),
    ],
)
def test_faults_of_a_mapping_file_are_named(tmp_path: Path, text: str, said: str) -> None:
    mapping = tmp_path / "mapping.csv"
    mapping.write_text(text)
    file = write(tmp_path, export([session("001", {"Q1": "4"}, number=1)]))
    with pytest.raises(FileError, match=said):
        FORMAT.read([file, mapping], study=None, plan=None)


def test_the_manifest_alone_reads_the_survey_without_the_study(
    tmp_path: Path,
) -> None:
    pair = parse_files(FILES)
    plan = draw(pair)
    answers = random_answers(pair, plan, plan.batches[0].id, "001", seed=5)
    manifest = tmp_path / "manifest.csv"
    manifest.write_bytes(FORMAT.write(pair, plan, people=()).files["manifest.csv"])
    file = write(tmp_path, export([session("001", answered(pair, plan, answers), number=1)]))
    alone = FORMAT.read([file, manifest], study=None, plan=None).judgments
    whole = FORMAT.read([file], study=pair, plan=plan).judgments

    def said(judgments: Judgments) -> Counter[object]:
        return Counter((r.item, r.question, r.kind, *_outcome(r)) for r in judgments.rows())

    assert said(alone) == said(whole)


def _outcome(row: Judgment) -> tuple[object, ...]:
    """What a judgment says, whichever of two systems is named first."""
    if row.system is not None:
        return row.system, row.value
    return (frozenset({(row.system_a, row.value == "a"), (row.system_b, row.value == "b")}),)
