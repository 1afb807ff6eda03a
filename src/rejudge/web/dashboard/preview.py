"""Any task as participants see it; nothing can be sent from there."""

from __future__ import annotations

from functools import lru_cache

from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from rejudge.web.context import SiteContext
from rejudge.web.dashboard.auth import Ask, Refused
from rejudge.web.dashboard.context import Desk
from rejudge.web.dashboard.pages import find_batch
from rejudge.web.rendering import Pages


def preview(desk: Desk, ask: Ask) -> Response:
    """One task of a batch, by its place in the order of the first seat, counted from 1."""
    batch, place = find_batch(desk, ask), ask.number("number")
    pages = _pages(desk.site)
    order = pages.order(batch.id, 0)
    if not 1 <= place <= len(order):
        raise Refused(404, "There is no such task", f"The batch has {len(order)}.")
    task = pages.task_at(batch.id, order[place - 1])
    heading = pages.heading(place, len(order))
    body = pages.fragments.blank(batch.id, order[place - 1], heading)
    return HTMLResponse(
        pages.render(
            "dashboard/preview.html",
            body=Markup(body),  # noqa: S704 - rendered, escaped
            place=place,
            all_tasks=len(order),
            batch=batch,
            task=task,
            root=f"{desk.site.prefix}/desk",
        )
    )


@lru_cache(maxsize=8)
def _pages(site: SiteContext) -> Pages:
    return Pages(site)
