"""A report as one HTML page: no request leaves it, in light, in dark and on paper."""

from __future__ import annotations

from rejudge.report.blocks import Report


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
    return environment.get_template("page.html").render(report=report)
