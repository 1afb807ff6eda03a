"""Judgments written as rows, and the descriptive tables of their first question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rejudge.analysis.analyse import analyse
from rejudge.findings.frame import Frame
from rejudge.judgments.table import Judgment, Judgments


def rated(participant: str, item: str, system: str, value: Any, **columns: Any) -> Judgment:
    """A score of one output."""
    return Judgment(participant, item, "fluency", value, system=system, **columns)


def chosen(
    participant: str,
    item: str,
    value: str,
    pair: tuple[str, str] = ("ash", "beech"),
    **columns: Any,
) -> Judgment:
    """A choice between two outputs."""
    return Judgment(
        participant, item, "meaning", value, system_a=pair[0], system_b=pair[1], **columns
    )


def rows_in(document: Any, name: str) -> list[dict[str, Any]]:
    """The rows of the descriptive tables of this name in a document of results."""
    frames = [frame["columns"] for frame in document["frames"] if frame["name"] == name]
    return [
        dict(zip(columns, row, strict=True))
        for columns in frames
        for row in zip(*columns.values(), strict=True)
    ]


def frame_of(rows: Sequence[Judgment], name: str, **asked: Any) -> Frame:
    """A descriptive table of the first question that was judged."""
    results = analyse(Judgments.from_rows(rows), **asked)
    return results.frame(name, results.questions[0])
