"""All files of a comparison."""

from rejudge.compare.comparison import Comparison
from rejudge.report.blocks import to_html
from rejudge.report.comparison.page import comparison_page
from rejudge.report.figures.comparison import comparison_pictures
from rejudge.report.figures.registry import SVG_ONLY, Formats, picture_files
from rejudge.tables.comparison import comparison_tables
from rejudge.tables.results import table_files


def comparison_files(
    comparison: Comparison, command: str = "", formats: Formats = SVG_ONLY
) -> dict[str, bytes]:
    """Every table, every figure and the page, by the name of the file."""
    pictures = comparison_pictures(comparison)  # each is drawn once
    page = comparison_page(comparison, command, pictures)
    return {
        **table_files(comparison_tables(comparison)),
        "report/index.html": to_html(page).encode("utf-8"),
        **picture_files(pictures, formats),
    }
