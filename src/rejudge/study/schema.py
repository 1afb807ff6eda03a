"""The JSON Schema of study.yaml, with which editors complete and check it."""

from __future__ import annotations

from typing import Any

from rejudge.study.model import Spec


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
