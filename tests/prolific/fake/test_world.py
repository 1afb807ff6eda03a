"""Whatever researchers and participants do, the fake's places, money and lists stay consistent."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from decimal import Decimal

from fake_account import Account, study_body, taskflow_body
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from property_settings import examples
from rejudge.prolific.client import HOLDS_PLACE, ProlificError
from rejudge.prolific.fake import FakeFault, FakeRefusal

REASON = "You answered all questions in less time than anybody needs to read them once. " * 2
REFUSED = (ProlificError, FakeRefusal)
PICK = st.integers(0, 1000)


class AnyScript(RuleBasedStateMachine):
    """One study, a panel, and everything that both sides can do, in any order."""

    @initialize(is_taskflow=st.booleans(), frees=st.booleans(), seed=st.integers(0, 99))
    def begin(self, *, is_taskflow: bool, frees: bool, seed: int) -> None:
        self.account = Account(seed=seed, returns_free_urls=frees)
        body = taskflow_body(2, 1) if is_taskflow else study_body()
        self.study = self.account.api.create_study(body).id
        self.account.api.transition_study(self.study, "PUBLISH")
        self.world = self.account.world
        self.batches: list[str] = []

    def somebody(self, pick: int):
        own = self.world.of_study(self.study)
        return own[pick % len(own)] if own else None

    @rule()
    def reserve(self) -> None:
        with suppress(*REFUSED):
            self.world.reserve(self.study, self.world.join(1)[0].id)

    @rule()
    def come(self) -> None:
        with suppress(*REFUSED):
            self.account.come(self.study)

    @rule(pick=PICK)
    def come_again(self, pick: int) -> None:
        who = self.somebody(pick)
        with suppress(*REFUSED):
            self.world.reserve(self.study, who.participant if who else "nobody")

    @rule(pick=PICK, code=st.sampled_from(["DONE1", "NO1", "OUT1", "WRONG", None]))
    def enter(self, pick: int, code: str | None) -> None:
        with suppress(*REFUSED):
            if who := self.somebody(pick):
                self.world.enter_code(who, code)

    @rule(pick=PICK)
    def give_back(self, pick: int) -> None:
        with suppress(*REFUSED):
            if who := self.somebody(pick):
                self.world.give_back(who)

    @rule(minutes=st.sampled_from([1, 9, 11, 30, 60 * 24 * 22]))
    def wait(self, minutes: int) -> None:
        self.account.time.wait(minutes=minutes)
        self.world.pass_time()

    @rule(picks=st.lists(PICK, min_size=1, max_size=4))
    def approve(self, picks: list[int]) -> None:
        people = [who.id for pick in picks if (who := self.somebody(pick))]
        self.account.api.approve(people)
        self.world.pass_time()

    @rule(pick=PICK)
    def reject(self, pick: int) -> None:
        with suppress(*REFUSED):
            if who := self.somebody(pick):
                self.account.api.reject(who.id, message=REASON, category="OTHER")

    @rule(action=st.sampled_from(["PUBLISH", "PAUSE", "START", "STOP"]))
    def transition(self, action) -> None:
        with suppress(*REFUSED):
            self.account.api.transition_study(self.study, action)

    @rule()
    def add_places(self) -> None:
        study = self.world.studies[self.study]
        link = f"https://study.example.org/more/{len(study.urls)}"
        more = [{"external_url": link, "total_allocation": 1}]
        changes = {"access_details": more} if study.urls else None
        self.account.api.update_study(
            self.study, changes or {"total_available_places": study.places + 1}
        )

    @rule(pick=PICK, is_lost=st.booleans())
    def pay_a_bonus(self, pick: int, *, is_lost: bool) -> None:
        who = self.somebody(pick)
        if who is None:
            return
        (batch,) = self.account.api.set_up_bonuses(self.study, {who.id: Decimal("0.35")})
        self.batches.append(batch.id)
        if is_lost:
            self.world.faults.append(FakeFault(502, "/pay/", is_carried_out=True))
        with suppress(ProlificError):
            self.account.api.pay_bonuses(batch.id)

    @invariant()
    def places_are_never_given_twice_except_to_surplus_submissions(self) -> None:
        study = self.world.studies[self.study]
        holding = [s for s in self.world.of_study(self.study) if s.status in HOLDS_PLACE]
        surplus = [each for each in holding if each.is_surplus]
        assert len(holding) - len(surplus) <= study.places
        by_url = Counter(each.url for each in holding if not each.is_surplus)
        for each, allocated in self.world.url_counts(study):
            assert by_url[each.url] <= each.allocation
            assert allocated <= each.allocation + each.increments

    @invariant()
    def the_ledger_adds_up(self) -> None:
        ledger = self.world.ledger
        own = self.world.of_study(self.study)
        paid = Counter((entry.kind, entry.submission) for entry in ledger.entries)
        approved = {("reward", each.id) for each in own if each.status == "APPROVED"}
        assert {key for key in paid if key[0] == "reward"} == approved
        assert all(times == 1 for (kind, _), times in paid.items() if kind != "bonus")
        assert ledger.balance == self.account.api.account().balance
        assert ledger.deposit - ledger.balance == sum(
            entry.amount + entry.fee + entry.vat for entry in ledger.entries
        )

    @invariant()
    def the_client_pays_every_bonus_once(self) -> None:
        payments = self.world.ledger.bonus_payments
        assert [payments[name].times_paid for name in self.batches] == [1] * len(self.batches)

    @invariant()
    def lists_have_every_submission_once(self) -> None:
        own = [each.id for each in self.world.of_study(self.study)]
        assert [each.id for each in self.account.api.submissions(self.study)] == own
        counts = self.account.api.submission_counts(self.study)
        assert sum(counts.values()) == len(own)

    @invariant()
    def a_study_with_free_places_and_nobody_stopping_it_is_open(self) -> None:
        study = self.world.studies[self.study]
        is_open = study.status in {"ACTIVE", "PAUSED"}
        assert (
            is_open
            or study.is_stopped
            or self.world.free_places(study) < 1
            or (study.status == "COMPLETED")
        )


AnyScript.TestCase.settings = settings(
    max_examples=examples(60), stateful_step_count=40, deadline=None
)
test_any_script = AnyScript.TestCase
