"""The keys of a file, as JSON Schema for editors and as names to suggest in messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rejudge.study.kinds.registry import OneOfKinds
from rejudge.study.model import Spec
from rejudge.study.yaml_file import Path, write_yaml


def schema() -> dict[str, Any]:  # JSON Schema (draft 2020-12) is nested JSON
    """The schema as JSON values."""
    found = Spec.model_json_schema(mode="validation")
    systems = found["properties"]["systems"]
    name = found["$defs"]["System"]["properties"]["id"]
    bare = {"type": "string", "pattern": name["pattern"], "description": name["description"]}
    systems["items"] = {"anyOf": [bare, systems["items"]]}  # `- gpt` means `- id: gpt`
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **found,
        "title": "study.yaml",
        "description": "A human evaluation of NLP systems, as rejudge reads it.",
    }


def parts_at(path: Path, root: type[BaseModel]) -> tuple[type[BaseModel], ...]:
    """The classes that are possible at a path; several where a `kind` decides."""
    parts: tuple[type[BaseModel], ...] = (root,)
    for step in path:
        if isinstance(step, int):
            continue
        fields = [part.model_fields[step] for part in parts if step in part.model_fields]
        tagged = tuple(part for part in parts if _kind(part) == step)
        parts = tagged or tuple(p for field in fields for p in _parts_in(field.annotation))
    return parts


def field_at(location: Path, root: type[BaseModel]) -> FieldInfo | None:
    """The declaration of the key at a location of pydantic's, where there is one."""
    if not location or not isinstance(location[-1], str):
        return None
    for part in parts_at(location[:-1], root):
        if location[-1] in part.model_fields:
            return part.model_fields[location[-1]]
    return None


def known_keys(parts: tuple[type[BaseModel], ...]) -> list[str]:
    """All keys that parts know."""
    return list(dict.fromkeys(key for part in parts for key in part.model_fields))


def kinds_at(path: Path, root: type[BaseModel]) -> list[str]:
    """The kinds that are possible at a path."""
    return [kind for part in parts_at(path, root) if (kind := _kind(part))]


def sections_with(key: str, root: type[BaseModel]) -> tuple[str, ...]:
    """The sections in which a key belongs that was found outside of them."""
    return tuple(
        name
        for name, field in root.model_fields.items()
        if any(key in part.model_fields for part in _parts_in(field.annotation))
        and not _is_list(field)
    )


def line_of_yaml(value: Any) -> str:  # any example of a field
    """A value on one line, as it could be written in the file."""
    text = write_yaml(_plain(value), width=1000, flow=True)
    return text.removesuffix("\n").removesuffix("\n...")  # spaces of other scripts are content


def _plain(value: Any) -> Any:  # any default of a field
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return value


def _kind(part: type[BaseModel]) -> str | None:
    field = part.model_fields.get("kind")
    words = get_args(field.annotation) if field else ()
    return words[0] if len(words) == 1 else None


def _is_list(field: FieldInfo) -> bool:
    return getattr(field.annotation, "__origin__", None) is tuple


def _parts_in(annotation: Any) -> Iterator[type[BaseModel]]:  # a type expression
    for choice in getattr(annotation, "__metadata__", ()):
        if isinstance(choice, OneOfKinds):
            yield from choice.parts()
            return
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _parts_in(inner)
