"""Columns that a table should have and has not: one message for each, with what to type."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rejudge.errors import Problem
from rejudge.judgments.spellings import columns_found, near_misses, suggestion


@dataclass(frozen=True, slots=True)
class AbsentColumns:
    """What can be said about columns that were not recognised."""

    names: Mapping[str, str]  # our name → the table's, of those that were recognised
    ignored: Sequence[str]  # columns of the table that are not read
    given: frozenset[str]  # roles named by the user, also those turned off
    file: str | None

    def problems(self, wanted: Sequence[str], *, names_systems: bool) -> Iterator[Problem]:
        """Each wanted column that is absent, and each other one that may be meant."""
        absent = [name for name in wanted if name not in self.names]
        yield from map(self._not_found, absent)
        if "value" not in absent or len(self._columns_of_participants) <= 1:
            yield from self._unsure("participant", "it is not known who judged")
        if not names_systems:
            yield from self._unsure("system", "all judgments are of one system")

    def _not_found(self, name: str) -> Problem:
        found = columns_found((*self.names.values(), *self.ignored))
        remedy = suggestion(name, self.ignored) or f"Name it: --columns {name}=…."
        if name == "value":
            remedy += self._wide_advice()
        what = f"no column was recognised as the {name}."
        return Problem(what, f"{remedy} {found}", file=self.file)

    def _wide_advice(self) -> str:
        others = [each for each in self.ignored if each]
        people = self._columns_of_participants
        if len(people) > 1:
            wide = shlex.quote(f"participant={','.join(people)}")
            return f" If each of these columns holds the values of one participant: --wide {wide}."
        if len(others) > 1:
            wide = shlex.quote(f"criterion={','.join(others[-2:])}")
            return (
                f" If several columns hold values: --wide {wide} (or system=, participant=, item=)."
            )
        return ""

    @property
    def _columns_of_participants(self) -> list[str]:
        """Columns such as 'Rater 1' and 'Rater 2', where no other column names participants."""
        is_known = "participant" in self.names or "participant" in self.given
        return [] if is_known else near_misses("participant", self.ignored)

    def _unsure(self, name: str, meaning: str) -> Iterator[Problem]:
        """A column that may be meant must not be passed over silently."""
        advice = suggestion(name, self.ignored)
        if advice and name not in self.names and name not in self.given:
            what = f"no column was recognised as the {name}."
            remedy = f"{advice} If {meaning}: --columns {name}=."
            yield Problem(what, remedy, file=self.file)
