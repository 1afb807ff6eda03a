"""Who may take part: the study's conditions as Prolific's screeners, looked up by their names.

The ids of screeners and of their answers change, and public examples disagree about them. So they
are read from the platform each time, and found by the title and the label that people see.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from rejudge.english import did_you_mean, join_words
from rejudge.errors import Problem, StudyError
from rejudge.prolific.replies import ProlificFilter
from rejudge.study.conduct import Recruitment

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
