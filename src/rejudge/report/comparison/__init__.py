"""The page and the figures of a comparison."""

from pathlib import Path

from rejudge.arguments import explain_arguments
from rejudge.compare import Comparison
from rejudge.report.blocks import to_html
from rejudge.report.comparison.figures import pictures
from rejudge.report.comparison.page import comparison_page
from rejudge.report.drawing import Picture, picture_files
from rejudge.tables import comparison_tables, table_files

__all__ = ["Picture", "comparison_files", "comparison_page", "pictures"]


def comparison_files(
    comparison: Comparison, command: str = "", font: Path | None = None
) -> dict[str, bytes]:
    """Every table, every figure and the page, by the name of the file; `font` is for print."""
    return {
        **table_files(comparison_tables(comparison)),
        "report/index.html": to_html(comparison_page(comparison, command)).encode("utf-8"),
        **picture_files(pictures(comparison), font=font),
    }


explain_arguments(__name__)
