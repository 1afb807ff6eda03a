"""Exports of other tools that tests read; exchange/exports/README.md says where they are from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rejudge.exchange.formats import Imported
from rejudge.exchange.items import ItemFields
from rejudge.exchange.registry import find_reader, read_files
from rejudge.exchange.tool_reader import ToolReader
from rejudge.judgments.table import Judgment

EXPORTS = Path(__file__).parent / "exchange" / "exports"
# Every export, by the format that must recognise it, and no other.
BY_FORMAT: Mapping[str, tuple[str, ...]] = {
    "appraise": (
        "appraise.csv", "appraise-plain.csv", "appraise-results.csv", "appraise-pairs.csv",
    ),
    "arena": ("arena.json", "arena-140k.json", "arena-kaggle.csv", "fastchat.jsonl"),
    "factgenie": ("factgenie.zip",),
    "label-studio": ("label-studio.json", "label-studio-min.json", "label-studio.csv"),
    "mqm": ("mqm.tsv", "mqm-viewer.tsv"),
    "mtme": ("en-de.mqm.seg.rating",),
    "pearmut": ("pearmut.jsonl",),
    "potato": (
        "potato/anna/user_state.json", "potato/bert/user_state.json", "potato/annotations.csv",
        "potato/annotations.jsonl", "potato/older/carla/annotated_instances.jsonl",
        "potato/best-worst.jsonl",
    ),
}  # fmt: skip


def read(name: str, *files: str | Path, columns: Mapping[str, str] | None = None,
         items: str | Path | None = None) -> Imported:  # fmt: skip
    """What a format reads from files, given by their names among the exports or by their paths."""
    paths = [EXPORTS / file for file in files]
    reader = find_reader(paths, name)
    assert isinstance(reader, ToolReader)
    table = None if items is None else EXPORTS / items
    return read_files(reader.with_items(ItemFields.read(columns or {}, table)), paths)


def rows(imported: Imported, question: str) -> list[Judgment]:
    """The judgments on one question, as rows."""
    return [row for row in imported.judgments.rows() if row.question == question]
