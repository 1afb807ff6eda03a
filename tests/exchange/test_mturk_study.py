"""Ratings of one output, and items that make no study."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import mturk_files as files
from layout_sites import page
from rejudge.errors import FileError
from rejudge.exchange.formats import Imported
from rejudge.exchange.mturk import FORMAT
from rejudge.study.page_layout import render_layout


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


QUESTIONS = ("meaning",)


def read(tmp_path: Path, layout: str, rows: list[dict[str, str]], mapping: str = "") -> Imported:
    more = {"mapping_yaml": mapping} if mapping else {}
    paths = files.put(tmp_path, layout_html=layout, input_csv=files.table(rows), **more)
    return FORMAT.read(paths, study=None, plan=None)


def site_of(found: Imported) -> dict[str, object]:
    site = yaml.safe_load(found.files["study.yaml"])["site"]
    assert isinstance(site, dict)
    return site


def test_the_layout_is_kept_as_it_is_and_described(tmp_path: Path) -> None:
    html = files.layout(8, QUESTIONS)
    found = read(tmp_path, html, files.hits(2, 6))
    assert found.files["pages/layout.html"].decode() == html
    assert site_of(found)["layout"] == {
        "file": "pages/layout.html",
        "numbered": True,
        "outputs": ["outputa", "outputb"],
        "input": "input",
        "dataset": "dataset",
        "fields": [{"name": "meaning", "question": "meaning", "answers": {"A": "a", "B": "b"}}],
    }
    study, _ = files.study_of(found)
    assert study.layout is not None


def rows_of(**columns: str) -> list[dict[str, str]]:
    return [
        {"systema": "x", "systemb": "y", "ix": str(n), "input": "In", "outputa": f"A {n}",
         "outputb": f"B {n}", **{k: v.replace("{n}", str(n)) for k, v in columns.items()}}
        for n in range(3)
    ]  # fmt: skip


ONE = (
    "<p>${task}: ${input}</p><p>${outputa}</p><p>${outputb}</p>"
    '<input type="radio" name="q" value="1"><input type="radio" name="q" value="2">'
)


def test_what_is_the_same_in_every_hit_is_filled_in(tmp_path: Path) -> None:
    found = read(tmp_path, ONE, rows_of(task="Rate <b> & ${input}"))
    kept = found.files["pages/layout.html"].decode()
    assert kept.startswith("<p>Rate &lt;b&gt; &amp; $<!-- -->{input}: ${input}</p>")
    study, _ = files.study_of(found)
    assert study.layout is not None
    assert study.layout.placeholders == ("input", "outputa", "outputb")
    shown = render_layout(study.layout, {"input": "In", "outputa": "", "outputb": ""})
    assert "<p>Rate &lt;b&gt; &amp; ${input}: In</p>" in shown


def test_a_layout_that_shows_something_else_is_not_used_and_the_reason_is_given(
    tmp_path: Path,
) -> None:
    found = read(tmp_path, ONE, rows_of(task="Task {n}"))
    assert "pages/layout.html" not in found.files
    assert "site" not in yaml.safe_load(found.files["study.yaml"])
    assert any("not on the original's" in note and "${task}" in note for note in found.notes)


def test_markup_in_texts_is_pointed_out_and_can_be_shown(tmp_path: Path) -> None:
    html = page([0, 1])
    rows = [
        {f"{k}{n}": v for n in range(2) for k, v in
         {"systema": "x", "systemb": "y", "ix": str(n), "input": "one<br>two &lt;b&gt;",
          "outputa": f"A {n}", "outputb": f"B {n}"}.items()}
    ]  # fmt: skip
    found = read(tmp_path, html, rows)
    assert any("Texts of input have markup such as <br>" in note for note in found.notes)
    mapped = read(tmp_path, html, rows, "html: [input]\n")
    assert not any("markup" in note for note in mapped.notes)
    layout = site_of(mapped)["layout"]
    assert isinstance(layout, dict)
    assert layout["html"] == ["input"]
    preview = mapped.files["layout_preview.html"].decode()
    assert "one&lt;br&gt;two &amp;lt;b&amp;gt;" in preview
    study, _ = files.study_of(mapped)
    assert study.items[0].input == "one<br>two &lt;b&gt;"


def scale(name: str, below: str, *, more: str = "", fourth: str = "4") -> str:
    """A scale of seven points as labs wrote it, with its question below and 4 chosen."""
    radios = "".join(
        f'<label><input type="radio" name="{name}" value="{fourth if n == 4 else n}"'
        f"{' checked' if n == 4 else ''}> {n}</label>"
        for n in range(1, 8)
    )
    return (
        f'<div class="group" {more}><label>{name}</label><div><label>Very bad</label>{radios}'
        f"<label>Very good</label></div><span>{below}</span></div>"
    )


@pytest.fixture
def lab_files(tmp_path: Path) -> list[Path]:
    layout = (
        "<h3>Text</h3><p>${text}</p>"
        + scale("grammar", "Is it grammatical?", more='style="display: none"', fourth="None")
        + scale("clarity", "Is it clear?")
    )
    rows = [
        {"id": str(n), "system": system, "text": f"<span/>{system} {n}"}
        for n in range(3)
        for system in ("one", "two")
    ]
    return files.put(
        tmp_path,
        layout_html=layout,
        input_csv=files.table(rows),
        mapping_yaml="html: [text]\n",
    )


def test_a_question_has_the_words_and_labels_of_its_own_field(lab_files: list[Path]) -> None:
    found = FORMAT.read(lab_files, study=None, plan=None)
    study, _ = files.study_of(found)
    (asked,) = study.spec.questions
    assert (asked.id, asked.prompt) == ("clarity", "Is it clear?")
    assert asked.labels_by_value == {1: "Very bad", 7: "Very good"}
    assert "clarity (rating): “Is it clear?” (1 = Very bad, 7 = Very good)" in found.notes


def test_an_import_says_what_was_chosen_hidden_or_repaired(lab_files: list[Path]) -> None:
    found = FORMAT.read(lab_files, study=None, plan=None)
    said = "\n".join(found.notes)
    assert "Chosen in advance on the original page: grammar = None, clarity = 4." in said
    assert "Hidden on the original page, and not asked here: grammar." in said
    assert "Repaired in texts of text, which may look different: <span/> closes nothing" in said
    assert found.unmapped == ("grammar: its answers are not numbers, such as “None”",)


def test_an_import_says_which_questions_the_page_hides(tmp_path: Path) -> None:
    style = "<style>.panel { display: none }</style>"
    rows = files.hits(1, 6)
    paths = files.put(tmp_path, layout_html=style + page(range(8)), input_csv=files.table(rows))
    found = FORMAT.read(paths, study=None, plan=None)
    assert any(
        note.startswith("Hidden on the original page, perhaps until a script showed them: meaning.")
        for note in found.notes
    )
