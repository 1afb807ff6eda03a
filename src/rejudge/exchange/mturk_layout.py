"""An HTML layout of Mechanical Turk: its placeholders and controls, and a safe page made from it.

On Mechanical Turk values were put into the page as they are, scripts ran, and style sheets came
from other hosts. Here the layout is parsed and rewritten: values are escaped and never scanned
again, `crowd-*` elements become plain controls, and scripts, links and anything that loads
something are left out. The page is shown in a frame without scripts, forms, origin or network.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser
from typing import Final

from rejudge.errors import FileError, Problem
from rejudge.exchange.mturk_elements import (
    ATTRIBUTES,
    BLOCKS,
    CROWD,
    LABELLED,
    LEFT_OUT,
    LOADED,
    PLAIN,
    VOID,
    LayoutControl,
    classifier_html,
    control_of,
    input_type,
)

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
_PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_LOADS = re.compile(r"url\s*\(|expression|@import|\\", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HitLayout:
    """What a layout asks for and shows."""

    html: str
    placeholders: tuple[str, ...]
    controls: tuple[LayoutControl, ...]
    left_out: tuple[str, ...]  # elements that a safe page cannot have
    untranslated: tuple[str, ...]  # crowd elements without a plain counterpart
    introduction: tuple[str, ...]  # paragraphs before the first placeholder


def parse_layout(html: str) -> HitLayout:
    """Read a layout; nothing of it is executed."""
    rewriter = _Rewriter(dict.fromkeys(placeholders_of(html), ""))
    rewriter.rewrite(html)
    return HitLayout(
        html,
        placeholders_of(html),
        rewriter.controls(),
        tuple(sorted(rewriter.left_out)),
        tuple(sorted(rewriter.untranslated)),
        rewriter.introduction(),
    )


def placeholders_of(html: str) -> tuple[str, ...]:
    """The names in `${…}`, each once, in the order of the layout."""
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(html)))


def render_layout(
    layout: HitLayout, values: Mapping[str, str], *, html_columns: Collection[str] = ()
) -> str:
    """The page of one HIT, safe to open: one pass over the layout, every value escaped.

    The values of `html_columns` may have markup; it is cleaned in the same way.
    """
    missing = [name for name in layout.placeholders if name not in values]
    if missing:
        what = f"the layout shows {', '.join(missing[:5])}, but there is no such column."
        raise FileError(Problem(what, "Give the CSV file that belongs to the layout."))
    rewriter = _Rewriter(values, html_columns)
    return (
        "<!DOCTYPE html>\n<html>\n<head>\n"
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{rewriter.rewrite(layout.html)}\n</body>\n</html>\n"
    )


def frame_layout(page: str, *, title: str) -> str:
    """A page that shows another in a sandboxed frame: no scripts, forms, origin or network."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        f"<title>{escape(title)}</title>\n"
        "<style>html, body, iframe { margin: 0; width: 100%; height: 100%; border: 0 }</style>\n"
        f'</head>\n<body>\n<iframe sandbox="" title="{escape(title)}" srcdoc="{escape(page)}">'
        "</iframe>\n</body>\n</html>\n"
    )


_STYLE: Final = (
    "body { font: 16px/1.5 sans-serif; margin: 1rem auto; max-width: 60rem } "
    "fieldset, section { border: 1px solid #bbb; padding: .5rem; margin: .5rem 0 }"
)


