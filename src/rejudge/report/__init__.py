"""Results told to people: sentences, tables and figures on one page that needs nothing else."""

from rejudge.report.blocks import Facts, Figure, Listing, Mark, Paragraph, Report, Section, Table
from rejudge.report.build import build
from rejudge.report.html import to_html

__all__ = [
    "Facts",
    "Figure",
    "Listing",
    "Mark",
    "Paragraph",
    "Report",
    "Section",
    "Table",
    "build",
    "to_html",
]
