"""prolific.json: which study on Prolific belongs to a folder, and what was asked of the platform.

It is written before a study is created, with a random mark that the study will carry. If the reply
is lost, the next attempt looks for the mark instead of creating a second study.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache
from html import escape
from html.parser import HTMLParser
from importlib import resources
from math import ceil, sqrt
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, quote, urlsplit

from markdown_it import MarkdownIt

from rejudge.collect.assignment import BATCH_PARAMETER, sign_batch
from rejudge.collect.submissions import can_screen_out
from rejudge.design.pages import fill_pages
from rejudge.design.pay import Quote
from rejudge.design.pay import quote_price as price_of
from rejudge.design.plan import Plan
from rejudge.design.stages import Stages, stages_of
from rejudge.english import did_you_mean, join_words
from rejudge.errors import FileError, Problem, StudyError, UsageError
from rejudge.files.codecs import JsonCodec, refuse_edited
from rejudge.files.disk import write_bytes
from rejudge.incoming import read_inside, refuse_no_folder
from rejudge.prolific.client import (
    ProlificApi,
    ProlificError,
    ProlificFilter,
    ProlificStudy,
    RewardRecommendation,
    StudyAction,
    StudyCost,
    StudyStatus,
    SubmissionStatus,
    UrlProgress,
)
from rejudge.study.conduct import Recruitment
from rejudge.study.model import Study
from rejudge.study.site import Codes

RECORD: Final = "prolific.json"


@dataclass(frozen=True, slots=True)
class RecordedAction:
    """Something that was done to the study, and the state it had then."""

    at: datetime
    action: str
    status: str


@dataclass(frozen=True, slots=True)
class ProlificRecord:
    """A study on Prolific: what was requested, and what was done since."""

    mark: str  # carried by the study, so that it can be found again
    intended_at: datetime
    base_url: str  # of the API
    body: Mapping[str, Any]  # of the request, as the API takes it
    screeners: tuple[Screener, ...] = ()
    eligible: int | None = None  # participants who met the screeners
    study: str | None = None  # its id; None until the platform has answered
    created_at: datetime | None = None
    actions: tuple[RecordedAction, ...] = field(default=())

    def with_action(self, action: str, status: str, *, now: datetime) -> ProlificRecord:
        """The same, with one more thing done."""
        done = RecordedAction(now, action, status)
        return replace(self, actions=(*self.actions, done))


_CODEC = JsonCodec(
    ProlificRecord,
    "prolific",
    "rejudge prolific create",
    remedy="Restore the file: it says which study on Prolific is meant.",
)


def read_record(folder: Path) -> ProlificRecord | None:
    """The record of a folder; None where no study was created from it."""
    refuse_no_folder(folder)
    if not (folder / RECORD).exists():
        return None
    text = read_inside(folder, RECORD, remedy="")
    stored = _CODEC.decode(text, file=str(folder / RECORD))
    refuse_edited(stored, file=str(folder / RECORD), remedy=_CODEC.when_edited)
    return stored.content


def write_record(folder: Path, record: ProlificRecord) -> None:
    """Write the record of a folder."""
    write_bytes(folder / RECORD, _CODEC.encode(record, {}), force=True)


def require_record(folder: Path) -> ProlificRecord:
    """The record of a folder whose study has been created on Prolific."""
    record = read_record(folder)
    if record is None or record.study is None:
        what = "no study on Prolific was created from this folder."
        remedy = f"Create one with `rejudge prolific create {folder} --base-url https://…`."
        raise FileError(Problem(what, remedy, file=str(folder)))
    return record


def study_of(record: ProlificRecord) -> str:
    """The id of the study; it must have been created."""
    if record.study is None:
        raise FileError(Problem("the study was not created yet.", "Create it.", file=RECORD))
    return record.study


_MOST_SUBMISSIONS = 100_000  # where the platform states no upper bound
_FULL_PERCENT = 100.0
_VERSION = re.compile(r"([_-](old|new|v?\d+))+$")
_WORD = re.compile(r"\w+")
_FILLERS = frozenset({"the", "of", "and"})
# What Prolific calls them where it differs from the usual English name.
_OTHER_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "Chinese": ("Mandarin", "Chinese (Mandarin)", "Mandarin Chinese"),
    "Persian": ("Farsi",),
    "Filipino": ("Tagalog",),
    "Czech Republic": ("Czechia",),
    "Turkey": ("Türkiye",),
    "United States": ("USA", "United States of America"),
    "Eswatini": ("Swaziland",),
    "East Timor": ("Timor-Leste",),
    "Ivory Coast": ("Côte d'Ivoire",),
    "Russia": ("Russian Federation",),
    "Myanmar": ("Burma",),
}


@dataclass(frozen=True, slots=True)
class Screener:
    """A screener with what was chosen: in words, and as the API takes it."""

    title: str
    meaning: str
    filter: dict[str, Any]  # JSON for the request


@dataclass(frozen=True, slots=True)
class _ScreenerNames:
    """The names of one screener: titles as people see them, and ids it has had."""

    titles: tuple[str, ...]
    ids: tuple[str, ...]


_RESIDENCE = _ScreenerNames(
    ("Current country of residence", "Country of residence"), ("current-country-of-residence",)
)
_LANGUAGE = _ScreenerNames(("First language",), ("first-language",))
_APPROVAL = _ScreenerNames(("Approval rate",), ("approval_rate",))
_EXPERIENCE = _ScreenerNames(
    ("Number of previous submissions", "Previous submissions", "Total approvals"),
    ("approval_numbers", "total_approvals"),
)
_STUDIES = _ScreenerNames(
    (
        "Exclude participants from previous studies",
        "Exclude participants from other studies",
        "Previous studies blocklist",
    ),
    ("previous_studies_blocklist",),
)
_GROUPS = _ScreenerNames(
    ("Participant group blocklist", "Exclude participant groups"), ("participant_group_blocklist",)
)


def resolve_screeners(
    recruitment: Recruitment,
    filters: Sequence[ProlificFilter],
    *,
    exclude_studies: Sequence[str] = (),
    exclude_groups: Sequence[str] = (),
) -> tuple[Screener, ...]:
    """All screeners of a study; a StudyError with everything that could not be found."""
    resolver = _Resolver(filters)
    languages = list(dict.fromkeys(tag.partition("-")[0] for tag in recruitment.languages))
    found = [
        resolver.choices(_RESIDENCE, recruitment.regions, _region_name, "recruitment.regions"),
        resolver.choices(_LANGUAGE, languages, _language_name, "recruitment.languages"),
        resolver.least(_APPROVAL, recruitment.approval_percent, _FULL_PERCENT, "approval_percent"),
        resolver.least(
            _EXPERIENCE, recruitment.previous_submissions, _MOST_SUBMISSIONS, "previous_submissions"
        ),
        resolver.blocked(_STUDIES, exclude_studies, "studies", "--exclude-study"),
        resolver.blocked(_GROUPS, exclude_groups, "groups", "--exclude-group"),
    ]
    if resolver.problems:
        raise StudyError(*resolver.problems)
    return tuple(each for each in found if each is not None)


class _Resolver:
    """Finds screeners among those of the platform; `problems` has what it could not find."""

    def __init__(self, filters: Sequence[ProlificFilter]) -> None:
        self._filters = filters
        self.problems: list[Problem] = []

    def choices(
        self,
        kind: _ScreenerNames,
        codes: Sequence[str],
        name_of: Callable[[str], str | None],
        field: str,
    ) -> Screener | None:
        """A screener with the answers that some codes stand for."""
        known = self._find(kind, field) if codes else None
        if known is None:
            return None
        chosen: dict[str, str] = {}
        for code in codes:
            found = _answer(name_of(code), known.choices)
            if found is None:
                self._miss_answer(known, code, name_of(code), field)
            else:
                chosen[found] = known.choices[found]
        values = {"filter_id": known.filter_id, "selected_values": list(chosen)}
        return Screener(known.title, join_words(list(chosen.values()), "or"), values)

    def least(
        self, kind: _ScreenerNames, least: float | None, most: float, field: str
    ) -> Screener | None:
        """A screener that asks for a least number."""
        known = self._find(kind, f"recruitment.{field}") if least is not None else None
        if known is None or least is None:
            return None
        upper = most if known.max is None else known.max
        bounds = {"lower": _plain_number(least), "upper": _plain_number(upper)}
        values = {"filter_id": known.filter_id, "selected_range": bounds}
        return Screener(known.title, f"{bounds['lower']} to {bounds['upper']}", values)

    def blocked(
        self, kind: _ScreenerNames, ids: Sequence[str], noun: str, field: str
    ) -> Screener | None:
        """A screener that keeps people out."""
        known = self._find(kind, field) if ids else None
        if known is None:
            return None
        values = {"filter_id": known.filter_id, "selected_values": list(dict.fromkeys(ids))}
        return Screener(known.title, f"{noun} {join_words(list(dict.fromkeys(ids)))}", values)

    def _find(self, kind: _ScreenerNames, field: str) -> ProlificFilter | None:
        by_title = [f for f in self._filters if any(_same(f.title, t) for t in kind.titles)]
        by_id = [f for f in self._filters if _without_version(f.filter_id) in _plain_ids(kind)]
        found = sorted(by_title or by_id, key=lambda each: each.filter_id.endswith("old"))
        if found:
            return found[0]
        titles = [each.title for each in self._filters if each.title]
        hint = did_you_mean(kind.titles[0], titles)
        remedy = f"{hint} Leave the condition out and set it in Prolific's web app.".strip()
        what = f"Prolific has no screener “{kind.titles[0]}” now."
        self._add(what, remedy, field)
        return None

    def _miss_answer(self, known: ProlificFilter, code: str, name: str | None, field: str) -> None:
        if name is None:
            what = f"'{code}' is not a known code of a country or language."
            self._add(what, "Use ISO codes, such as GB and en.", field)
            return
        hint = did_you_mean(name, known.choices.values())
        what = f"Prolific's screener “{known.title}” has no answer “{name}” ({code})."
        remedy = f"{hint} Leave it out and set it in Prolific's web app.".strip()
        self._add(what, remedy, field)

    def _add(self, what: str, remedy: str, field: str) -> None:
        file = None if field.startswith("--") else "study.yaml"
        self.problems.append(Problem(what, remedy, file=file, field=field))


def _answer(name: str | None, choices: Mapping[str, str]) -> str | None:
    """The id of the answer with this name, or of the only one that has all its words."""
    if name is None:
        return None
    for each in (name, *_OTHER_NAMES.get(name, ())):
        same = [number for number, label in choices.items() if _same(label, each)]
        if same:
            return same[0]
    within = [number for number, label in choices.items() if _words(name) <= _words(label)]
    return within[0] if len(within) == 1 else None


def _same(one: str, other: str) -> bool:
    """Whether two names are the same in any order of words: “Korea, South”, “South Korea”."""
    return _words(one) == _words(other)


def _words(name: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(each for each in plain if not unicodedata.combining(each))
    return frozenset(_WORD.findall(letters)) - _FILLERS


def _without_version(name: str) -> str:
    return _VERSION.sub("", name.lower()).replace("_", "-")


def _plain_ids(kind: _ScreenerNames) -> set[str]:
    return {name.replace("_", "-") for name in kind.ids}


def _plain_number(number: float) -> float:
    return int(number) if number == int(number) else number


def _region_name(code: str) -> str | None:
    return _names()["regions"].get(code)


def _language_name(code: str) -> str | None:
    return _names()["languages"].get(code)


@cache
def _names() -> Mapping[str, Mapping[str, str]]:
    """English names of countries (ISO 3166) and languages (ISO 639) by their codes."""
    text = resources.files("rejudge.prolific").joinpath("names.json").read_bytes()
    names: Mapping[str, Mapping[str, str]] = json.loads(text)
    return names


def filters_of(screeners: Iterable[Screener]) -> list[dict[str, Any]]:
    """What a request says of them."""
    return [each.filter for each in screeners]


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


_IDS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
_MOST_MINUTES = 24 * 60 - 1
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class CreationOptions:
    """What is decided when the study is created, not in study.yaml."""

    base_url: str  # of our site
    is_taskflow: bool = False  # one address for each batch
    devices: tuple[str, ...] = ()  # any when empty
    exclude_studies: tuple[str, ...] = ()  # Prolific's ids
    exclude_groups: tuple[str, ...] = ()  # of participants; 〃
    project: str | None = None
    workspace: str | None = None  # the account's first when left out


@dataclass(frozen=True, slots=True)
class SiteKeys:
    """What only the site of the study knows: the codes it shows, and what it signs links with."""

    codes: Codes
    secret: bytes | None = None  # None: links are shown, as in a dry run, and not used


@dataclass(frozen=True, slots=True)
class StudyDraft:
    """A study that can be created: the request, and what was found out for it."""

    body: dict[str, Any]  # JSON, without the mark
    screeners: tuple[Screener, ...]
    eligible: int
    offer: Offer
    notes: tuple[str, ...]


def draft_study(
    api: ProlificApi,
    study: Study,
    plan: Plan,
    *,
    site: SiteKeys,
    options: CreationOptions,
    on: date,
) -> StudyDraft:
    """Everything that a request to create the study says; reads from Prolific, changes nothing."""
    offer = offer_of(study, plan, on=on, is_taskflow=options.is_taskflow)
    refuse_currency(offer, api.account().currency_code)
    workspace = options.workspace or _first_workspace(api)
    screeners = resolve_screeners(
        study.spec.recruitment,
        api.filters(workspace=workspace),
        exclude_studies=options.exclude_studies,
        exclude_groups=options.exclude_groups,
    )
    recommended = api.reward_recommendations(
        workspace=workspace,
        currency=offer.currency,
        filters=[each.filter["filter_id"] for each in screeners],
    )
    pay_notes = check_pay(offer, recommended)
    eligible = api.count_eligible(filters_of(screeners), workspace=workspace)
    pool_notes = _pool_notes(eligible, offer.places)
    body = study_body(study, plan, offer=offer, site=site, options=options, on=on)
    body["filters"] = filters_of(screeners)
    return StudyDraft(body, screeners, eligible, offer, (*offer.notes, *pay_notes, *pool_notes))


def _first_workspace(api: ProlificApi) -> str:
    first = next(api.workspaces(), None)
    if first is None:
        what = "the account has no workspace on Prolific."
        raise ProlificError(Problem(what, "Create one in Prolific's web app."))
    return first.id


def _pool_notes(eligible: int, places: int) -> tuple[str, ...]:
    if eligible >= places:
        return ()
    return (f"Only {eligible} participants meet the screeners, for {places} places.",)


def study_body(
    study: Study,
    plan: Plan,
    *,
    offer: Offer,
    site: SiteKeys,
    options: CreationOptions,
    on: date,
) -> dict[str, Any]:
    """The request without screeners; JSON as the API takes it."""
    information = fill_pages(study, plan, on=on).get("information", "")
    body = {
        "name": study.spec.title[:_LONGEST_NAME],
        "description": description_html(information) or f"<p>{escape(study.spec.title)}</p>",
        "prolific_id_option": "url_parameters",
        "completion_codes": completion_codes(site.codes, offer.screen_out),
        "total_available_places": offer.places,
        "estimated_completion_time": offer.minutes,
        "maximum_allowed_time": maximum_minutes(offer.minutes),
        "reward": offer.reward,
        "device_compatibility": list(options.devices),
        "peripheral_requirements": [],
        "submissions_config": {
            "max_submissions_per_participant": offer.submissions,
            "max_concurrent_submissions": -1,
        },
    }
    if options.project is not None:
        body["project"] = options.project
    if options.is_taskflow:
        return body | {"access_details": taskflow_urls(study, plan, options.base_url, site.secret)}
    return body | {"external_study_url": study_url(options.base_url)}


def completion_codes(codes: Codes, screen_out: ScreenOutPay | None = None) -> list[dict[str, Any]]:
    """The codes that our pages show, and what Prolific does with each.

    No code approves a submission by itself, because codes can be passed on, and none rejects one:
    Prolific has no such action, and a person has to look. Participants who find no task left are
    reviewed by hand, so that they can be paid for coming.
    """
    review = {"action": "MANUALLY_REVIEW"}
    _refuse_same_codes(codes)
    made: list[tuple[str | None, str, dict[str, Any]]] = [
        (codes.completed, "COMPLETED", review),
        (codes.declined, "NO_CONSENT", _return_request("You did not consent to take part.")),
        (codes.full, "OTHER", review),
        (codes.not_qualified, "OTHER", review),  # paid for the time that the qualification took
        (codes.failed_checks, "FAILED_ATTENTION_CHECK", review),
    ]
    if screen_out is None:
        reason = _return_request("The study is for other participants.")
        made.append((codes.screened_out, "SCREENED_OUT", reason))
    else:
        paid = {"fixed_screen_out_reward": screen_out.reward, "slots": screen_out.places}
        action = {"action": "FIXED_SCREEN_OUT_PAYMENT", **paid}
        made.append((codes.screened_out, "FIXED_SCREENOUT", action))
    return [
        {"code": code, "code_type": kind, "actor": "participant", "actions": [action]}
        for code, kind, action in made
        if code is not None
    ]


def _refuse_same_codes(codes: Codes) -> None:
    """Refuse two ends with the same code: Prolific could not tell them apart."""
    given = [code.upper() for code in codes.model_dump().values() if code is not None]
    twice = [code for code in given if given.count(code) > 1]
    if twice:
        what = f"the code {twice[0]} is given twice, but Prolific needs one for each end."
        raise wrong_study(what, "Change one of them, or leave it out.", "site.codes")


def _return_request(reason: str) -> dict[str, Any]:
    return {"action": "REQUEST_RETURN", "return_reason": reason}


def study_url(base_url: str, batch: str | None = None) -> str:
    """The address that participants are sent to; the platform fills in their ids.

    `batch`: what the link says to lead to one batch (`collect.sign_batch`).
    """
    query = "&".join(f"{name}={{{{%{name}%}}}}" for name in _IDS)
    more = "" if batch is None else f"&{BATCH_PARAMETER}={quote(batch, safe='')}"
    return f"{base_url.rstrip('/')}/?{query}{more}"


def taskflow_urls(
    study: Study, plan: Plan, base_url: str, secret: bytes | None
) -> list[dict[str, Any]]:
    """One address for each batch, for as many people as the plan has for it."""
    _refuse_taskflow(plan)
    return [
        {
            "external_url": batch_url(study, base_url, each.id, secret),
            "total_allocation": each.participants,
        }
        for each in plan.main
    ]


def batch_url(study: Study, base_url: str, batch: str, secret: bytes | None) -> str:
    """The address of one batch, signed so that nobody can change it to another."""
    signed = f"{batch}.…" if secret is None else sign_batch(secret, study.spec.id, batch)
    return study_url(base_url, signed)


def batch_of_url(address: str) -> str:
    """The batch that an address of Taskflow leads to; the address itself where it names none."""
    found = parse_qs(urlsplit(address).query).get(BATCH_PARAMETER)
    return found[0].rpartition(".")[0] if found else address


def refuse_changed_plan(record: ProlificRecord, plan: Plan) -> None:
    """Refuse to publish a study whose places are no longer those of the plan."""
    details = record.body.get("access_details")
    if details:
        sent = {batch_of_url(e["external_url"]): e["total_allocation"] for e in details}
        is_same = sent == {each.id: each.participants for each in plan.main}
    else:
        is_same = record.body.get("total_available_places") in {plan.places, plan.people}
    if not is_same:
        what = "the plan was drawn again after the study was created on Prolific."
        remedy = (
            "Restore the plan, or delete the study in Prolific's web app, move prolific.json away "
            "and create it again."
        )
        raise UsageError(Problem(what, remedy, file="plan.json"))


def _refuse_taskflow(plan: Plan) -> None:
    """Refuse plans whose rules Prolific cannot keep when it distributes the batches."""
    several = plan.batches_per_participant > 1
    if plan.lists is not None:
        what = "participants of this plan have their own lists, which Prolific does not know."
    elif several and plan.conflicts:
        what = "some batches share inputs, and Prolific would give both to the same person."
    elif several and any(batch.is_calibration for batch in plan.batches):
        what = "calibration is done once, but Prolific pays every batch the same."
    else:
        return
    remedy = "Leave out --taskflow, or set `batches_per_participant: 1` and draw the plan again."
    raise wrong_study(what, remedy, "design.batches_per_participant")


def maximum_minutes(estimate: int) -> int:
    """The time after which Prolific ends a submission: its own rule, and less than a day."""
    return min(_MOST_MINUTES, ceil(2 + 2 * estimate + 2 * sqrt(estimate)))


# ── creating it once ─────────────────────────────────────────────────────────────────────────────


def create_once(
    api: ProlificApi, folder: Path, draft: StudyDraft, *, mark: str, base_url: str, now: datetime
) -> ProlificRecord:
    """Create the study of a folder, or find the one that an earlier attempt created.

    `mark` is random; an unfinished attempt keeps the mark it had.
    """
    before = read_record(folder)
    refuse_created(folder, before)
    found = None if before is None else find_marked(api, before.mark)
    intent = ProlificRecord(
        mark=mark if before is None else before.mark,
        intended_at=now if before is None else before.intended_at,
        base_url=base_url,
        body=mark_request(draft.body, mark if before is None else before.mark),
        screeners=draft.screeners,
        eligible=draft.eligible,
    )
    if found is None:
        write_record(folder, intent)
        found = _create(api, intent)
    record = replace(intent, study=found.id, created_at=now)
    record = record.with_action("CREATE", found.status, now=now)
    write_record(folder, record)
    _check_places(api, record, found)
    return record


def _check_places(api: ProlificApi, record: ProlificRecord, made: ProlificStudy) -> None:
    """Compare the places that Prolific has, address by address, with those it was asked for."""
    details = record.body.get("access_details")
    if details:
        asked = {each["external_url"]: each["total_allocation"] for each in details}
        told = api.url_progress(made.id) or ()
        has = {each.external_url: each.total_allocation for each in told}
    else:
        asked = {"": record.body["total_available_places"]}
        has = {"": made.total_available_places}
    if asked != has:
        what = (
            f"Prolific has {sum(has.values())} places for {len(has)} addresses, but the plan has "
            f"{sum(asked.values())} for {len(asked)}."
        )
        raise ProlificError(Problem(what, "Do not publish the study; look at it on Prolific."))


def _create(api: ProlificApi, intent: ProlificRecord) -> ProlificStudy:
    try:
        return api.create_study(intent.body)
    except ProlificError as error:
        found = find_marked(api, intent.mark) if error.is_outcome_unknown else None
        if found is None:
            raise
        return found


def mark_request(body: dict[str, Any], mark: str) -> dict[str, Any]:
    """The request with a mark by which the study can be found."""
    if "name" not in body:
        raise ProlificError(Problem("the study has no 'name'.", "Give the body of a `StudyDraft`."))
    return body | {"internal_name": f"{body['name']} [rejudge {mark}]", "metadata": mark}


def find_marked(api: ProlificApi, mark: str) -> ProlificStudy | None:
    """The study with a mark, if there is one."""
    for each in api.studies():
        if each.metadata == mark or (each.internal_name or "").endswith(f"[rejudge {mark}]"):
            return each
    return None


def refuse_created(folder: Path, record: ProlificRecord | None) -> None:
    """Refuse to create a second study from one folder."""
    if record is not None and record.study is not None:
        what = f"{folder} already has a study on Prolific (prolific.json)."
        remedy = (
            f"See it with `rejudge prolific status {folder}`. To start over, delete it in "
            "Prolific's web app and move prolific.json away."
        )
        raise UsageError(Problem(what, remedy))


_NEXT_TO_OPEN: Mapping[StudyStatus, StudyAction] = {
    "UNPUBLISHED": "PUBLISH",
    "SCHEDULED": "PUBLISH",
    "PAUSED": "START",
}
_OPEN: frozenset[StudyStatus] = frozenset({"ACTIVE", "PUBLISHING"})
_CLOSED: frozenset[StudyStatus] = frozenset({"COMPLETED"})
_NOT_PUBLISHED: frozenset[StudyStatus] = frozenset({"UNPUBLISHED", "SCHEDULED"})


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """How far a study on Prolific is."""

    study: ProlificStudy
    counts: Mapping[SubmissionStatus, int]
    cost: StudyCost
    urls: tuple[UrlProgress, ...]  # of Taskflow; none for a study with one address


def progress_of(api: ProlificApi, study: str) -> StudyProgress:
    """How far a study is; nothing is changed."""
    return StudyProgress(
        study=api.study(study),
        counts=api.submission_counts(study),
        cost=api.study_cost(study),
        urls=tuple(api.url_progress(study) or ()),
    )


def action_to_open(status: StudyStatus) -> StudyAction | None:
    """What opens a study in this state to participants; None: it is open already."""
    if status in _OPEN:
        return None
    if status not in _NEXT_TO_OPEN:
        what = f"the study is {status.lower()} and cannot be opened."
        raise ProlificError(Problem(what, "To reopen it, raise its places in Prolific's web app."))
    return _NEXT_TO_OPEN[status]


def open_to_participants(
    api: ProlificApi, record: ProlificRecord, *, now: datetime
) -> ProlificRecord:
    """Publish a study, or resume a paused one; the record with what was done."""
    action = action_to_open(api.study(study_of(record)).status)
    return record if action is None else _transition(api, record, action, now=now)


def pause(api: ProlificApi, record: ProlificRecord, *, now: datetime) -> ProlificRecord:
    """Let no new participants start; those who have started can finish."""
    status = api.study(study_of(record)).status
    if status == "PAUSED":
        return record
    if status not in _OPEN:
        what = f"the study is {status.lower()}: only an active study can be paused."
        raise ProlificError(Problem(what, "Nothing was changed."))
    return _transition(api, record, "PAUSE", now=now)


def close(api: ProlificApi, record: ProlificRecord, *, now: datetime) -> ProlificRecord:
    """Stop a study permanently; submissions can still be reviewed and paid."""
    status = api.study(study_of(record)).status
    if status in _CLOSED:
        return record
    if status in _NOT_PUBLISHED:
        what = "the study was never published."
        raise ProlificError(Problem(what, "Delete it in Prolific's web app if you do not need it."))
    return _transition(api, record, "STOP", now=now)


def _transition(
    api: ProlificApi, record: ProlificRecord, action: StudyAction, *, now: datetime
) -> ProlificRecord:
    status = api.transition_study(study_of(record), action).status
    return record.with_action(action, status, now=now)
