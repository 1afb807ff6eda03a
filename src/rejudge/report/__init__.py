"""Results told to people: sentences, tables and figures on one page that needs nothing else."""

from rejudge.report.blocks import Facts, Figure, Listing, Mark, Paragraph, Report, Section, Table
from rejudge.report.build import build
from rejudge.report.html import to_html
from rejudge.report.sheets import Sheet, sheet_files, sheets, to_csv, to_latex

__all__ = [
    "Facts",
    "Figure",
    "Listing",
    "Mark",
    "Paragraph",
    "Report",
    "Section",
    "Sheet",
    "Table",
    "build",
    "sheet_files",
    "sheets",
    "to_csv",
    "to_html",
    "to_latex",
]
