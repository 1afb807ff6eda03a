"""What a study on Prolific offers and says of itself: reward, minutes, places, the description.

All money is in pence or cents, of the two currencies that Prolific pays in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from html import escape
from html.parser import HTMLParser
from math import ceil
from typing import Final

from markdown_it import MarkdownIt

from rejudge.collect.submissions import can_screen_out
from rejudge.design.pay import Quote
from rejudge.design.pay import quote_price as price_of
from rejudge.design.plan import Plan
from rejudge.design.stages import Stages, stages_of
from rejudge.errors import Problem, StudyError
from rejudge.prolific.replies import RewardRecommendation
from rejudge.study.model import Study

CURRENCIES: Final = ("GBP", "USD")  # both have a hundred sub-units
TAGS: Final = frozenset({"b", "i", "em", "strong", "s", "u", "h1", "h2", "ol", "ul", "li", "p"})
_INSTEAD: Final = {"h3": "h2", "h4": "h2", "h5": "h2", "h6": "h2", "del": "s", "blockquote": "p"}
_APART: Final = frozenset({"br", "td", "th", "tr", "hr"})  # words on both sides stay apart


@dataclass(frozen=True, slots=True)
class ScreenOutPay:
    """What people are paid who are screened out."""

    reward: int  # pence or cents
    places: int  # how many of them are paid


@dataclass(frozen=True, slots=True)
class Offer:
    """What one submission is offered."""

    reward: int  # pence or cents
    currency: str
    minutes: int
    places: int
    submissions: int = 1  # of one person
    screen_out: ScreenOutPay | None = None
    notes: tuple[str, ...] = ()

    @property
    def hourly(self) -> Fraction:
        """Pence or cents for an hour."""
        return Fraction(self.reward * 60, self.minutes)


def offer_of(study: Study, plan: Plan, *, on: date, is_taskflow: bool = False) -> Offer:
    """Reward, minutes and places of one submission.

    With one address a submission covers all batches of a person; with Taskflow it is one batch.
    """
    price = price_of(study, plan, on=on)
    if price.kind != "paid" or price.reward is None or price.currency is None:
        what = "Prolific needs a payment in money."
        remedy = "Write `kind: paid`, a currency and a rule for the amount."
        raise wrong_study(what, remedy, "payment")
    if price.currency not in CURRENCIES:
        what = f"Prolific pays in {' or '.join(CURRENCIES)}, not in {price.currency}."
        remedy = "Change it, and give the exchange rate if one is needed."
        raise wrong_study(what, remedy, "payment.currency")
    own = price.work.rewards_per_participant
    covered = 1 if is_taskflow else own
    reward = int((price.reward * covered + (price.calibration_reward or 0)) * 100)
    minutes = Fraction(price.work.minutes) * covered + Fraction(price.work.calibration_minutes)
    screen_out = screen_out_pay(study, reward)
    stages = stages_of(study, plan)
    if stages is not None and is_taskflow:
        what = "Taskflow assigns all batches at once, but `stop` opens them stage by stage."
        remedy = "Create the study without --taskflow: the site then assigns the batches."
        raise wrong_study(what, remedy, "stop")
    people = plan.people if stages is None else stages.people[0]
    places = plan.places if stages is None else stages.places[0]
    return Offer(
        reward=reward,
        currency=price.currency,
        minutes=ceil(minutes),
        places=people if covered > 1 else places,
        submissions=own if is_taskflow else 1,
        screen_out=screen_out,
        notes=(
            *_batch_notes(price, covered),
            *_screen_out_notes(screen_out, price.currency),
            *_stage_notes(stages),
        ),
    )


def screen_out_pay(study: Study, reward: int) -> ScreenOutPay | None:
    """What people are paid who are screened out; None where nobody is, or without pay."""
    screening = study.spec.recruitment.screening
    if screening is None or screening.reward is None or not can_screen_out(study):
        return None
    paid = round(Decimal(str(screening.reward)) * 100)
    if not 0 < paid < reward:
        what = (
            f"people who are screened out would be paid {paid / 100:.2f}, and the reward is "
            f"{reward / 100:.2f}; Prolific asks for less than the reward."
        )
        raise wrong_study(what, "Lower the amount.", "recruitment.screening.reward")
    return ScreenOutPay(paid, screening.places)


def _screen_out_notes(paid: ScreenOutPay | None, currency: str) -> tuple[str, ...]:
    if paid is None:
        return ()
    each, most = _money(paid.reward, currency), _money(paid.reward * paid.places, currency)
    note = (
        f"People who are screened out get {each}, up to {paid.places} of them: at most {most} "
        "more, before fees. Prolific then pauses the study."
    )
    return (note,)


def _stage_notes(stages: Stages | None) -> tuple[str, ...]:
    if stages is None:
        return ()
    note = (
        f"These are the places of the first of {stages.looks} stages; {stages.places[-1]} are "
        "planned in all. More are requested if the study continues after a look."
    )
    return (note,)


def _batch_notes(price: Quote, batches: int) -> tuple[str, ...]:
    notes = list(price.work.notes)
    if batches > 1:
        notes.append(
            f"One submission covers up to {batches} batches and is paid for all of them, even if "
            "the participant stops earlier. To pay by batch, set `batches_per_participant: 1`, or "
            "create the study with --taskflow."
        )
    return tuple(notes)


def check_pay(offer: Offer, recommended: Sequence[RewardRecommendation]) -> tuple[str, ...]:
    """Refuse pay below the platform's minimum; a note where it is below the recommended rate."""
    if not recommended:
        return ("Prolific did not say what it recommends per hour.",)
    newest = recommended[0]
    if offer.hourly < newest.min_reward_per_hour:
        needed = _money(newest.min_reward_per_hour, offer.currency)
        what = (
            f"{_money(offer.reward, offer.currency)} for {offer.minutes} minutes is "
            f"{_money(int(offer.hourly), offer.currency)} an hour; Prolific's minimum is {needed}."
        )
        least = _money(ceil(Fraction(newest.min_reward_per_hour * offer.minutes, 60)), "").strip()
        remedy = f"Raise the pay to {least} or more, or state fewer minutes if a pilot supports it."
        raise wrong_study(what, remedy, "payment")
    if offer.hourly < newest.recommended_reward_per_hour:
        usual = _money(newest.recommended_reward_per_hour, offer.currency)
        paid = _money(int(offer.hourly), offer.currency)
        return (f"The pay is {paid} an hour; Prolific recommends {usual}.",)
    return ()


