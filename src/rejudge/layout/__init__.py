"""How numbers and tables are written in every format: CSV, LaTeX, Markdown, HTML, plain text."""

from rejudge.arguments import explain_arguments
from rejudge.layout.latex import escape_latex, to_latex
from rejudge.layout.table import (
    Cell,
    Column,
    EmphasisedText,
    Table,
    count_columns,
    csv_only,
    escape_markdown,
    file_name,
    interval_column,
    isolate_right_to_left,
    p_column,
    print_only,
    tabulate,
    to_csv,
    to_html,
    to_markdown,
    to_text,
)

__all__ = [
    "Cell",
    "Column",
    "EmphasisedText",
    "Table",
    "count_columns",
    "csv_only",
    "escape_latex",
    "escape_markdown",
    "file_name",
    "interval_column",
    "isolate_right_to_left",
    "p_column",
    "print_only",
    "tabulate",
    "to_csv",
    "to_html",
    "to_latex",
    "to_markdown",
    "to_text",
]

explain_arguments(__name__)
