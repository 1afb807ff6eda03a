"""A report as one HTML page: no request leaves it, in light, in dark and on paper."""

from __future__ import annotations

import re

from rejudge.report.blocks import Drawn, Report, all_blocks

_STYLE = re.compile(r"<style>(.*?)</style>\n?", re.DOTALL)
_STRANGE = re.compile(r"[^A-Za-z0-9_.-]")


def to_html(report: Report) -> str:
    """The whole page as text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("rejudge.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["anchor"] = anchor
    environment.filters["inside"] = _inside
    page = environment.get_template("page.html").render(report=report, styles=_styles(report))
    return "\n".join(line for line in page.splitlines() if line.strip()) + "\n"


def _styles(report: Report) -> tuple[str, ...]:
    """The styles of all drawings, once each."""
    blocks = (block for section in report.sections for block in all_blocks(section.blocks))
    drawn = [each.svg for each in (report.figure, *blocks) if isinstance(each, Drawn)]
    return tuple(dict.fromkeys(style for svg in drawn for style in _STYLE.findall(svg)))


def _inside(svg: str) -> str:
    """A drawing within a page, which says what it is and has its style already."""
    return _STYLE.sub("", svg.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1), count=1)


def anchor(name: str) -> str:
    """A name that can stand in an address, and no other name becomes the same."""
    return _STRANGE.sub(lambda found: f"_{ord(found[0]):x}_", name)
