"""Public judgments without a study, from the table to a page: they are told as far as known."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from rejudge.cli import main
from valid_html import faults

pytestmark = pytest.mark.slow
PUBLISHED = {
    "august2022_miltenburg2024": (
        "--scale",
        "1..4",
        "--duplicates",
        "repeat",
        "--inputs",
        "term_id",
    ),
    "hosking2021_arvan2025": (),
}


def run(*words: str | Path):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_table_has_a_valid_page_with_its_paragraphs(name, published, tmp_path):
    folder, _ = published(name)
    out = tmp_path / "out"
    analysed = run("analyse", folder / "judgments.csv", *PUBLISHED[name], "--out", out)
    assert analysed.exit_code == 0, analysed.output
    told = run("report", out)
    assert told.exit_code == 0, told.output
    page = (out / "report" / "index.html").read_text("utf-8")
    assert faults(page) == []
    assert "not planned beforehand" in page
    assert "were read from a table" in (out / "report" / "methods.md").read_text("utf-8")
    limits = (out / "report" / "limitations.md").read_text("utf-8")
    assert "No analysis was planned beforehand, so all results are exploratory." in limits
    assert "imulated" not in limits
