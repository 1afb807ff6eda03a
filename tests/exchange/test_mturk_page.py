"""The layout of a past study becomes the page on which participants answer."""

from __future__ import annotations

from pathlib import Path

import yaml

import mturk_files as files
from layout_sites import page
from rejudge.exchange.formats import Imported
from rejudge.exchange.mturk import FORMAT
from rejudge.study import render_layout

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