class _Rewriter(HTMLParser):
    """Rewrites a layout from an allow-list of elements and attributes."""

    def __init__(
        self, values: Mapping[str, str] | None, html_columns: Collection[str] = ()
    ) -> None:
        super().__init__(convert_charrefs=True)
        self.left_out: set[str] = set()
        self.untranslated: set[str] = set()
        self._values = values  # None: `${…}` are no placeholders here
        self._html_columns = html_columns
        self._out: list[str] = []
        self._open: list[tuple[str, str]] = []  # tags of the layout and what closes them
        self._skipped: list[str] = []  # elements that are left out with their content
        self._fields: dict[str, LayoutControl] = {}
        self._words = ""  # before the next control
        self._paragraphs: list[list[str]] = [[]]
        self._first_placeholder: int | None = None  # the block that it is in

    def rewrite(self, html: str) -> str:
        self.feed(html)
        self.close()
        while self._open:
            self._out.append(self._open.pop()[1])
        return "".join(self._out)

    def controls(self) -> tuple[LayoutControl, ...]:
        return tuple(self._fields.values())

    def introduction(self) -> tuple[str, ...]:
        """Everything before the block in which the first placeholder is."""
        before = self._paragraphs[: self._first_placeholder]
        joined = (" ".join(" ".join(words).split()) for words in before)
        return tuple(text for text in joined if text)

    # ── what the parser calls ────────────────────────────────────────────────────────────────────

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._skipped or tag in LEFT_OUT:
            if tag in LEFT_OUT:
                self._skipped.append(tag)
                self.left_out.add(tag)
            return
        if tag in LOADED:
            self.left_out.add(tag)
            self._replace_image(tag, dict(attrs))
            return
        if tag in BLOCKS:
            self._paragraphs.append([])
        given = {name: value or "" for name, value in attrs}
        self._note_control(tag, given)
        self._write_start(tag, given)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._skipped:
            if tag == self._skipped[-1]:
                self._skipped.pop()
            return
        if tag not in {name for name, _ in self._open}:
            return
        while True:
            name, closing = self._open.pop()
            self._out.append(closing)
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if self._skipped:
            return
        self._note_words(data)
        self._out.append(self._escaped(data))

    # ── writing ──────────────────────────────────────────────────────────────────────────────────

    def _write_start(self, tag: str, given: Mapping[str, str]) -> None:
        plain = CROWD.get(tag, tag)
        if plain not in PLAIN:
            if tag.startswith("crowd-"):
                self.untranslated.add(tag)
                self._out.append(f"<p>[{escape(tag)}: not shown]</p>")
            return
        attributes = dict(self._attributes(tag, plain, given))
        before, after = ("<label>", "</label>") if tag in LABELLED else ("", "")
        self._out.append(f"{before}<{plain}{_spell(attributes)}>")
        if tag == "crowd-classifier":
            self._out.append(classifier_html(given))
        closing = after if plain in VOID else f"</{plain}>{after}"
        if closing:
            self._open.append((tag, closing))

    def _attributes(
        self, tag: str, plain: str, given: Mapping[str, str]
    ) -> Iterator[tuple[str, str]]:
        if plain in {"input", "button"}:
            yield "type", input_type(tag, plain, given)
        if tag == "crowd-checkbox" and "value" not in given:
            yield "value", "true"
        for name, value in given.items():
            filled = self._filled(value)
            is_odd = name == "style" and _LOADS.search(filled) is not None
            if name in ATTRIBUTES and name != "type" and not is_odd and plain != "form":
                yield name, filled

    def _filled(self, text: str) -> str:
        """A text with its placeholders replaced, once; values are not scanned again."""
        if self._values is None:
            return text
        values = self._values
        return _PLACEHOLDER.sub(lambda found: values.get(found[1], ""), text)

    def _escaped(self, text: str) -> str:
        """The same as HTML; columns with markup are cleaned instead of escaped."""
        if self._values is None:
            return escape(text)
        parts = _PLACEHOLDER.split(text)  # every second one is a name
        texts = [self._value(each) if n % 2 else escape(each) for n, each in enumerate(parts)]
        return "".join(texts)

    def _value(self, name: str) -> str:
        value = (self._values or {}).get(name, "")
        if name in self._html_columns:
            return _Rewriter(None).rewrite(value)
        return escape(value)

    def _replace_image(self, tag: str, given: Mapping[str, str | None]) -> None:
        if tag == "img":
            words = given.get("alt") or given.get("src") or ""
            self._out.append(f"<span>[image: {self._escaped(words)}]</span>")

    # ── what is noted ────────────────────────────────────────────────────────────────────────────

    def _note_words(self, data: str) -> None:
        inside = {tag for tag, _ in self._open}
        words = " ".join(data.split())
        if _PLACEHOLDER.search(data):
            if self._first_placeholder is None:
                self._first_placeholder = len(self._paragraphs) - 1
        elif len(words) > 2 and not inside & {"label", "option", "button", *LABELLED}:  # noqa: PLR2004 - a letter names an option
            self._words = words
        if self._first_placeholder is None and not inside & {"option", "select"}:
            self._paragraphs[-1].append(data)

    def _note_control(self, tag: str, given: Mapping[str, str]) -> None:
        if tag == "option":
            self._note_option(given)
            return
        name = given.get("name", "").strip()
        found = control_of(tag, given, self._words)
        if not name or found is None:
            return
        before = self._fields.get(name)
        if before is not None:
            values = dict.fromkeys((*before.values, *found.values))
            found = LayoutControl(
                name, before.kind, tuple(values), before.bounds,
                before.is_required or found.is_required, before.prompt,
            )  # fmt: skip
        self._fields[name] = found

    def _note_option(self, given: Mapping[str, str]) -> None:
        """An option belongs to the select around it, which was noted last."""
        if not any(tag == "select" for tag, _ in self._open) or not self._fields:
            return
        name, before = next(reversed(self._fields.items()))
        value = given.get("value", "")
        if value and value not in before.values:
            self._fields[name] = LayoutControl(
                name, before.kind, (*before.values, value), before.bounds,
                before.is_required, before.prompt,
            )  # fmt: skip


def _spell(attributes: Mapping[str, str]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
