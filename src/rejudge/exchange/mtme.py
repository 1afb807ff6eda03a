"""Human scores of the WMT metrics tasks (mt-metrics-eval): `.seg.rating` and `.seg.score`.

A line has a system and its score or its errors as JSON; the n-th line of a system is its output to
the n-th segment. A third column names the rater, if there is one. Scores have no mark of their own
and are read when asked for: --from mtme.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, Final

from rejudge.exchange.gathering import Gathering
from rejudge.exchange.opening import Beginning, Document
from rejudge.exchange.spans import Span, offset
from rejudge.exchange.tool_reader import ToolReader
from rejudge.exchange.values import ItemAnswers, clean, mappings, number

_NONE: Final = "None"
_SUFFIXES: Final = (".seg.rating", ".seg.score")
_LEAST, _MOST = 2, 3  # columns
_RATER: Final = 2


def _is_own(found: Beginning) -> bool:
    rows = found.rows[:-1] or found.rows  # the last may be cut off
    is_table = bool(rows) and all(_LEAST <= len(row) <= _MOST for row in rows)
    cells = [row[1].strip() for row in rows] if is_table else []
    has_errors = any(cell.startswith('{"errors"') for cell in cells)
    return has_errors and all(cell == _NONE or cell.startswith("{") for cell in cells)


def _gather(documents: Sequence[Document], into: Gathering) -> None:
    for document in documents:
        languages, question = _names(document.name)
        places: dict[tuple[str, ...], int] = {}
        for row, line in enumerate(document.text().split("\n"), start=1):
            cells = line.rstrip("\r").split("\t")
            if not line.strip():
                continue
            if not _LEAST <= len(cells) <= _MOST:
                into.reject_record(document.shown, row, "this is not a system and its score.")
                continue
            who = cells[_RATER] if len(cells) > _RATER else None
            key = (cells[0], who or "")
            places[key] = places.get(key, 0) + 1
            item, data = into.item(str(places[key]), {})
            submission = ItemAnswers(
                document.shown, row, into.participant(who), item, data, dataset=languages
            )
            _read_cell(into, submission, question, cells)


def _names(name: str) -> tuple[str | None, str]:
    """Language pair and kind of score, which are in the name: en-de.mqm.seg.rating."""
    parts = PurePosixPath(name.replace("\\", "/")).name.split(".")
    languages = clean(parts[0]) if "-" in parts[0] else None
    return languages, clean(parts[1]) or "score" if len(parts) > _RATER else "score"


def _read_cell(
    into: Gathering, submission: ItemAnswers, question: str, cells: Sequence[str]
) -> None:
    system, cell = clean(cells[0]), cells[1].strip()
    if cell == _NONE:
        into.leave_out("outputs that nobody judged")
    elif not cell.startswith("{"):
        into.rate(submission, question, cell, system=system)
    else:
        try:
            found = json.loads(cell)
        except (ValueError, RecursionError):
            into.reject(submission, "the JSON of the errors is incomplete.", column=question)
            return
        spans = [_span(each) for each in mappings(found.get("errors"))]
        into.mark(submission, question, spans, system=system)


def _span(error: Any) -> Span:  # JSON values
    score = number(error.get("score"))
    return Span(
        offset(error.get("start")),
        offset(error.get("end")),
        severity=clean(error.get("severity")),
        category=clean(error.get("category")),
        on="input" if error.get("is_source_error") else "output",
        weight=None if score is None else abs(score),
    )


FORMAT = ToolReader("mtme", "WMT metrics task", _is_own, _gather, suffixes=_SUFFIXES)
