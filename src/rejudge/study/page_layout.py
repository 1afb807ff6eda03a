"""A page layout: HTML with placeholders `${…}` and fields, such as Mechanical Turk had.

There, values were put into the page as they are, scripts ran, and style sheets came from other
hosts. Here the layout is parsed and rewritten: values are escaped and never scanned again,
`crowd-*` elements become plain controls, and scripts, links and anything that loads something are
left out. The page is shown in a frame without an origin or a network.
"""

from __future__ import annotations

import string
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Final

from rejudge.errors import FileError, Problem, StudyError
from rejudge.study.page_elements import LayoutControl
from rejudge.study.page_outline import HiddenPart, PageOutline, outline_page
from rejudge.study.page_rewriter import Filling, PageRewriter, placeholders_of

POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "base-uri 'none'"
)
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
    repaired: tuple[str, ...] = ()  # faults of the markup
    hidden: tuple[HiddenPart, ...] = ()  # until a script shows them


def parse_layout(html: str, *, file: str | None = None) -> PageLayout:
    """Read a layout; nothing of it is executed. A StudyError about `file` if it is not usable."""
    names = placeholders_of(html)
    rewriter = PageRewriter(Filling(dict.fromkeys(names, "")))
    try:
        rewriter.rewrite(html)
        outline = outline_page(html)
    except StudyError as error:
        raise StudyError(*(replace(each, file=file) for each in error.problems)) from None
    return PageLayout(
        html,
        names,
        tuple(_in_context(control, outline) for control in rewriter.controls()),
        tuple(sorted(rewriter.left_out)),
        tuple(sorted(rewriter.untranslated)),
        rewriter.introduction(),
        tuple(rewriter.repaired),
        outline.hidden,
    )


def _in_context(control: LayoutControl, outline: PageOutline) -> LayoutControl:
    context = outline.fields[control.name]
    return replace(
        control,
        prompt=control.prompt or context.prompt,
        labels=context.labels,
        is_hidden=context.is_hidden,
    )


def split_name(name: str) -> tuple[str, int | None]:
    """A name without the number at its end, and the number; the longest run of digits counts."""
    stem = name.rstrip(string.digits)
    number = name[len(stem) :]
    if not 0 < len(number) <= _MOST_DIGITS:
        return name, None
    return stem.rstrip("_.-"), int(number)


def rewrite_layout(layout: PageLayout, filling: Filling) -> str:
    """What stands between `<body>` and `</body>`, safe to show.

    Parts that the page hides are visible, but for those that only ask what nobody is asked.
    """
    asked = set(filling.fields or ()) | set(filling.empty)
    kept = [
        part.number
        for part in layout.hidden
        if filling.fields is not None
        and part.fields
        and not part.has_texts
        and not part.fields & asked
    ]
    return PageRewriter(replace(filling, hidden=kept)).rewrite(layout.html)


def markup_faults(value: str) -> tuple[str, ...]:
    """What is repaired in a value with markup when it is shown."""
    rewriter = PageRewriter(Filling(None, fields={}))
    try:
        rewriter.rewrite(value)
    except StudyError as error:
        return (f"{error.problems[0].what.removesuffix('.')}, so it is shown as text",)
    return tuple(rewriter.repaired)


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
