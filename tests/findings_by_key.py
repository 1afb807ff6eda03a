"""The findings of `rejudge analyse --json` by the address of each."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from rejudge.findings.model import Key

KEYS = TypeAdapter(Key)


def by_key(results: dict[str, Any]) -> dict[Key, dict[str, Any]]:
    found = {KEYS.validate_python(each["key"]): each for each in results["findings"]}
    assert len(found) == len(results["findings"])
    return found


def by_id(results: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {key.id: each for key, each in by_key(results).items()}
