"""The kinds of reasons that a result gives."""

from __future__ import annotations

from typing import Protocol

from rejudge.stats import Reason, Why


class HasReasons(Protocol):
    @property
    def reasons(self) -> tuple[Reason, ...]: ...


def why(found: HasReasons) -> list[Why]:
    return [reason.why for reason in found.reasons]
