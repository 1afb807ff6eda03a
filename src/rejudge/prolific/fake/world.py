"""The fake Prolific's state, and the rules by which it changes.

Researchers act through the API (`app`); participants act here: they reserve a place, start, enter a
code, return. Whatever only time brings about (a reservation that lapses, a time-out, approval after
21 days) happens in `pass_time`, which every act begins with.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from threading import RLock
from typing import Any

from rejudge.prolific.fake.hooks import Hooks
from rejudge.prolific.fake.panel import POOL, draw_member, make_filters
from rejudge.prolific.fake.records import (
    FakeFault,
    FakeLedger,
    FakeRefusal,
    FakeStudy,
    FakeSubmission,
    PanelMember,
    TaskflowUrl,
)
from rejudge.prolific.fake.study_rules import least_maximum_minutes
from rejudge.prolific.replies import HOLDS_PLACE, StudyStatus, SubmissionStatus

RESERVED_FOR = timedelta(minutes=10)
REVIEWED_AFTER = timedelta(days=21)  # who was not reviewed by then is approved
_AT_WORK: frozenset[SubmissionStatus] = frozenset({"RESERVED", "ACTIVE"})
CONFLICT = 409
_NOT_FOUND = 404


class ProlificWorld:
    """One researcher's account, their studies, and the panel."""

    def __init__(
        self,
        *,
        now: Callable[[], datetime],
        rng: random.Random,
        currency: str = "GBP",
        balance: int = 10_000_000,
        token: str = "fake-token",  # noqa: S107 - opens nothing
        returns_free_urls: bool = True,
    ) -> None:
        self.now = now
        self.rng = rng
        self.ledger = FakeLedger(currency, balance)
        self.token = token
        # How Taskflow counts a returned submission is not documented: either it is no longer
        # allocated, or the address gets one more place.
        self.returns_free_urls = returns_free_urls
        self.lock = RLock()  # the API and the participants may come from different threads
        self.workspace = self.new_id()
        self.user = self.new_id()
        self.generation = 0
        self.filters = make_filters(0, rng)
        self.members: dict[str, PanelMember] = {}
        self.studies: dict[str, FakeStudy] = {}
        self.submissions: dict[str, FakeSubmission] = {}
        self.faults: list[FakeFault] = []  # the next requests that fail
        self.hooks = Hooks(self)
        self._approvals: list[str] = []  # bulk approvals are carried out a moment later

    def new_id(self) -> str:
        """An id as Prolific makes them: 24 hexadecimal digits."""
        return f"{self.rng.getrandbits(96):024x}"

    # ── time ─────────────────────────────────────────────────────────────────────────────────────

    def pass_time(self) -> datetime:
        """Do what has become due; the time it is."""
        now = self.now()
        for each in list(self.submissions.values()):
            self._let_lapse(each, now)
        for name in self._take_approvals():
            with suppress(FakeRefusal):  # returned meanwhile: bulk approval skips it
                self.approve(self.submission(name))
        return now

    def _let_lapse(self, each: FakeSubmission, now: datetime) -> None:
        ends_at = self._ends_at(each)
        if ends_at is None or now < ends_at:
            return
        if each.status == "AWAITING REVIEW":
            self.approve(each)
        else:
            self.set_submission(each, "TIMED-OUT")

    def _ends_at(self, each: FakeSubmission) -> datetime | None:
        """When a submission changes its state without anybody doing anything."""
        if each.status == "RESERVED":
            return each.reserved_at + RESERVED_FOR
        if each.status == "ACTIVE" and each.started_at is not None:
            return each.started_at + self._allowed_time(self.studies[each.study])
        if each.status == "AWAITING REVIEW" and each.completed_at is not None:
            return each.completed_at + REVIEWED_AFTER
        return None

    def _allowed_time(self, study: FakeStudy) -> timedelta:
        least = least_maximum_minutes(study.body["estimated_completion_time"])
        return timedelta(minutes=study.body.get("maximum_allowed_time") or least)

    def _take_approvals(self) -> list[str]:
        due, self._approvals = self._approvals, []
        return due

    # ── panel ────────────────────────────────────────────────────────────────────────────────────

    def join(self, people: int) -> list[PanelMember]:
        """New members of the panel."""
        new = [draw_member(self.rng, self.new_id()) for _ in range(people)]
        self.members |= {member.id: member for member in new}
        return new

    def drift(self) -> None:
        """Give all screeners and their answers new ids, as happens from time to time."""
        self.generation += 1
        self.filters = make_filters(self.generation, self.rng)

    def count_eligible(self, filters: Sequence[Mapping[str, Any]]) -> int:
        """How many of a pool meet screeners: each halves it."""
        return POOL >> len(filters)

    # ── participants ─────────────────────────────────────────────────────────────────────────────

    def reserve(self, study_id: str, participant: str) -> FakeSubmission:
        """Take a place for ten minutes; a FakeRefusal where there is none for them."""
        now = self.pass_time()
        study = self.study(study_id)
        own = [each for each in self.of_study(study_id) if each.participant == participant]
        config = study.body.get("submissions_config") or {}
        most = config.get("max_submissions_per_participant", 1)
        if study.status != "ACTIVE" or self.free_places(study) < 1:
            raise FakeRefusal("There are no places left.", status=CONFLICT)
        if most != -1 and len(own) >= most:
            raise FakeRefusal("You have taken part in this study.", status=CONFLICT)
        if not self._is_eligible(study, participant):
            raise FakeRefusal("You are not eligible.", status=CONFLICT)
        url = self._next_url(study, {each.url for each in own})
        made = FakeSubmission(self.new_id(), participant, study.id, "RESERVED", now, url)
        self.submissions[made.id] = made
        self._changed(made)
        return made

    def start(self, submission: FakeSubmission) -> str:
        """Begin; the link into the study."""
        now = self.pass_time()
        if submission.status not in _AT_WORK:
            raise FakeRefusal("This place is no longer reserved.", status=CONFLICT)
        if submission.status == "RESERVED":
            submission.started_at = now
            self.set_submission(submission, "ACTIVE")
        return self.link(submission)

    def link(self, submission: FakeSubmission) -> str:
        """Where the platform sends this participant, with their ids."""
        values = {
            "PROLIFIC_PID": submission.participant,
            "STUDY_ID": submission.study,
            "SESSION_ID": submission.id,
        }
        link = submission.url
        for name, value in values.items():
            link = link.replace("{{%" + name + "%}}", value)
        return link

    def enter_code(self, submission: FakeSubmission, code: str | None) -> SubmissionStatus:
        """Finish with a code, a wrong one, or none; the state that follows."""
        now = self.pass_time()
        if submission.status == "TIMED-OUT":  # finished too late: it can be sent in all the same
            submission.entered_code = code
            submission.completed_at = now
            return submission.status
        if submission.status != "ACTIVE":
            raise FakeRefusal("This submission is not active.", status=CONFLICT)
        submission.entered_code = code
        submission.completed_at = now
        known = None if code is None else self.study(submission.study).code(code)
        self.carry_out(submission, known.get("actions", ()) if known else ())
        return submission.status

    def carry_out(self, submission: FakeSubmission, actions: Sequence[Mapping[str, Any]]) -> None:
        """Do what a completion code says; without actions the submission awaits review."""
        names = {action["action"]: action for action in actions}
        if "FIXED_SCREEN_OUT_PAYMENT" in names:
            self._screen_out(submission, names["FIXED_SCREEN_OUT_PAYMENT"])
            return
        self.set_submission(submission, "AWAITING REVIEW")
        if "REQUEST_RETURN" in names:
            submission.return_requested = self.now()

    def _screen_out(self, submission: FakeSubmission, action: Mapping[str, Any]) -> None:
        study = self.study(submission.study)
        paid = sum(e.kind == "screen-out" and e.study == study.id for e in self.ledger.entries)
        self.ledger.pay("screen-out", submission, int(action["fixed_screen_out_reward"]))
        self.set_submission(submission, "SCREENED OUT")
        if paid + 1 >= int(action.get("slots", 1)) and study.status == "ACTIVE":
            self.set_study(study, "PAUSED")

    def give_back(self, submission: FakeSubmission) -> None:
        """Return a submission, also after having sent it in; nobody is paid for it."""
        self.pass_time()
        if submission.status not in {*_AT_WORK, "AWAITING REVIEW"}:
            raise FakeRefusal("This submission cannot be returned.", status=CONFLICT)
        self.set_submission(submission, "RETURNED")

    def _is_eligible(self, study: FakeStudy, participant: str) -> bool:
        blocked = {each["filter_id"]: name for name, each in self.filters.items()}
        for chosen in study.body.get("filters", ()):
            kind = blocked.get(chosen["filter_id"])
            values = chosen.get("selected_values", ())
            before = {e.study for e in self.submissions.values() if e.participant == participant}
            if (kind == "previous_studies_blocklist" and before & set(values)) or (
                kind == "custom_blocklist" and participant in values
            ):
                return False
        return True

    # ── places ───────────────────────────────────────────────────────────────────────────────────

    def of_study(self, study: str) -> list[FakeSubmission]:
        """The submissions of a study, in the order they were made."""
        return [each for each in self.submissions.values() if each.study == study]

    def taken_places(self, study: FakeStudy) -> int:
        """How many places are held, surplus submissions not counted."""
        return sum(
            each.status in HOLDS_PLACE and not each.is_surplus for each in self.of_study(study.id)
        )

    def free_places(self, study: FakeStudy) -> int:
        """How many places are left."""
        return study.places - self.taken_places(study)

    def url_counts(self, study: FakeStudy) -> Iterator[tuple[TaskflowUrl, int]]:
        """Each address of a Taskflow study and how many people were allocated to it."""
        for each in study.urls:
            sent = [s for s in self.of_study(study.id) if s.url == each.url and not s.is_surplus]
            holding = [s for s in sent if s.status in HOLDS_PLACE]
            yield each, len(holding if self.returns_free_urls else sent)

    def _next_url(self, study: FakeStudy, had: Collection[str]) -> str:
        """The address with the largest share of free places, of those the person has not had."""
        if not study.urls:
            return str(study.body["external_study_url"])
        shares = {
            u.url: n / (u.allocation + u.increments)
            for u, n in self.url_counts(study)
            if u.url not in had
        }
        emptiest = min(shares, key=lambda url: shares[url], default=None)
        if emptiest is None or shares[emptiest] >= 1:
            raise FakeRefusal("There are no places left.", status=CONFLICT)
        return emptiest

    def set_submission(self, submission: FakeSubmission, status: SubmissionStatus) -> None:
        """Change a state; who comes back when all places are taken is surplus."""
        if submission.status == status:
            return
        held, holds = submission.status in HOLDS_PLACE, status in HOLDS_PLACE
        if holds and not held:
            submission.is_surplus = self._is_place_gone(submission)
        elif held and not holds and not submission.is_surplus:
            self._add_capacity(submission, 1)
        submission.status = status
        self._changed(submission)

    def _is_place_gone(self, submission: FakeSubmission) -> bool:
        """Whether somebody else has the place that somebody comes back to."""
        study = self.study(submission.study)
        is_full = [
            number >= each.allocation + each.increments
            for each, number in self.url_counts(study)
            if each.url == submission.url
        ]
        is_gone = self.free_places(study) < 1 or any(is_full)
        if not submission.is_surplus:
            self._add_capacity(submission, -1)  # it was added when they left
        return is_gone

    def _add_capacity(self, submission: FakeSubmission, places: int) -> None:
        for each in self.study(submission.study).urls:
            if each.url == submission.url and not self.returns_free_urls:
                each.increments += places

    def _changed(self, submission: FakeSubmission) -> None:
        self.hooks.publish(
            "submission.status.change",
            resource_id=submission.id,
            participant_id=submission.participant,
            status=submission.status,
        )
        self.hooks.publish("study.progress.change", resource_id=submission.study)
        self._settle(self.study(submission.study))

    def _settle(self, study: FakeStudy) -> None:
        """A study without free places awaits review and is then complete; a free one reopens it."""
        own = self.of_study(study.id)
        is_full = self.free_places(study) < 1
        is_busy = any(each.status in _AT_WORK for each in own)
        is_waiting = any(each.status == "AWAITING REVIEW" for each in own)
        if study.status in {"ACTIVE", "AWAITING REVIEW"} and is_full and not is_busy:
            self.set_study(study, "AWAITING REVIEW" if is_waiting else "COMPLETED")
        elif study.status == "AWAITING REVIEW" and not is_full and not study.is_stopped:
            self.set_study(study, "ACTIVE")

    def set_study(self, study: FakeStudy, status: StudyStatus) -> None:
        """Change the state of a study."""
        if study.status == status:
            return
        study.status = status
        if status == "ACTIVE" and study.published_at is None:
            study.published_at = self.now()
        self.hooks.publish(
            "study.status.change",
            resource_id=study.id,
            metadata=study.body.get("metadata"),
            status=status,
        )

    # ── looking up and approving ─────────────────────────────────────────────────────────────────

    def study(self, study: str) -> FakeStudy:
        """A study; a FakeRefusal for an unknown one."""
        if study not in self.studies:
            raise FakeRefusal("Study not found.", status=_NOT_FOUND)
        return self.studies[study]

    def submission(self, submission: str) -> FakeSubmission:
        """A submission; a FakeRefusal for an unknown one."""
        if submission not in self.submissions:
            raise FakeRefusal("Submission not found.", status=_NOT_FOUND)
        return self.submissions[submission]

    def approve_later(self, submissions: Sequence[str]) -> None:
        """Approve in bulk: accepted now, carried out before the next thing that happens."""
        for each in submissions:
            self.submission(each)
        self._approvals += submissions

    def approve(self, submission: FakeSubmission) -> None:
        """Approve and pay; who is approved is not paid again."""
        if submission.status == "APPROVED":
            return
        if submission.status not in {"AWAITING REVIEW", "TIMED-OUT"}:
            raise FakeRefusal(f"Cannot approve: {submission.status}.", status=CONFLICT)
        submission.reviewed_at = self.now()
        self.set_submission(submission, "APPROVED")
        self.ledger.pay("reward", submission, self.study(submission.study).reward)
