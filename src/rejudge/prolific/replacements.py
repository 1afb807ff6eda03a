"""Places to add or to withhold: replacements for people, and what a planned look decided.

That happens when work is excluded and paid all the same, when somebody found no task left, or when
a place was added by hand. Prolific then has to be given more places; with Taskflow, for the batches
that need them.

Places are asked for stage by stage, so that nobody is sent who would find no task. Submissions of a
study that was stopped are reviewed and paid as always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any, Final

from rejudge.collect.assignment import TAKES_PLACE
from rejudge.collect.looks import Look
from rejudge.english import count, verb
from rejudge.errors import Problem
from rejudge.prolific.api import ProlificApi
from rejudge.prolific.creation import batch_of_url
from rejudge.prolific.replies import HOLDS_PLACE, ProlificStudy, StudyStatus, UrlProgress
from rejudge.prolific.sync import Reconciliation, poll
from rejudge.prolific.transport import ProlificError
from rejudge.store.store import Store

ADDED_PARAMETER: Final = "ADDED"  # tells a further address of a batch from those before it
_AT_WORK = frozenset({"reserved", "active"})
_NOT_PUBLISHED = frozenset({"UNPUBLISHED", "SCHEDULED", "PUBLISHING"})
_TO_STOP: frozenset[StudyStatus] = frozenset({"ACTIVE", "PUBLISHING", "PAUSED", "AWAITING REVIEW"})


@dataclass(frozen=True, slots=True)
class Replacements:
    """How many more people are needed, and the request that asks for them."""

    places: int  # to be added on Prolific
    by_batch: Mapping[str, int]  # which batches lack people, and how many
    study: ProlificStudy
    changes: Mapping[str, Any]  # JSON, as the API takes it; empty where nothing is needed


def find_replacements(
    api: ProlificApi, store: Store, study: str, found: Reconciliation
) -> Replacements:
    """What a study lacks after a poll (`found`). Reads from Prolific, changes nothing."""
    known = api.study(study)
    if known.status in _NOT_PUBLISHED:
        what = "the study is not published, so nobody needs to be replaced."
        raise ProlificError(Problem(what, "Publish it first: rejudge prolific publish."))
    missing = Counter(
        {
            each.batch: max(0, each.places - each.done - each.held)
            for each in store.occupancies()
            if not store.plan.batch[each.batch].is_calibration
        }
    )
    if store.study.spec.stop is not None and store.look_log().is_over:
        missing = Counter()  # places that became free after the last look are not needed
    coming = _coming(store, found)
    urls = api.url_progress(study)
    if urls is not None:
        return _with_taskflow(known, urls, missing, coming)
    taken = known.places_taken
    if taken is None:
        counts = api.submission_counts(study)
        taken = sum(number for status, number in counts.items() if status in HOLDS_PLACE)
    people = max(0, known.total_available_places - taken) + coming.total()
    return _with_one_address(known, +missing, people, store.plan.batches_per_participant)


def _with_one_address(
    known: ProlificStudy, missing: Counter[str], coming: int, each_does: int
) -> Replacements:
    """`coming`: people who are on the way, each of whom does up to `each_does` batches."""
    places = max(0, ceil((missing.total() - coming * each_does) / each_does))
    total = {"total_available_places": known.total_available_places + places}
    return Replacements(places, missing if places else {}, known, total if places else {})


def _with_taskflow(
    known: ProlificStudy,
    urls: list[UrlProgress],
    missing: Counter[str],
    coming: Counter[str | None],
) -> Replacements:
    if coming[None]:
        who, have = count(coming[None], "participant"), verb(coming[None], "has", "have")
        what = f"{who} started on Prolific and {have} not arrived here yet."
        raise ProlificError(Problem(what, "Try again in ten minutes: their batches are not known."))
    open_places: Counter[str] = Counter()
    for each in urls:
        open_places[batch_of_url(each.external_url)] += each.open
    needed = missing - open_places - Counter({k: n for k, n in coming.items() if k is not None})
    if not needed:
        return Replacements(0, {}, known, {})
    changes = {
        "access_details": [
            {"external_url": _further_url(urls, batch), "total_allocation": number}
            for batch, number in sorted(needed.items())
        ],
        "total_available_places": known.total_available_places + needed.total(),
    }
    return Replacements(needed.total(), needed, known, changes)


def _coming(store: Store, found: Reconciliation) -> Counter[str | None]:
    """How many are at work there without a batch here, by the batch their link named.

    None: they have not arrived, or their link names no batch.
    """
    main = {
        each.visit
        for each in store.assignments()
        if each.status in TAKES_PLACE and not store.plan.batch[each.batch].is_calibration
    }
    visits = {each.session: each for each in store.identities()}
    coming: Counter[str | None] = Counter()
    for each in found.visits:
        known = visits.get(each.session or "")
        if each.said in _AT_WORK and (known is None or known.visit not in main):
            coming[None if known is None else known.sent_to] += 1
    return coming


def _further_url(urls: list[UrlProgress], batch: str) -> str:
    """One more address of a batch: Prolific tells addresses apart by their text."""
    own = [each.external_url for each in urls if batch_of_url(each.external_url) == batch]
    if not own:
        what = f"Prolific has no address for batch {batch}."
        raise ProlificError(Problem(what, "Was the plan drawn again after the study was created?"))
    return f"{own[0]}&{ADDED_PARAMETER}={len(own)}"


def follow_look(
    api: ProlificApi, store: Store, study: str, look: Look, *, now: Callable[[], datetime]
) -> str:
    """Do on Prolific what a look decided; what was done, in words. The same twice changes nothing.

    People who have started can finish: stopping a study only keeps new ones out.
    """
    if look.is_final:
        if api.study(study).status not in _TO_STOP:
            return "the study had already stopped on Prolific"
        api.transition_study(study, "STOP")
        return "the study was stopped on Prolific"
    found = find_replacements(api, store, study, poll(store, api, study, now=now))
    if not found.places:
        return "Prolific has enough places"
    api.update_study(study, found.changes)
    if found.study.status == "PAUSED":
        api.transition_study(study, "START")
    return f"{found.places} places were added on Prolific"
