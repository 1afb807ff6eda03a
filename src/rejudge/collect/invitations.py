"""Who is invited: a table of people, checked, and the texts that go to each of them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rejudge.collect.visit import PERSONAL_NAME
from rejudge.design.batch_table import read_separated
from rejudge.english import did_you_mean, join_quoted
from rejudge.errors import DataError, Problem
from rejudge.study.model import PLACEHOLDERS, fill_placeholders, placeholders
from rejudge.tables_in import NamedFile, TableRows

OWN_PLACEHOLDERS: Mapping[str, str] = {
    "name": "the person's name, from the table of people",
    "link": "their personal link",
    "instructions": "the instructions page of the study",
}
_ADDRESS = re.compile(r"[^@\s<>,;:()\[\]\"\\]{1,64}@([^@\s.<>,;:()\[\]\"\\]+\.)+[^@\s.<>,;:]{2,}")
_LONGEST_ADDRESS = 254
_LONGEST_NAME = 100
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Invitee:
    """Somebody who is to be invited, and the name in the plan whose lists are theirs."""

    name: str
    email: str
    participant: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Invitation:
    """What goes to one person."""

    name: str
    email: str
    participant: str  # as in the link; says nothing about the person
    link: str
    batches: tuple[str, ...]  # of their own list; empty where batches are assigned on arrival
    invitation: str
    briefing: str


def read_people(file: NamedFile, lists: Mapping[str, Sequence[str]] | None) -> tuple[Invitee, ...]:
    """The people of a table with `name,email` and perhaps `participant`; DataError with all faults.

    `lists`: the participants whom the plan names, and who then need to be assigned to people.
    Messages give lines, not addresses.
    """
    reader = _PeopleReader(read_separated(file), lists, file.name)
    people = tuple(reader.people())
    problems = [*reader.table.problems, *reader.problems]
    if problems:
        more = len(problems) - _SHOWN
        rest = [Problem(f"and {more} more problems.", file=file.name)] if more > 0 else []
        ordered = sorted(problems, key=lambda problem: problem.line or 0)
        raise DataError(*ordered[:_SHOWN], *rest)
    return people


def same_names(people: Sequence[Invitee]) -> tuple[str, ...]:
    """Names that several people have; perhaps somebody is invited twice."""
    counts = Counter(_folded(person.name) for person in people)
    spelt = {_folded(person.name): person.name for person in reversed(people)}
    return tuple(spelt[name] for name, times in counts.items() if times > 1)


def write_text(template: str, values: Mapping[str, str]) -> str:
    """A text with its placeholders filled; lines that are left empty in a row become one."""
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", fill_placeholders(template, values)))


def refuse_unknown_placeholders(template: str, *, file: str) -> None:
    """Raise a DataError unless every word in braces stands for something."""
    known = {**PLACEHOLDERS, **OWN_PLACEHOLDERS}
    unknown = [name for name in dict.fromkeys(placeholders(template)) if name not in known]
    problems = [
        Problem(
            f"{{{name}}} is not a placeholder.",
            did_you_mean(name, known) or f"The placeholders are {join_quoted(known)}.",
            file=file,
        )
        for name in unknown
    ]
    if "link" not in placeholders(template):
        what = "the text has no {link}, so nobody could start."
        problems.append(Problem(what, "Write {link} where the personal link belongs.", file=file))
    if problems:
        raise DataError(*problems)


class _PeopleReader:
    def __init__(
        self, table: TableRows, lists: Mapping[str, Sequence[str]] | None, file: str
    ) -> None:
        self.table = table
        self.problems: list[Problem] = []
        self._lists = lists
        self._file = file
        self._at = {name.strip().casefold(): place for place, name in enumerate(table.header)}

    def people(self) -> Iterator[Invitee]:
        wanted = ["name", "email", *(["participant"] if self._lists is not None else [])]
        missing = [name for name in wanted if self._column(name) is None]
        if missing:
            self._complain(
                self.table.header_line,
                f"there is no column {join_quoted(missing)}.",
                "Write name,email"
                + (",participant: the plan names who does which batches." if self._lists else "."),
            )
            return
        emails: dict[str, int] = {}
        participants: dict[str, int] = {}
        for line, cells in self.table.rows:
            name, email, participant = (
                "" if (at := self._column(key)) is None else str(cells[at] or "").strip()
                for key in ("name", "email", "participant")
            )
            self._check_name(line, name)
            self._check_email(line, email, emails)
            self._check_participant(line, participant, (name, email), participants)
            yield Invitee(name, email, participant or None, line)

    def _column(self, name: str) -> int | None:
        aliases = {"email": ("email", "e-mail", "mail", "address")}.get(name, (name,))
        return next((self._at[alias] for alias in aliases if alias in self._at), None)

    def _check_name(self, line: int, name: str) -> None:
        if not name:
            self._complain(line, "the name is empty.", "Enter the name to use in the greeting.")
        elif len(name) > _LONGEST_NAME or any(unicodedata.category(c) == "Cc" for c in name):
            what = "the name is too long, or contains a line break or another control character."
            self._complain(line, what, "Write the name in one line.")

    def _check_email(self, line: int, email: str, seen: dict[str, int]) -> None:
        if "<" in email and ">" in email:
            remedy = "Write only what is between < and >."
            self._complain(line, "the address has a name around it.", remedy)
            return
        local = email.partition("@")[0]
        is_dotted_badly = local.startswith(".") or local.endswith(".") or ".." in email
        if _ADDRESS.fullmatch(email) is None or len(email) > _LONGEST_ADDRESS or is_dotted_badly:
            what = "the address is empty." if not email else "this is not an e-mail address."
            self._complain(line, what, "Write it as ann@example.org.")
            return
        before = seen.setdefault(_folded(email), line)
        if before != line:
            what = f"the address is the same as on line {before}."
            self._complain(line, what, "Keep one row for each person.")

    def _check_participant(
        self, line: int, participant: str, person: tuple[str, str], seen: dict[str, int]
    ) -> None:
        if not participant:
            if self._lists is not None:
                what = "the participant is empty, but the plan names who does which batches."
                self._complain(line, what, f"The plan names {join_quoted(self._lists)}.")
            return
        before = seen.setdefault(participant.casefold(), line)
        if before != line:
            what = f"the participant '{participant}' is already on line {before}."
            self._complain(line, what, "Give each person a participant of their own.")
        elif PERSONAL_NAME.fullmatch(participant) is None:
            remedy = "Use at most 64 letters, digits, - and _."
            self._complain(line, "this participant cannot be used in a link.", remedy)
        elif self._lists is not None and participant not in self._lists:
            near = did_you_mean(participant, self._lists)
            remedy = near or f"The plan names {join_quoted(self._lists)}."
            self._complain(line, f"the plan does not name '{participant}'.", remedy)
        elif reveals(participant, *person):
            what = "the participant gives away who the person is."
            self._complain(line, what, "Use a code such as r01: links and data carry it.")

    def _complain(self, line: int, what: str, remedy: str) -> None:
        self.problems.append(Problem(what, remedy, file=self._file, line=line))


def reveals(participant: str, name: str, email: str) -> bool:
    """Whether a code contains a part of a name or of an address, of three letters or more."""
    code = _folded(participant)
    parts = re.split(r"[\W_\d]+", f"{_folded(name)} {_folded(email.partition('@')[0])}")
    return any(part in code for part in parts if len(part) > 2)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
