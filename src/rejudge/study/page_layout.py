"""A page layout: HTML with placeholders `${…}` and fields, such as Mechanical Turk had.

There, values were put into the page as they are, scripts ran, and style sheets came from other
hosts. Here the layout is parsed and rewritten: values are escaped and never scanned again,
`crowd-*` elements become plain controls, and scripts, links and anything that loads something are
left out. The page is shown in a frame without an origin or a network.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from html import escape
from typing import Final

from rejudge.errors import FileError, Problem
from rejudge.study.page_elements import LayoutControl
from rejudge.study.page_rewriter import Filling, PageRewriter, placeholders_of

POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "base-uri 'none'"
)
_SUFFIX = re.compile(r"(.*?)([0-9]+)")
_MOST_DIGITS = 9  # longer ones count nothing


@dataclass(frozen=True, slots=True)
class PageLayout:
    """What a layout asks for and shows."""

    html: str
    placeholders: tuple[str, ...]
    controls: tuple[LayoutControl, ...]
    left_out: tuple[str, ...]  # elements that a safe page cannot have
    untranslated: tuple[str, ...]  # crowd elements without a plain counterpart
    introduction: tuple[str, ...]  # paragraphs before the first placeholder


def parse_layout(html: str) -> PageLayout:
    """Read a layout; nothing of it is executed."""
    names = placeholders_of(html)
    rewriter = PageRewriter(Filling(dict.fromkeys(names, "")))
    rewriter.rewrite(html)
    return PageLayout(
        html,
        names,
        rewriter.controls(),
        tuple(sorted(rewriter.left_out)),
        tuple(sorted(rewriter.untranslated)),
        rewriter.introduction(),
    )


def split_name(name: str) -> tuple[str, int | None]:
    """A name without the number at its end, and the number; the longest run of digits counts."""
    found = _SUFFIX.fullmatch(name)
    if found is None or len(found[2]) > _MOST_DIGITS:
        return name, None
    return found[1].rstrip("_.-"), int(found[2])


def rewrite_layout(layout: PageLayout, filling: Filling) -> str:
    """What stands between `<body>` and `</body>`, safe to show."""
    return PageRewriter(filling).rewrite(layout.html)


def render_layout(
    layout: PageLayout, values: Mapping[str, str], *, html_columns: Collection[str] = ()
) -> str:
    """A page of its own, safe to open: one pass over the layout, every value escaped.

    The values of `html_columns` may have markup; it is cleaned in the same way.
    """
    missing = [name for name in layout.placeholders if name not in values]
    if missing:
        what = f"the layout shows {', '.join(missing[:5])}, but there is no such column."
        raise FileError(Problem(what, "Give the CSV file that belongs to the layout."))
    return (
        "<!DOCTYPE html>\n<html>\n<head>\n"
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"{rewrite_layout(layout, Filling(values, html_columns))}\n</body>\n</html>\n"
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
