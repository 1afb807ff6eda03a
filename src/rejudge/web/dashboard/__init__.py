"""The researcher's dashboard: what happens now, and what can be done about it."""

from rejudge.web.dashboard.routes import desk_routes

__all__ = ["desk_routes"]
