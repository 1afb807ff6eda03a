"""Every key of paper.yaml is described, and what is needed has an example."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from rejudge.paper.model import Paper
from rejudge.study.schema import parts_at


def reachable(part: type[BaseModel], path: tuple[str, ...] = ()) -> dict[str, type[BaseModel]]:
    found = {part.__name__: part}
    for key in part.model_fields:
        for below in parts_at((key,), part):
            if below is not part:
                found |= reachable(below, (*path, key))
    return found


PARTS = reachable(Paper)


def test_the_parts_are_found():
    assert {"Paper", "PaperCase", "Score", "PrintedTest", "PrintedSum", "StatedDeviation"} <= set(
        PARTS
    )


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_every_key_is_described(part):
    assert part.__doc__
    fields = part.model_fields.items()
    assert [key for key, field in fields if not field.description and key != "kind"] == []


OURS = {name: part for name, part in PARTS.items() if part.__module__ == "rejudge.paper.model"}


@pytest.mark.parametrize("part", OURS.values(), ids=OURS)
def test_every_required_key_has_an_example(part):
    needed = [key for key, field in part.model_fields.items() if field.is_required()]
    assert [key for key in needed if key != "kind" and not part.model_fields[key].examples] == []
