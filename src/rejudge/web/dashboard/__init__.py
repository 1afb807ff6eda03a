"""The researcher's dashboard: what is happening now, and what can be done about it."""

from __future__ import annotations

from starlette.routing import Route

from rejudge.store import Role
from rejudge.web.context import SiteContext
from rejudge.web.dashboard import actions, auth, downloads, pages
from rejudge.web.dashboard.auth import Handler
from rejudge.web.dashboard.context import Dashboard

__all__ = ["dashboard_routes"]

_LOOK: dict[str, Handler] = {
    "": pages.overview,
    "/": pages.overview,
    "/live": pages.live,
    "/people": pages.people,
    "/people/{participant}": pages.person,
    "/batches/{batch}": pages.batch,
    "/preview/{batch}/{number}": pages.preview,
    "/log": pages.log,
    "/downloads": pages.downloads,
    "/downloads/{name}": downloads.download,
}
_LOOK_AS_OWNER: dict[str, Handler] = {"/access": pages.access}
_ACT: dict[str, Handler] = {
    "/state": actions.set_state,
    "/assignments/{assignment}": actions.decide,
    "/batches/{batch}/place": actions.add_place,
    "/places/release": actions.release,
    "/people/{participant}/withdraw": actions.withdraw,
    "/identities": downloads.identities,
    "/access/grant": actions.grant,
    "/access/{token}/revoke": actions.revoke,
}


def dashboard_routes(site: SiteContext) -> list[Route]:
    """The dashboard of a site, all of it under /dashboard."""
    dashboard = Dashboard(site)

    def routed(handlers: dict[str, Handler], method: str, needs: Role) -> list[Route]:
        return [
            Route(f"/dashboard{path}", auth.protect(dashboard, handler, needs), methods=[method])
            for path, handler in handlers.items()
        ]

    return [
        Route("/dashboard/login", auth.login(dashboard), methods=["GET", "POST"]),
        *routed({"/logout": auth.log_out}, "POST", "viewer"),
        *routed(_LOOK, "GET", "viewer"),
        *routed(_LOOK_AS_OWNER, "GET", "owner"),
        *routed(_ACT, "POST", "owner"),
    ]
