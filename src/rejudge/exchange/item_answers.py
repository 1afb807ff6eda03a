"""What one participant handed in about one item of another tool."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from rejudge.exchange.opening import Record
from rejudge.judgments import Kind, Origin


@dataclass(frozen=True, slots=True)
class ItemAnswers:
    """What one participant handed in about one item: where it is in the files, who, and when."""

    file: str
    row: int | None
    participant: str | None  # a pseudonym
    item: str
    data: Record = field(default_factory=dict)  # fields of the item
    dataset: str | None = None
    segment: int | None = None
    batch: str | None = None
    task: str | None = None
    position: int | None = None
    seconds: float | None = None
    submitted_at: datetime | None = None
    kind: Kind = "real"
    origin: Origin = "people"
    passed: bool | None = None
