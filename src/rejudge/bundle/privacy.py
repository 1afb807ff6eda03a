"""What must not leave the lab: platform ids, e-mail and network addresses, paths of a machine.

Nothing that is found is repeated in a message: the file and the line are enough.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from rejudge.english import count
from rejudge.errors import Problem

_EMAIL = re.compile(r"[\w.+%-]+@(?P<domain>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)")
_NOBODYS = re.compile(  # set apart for examples: RFC 2606
    r"(?:.*\.)?(?:example(?:\.(?:com|org|net))?|invalid|test|localhost)", re.IGNORECASE
)
_PROLIFIC = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{24}(?![0-9A-Za-z])")
_MTURK = re.compile(r"(?<![0-9A-Za-z])A(?=[0-9A-Z]*\d[0-9A-Z]*\d)[0-9A-Z]{11,20}(?![0-9A-Za-z])")
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\w)")
_IPV6 = re.compile(r"(?<![\w:])(?=[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:)[0-9A-Fa-f:]{6,39}(?![\w:])")
_PATH = re.compile(
    r"(?<![\w/.:])/(?:home|Users)/[^\s/\"']+"
    r"|(?<![\w/.:])/(?:root|tmp|mnt|media)/[^\s\"']+"
    r"|(?<![A-Za-z])[A-Za-z]:\\+(?:Users|Documents and Settings)\\+[^\s\\\"']+"
    r"|file:///[^\s\"']+"
)
_LEAST_LETTERS = 8  # of a platform id that is looked for in texts; a shorter one may be a word
_SHOWN = 3  # places of one kind in one file
_OWN_WORDS = "Take it out, or look at it and say --accept {file}."
_OF_PEOPLE = "Give participants a pseudonym in the table of judgments, and analyse it again."

Search: TypeAlias = Callable[[str], Iterable[int]]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known to be private, or to be public, beforehand."""

    identities: Collection[str] = field(default=(), repr=False)  # platform ids in the database
    paths: Collection[str] = ()  # of this machine
    contact: str | None = None  # e-mail address that the study itself gives to participants


def look_for_private(
    files: Mapping[str, bytes],
    known: Known,
    *,
    written_by_people: Collection[str],
    accepted: Collection[str] = (),
) -> tuple[Problem, ...]:
    """Everything that looks private, file by file.

    Only in files that people wrote themselves (study, items, pages) can it be accepted; and only
    there may the study's contact stand.
    """
    found: list[Problem] = []
    for name, content in files.items():
        is_own = name in written_by_people
        if is_own and name in accepted:
            continue
        kept = known.contact if is_own or name == "frozen.json" else None
        remedy = _OWN_WORDS.format(file=name) if is_own else _OF_PEOPLE
        text = f"{name}\n{content.decode('utf-8', 'replace')}"  # a name can tell as much
        for what, places in _searched(text, known, kept):
            lines = [text.count("\n", 0, place) for place in places[:_SHOWN]]
            found += _told(what, lines, len(places), Problem("", remedy, file=name))
    return tuple(found)


def _searched(text: str, known: Known, contact: str | None) -> Iterator[tuple[str, list[int]]]:
    searches: Mapping[str, Search] = {
        "an e-mail address": lambda text: _emails(text, contact),
        "an id of Prolific's form": lambda text: _starts(_PROLIFIC, text),
        "a worker id of MTurk's form": lambda text: _starts(_MTURK, text),
        "a network address": _network_addresses,
        "a path of somebody's machine": lambda text: _paths(text, known.paths),
        "a platform id of a participant": lambda text: _identities(text, known.identities),
    }
    for what, search in searches.items():
        places = sorted(search(text))
        if places:
            yield what, places


def _told(what: str, lines: list[int], times: int, where: Problem) -> Iterator[Problem]:
    for line in lines:  # the first line is the name
        place = "here" if line else "in the name of the file"
        yield replace(where, what=f"{what} stands {place}.", line=line or None)
    if times > len(lines):
        yield replace(where, what=f"{what} stands there {count(times - len(lines), 'time')} more.")


def _starts(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    return (found.start() for found in pattern.finditer(text))


def _emails(text: str, contact: str | None) -> Iterator[int]:
    if "@" not in text:
        return
    for found in _EMAIL.finditer(text):
        is_public = contact is not None and found[0].casefold() == contact.casefold()
        if not is_public and not _NOBODYS.fullmatch(found["domain"]):
            yield found.start()


def _network_addresses(text: str) -> Iterator[int]:
    for pattern in (_IPV4, _IPV6):
        for found in pattern.finditer(text):
            if _is_address(found[0]):
                yield found.start()


def _is_address(word: str) -> bool:
    try:
        address = ipaddress.ip_address(word)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _paths(text: str, own: Collection[str]) -> Iterator[int]:
    yield from _starts(_PATH, text)
    for path in own:
        if path.strip("/\\") and not _PATH.match(path):
            yield from _starts(re.compile(rf"(?<![\w/.]){re.escape(path)}(?![\w-])"), text)


def _identities(text: str, identities: Collection[str]) -> Iterator[int]:
    long = [re.escape(each) for each in identities if len(each) >= _LEAST_LETTERS]
    if long:
        pattern = rf"(?<![0-9A-Za-z])(?:{'|'.join(long)})(?![0-9A-Za-z])"
        yield from _starts(re.compile(pattern), text)
