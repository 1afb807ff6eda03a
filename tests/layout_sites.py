"""Studies whose participants answer on the page of an original study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from participants import made_study
from rejudge.study.model import Study
from rejudge.study.page_layout import parse_layout

FIELDS = [{"name": "meaning", "question": "meaning", "answers": {"A": "a", "B": "b"}}]
DESIGN = {"order": "listed", "participants_per_batch": 40}


def item_html(number: int) -> str:
    """One item of a layout, as requesters wrote them."""
    radios = " ".join(
        f'<label><input type="radio" name="meaning{number}" value="{side}" required> {side}</label>'
        for side in "AB"
    )
    return (
        f'<div class="panel" id="item{number}"><p>Original: <strong>${{input{number}}}</strong></p>'
        f"<table><tr><th>A</th><th>B</th></tr><tr><td>${{outputa{number}}}</td>"
        f"<td>${{outputb{number}}}</td></tr></table><p>Closest in meaning: {radios}</p></div>"
    )


def page(numbers: Sequence[int] = (0, 1, 2), before: str = "", after: str = "") -> str:
    """A layout with so many items; `before` and `after` stand around them."""
    style = "<style>.panel { border: 2px solid #337ab7; padding: 12px; margin: 12px 0 }</style>"
    head = "<h3>Compare paraphrases</h3><p>Read each sentence and choose.</p>"
    return style + before + f"<form>{head}{''.join(map(item_html, numbers))}</form>" + after


def layout_study(html: str, *questions: dict[str, Any], **parts: Any) -> Study:
    """Batches of three pairs, asked about in a layout; `layout` changes its description."""
    described = {
        "outputs": ["outputa", "outputb"],
        "input": "input",
        "fields": FIELDS,
        **parts.pop("layout", {}),
    }
    site = {"show": "list", "layout": described}
    study = made_study(*questions, site=site, design=parts.pop("design", DESIGN), **parts)
    return replace(study, layout=parse_layout(html))
