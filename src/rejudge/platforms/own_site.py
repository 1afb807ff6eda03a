"""No platform: people follow a link to our site, their own or one for everybody."""

from __future__ import annotations

from rejudge.platforms import Platform

PLATFORM = Platform(name="link", title="link", recruited="by a link")
