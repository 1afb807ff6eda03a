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
from rejudge.report.by_group import group_sentences
from rejudge.report.competence import guessing_sentences
from rejudge.report.disagreeing import disagreement_sentences
from rejudge.report.html import to_html
from rejudge.report.pair_limits import pair_limits
from rejudge.report.people import unfinished
from rejudge.report.remarks import remark_counts
from rejudge.report.sheet import Sheet, to_csv, to_latex
from rejudge.report.sheets import sheet_files, sheets
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
    "Sheet",
    "Subject",
    "Table",
    "Texts",
    "build",
    "compose",
    "compose_comparison",
    "disagreement_sentences",
    "group_sentences",
    "guessing_sentences",
    "pair_limits",
    "remark_counts",
    "sheet_files",
    "sheets",
    "to_csv",
    "to_html",
    "to_latex",
    "unfinished",
]
