"""The description of a study on Prolific: a Markdown page, reduced to the tags allowed there."""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser
from typing import Final

from markdown_it import MarkdownIt

TAGS: Final = frozenset({"b", "i", "em", "strong", "s", "u", "h1", "h2", "ol", "ul", "li", "p"})
_INSTEAD: Final = {"h3": "h2", "h4": "h2", "h5": "h2", "h6": "h2", "del": "s", "blockquote": "p"}
_APART: Final = frozenset({"br", "td", "th", "tr", "hr"})  # words on both sides stay apart


def description_html(page: str) -> str:
    """A page in Markdown as HTML without links, pictures and tables; their words stay.

    HTML in the page is shown as it is written, as on our own site.
    """
    rendered = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").render(page)
    reader = _Reducer()
    reader.feed(rendered)
    reader.close()
    return "".join(reader.parts).strip()


class _Reducer(HTMLParser):
    """Keeps allowed tags without their attributes, and all words."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._link: str | None = None
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self._link = dict(attrs).get("href")
        if tag in _APART:
            self.parts.append(" ")
        name = _INSTEAD.get(tag, tag)
        if name in TAGS and not (name == "p" and "p" in self._open):
            self._open.append(name)
            self.parts.append(f"<{name}>")

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._link is not None:
            self._name_address(self._link.removeprefix("mailto:"))
            self._link = None
        name = _INSTEAD.get(tag, tag)
        if self._open and self._open[-1] == name:
            self._open.pop()
            self.parts.append(f"</{name}>")

    def _name_address(self, address: str) -> None:
        """A link becomes its words, followed by the address where they do not name it."""
        shown = escape(address)
        if self.parts and self.parts[-1] != shown:
            self.parts.append(f" ({shown})")

    def handle_data(self, data: str) -> None:
        self.parts.append(escape(data, quote=False))
