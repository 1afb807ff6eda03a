"""The layout of a past study as the page on which participants of the new one answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from rejudge.exchange.mturk_files import Shape
from rejudge.exchange.mturk_hits import HitQuestion
from rejudge.exchange.mturk_mapping import HitMapping, Roles
from rejudge.study import PageLayout, split_name

PAGE: Final = "pages/layout.html"
_PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_MARKUP = re.compile(
    r"<(?:br|p|b|i|u|em|strong|span|div|ul|ol|li|table|sup|sub|font)\b[^<>]*>", re.IGNORECASE
)


def site_of(
    shape: Shape, roles: Roles, questions: Sequence[HitQuestion], mapping: HitMapping
) -> dict[str, Any]:  # the values of a YAML file
    """What study.yaml says under `site` so that the layout is shown."""
    texts = {"input": roles.input, "reference": roles.reference, "dataset": roles.dataset}
    layout: dict[str, Any] = {
        "file": PAGE,
        "numbered": bool(shape.indices),
        "outputs": list(roles.outputs),
        **{role: name for role, name in texts.items() if name is not None},
    }
    if shown := [name for name in mapping.html if name in roles.used]:
        layout["html"] = shown
    layout["fields"] = [_field(question) for question in questions]
    return {"show": "list", "layout": layout}


def _field(question: HitQuestion) -> dict[str, Any]:
    field: dict[str, Any] = {"name": question.stem, "question": question.id}
    differing = {value: raw for value, raw in question.values.items() if value != raw}
    return {**field, "answers": differing} if differing else field


def page_file(layout: PageLayout, rows: Sequence[Mapping[str, str]], used: Sequence[str]) -> bytes:
    """The layout with what is the same in every HIT filled in; `used` are names with a role."""

    def fill(found: re.Match[str]) -> str:
        name = found[1]
        values = {row.get(name, "") for row in rows}
        if name in used or split_name(name)[0] in used or len(values) != 1:
            return found[0]
        return escape(values.pop()).replace("${", "$<!-- -->{")  # so that it is no placeholder

    return _PLACEHOLDER.sub(fill, layout.html).encode()


def html_names(names: Sequence[str], mapping: HitMapping) -> list[str]:
    """The columns whose markup is shown, with their numbers."""
    return [name for name in names if {name, split_name(name)[0]} & set(mapping.html)]


def describe_markup(
    layout: PageLayout, rows: Sequence[Mapping[str, str]], mapping: HitMapping
) -> str | None:
    """A note on texts with markup, which had an effect on the page where they were shown."""
    cleaned = set(html_names(layout.placeholders, mapping))
    shown = [name for name in layout.placeholders if name not in cleaned]
    found = {
        split_name(name)[0]: match[0]
        for name in shown
        for row in rows
        if (match := _MARKUP.search(row.get(name, "")))
    }
    if not found:
        return None
    return (
        f"Texts of {', '.join(found)} have markup such as {next(iter(found.values()))}, which is "
        f"shown as text. Write `html: [{', '.join(found)}]` in a mapping file to have it cleaned "
        "and take effect, as it did on the original page."
    )
