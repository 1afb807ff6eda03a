"""Results told to people: sentences, tables and figures on one page that needs nothing else."""

from rejudge.report.blocks import (
    Bars,
    Facts,
    Figure,
    Listing,
    Mark,
    Paragraph,
    Report,
    Section,
    Table,
)
from rejudge.report.build import build
from rejudge.report.html import to_html
from rejudge.report.sheet import Sheet, to_csv, to_latex
from rejudge.report.sheets import sheet_files, sheets

__all__ = [
    "Bars",
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
