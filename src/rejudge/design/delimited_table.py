"""A table of names and numbers that people write by hand: rows under a header, with their lines."""

from __future__ import annotations

from dataclasses import dataclass

from rejudge.errors import DesignError, Problem
from rejudge.spreadsheet import unescape
from rejudge.text_tables import (
    broken_row,
    detect_separator,
    filled_lines,
    header_problem,
    read_rows,
    repeated_columns,
    uneven_row,
)


@dataclass(frozen=True, slots=True)
class DelimitedTable:
    """Rows under a header; what could not be read is among the problems."""

    header: tuple[str, ...]
    header_line: int
    rows: tuple[tuple[int, tuple[str, ...]], ...]  # the line on which a row begins, and its cells
    problems: tuple[Problem, ...]


MOST_DIGITS = 6  # of a number in a table; more are a mistake, and would exhaust a database


def whole_number(text: str) -> int | None:
    """A whole number from 0 with at most six digits, as tables have it; None for anything else."""
    is_number = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return int(text) if is_number else None


def read_delimited(text: str, *, file: str) -> DelimitedTable:
    """The table in a text, whatever separates its cells; DesignError if it has no rows."""
    first = next((line for _, line in filled_lines(text)), "")
    separator = detect_separator(first, "\t" if file.casefold().endswith(".tsv") else ",")
    found = read_rows(text, separator, strict=True)
    filled = [row for row in found if row.fault or any(row.cells)]
    if len(filled) < 2:  # noqa: PLR2004 - a header and a row
        raise DesignError(Problem("the file has no rows.", "Add a header and rows.", file=file))
    header, *body = filled
    if header.fault:
        raise DesignError(broken_row(header, file=file))
    names = tuple(name.strip() for name in header.cells)
    problem = header_problem(names, file=file, line=header.line)
    if problem is not None:
        raise DesignError(problem)
    problems = repeated_columns(names, file=file, line=header.line)
    problems += [broken_row(row, file=file) for row in body if row.fault]
    problems += [
        uneven_row(row, len(names), file=file)
        for row in body
        if not row.fault and len(row.cells) != len(names)
    ]
    rows = tuple(
        (row.line, tuple(map(unescape, row.cells))) for row in body if len(row.cells) == len(names)
    )
    return DelimitedTable(names, header.line, rows, tuple(problems))
