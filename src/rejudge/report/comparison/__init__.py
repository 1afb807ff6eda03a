"""A comparison told to people: tables and figures for papers, and one page of it all."""

from pathlib import Path

from rejudge.compare import Comparison
from rejudge.layout.latex import to_latex
from rejudge.layout.table import to_csv, to_markdown
from rejudge.report.comparison.figures import pictures
from rejudge.report.comparison.page import comparison_page
from rejudge.report.comparison.tables import comparison_sheets
from rejudge.report.drawing import Picture, picture_files
from rejudge.report.html import to_html

__all__ = ["Picture", "comparison_files", "comparison_page", "comparison_sheets", "pictures"]

_TABLES = (("csv", to_csv), ("tex", to_latex), ("md", to_markdown))


def comparison_files(
    comparison: Comparison, command: str = "", font: Path | None = None
) -> dict[str, bytes]:
    """Every table, every figure and the page, by the name of the file; `font` is for print."""
    tables = {
        f"tables/{sheet.name}.{ending}": write(sheet)
        for sheet in comparison_sheets(comparison)
        for ending, write in _TABLES
    }
    page = {"report/index.html": to_html(comparison_page(comparison, command))}
    texts = {name: text.encode("utf-8") for name, text in (tables | page).items()}
    return texts | picture_files(pictures(comparison), font=font)
