"""Ratings of one output, and items that make no study."""

from __future__ import annotations

from pathlib import Path

import pytest

import mturk_files as files
from rejudge.errors import FileError
from rejudge.exchange.mturk import FORMAT


def test_ratings_of_one_output_become_a_study(tmp_path: Path) -> None:
    rows = files.rating_rows()
    sent = [
        (n, f"A{w}00WORKER{w}", {"fluency": str(1 + (n + w) % 5)})
        for n in range(8)
        for w in range(2)
    ]
    paths = files.put(
        tmp_path,
        layout_html=files.RATING_LAYOUT,
        input_csv=files.table(rows),
        results_csv=files.table(files.results(rows, sent, wanted=2)),
    )
    found = FORMAT.read(paths, study=None, plan=None)
    study, plan = files.study_of(found)
    assert [(q.kind, q.bounds) for q in study.spec.questions] == [("rating", (1.0, 5.0))]
    assert study.spec.questions[0].prompt == "How fluent is it?"
    assert study.system_ids == ("System-One", "two")
    assert len(plan.batches) == 8
    assert len(found.judgments) == 16


def test_items_that_lack_a_system_still_give_judgments(tmp_path: Path) -> None:
    rows = files.rating_rows()[:-1]
    sent = [(n, "A100WORKER1", {"fluency": "3"}) for n in range(7)]
    paths = files.put(tmp_path, layout_html=files.RATING_LAYOUT, input_csv=files.table(rows),
                results_csv=files.table(files.results(rows, sent, wanted=1)))  # fmt: skip
    found = FORMAT.read(paths, study=None, plan=None)
    assert "study.yaml" not in found.files
    assert any("no study was written" in note for note in found.notes)
    assert {(r.item, r.system) for r in found.judgments.rows()} == {
        (row["id"], {"System One": "System-One"}.get(row["model"], row["model"])) for row in rows
    }


def test_an_item_with_two_inputs_is_an_error(tmp_path: Path) -> None:
    rows = files.hits(1, 6)
    rows[0]["ix1"] = rows[0]["ix0"]
    rows[0]["input1"] = "another"
    rows[0]["dataset1"] = rows[0]["dataset0"]
    for i in (0, 1):
        rows[0][f"systema{i}"], rows[0][f"systemb{i}"] = "vae", "lbow"
    paths = files.put(tmp_path, layout_html=files.layout(8), input_csv=files.table(rows))
    with pytest.raises(FileError, match="differs between HITs"):
        FORMAT.read(paths, study=None, plan=None)
