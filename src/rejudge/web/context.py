"""What a site is made of: the study and its plan, the store behind it, the clock, the secret."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

from rejudge.design import Plan
from rejudge.store import Store
from rejudge.study import Study


@dataclass(frozen=True, eq=False)
class SiteContext:
    """All that the pages of one study need."""

    study: Study
    plan: Plan
    store: Store
    now: Callable[[], datetime]  # aware, UTC
    secret: bytes  # signs cookies and forms; the same in all processes of a site
    base_url: str = ""  # as participants type it; a path in it stands before every address
    is_secure: bool = False  # whether cookies may travel by TLS alone
    is_rehearsal: bool = False
    is_preview: bool = False  # to look at: nothing counts, and anybody may come in
    patience_seconds: float = 1.0  # how long the dashboard's first page waits for slow numbers
    interface: Mapping[str, str] = field(default_factory=dict)  # own words for buttons, by key

    @property
    def prefix(self) -> str:
        """What stands before every path, where the site is not at the root of its host."""
        return urlsplit(self.base_url).path.rstrip("/")