def refuse_currency(offer: Offer, account: str | None) -> None:
    """Refuse a currency that the account does not pay in."""
    if account is not None and account != offer.currency:
        what = f"the account pays in {account}, but the study in {offer.currency}."
        remedy = f"Write `currency: {account}`: rewards are paid in the account's currency."
        raise wrong_study(what, remedy, "payment.currency")


def _money(sub_units: int, currency: str) -> str:
    return f"{currency} {sub_units / 100:.2f}"


def wrong_study(what: str, remedy: str, field: str) -> StudyError:
    """A fault of study.yaml, in one of its fields."""
    return StudyError(Problem(what, remedy, file="study.yaml", field=field))


def description_html(page: str) -> str:
    """A page in Markdown as HTML without links, pictures and tables; their words stay.

    HTML in the page is shown as it is written, as on our own site.
    """
    rendered = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").render(page)
    reader = _Reducer()
    reader.feed(rendered)
    reader.close()
    return "".join(reader.parts).strip()


class _Reducer(HTMLParser):
    """Keeps allowed tags without their attributes, and all words."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._link: str | None = None
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self._link = dict(attrs).get("href")
        if tag in _APART:
            self.parts.append(" ")
        name = _INSTEAD.get(tag, tag)
        if name in TAGS and not (name == "p" and "p" in self._open):
            self._open.append(name)
            self.parts.append(f"<{name}>")

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._link is not None:
            self._name_address(self._link.removeprefix("mailto:"))
            self._link = None
        name = _INSTEAD.get(tag, tag)
        if self._open and self._open[-1] == name:
            self._open.pop()
            self.parts.append(f"</{name}>")

    def _name_address(self, address: str) -> None:
        """A link becomes its words, followed by the address where they do not name it."""
        shown = escape(address)
        if self.parts and self.parts[-1] != shown:
            self.parts.append(f" ({shown})")

    def handle_data(self, data: str) -> None:
        self.parts.append(escape(data, quote=False))
