"""MQM ratings as Google publishes them: a line for each error, marked with <v>…</v> in the text.

Lines are separated by tabs and never quoted. A segment in which nothing is wrong has one line with
the category No-error. A header is optional; its names differ from year to year.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from rejudge.exchange.gathering import Gathering
from rejudge.exchange.opening import Beginning, Document
from rejudge.exchange.spans import Span
from rejudge.exchange.tool_reader import ToolReader
from rejudge.exchange.values import ItemAnswers, clean, moment

_QUESTION: Final = "errors"
_COLUMNS: Final = (  # where there is no header
    "system", "doc", "doc_seg", "seg", "rater", "source", "target", "category", "severity", "note",
)  # fmt: skip
_NAMES: Final[Mapping[str, str]] = {
    "docid": "doc_seg", "docsegid": "doc_seg", "segid": "seg", "globalsegid": "seg",
    "comment": "note", "metadata": "note", "document": "doc", "annotator": "rater",
}  # fmt: skip
_NEEDED: Final = ("system", "rater", "source", "target", "category", "severity")
_LEAST: Final = 9
_CLEAN: Final = frozenset(("no-error", "no error", "noerror", "none"))
_TEST: Final = "hotw"  # an error that was planted to see whether raters are awake
_MARK: Final = re.compile(r"</?v>")
_PAIRS: Final = re.compile(r"(?:(?!</?v>).)*(?:<v>(?:(?!</?v>).)*</v>(?:(?!</?v>).)*)+", re.DOTALL)
_SEVERITIES: Final = _CLEAN | {"major", "minor", "neutral", "critical", "hotw-test"}


@dataclass(frozen=True, slots=True)
class _Line:
    """One line: an error of one segment, or that there is none."""

    number: int
    cells: Mapping[str, str]

    @property
    def segment(self) -> tuple[str, ...]:
        """What was judged by whom."""
        return tuple(self.cells.get(x, "") for x in ("system", "doc", "doc_seg", "seg", "rater"))


def _is_own(found: Beginning) -> bool:
    if not found.rows:
        return False
    if {*_NEEDED} <= {*_head(found.rows[0])}:
        return True
    rows = found.rows[:-1] or found.rows  # the last may be cut off
    return all(len(row) >= _LEAST and row[8].strip().casefold() in _SEVERITIES for row in rows)


def _head(row: Sequence[str]) -> list[str]:
    names = ["".join(filter(str.isalnum, name.casefold())) for name in row]
    return [_NAMES.get(name, name) for name in names]


def _gather(documents: Sequence[Document], into: Gathering) -> None:
    for document in documents:
        groups: dict[tuple[str, ...], list[_Line]] = {}
        for line in _lines(document, into):
            groups.setdefault(line.segment, []).append(line)
        for lines in groups.values():
            _read_segment(into, document.shown, lines)


def _lines(document: Document, into: Gathering) -> Iterator[_Line]:
    texts = document.text().split("\n")  # not splitlines: texts have U+2028
    head = _head(texts[0].rstrip("\r").split("\t"))
    has_head = {*_NEEDED} <= {*head}
    names = head if has_head else _COLUMNS
    least = len(names) if has_head else _LEAST
    for number, text in enumerate(texts, start=1):
        if not text.strip() or (has_head and number == 1):
            continue
        cells = text.rstrip("\r").split("\t")
        named = dict(zip(names, cells, strict=False))
        if len(cells) < min(least, _LEAST) or not named.get("system") or not named.get("severity"):
            into.reject_record(document.shown, number, "this is not a line of MQM ratings.")
        else:
            yield _Line(number, named)


def _read_segment(into: Gathering, file: str, lines: Sequence[_Line]) -> None:
    """All that one person marked in one segment of one system."""
    cells = lines[0].cells
    texts = {side: _MARK.sub("", cells.get(side, "")) for side in ("source", "target")}
    parts = (cells.get("doc", ""), cells.get("doc_seg") or cells.get("seg", ""))
    item, data = into.item("/".join(part for part in parts if part), texts)
    note = _note(lines[-1].cells)
    submission = ItemAnswers(
        file=file,
        row=lines[0].number,
        participant=into.participant(cells["rater"]),
        item=item,
        data=data,
        task=clean(cells.get("doc")),
        submitted_at=moment(note.get("timestamp")),
    )
    spans: list[Span] = []
    for line in lines:
        named = [line.cells[name].strip().casefold() for name in ("severity", "category")]
        if any(name.startswith(_TEST) for name in named):
            into.leave_out("errors planted to test raters")
        elif not _CLEAN.intersection(named):
            spans.append(_span(line.cells))
    system = clean(cells["system"])
    into.mark(submission, _QUESTION, spans, system=system, texts=list(texts.values()))


def _span(cells: Mapping[str, str]) -> Span:
    on: Literal["output", "input"] = "output"
    marked = cells["target"]
    if "<v>" in cells["source"] and "<v>" not in marked:
        on, marked = "input", cells["source"]
    span = Span(
        severity=clean(cells["severity"]),
        category=clean(cells["category"]),
        comment=clean(_note(cells).get("note")),
        on=on,
    )
    if not _PAIRS.fullmatch(marked):  # nothing is marked, or a mark was lost
        return span
    parts = _MARK.split(marked)
    text = "".join(parts)
    start, end = len(parts[0]), len(text) - len(parts[-1])
    return replace(span, start=start, end=end, text=text[start:end])


def _note(cells: Mapping[str, str]) -> Mapping[str, Any]:
    """The comment of a line: plain text, or an object with a note and a time."""
    said = cells.get("note", "").strip()
    try:
        found = json.loads(said) if said.startswith("{") else None
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {"note": said}


FORMAT = ToolReader("mqm", "MQM ratings", _is_own, _gather, suffixes=(".tsv", ".txt"))
