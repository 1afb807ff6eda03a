"""Results told to people: sentences, tables and figures on one page that needs nothing else."""

from rejudge.report.blocks import (
    Drawn,
    Facts,
    Fold,
    Heading,
    Listing,
    Paragraph,
    Report,
    Section,
    Table,
    Texts,
)
from rejudge.report.build import build
from rejudge.report.html import to_html
from rejudge.report.subject import Designed, Subject
from rejudge.report.written import Composed, compose, compose_comparison

__all__ = [
    "Composed",
    "Designed",
    "Drawn",
    "Facts",
    "Fold",
    "Heading",
    "Listing",
    "Paragraph",
    "Report",
    "Section",
    "Subject",
    "Table",
    "Texts",
    "build",
    "compose",
    "compose_comparison",
    "to_html",
]
