"""Parameters that an earlier study's judgments show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rejudge.design import Plan
    from rejudge.judgments import Judgments
    from rejudge.study import Study


@dataclass(frozen=True, slots=True)
class Pilot:
    """The judgments of an earlier study, with its study and plan where they are known."""

    name: str  # as people call it, such as the folder
    judgments: Judgments
    study: Study | None = None
    plan: Plan | None = None
