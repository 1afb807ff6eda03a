"""Every address of the dashboard, and who may use it."""

from __future__ import annotations

from starlette.routing import Route

from rejudge.store.records import Role
from rejudge.web.dashboard import auth, calibration, handlers
from rejudge.web.dashboard.auth import Handler
from rejudge.web.dashboard.context import Dashboard
from rejudge.web.rendering import SiteContext

_LOOK: dict[str, Handler] = {
    "": handlers.overview,
    "/": handlers.overview,
    "/live": handlers.live,
    "/people": handlers.people,
    "/people/{participant}": handlers.person,
    "/batches/{batch}": handlers.batch,
    "/preview/{batch}/{number}": handlers.preview,
    "/calibration": calibration.calibration,
    "/log": handlers.log,
    "/downloads": handlers.downloads,
    "/downloads/{name}": handlers.download,
}
_LOOK_AS_OWNER: dict[str, Handler] = {"/access": handlers.access}
_ACT: dict[str, Handler] = {
    "/state": handlers.set_state,
    "/calibration": calibration.set_gate,
    "/assignments/{assignment}": handlers.decide,
    "/batches/{batch}/place": handlers.add_place,
    "/places/release": handlers.release,
    "/people/{participant}/withdraw": handlers.withdraw,
    "/identities": handlers.identities,
    "/access/grant": handlers.grant,
    "/access/{token}/revoke": handlers.revoke,
}


def dashboard_routes(site: SiteContext) -> list[Route]:
    """All routes of the dashboard, under /dashboard."""
    dashboard = Dashboard(site)

    def make_routes(handlers: dict[str, Handler], method: str, needs: Role) -> list[Route]:
        return [
            Route(f"/dashboard{path}", auth.protect(dashboard, handler, needs), methods=[method])
            for path, handler in handlers.items()
        ]

    return [
        Route("/dashboard/login", auth.login(dashboard), methods=["GET", "POST"]),
        *make_routes({"/logout": auth.log_out}, "POST", "viewer"),
        *make_routes(_LOOK, "GET", "viewer"),
        *make_routes(_LOOK_AS_OWNER, "GET", "owner"),
        *make_routes(_ACT, "POST", "owner"),
    ]
