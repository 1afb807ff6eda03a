"""reproduces.json: which study a folder reproduces, and what was changed, why and how gravely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from rejudge.bundle.licences import Licence
from rejudge.files import JsonCodec, read_bytes, refuse_edited

REPRODUCES: Final = "reproduces.json"
ORIGINAL: Final = "original.zip"

Impact: TypeAlias = Literal["none", "low", "medium", "high", "unknown"]
_Json: TypeAlias = Any  # JSON values of any depth; pydantic cannot read a recursive alias


@dataclass(frozen=True, slots=True)
class StatedChange:
    """What the reproduction does otherwise, as its authors tell it."""

    key: str  # of study.yaml, such as recruitment.platform; `interface` for the pages themselves
    before: _Json
    after: _Json
    reason: str
    impact: Impact = "unknown"  # on the numbers, as the reproducers judge it


@dataclass(frozen=True, slots=True)
class Reproduces:
    """The original of a study; its bundle lies beside as original.zip."""

    study: str  # id
    title: str
    lab: str  # who reproduces it
    bundle: str  # SHA-256 of original.zip
    licence: Licence
    is_same_plan: bool  # the same batches, sides, checks and order
    claims: Mapping[str, str]  # what the original says its numbers show, by id
    changes: tuple[StatedChange, ...] = ()
    own: tuple[str, ...] = ()  # keys that every lab fills in for itself: its name, its contact


REPRODUCES_CODEC: Final = JsonCodec(
    Reproduces,
    "reproduces",
    "rejudge reproduce",
    remedy="Put back the file as `rejudge reproduce` wrote it, or start the reproduction again.",
)


def origin_of(folder: Path | str) -> Reproduces | None:
    """What a study folder reproduces; None for a study of its own."""
    path = Path(folder) / REPRODUCES
    if not path.exists():
        return None
    content = read_bytes(path, remedy="Start it with `rejudge reproduce`.")
    stored = REPRODUCES_CODEC.decode(content, file=str(path))
    refuse_edited(stored, file=str(path), remedy=REPRODUCES_CODEC.when_edited)
    return stored.content
