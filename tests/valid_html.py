"""What is wrong with a page: errors of HTML itself, and what readers of every kind would miss.

The parser is html5lib, which follows the standard's own list of parse errors; the rest is what a
validator says beyond parsing, for the elements that our pages have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import html5lib

_HEADING = re.compile(r"h([1-6])$")
_REFERENCES = (
    "aria-labelledby",
    "aria-describedby",
    "aria-controls",
    "aria-owns",
    "for",
    "headers",
)
_ASKING = ("src", "srcset", "poster", "data", "background", "xlink:href")  # fetched as they are met
_INSIDE = {
    "ul": {"li", "template", "script"},
    "ol": {"li", "template", "script"},
    "dl": {"dt", "dd", "div", "template", "script"},
    "tr": {"td", "th", "template", "script"},
    "thead": {"tr"},
    "tbody": {"tr"},
    "table": {"caption", "colgroup", "thead", "tbody", "tfoot"},
    "select": {"option", "optgroup", "hr"},
}
_GONE = {"align", "bgcolor", "border", "cellpadding", "cellspacing", "valign", "nowrap"}
_INTERACTIVE = {"a", "button", "input", "select", "textarea", "label", "details"}
_OBSOLETE = {"center", "font", "big", "tt", "strike", "marquee", "frame", "frameset", "acronym"}


def faults(html: str) -> list[str]:
    """Every fault of a page, in words; an empty list for a page that has none."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    root = parser.parse(html)
    told = [
        f"line {line}: {code} {known or ''}".rstrip() for (line, _), code, known in parser.errors
    ]
    return [
        *told,
        *_whole(root),
        *_ids(root),
        *_headings(root),
        *_requests(root),
        *_nesting(root),
        *_tables(root),
        *_names(root),
    ]


def _whole(root: Element) -> Iterator[str]:
    if not root.get("lang"):
        yield "html has no lang"
    if not (root.findtext("head/title") or "").strip():
        yield "the page has no title"
    if root.find("head/meta[@charset]") is None:
        yield "the page does not say its charset"
    for name, most in (("main", 1), ("title", 1), ("h1", 1)):
        here = len(list(root.iter(name)))
        if here != most:
            yield f"{here} <{name}>, not {most}"


def _ids(root: Element) -> Iterator[str]:
    ids = Counter(each.get("id") for each in root.iter() if each.get("id") is not None)
    for name, times in ids.items():
        if times > 1:
            yield f"id {name!r} stands {times} times"
        if not name or re.search(r"\s", name):
            yield f"id {name!r} is no id"
    for each in root.iter():
        for attribute, wanted in _referred(each):
            if wanted not in ids:
                yield f"{attribute} of <{each.tag}> leads to {wanted!r}, which is not there"


def _referred(element: Element) -> Iterator[tuple[str, str]]:
    for attribute in _REFERENCES:
        for wanted in (element.get(attribute) or "").split():
            yield attribute, wanted
    href = element.get("href") or ""
    if href.startswith("#") and href != "#":
        yield "href", href[1:]
    for attribute in ("fill", "stroke", "clip-path", "mask", "filter"):
        for wanted in re.findall(r"url\(#([^)]+)\)", element.get(attribute) or ""):
            yield attribute, wanted


def _headings(root: Element) -> Iterator[str]:
    before = 0
    for each in root.iter():
        found = _HEADING.match(each.tag) if isinstance(each.tag, str) else None
        if found:
            level = int(found[1])
            words = " ".join("".join(each.itertext()).split())
            if level > before + 1:
                yield f"heading {words!r} is h{level} after h{before}"
            if not words:
                yield f"an empty h{level}"
            before = level


def _requests(root: Element) -> Iterator[str]:
    for each in root.iter():
        for attribute in _ASKING:
            if not (each.get(attribute) or "data:").startswith(("data:", "#")):
                yield f"<{each.tag}> asks for {each.get(attribute)!r}"
        if each.tag in {"link", "base", "iframe", "object", "embed"}:
            yield f"<{each.tag}> asks for something else"
        styles = (each.text or "" if _name(each) == "style" else "") + (each.get("style") or "")
        for asked in re.findall(r"(?:@import[^;]*|url\((?!['\"]?(?:#|data:))[^)]*\))", styles):
            yield f"a style asks for {asked!r}"


def _nesting(root: Element) -> Iterator[str]:
    for parent in root.iter():
        name = _name(parent)
        for child in parent:
            if name in _INSIDE and _name(child) not in _INSIDE[name] | {""}:
                yield f"<{child.tag}> directly in <{parent.tag}>"
        inner = [_name(each) for each in parent.iter() if each is not parent]
        if name in {"a", "button"} and not _INTERACTIVE.isdisjoint(inner):
            yield f"<{next(each for each in inner if each in _INTERACTIVE)}> inside <{name}>"
        if name in _OBSOLETE:
            yield f"<{name}> is obsolete"
        for attribute in _GONE & set(parent.keys()):
            yield f"{attribute} of <{name}> is obsolete"


def _tables(root: Element) -> Iterator[str]:
    for table in root.iter("table"):
        widths = {
            sum(int(cell.get("colspan", "1")) for cell in row if cell.tag in {"td", "th"})
            for row in table.iter("tr")
        }
        if len(widths) > 1 and not table.findall(".//*[@rowspan]"):
            yield f"a table has rows of {sorted(widths)} cells"
        for cell in table.iter("th"):
            if cell.get("scope") not in {"col", "row", "colgroup", "rowgroup"}:
                yield f"a head {''.join(cell.itertext())!r} without scope"


def _names(root: Element) -> Iterator[str]:
    for each in root.iter():
        if each.tag == "img" and each.get("alt") is None:
            yield "an image without alt"
        if each.get("role") in {"img", "region", "navigation"} and not _is_named(each):
            yield f"<{each.tag}> with role {each.get('role')} has no name"
        if each.tag in {"a", "button"} and not _is_named(each) and not _said(each):
            yield f"<{each.tag}> has no name"


def _is_named(element: Element) -> bool:
    titles = [child for child in element if _name(child) == "title" and _said(child)]
    return bool(element.get("aria-label") or element.get("aria-labelledby") or titles)


def _said(element: Element) -> str:
    return "".join(element.itertext()).strip()


def _name(element: Element) -> str:
    """Without the namespace that SVG brings; comments have none."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
