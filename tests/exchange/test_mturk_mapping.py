"""What fields mean, from a mapping file or from their names."""

from __future__ import annotations

from pathlib import Path

import pytest

import mturk_files as files
from rejudge.errors import FileError
from rejudge.exchange.mturk import FORMAT


def test_fields_that_cannot_be_recognised_are_listed_with_a_remedy(tmp_path: Path) -> None:
    rows = [{"foo": "x", "bar": "y"}]
    (path,) = files.put(
        tmp_path, results_csv=files.table(files.results(rows, [(0, "A1", {"q": "1"})]))
    )
    with pytest.raises(FileError, match="foo, bar") as error:
        FORMAT.read([path], study=None, plan=None)
    assert "mapping file" in error.value.problems[0].remedy


def test_a_mapping_file_names_what_names_do_not_say(tmp_path: Path) -> None:
    rows = [{"foo": f"x{n}", "bar": who, "key": f"k{n}"} for n in range(2) for who in "st"]
    sent = [(n, "A100W", {"q": word}) for n, word in enumerate(["good", "bad", "bad", "good"])]
    mapping = (
        "outputs: [foo]\nsystems: [bar]\nitem: key\nid: mapped\n"
        "questions: {q: {id: quality, kind: rating, prompt: Good, values: {good: 2, bad: 1}}}\n"
        "criteria: {approval_percent: 96, previous_submissions: 5000, regions: [US, GB]}\n"
    )
    paths = files.put(
        tmp_path, results_csv=files.table(files.results(rows, sent, wanted=1)), map_yaml=mapping
    )
    found = FORMAT.read(paths, study=None, plan=None)
    study, _ = files.study_of(found)
    assert sorted((r.item, r.system, r.value) for r in found.judgments.rows()) == [
        ("k0", "s", 2.0), ("k0", "t", 1.0), ("k1", "s", 1.0), ("k1", "t", 2.0),
    ]  # fmt: skip
    assert study.spec.recruitment.approval_percent == 96
    assert study.spec.questions[0].id == "quality"


def test_faults_of_a_mapping_file_are_named(tmp_path: Path) -> None:
    results = files.table(files.results([{"a": "x"}], [(0, "A1", {"q": "1"})]))
    paths = files.put(tmp_path, results_csv=results, map_yaml="outputz: [foo]\n")
    with pytest.raises(FileError, match="outputz"):
        FORMAT.read(paths, study=None, plan=None)


def test_entities_stay_where_the_mapping_says_so(tmp_path: Path) -> None:
    rows = files.hits(1, 6)
    paths = files.put(tmp_path, layout_html=files.layout(8), input_csv=files.table(rows),
                map_yaml="unescape: false\n")  # fmt: skip
    found = FORMAT.read(paths, study=None, plan=None)
    assert b"&#44;" in found.files["items.csv"]
