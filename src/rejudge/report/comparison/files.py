"""All files of a comparison."""

from pathlib import Path

from rejudge.compare.comparison import Comparison
from rejudge.report.blocks import to_html
from rejudge.report.comparison.figures import pictures
from rejudge.report.comparison.page import comparison_page
from rejudge.report.drawing.picture import picture_files
from rejudge.tables.comparison import comparison_tables
from rejudge.tables.results import table_files


def comparison_files(
    comparison: Comparison, command: str = "", font: Path | None = None
) -> dict[str, bytes]:
    """Every table, every figure and the page, by the name of the file; `font` is for print."""
    return {
        **table_files(comparison_tables(comparison)),
        "report/index.html": to_html(comparison_page(comparison, command)).encode("utf-8"),
        **picture_files(pictures(comparison), font=font),
    }
