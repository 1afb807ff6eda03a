"""Write the tables of the reference into its pages: keys, options, rules, conditions, wages.

A line such as `<!-- keys: Rating -->` begins a table that is made from the code, and
`<!-- end -->` ends it; what stands between them is replaced. So the pages can be read as they are,
and a test fails when one of them is stale.

    python tools/make_reference.py          write the tables again
    python tools/make_reference.py --check  only say which pages are stale; ends with 1 if any is
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import click

from rejudge.audit.rules import RULES as AUDIT_RULES
from rejudge.cli import COMMANDS, main
from rejudge.design.wages import known_rates
from rejudge.lint.rules import RULES
from rejudge.paper.conditions import PROPERTIES
from rejudge.paper.model import Paper
from rejudge.rules import Rule
from rejudge.study.schema import schema
from rejudge.web.wording import catalogue

DOCS = Path(__file__).parent.parent / "docs"

_WIDTH = 80  # of a usage line, whatever the terminal
_EVERYWHERE = {
    "--help",
    "-h, --help",
    "--json",
}  # options of every command, which the page describes once
_MADE = re.compile(
    r"^<!-- (?P<name>[a-z]+)(?:: (?P<of>.+?))? -->\n(?:(?:(?!<!-- ).*\n)*?<!-- end -->\n)?",
    re.MULTILINE,
)


def run(arguments: Sequence[str]) -> int:
    """Write the pages, or only look at them."""
    found = dict(stale(DOCS))
    for page, text in found.items():
        print(
            f"{'stale' if '--check' in arguments else 'written'}: {page.relative_to(DOCS.parent)}"
        )
        if "--check" not in arguments:
            page.write_text(text, "utf-8")
    return 1 if found and "--check" in arguments else 0


def stale(docs: Path) -> Iterator[tuple[Path, str]]:
    """The pages whose tables are not what the code says, each with the text it should have."""
    for page in sorted(docs.rglob("*.md")):
        if "_build" in page.parts:
            continue
        text = page.read_text("utf-8")
        wanted = filled(text)
        if wanted != text:
            yield page, wanted


def filled(text: str) -> str:
    """A page with its tables as the code has them now."""
    return _MADE.sub(_table_of, text)


def _table_of(found: re.Match[str]) -> str:
    if found["name"] not in TABLES:
        return found[0]  # such as a notebook, which is run when the documentation is built
    mark = found[0].partition("\n")[0]
    return f"{mark}\n{TABLES[found['name']](found['of'])}\n<!-- end -->\n"


def _keys(part: str) -> str:
    """The keys of one part of study.yaml."""
    return _keys_of(part, _study_schema(), "Spec")


def _paper_keys(part: str) -> str:
    """The keys of one part of paper.yaml."""
    return _keys_of(part, _paper_schema(), "Paper").replace("keys-", "paper-keys-")


@cache  # asked for by every table, and slow to make
def _study_schema() -> dict[str, Any]:
    return schema()


@cache
def _paper_schema() -> dict[str, Any]:
    return Paper.model_json_schema()


def _keys_of(part: str, schema: dict[str, Any], root: str) -> str:
    described = schema if part == root else schema["$defs"][part]
    needed = described.get("required", ())
    rows = [
        (
            f"`{key}`",
            _type(value),
            _default(value, is_needed=key in needed),
            _meaning(value, schema),
        )
        for key, value in described["properties"].items()
    ]
    anchor = f"(keys-{part.lower()})=\n"
    return anchor + _table(("key", "type", "default", "meaning"), rows)


def _type(value: dict[str, Any]) -> str:
    """The type of a key in words; the values of a closed choice are listed."""
    choices = value.get("anyOf") or value.get("oneOf")
    if choices:
        kinds = [_type(choice) for choice in choices if choice.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#keys-{name.lower()})"
    if "const" in value:
        return f"`{value['const']}`"
    if "enum" in value:
        return " · ".join(f"`{choice}`" for choice in value["enum"])
    return _plain_type(value)


def _plain_type(value: dict[str, Any]) -> str:
    kind = value.get("type", "text")
    if kind == "array":
        entries = value.get("prefixItems") or [value.get("items", {})]
        return f"list of {' and '.join(dict.fromkeys(_type(entry) for entry in entries))}"
    if kind == "object":
        return f"mapping to {_type(value.get('additionalProperties') or {})}"
    if isinstance(kind, list):
        return " or ".join(_WORDS[each] for each in kind)
    return _WORDS[kind] + _bounds(value)


_WORDS = {"string": "text", "text": "text", "integer": "whole number", "number": "number",
          "boolean": "`true` · `false`"}  # fmt: skip


def _bounds(value: dict[str, Any]) -> str:
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    found = [f"{sign} {value[name]:g}" for name, sign in signs.items() if name in value]
    return f" {', '.join(found)}" if found else ""


def _default(value: dict[str, Any], *, is_needed: bool) -> str:
    if is_needed:
        return "required"
    default = value.get("default")
    if isinstance(default, dict) or default in (None, "", []):
        return "–"
    return f"`{json.dumps(default, ensure_ascii=False)}`"


def _meaning(value: dict[str, Any], schema: dict[str, Any]) -> str:
    """What a key is for; pydantic leaves it out where the part it refers to says the same."""
    if value.get("description") or "const" in value:
        return str(value.get("description") or "Which kind it is.")
    part = value.get("$ref", "").rpartition("/")[2]
    return str(schema["$defs"][part]["description"])


def _options(name: str) -> str:
    """The usage line of a command, and its options."""
    command: click.Command | None = main
    for word in name.split():
        if isinstance(command, click.Group):
            command = command.get_command(click.Context(command), word)
    if command is None:
        raise KeyError(name)
    context = click.Context(command, info_name=f"rejudge {name}", terminal_width=_WIDTH)
    usage = " ".join(command.get_usage(context).removeprefix("Usage: ").split())
    rows = [
        (f"`{record[0]}`", record[1])
        for param in command.get_params(context)
        if (record := param.get_help_record(context)) and record[1] and record[0] not in _EVERYWHERE
    ]
    return _table((f"`{usage}`", ""), rows)


def _lint_rules(hundred: str) -> str:
    """The lint rules of one hundred, each with its explanation."""
    return _explained(rule for code, rule in RULES.items() if code[1] == hundred)


def _audit_rules(hundred: str) -> str:
    """The audit rules of one hundred, each with its explanation."""
    return _explained(rule for code, rule in AUDIT_RULES.items() if code[1] == hundred)


def _explained(rules: Iterable[Rule[Any]]) -> str:
    return "\n\n".join(
        f"### {rule.code} {rule.name}\n*{rule.severity.capitalize()}.* {_one_paragraph(rule)}"
        for rule in rules
    )


def _one_paragraph(rule: Rule[Any]) -> str:
    text = " ".join(rule.explanation.split())
    code = re.split(r"(`[^`]*`)", text)  # every second part is code, where * is no emphasis
    words = [part if number % 2 else part.replace("*", r"\*") for number, part in enumerate(code)]
    return "".join(words).replace("Remedy:", "**Remedy:**")


def _conditions(group: str) -> str:
    """The standard conditions of one group."""
    rows = [
        (f"`{known.key}`", known.holds, known.title, known.says)
        for known in PROPERTIES
        if known.group == group
    ]
    return _table(("key", "holds", "shown as", "says"), rows)


def _wages(_: str | None) -> str:
    """The newest rate of each region, with its source."""
    newest = {(wage.kind, wage.region): wage for wage in known_rates().wages}
    rows = [
        (f"`{wage.region}`", wage.kind, f"{wage.currency} {wage.hourly}", str(wage.valid_from),
         wage.source + ("" if wage.checked else " (not verified)"))
        for _, wage in sorted(newest.items())
    ]  # fmt: skip
    return _table(("region", "wage", "an hour", "from", "source"), rows)


def _words(_: str | None) -> str:
    """Every text of the participants' pages, in English."""
    return _table(
        ("name", "in English"),
        [(f"`{key}`", f"`{words}`") for key, words in catalogue("en").items()],
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


TABLES: dict[str, Callable[[Any], str]] = {
    "keys": _keys,
    "paper": _paper_keys,
    "conditions": _conditions,
    "options": _options,
    "lint": _lint_rules,
    "audit": _audit_rules,
    "wages": _wages,
    "words": _words,
    "commands": lambda _: _table(
        ("command", "what it does"), [(f"[`{c}`](#{c})", text) for c, text in COMMANDS.items()]
    ),
}

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
