"""People who take part on a fake Prolific and in the study's store."""

from __future__ import annotations

from pathlib import Path

from fake_account import Account

from rejudge.collect.visit import Arrival
from rejudge.files.step_files import open_plan
from rejudge.prolific.study import read_record
from rejudge.store.records import PageAnswers
from rejudge.store.store import Store, open_existing
from rejudge.study.kinds.question import Question
from rejudge.web.site import now_utc

MORE = """
recruitment: {platform: prolific, regions: [GB, US]}
payment: {currency: GBP, hourly: 12, minutes: 10}
"""


class Crowd:
    """People who take part on the platform and at the store, without pages between."""

    def __init__(self, account: Account, folder: Path) -> None:
        self.account = account
        self.study = read_record(folder).study
        self.store: Store = open_existing(str(folder / "study.db"), *open_plan(folder))

    def begin(self):
        """Somebody takes a place, arrives, agrees and gets a batch."""
        submission = self.account.come(self.study)
        now = now_utc()
        arrival = Arrival("prolific", submission.participant, submission.id)
        visit = self.store.arrive(arrival, now=now)
        visit = self.store.consent(visit, agreed=True, version=self.store.consent_version, now=now)
        visit = self.store.pass_step(visit, "instructions", now=now)
        return submission, self.store.claim(visit, now=now)

    def finish(self, *, code: str | None = "completed", seconds: float = 60.0):
        """Somebody does everything, and enters a code."""
        submission, visit = self.begin()
        held = visit.current
        for position, task in enumerate(self.store.order(held), start=1):
            raws = {each.id: _answer(each) for each in self.store.study.spec.questions}
            page = PageAnswers(
                visit.id, held.id, task.id, position, raws, f"{held.id}-{task.id}", now_utc(),
                seconds, 0, 0,
            )  # fmt: skip
            self.store.record(page, now=now_utc())
        self.store.submit(held, now=now_utc())
        self.store.pass_step(visit, "exit", now=now_utc())
        self.account.world.enter_code(submission, code and getattr(self.store.codes, code, code))
        return submission


def _answer(question: Question) -> str:
    return "a" if question.kind == "pairwise" else "3"
