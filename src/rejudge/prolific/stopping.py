"""What a planned look means on Prolific: recruiting stops, or more places are asked for.

Places are asked for stage by stage, so that nobody is sent who would find no task. Submissions of a
study that was stopped are reviewed and paid as always.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from rejudge.collect import Look
from rejudge.prolific.api import ProlificApi
from rejudge.prolific.replacements import find_replacements
from rejudge.prolific.replies import StudyStatus
from rejudge.prolific.sync import poll
from rejudge.store import Store

_TO_STOP: frozenset[StudyStatus] = frozenset({"ACTIVE", "PUBLISHING", "PAUSED", "AWAITING REVIEW"})


def follow_look(
    api: ProlificApi, store: Store, study: str, look: Look, *, now: Callable[[], datetime]
) -> str:
    """Do on Prolific what a look decided; what was done, in words. The same twice changes nothing.

    People who have started can finish: stopping a study only keeps new ones out.
    """
    if look.is_final:
        if api.study(study).status not in _TO_STOP:
            return "the study had stopped on Prolific already"
        api.transition_study(study, "STOP")
        return "the study was stopped on Prolific"
    found = find_replacements(api, store, study, poll(store, api, study, now=now))
    if not found.places:
        return "Prolific has enough places"
    api.update_study(study, found.changes)
    if found.study.status == "PAUSED":
        api.transition_study(study, "START")
    return f"{found.places} places were added on Prolific"
