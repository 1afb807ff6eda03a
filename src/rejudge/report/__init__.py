"""Reports for people: sentences, tables and figures on one self-contained page."""

from rejudge.arguments import explain_arguments
from rejudge.report.blocks import (
    Facts,
    FigureBlock,
    Fold,
    Heading,
    Listing,
    PageTable,
    Paragraph,
    Report,
    Section,
    Texts,
    to_html,
)
from rejudge.report.build import build
from rejudge.report.files import ReportFiles, compose, compose_comparison
from rejudge.report.processing import StoredAmounts, processing_record, record_markdown
from rejudge.report.subject import PlannedStudy, Subject

__all__ = [
    "Facts",
    "FigureBlock",
    "Fold",
    "Heading",
    "Listing",
    "PageTable",
    "Paragraph",
    "PlannedStudy",
    "Report",
    "ReportFiles",
    "Section",
    "StoredAmounts",
    "Subject",
    "Texts",
    "build",
    "compose",
    "compose_comparison",
    "processing_record",
    "record_markdown",
    "to_html",
]

explain_arguments(__name__)
