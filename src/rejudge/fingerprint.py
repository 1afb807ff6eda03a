"""Fingerprints, with which a file records exactly what it was made from."""

from __future__ import annotations

import hashlib
import json
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_LENGTH = 16  # 64 bits: no accidental collision among the files of one laboratory, short to read


def of_bytes(content: bytes) -> str:
    """The fingerprint of a file on disk."""
    return hashlib.sha256(content).hexdigest()[:_LENGTH]


def of_json(value: Json) -> str:
    """The fingerprint of a value, whatever the order of its keys or the layout of its file."""
    return of_bytes(canonical(value))


def canonical(value: Json) -> bytes:
    """The canonical JSON of a value, for hashing."""
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    ).encode("utf-8")
