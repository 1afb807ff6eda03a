"""The page of an original study, in a frame of its own.

The frame has no origin, so it can reach neither our page nor its cookies; it loads nothing, sends
nothing, and runs one script, which is ours: it says which field was answered and how tall the page
is. The answer goes into the usual form, which the original page covers, and is checked and saved
like any other.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

from markupsafe import escape

from rejudge.design.plan import Plan, Task, option_text
from rejudge.study.layout_fit import layout_slots
from rejudge.study.model import Study
from rejudge.study.page_layout import rewrite_layout
from rejudge.study.page_rewriter import FieldTarget, Filling
from rejudge.web.forms import field_name
from rejudge.web.http import Reply

_KEPT = 64  # batches whose page is kept in memory


class LayoutPages:
    """The frames of one site."""

    def __init__(self, study: Study, plan: Plan, *, script: str, style: str) -> None:
        described, layout = study.spec.site.layout, study.layout
        if described is None or layout is None:
            raise LookupError("the study has no layout")
        self._study, self._plan = study, plan
        self._described, self._layout = described, layout
        self._slots = layout_slots(described, layout)
        self._script, self._style = script, style
        self._document = lru_cache(maxsize=_KEPT)(self._render)

    def reply(self, batch: str, order: tuple[int, ...]) -> Reply:
        """The frame with all tasks of a batch, in the order of a seat."""
        headers = (
            ("content-security-policy", _policy(self._script)),
            ("x-frame-options", "SAMEORIGIN"),
        )
        return Reply(self._document(batch, order), headers=headers)

    def _render(self, batch: str, order: tuple[int, ...]) -> str:
        language = self._study.spec.language
        body = "<hr>\n".join(
            rewrite_layout(self._layout, filling) for filling in self._fillings(batch, order)
        )
        return (
            f'<!doctype html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
            f"<title>{escape(self._study.spec.title)}</title>\n<style>{self._style}</style>\n"
            f"</head>\n<body>\n{body}\n<script>{self._script}</script>\n</body>\n</html>\n"
        )

    def _fillings(self, batch: str, order: tuple[int, ...]) -> Iterator[Filling]:
        """What each copy of the layout is filled with; one, where it has room for the batch."""
        tasks, size = self._plan.batch[batch].tasks, len(self._slots)
        for start in range(0, len(order), size):
            shown = {
                slot: (number, tasks[number])
                for slot, number in zip(self._slots, order[start : start + size], strict=False)
            }
            yield self._filling(shown, start)

    def _filling(self, shown: Mapping[int | None, tuple[int, Task]], start: int) -> Filling:
        described, layout = self._described, self._layout
        targets = {field.name: field for field in described.fields}
        texts = {slot: dict(self._texts(task)) for slot, (_, task) in shown.items()}
        values: dict[str, str] = {}
        fields: dict[str, FieldTarget] = {}
        empty: dict[str, int] = {}
        for name in layout.placeholders:
            stem, slot = described.split(name)
            if slot in texts:
                values[name] = texts[slot].get(stem, "")
            elif slot in self._slots:
                empty[name] = start + self._slots.index(slot)
            else:  # one for all items
                values[name] = next(iter(texts.values())).get(stem, "")
        for control in layout.controls:
            stem, slot = described.split(control.name)
            if slot in shown and stem in targets:
                target = targets[stem]
                own = field_name(shown[slot][0], target.question)
                fields[control.name] = FieldTarget(own, target.answers)
            elif slot in self._slots:
                empty[control.name] = start + self._slots.index(slot)
        html = [name for name in layout.placeholders if described.split(name)[0] in described.html]
        return Filling(values, html, fields, empty, f"c{start}-" if start else "")

    def _texts(self, task: Task) -> Iterator[tuple[str, str]]:
        """The texts of a task by placeholder, without the number of the item."""
        described, item = self._described, self._study.item[task.item]
        for name, option in zip(described.outputs, task.options, strict=False):
            yield name, option_text(self._study, self._plan, task, option)
        if described.input is not None:
            yield described.input, item.input if task.instruction is None else task.instruction
        if described.reference is not None:
            yield described.reference, item.reference or ""
        if described.dataset is not None:
            yield described.dataset, item.dataset


@cache
def _policy(script: str) -> str:
    """Nothing may be loaded, sent or run but our own script, which is known by its hash."""
    mark = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"sandbox allow-scripts; default-src 'none'; script-src 'sha256-{mark}'; "
        "style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
        "frame-ancestors 'self'"
    )
