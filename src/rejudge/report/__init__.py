"""Results told to people: sentences, tables and figures on one page that needs nothing else."""

from rejudge.report.blocks import (
    Drawn,
    Facts,
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
from rejudge.report.files import Composed, compose, compose_comparison
from rejudge.report.subject import Designed, Subject

__all__ = [
    "Composed",
    "Designed",
    "Drawn",
    "Facts",
    "Fold",
    "Heading",
    "Listing",
    "PageTable",
    "Paragraph",
    "Report",
    "Section",
    "Subject",
    "Texts",
    "build",
    "compose",
    "compose_comparison",
    "to_html",
]
