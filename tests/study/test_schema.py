"""The JSON Schema that editors check study.yaml with."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from pydantic import BaseModel

from rejudge.cli import main
from rejudge.starters.folders import folder_files, starter_names
from rejudge.study.model import Spec
from rejudge.study.parts import Part
from rejudge.study.schema import field_at, schema
from small_study import STUDY, minimal

SCHEMA = schema()


def faults(value: Any, rule: dict[str, Any], path: str = "") -> list[str]:  # noqa: C901, PLR0911, PLR0912
    """What a small part of JSON Schema, the part that ours uses, finds wrong with a value."""
    if "$ref" in rule:
        return faults(value, SCHEMA["$defs"][rule["$ref"].rpartition("/")[2]], path)
    for key in ("anyOf", "oneOf"):
        if key in rule:
            fits = [option for option in rule[key] if not faults(value, option, path)]
            is_right = len(fits) == 1 if key == "oneOf" else bool(fits)
            return [] if is_right else [f"{path}: {len(fits)} of {key}"]
    if "const" in rule:
        return [] if value == rule["const"] else [f"{path}: not {rule['const']}"]
    if "enum" in rule and value not in rule["enum"]:
        return [f"{path}: none of {rule['enum']}"]
    if "type" in rule and not is_of_type(value, rule["type"]):
        return [f"{path}: not {rule['type']}"]
    if isinstance(value, dict):
        found = [f"{path}: lacks {key}" for key in rule.get("required", []) if key not in value]
        known, more = rule.get("properties", {}), rule.get("additionalProperties", True)
        for key, inner in value.items():
            if str(key) in known:
                found += faults(inner, known[str(key)], f"{path}.{key}")
            elif more is False:
                found.append(f"{path}: unknown {key}")
            elif isinstance(more, dict):
                found += faults(inner, more, f"{path}.{key}")
        return found
    if isinstance(value, list):
        if len(value) < rule.get("minItems", 0):
            return [f"{path}: too short"]
        rules = rule.get("prefixItems", [rule.get("items", {})] * len(value))
        return [f for i, (v, r) in enumerate(zip(value, rules, strict=False))
                for f in faults(v, r, f"{path}[{i}]")]  # fmt: skip
    if isinstance(value, str) and "pattern" in rule and not re.search(rule["pattern"], value):
        return [f"{path}: pattern"]
    return []


def is_of_type(value: Any, names: str | list[str]) -> bool:
    types: dict[str, tuple[type, ...]] = {
        "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,),
        "integer": (int,), "number": (int, float), "null": (type(None),),
    }  # fmt: skip
    wanted = [names] if isinstance(names, str) else names
    return any(
        isinstance(value, types[name]) and (name == "boolean" or not isinstance(value, bool))
        for name in wanted
    )


def parts(part: type[BaseModel] = Part) -> list[type[BaseModel]]:
    below = part.__subclasses__()
    return [p for each in below for p in (each, *parts(each)) if not each.__name__.startswith("_")
            or p is not each]  # fmt: skip


PARTS = sorted(
    {
        part
        for part in parts()
        if not part.__name__.startswith("_") and part.__module__.startswith("rejudge.study.")
    },
    key=lambda part: part.__name__,
)


def test_it_names_its_draft_and_closes_every_object():
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["title"] == "study.yaml"
    assert SCHEMA["additionalProperties"] is False
    assert [n for n, d in SCHEMA["$defs"].items() if d.get("additionalProperties", False)] == []


def test_the_required_keys_are_those_without_a_default():
    assert sorted(SCHEMA["required"]) == ["design", "id", "questions", "systems", "title"]


def test_the_kinds_of_question_and_check_are_told_apart_by_their_kind():
    def kinds(section: str) -> list[str]:
        return sorted(SCHEMA["properties"][section]["items"]["discriminator"]["mapping"])

    assert kinds("questions") == [
        "best-worst", "pairwise", "ranking", "rating", "segments", "slider",
    ]  # fmt: skip
    assert kinds("checks") == ["gold", "instruction", "nonsense"]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_key_of_every_part_is_described(part):
    assert [key for key, field in part.model_fields.items() if not field.description] == []
    assert part.__doc__


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_required_key_has_an_example(part):
    needed = (key for key, field in part.model_fields.items() if field.is_required())
    assert [k for k in needed if k != "kind" and not part.model_fields[k].examples] == []


def test_a_study_with_all_its_parts_fits():
    assert faults(yaml.safe_load(STUDY), SCHEMA) == []


@pytest.mark.parametrize("name", starter_names())
def test_every_study_that_rejudge_starts_fits(name):
    assert faults(yaml.safe_load(folder_files(name)["study.yaml"]), SCHEMA) == []


@pytest.mark.parametrize(
    "question",
    [
        {"kind": "pairwise", "tie": True},
        {"kind": "rating", "points": 3, "lowest": 0, "labels": {"0": "no", "2": "yes"}},
        {"kind": "slider", "low": "bad", "high": "good"},
        {"kind": "best-worst", "of": 4},
        {"kind": "ranking"},
        {"kind": "segments", "unit": "reference", "split": "marker"},
    ],
    ids=lambda question: question["kind"],
)
def test_a_small_study_of_every_kind_fits(question):
    study = minimal().model_dump(mode="json", exclude_defaults=True)
    study["systems"] = ["a", {"id": "b", "name": "B"}]
    study["questions"] = [{"id": "q", "prompt": "?", **question}]
    assert faults(study, SCHEMA) == []


@pytest.mark.parametrize(
    "change",
    [
        {"title": None},
        {"title": 5},
        {"colour": "red"},
        {"systems": []},
        {"systems": ["two words"]},
        {"questions": [{"kind": "likert", "id": "q", "prompt": "?"}]},
        {"questions": [{"kind": "slider", "id": "q", "prompt": "?"}]},
        {"design": {"seed": "1", "batch": {"inputs": 2}}},
        {"payment": {"currency": "gbp"}},
    ],
)
def test_what_parse_refuses_the_schema_refuses(change):
    study = minimal().model_dump(mode="json", exclude_defaults=True)
    assert faults({**study, **change}, SCHEMA) != []


def test_the_examples_fit_their_own_keys():
    wrong = {
        key: faults(example, rule, key)
        for key, rule in SCHEMA["properties"].items()
        for example in rule.get("examples", [])
    }
    assert {key: found for key, found in wrong.items() if found} == {}


def test_a_key_is_found_by_its_path():
    assert field_at(("questions", 0, "slider", "low"), Spec).description == "The words at 0."
    assert field_at(("design", "batch", "inputs"), Spec).examples == [5]
    assert field_at(("design", "nothing"), Spec) is None


@pytest.mark.parametrize("words", [["schema"], ["schema", "--json"]])
def test_the_command_prints_it_as_json_whatever_the_width_of_the_screen(words):
    result = CliRunner().invoke(main, words, env={"COLUMNS": "40"})
    assert result.exit_code == 0
    assert json.loads(result.stdout) == SCHEMA
