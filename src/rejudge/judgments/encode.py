"""From the columns of a table to judgments: codes, numbers, and every fault with its row.

What is wrong in a cell is noted with its row; what was assumed is noted in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rejudge.collect.assignment import STATUSES
from rejudge.english import count as counted
from rejudge.errors import DataError, Problem
from rejudge.judgments import cells
from rejudge.judgments.cells import (
    CHOICE_REMEDY,
    CLOSED,
    ChoiceReading,
    Numbers,
    ReadChoices,
    choice_notes,
    choices,
    is_date,
    labelled_scores,
    labels_remedy,
    words_for_scores,
)
from rejudge.judgments.columns import columns_option, plain, suggestion, trim_names, trimming_notes
from rejudge.judgments.table import KINDS, ORIGINS, SIDES, Coded, Judgments, number_fault
from rejudge.tables_in import TableColumns

if TYPE_CHECKING:
    import pyarrow as pa

    Mask = NDArray[np.bool_]

SHOWN = 20  # so many faults are listed; a table of another kind would fill the screen
_LONGEST_SECONDS = 1000  # half of the judgments cannot well take longer
_LONGEST_SHOWN = 80  # characters of a cell


@dataclass(slots=True)
class Faults:
    """What is wrong in a table, as it is found: rows counted from 0, words and remedy."""

    count: int = 0
    found: list[tuple[int, str, str]] = field(default_factory=list)

    def add(self, is_wrong: Mask, say: Callable[[int], str], remedy: str) -> None:
        """Note each row that is marked; the first of them in words."""
        rows = np.flatnonzero(is_wrong)
        self.count += len(rows)
        self.found += [(row, say(row), remedy) for row in rows[:SHOWN].tolist()]

    def problems(self, opened: TableColumns) -> Iterator[Problem]:
        """The first faults in the order of the file, each with its line."""
        first = sorted(self.found)[:SHOWN]
        lines = opened.lines([row for row, _, _ in first])
        for row, what, remedy in first:
            yield Problem(what, remedy, file=opened.file, line=lines[row])
        if self.count > len(first):
            more = f"{self.count - len(first):,} more problems were found."
            yield Problem(more, file=opened.file)


_LAST = 3  # rows at the end of a table that may sum it up
_TOTALS = frozenset(
    ("total", "totals", "sum", "mean", "means", "average", "averages", "avg", "median", "sd", "std",
     "stdev", "stddev", "overall", "gesamt", "summe", "mittelwert")
)  # fmt: skip
_SUMMING = 2  # words of "Grand total" or "Mean score", of which one is a total
ONE_SYSTEM = "all"
ONE_QUESTION = "judgment"
_MANY_DECIDED = 10  # comparisons: that all go to one column has then a chance of 1 in 512
_NOBODY = (
    "No column names the participants, so it is not known who judged. Agreement, intervals for new "
    "participants, and consistency and trends within participants cannot be computed; participants "
    "cannot be excluded; and intervals allow for differences between items only."
)
_TRUTHS = "yes and true are read as 1, no and false as 0."


@dataclass(frozen=True, kw_only=True)
class Encoder:
    """Turns the columns of a table, which already have our names, into judgments."""

    table: pa.Table
    names: Mapping[str, str]  # our name → the table's, for messages
    must_fit: frozenset[str]  # columns asked for by name: a cell that cannot be read is a fault
    is_own: bool = False  # a file in our own format: names are kept, and nothing is guessed
    question: str | None = None
    systems: tuple[str, ...] = ()  # that come first, in this order
    ignored: tuple[str, ...] = ()  # columns of the table that are not read
    given: frozenset[str] = frozenset()  # roles named by the user, also those turned off
    choices: ChoiceReading | None = None
    labels: Mapping[str, float] | None = None  # of scores that are written as words
    file: str | None = None
    counts: NDArray[np.int64] | None = None  # how often each row stands in the file; else once
    faults: Faults = field(default_factory=Faults)
    notes: list[str] = field(default_factory=list)
    _read_words: dict[str, Coded] = field(default_factory=dict)

    def rows_of(self, which: Mask | list[int]) -> int:
        """How many rows of the file some rows of the table stand for."""
        counts = np.ones(len(self.table), np.int64) if self.counts is None else self.counts
        return int(counts[which].sum())

    def judgments(self) -> tuple[Judgments, Mask]:
        """The table with all its rows, and which of them have a value."""
        value = self._checked_value()
        has_value = ~np.isnan(value.value) | value.is_wrong
        if self._is_unknown("participant"):
            self.notes.append(_NOBODY)
        whole = Judgments(
            participant=self._words("participant"),
            item=self._words("item"),
            dataset=self._words("dataset"),
            question=self._question(),
            system=self._system,
            system_a=self._pair[0],
            system_b=self._pair[1],
            value=value.value,
            segment=self._whole("segment"),
            batch=self._words("batch"),
            task=self._words("task"),
            position=self._whole("position"),
            side=self._side(value.value),
            seconds=self._seconds(),
            kind=self._kind(has_value),
            submitted_at=self._moments(),
            origin=self._closed("origin", absent=0) or Coded(self._all(0), ORIGINS),
            plan=self._words("plan"),
            passed=self._check_results(value.value),
            state=self._closed("state", absent=-1) or Coded(self._all(-1), STATUSES),
        )
        return whole, has_value

    def comparisons(self) -> tuple[Coded, Coded, Numbers]:
        """The two systems of each row, and how far its answer prefers the first."""
        value = self._checked_value()
        return (*self._pair, value)

    def _checked_value(self) -> Numbers:
        value = self._value()
        self._check_rows(value, ~np.isnan(value.value) | value.is_wrong)
        return value

    @property
    def runs(self) -> Coded | None:
        """Which run each row belongs to; None where no column says so, or it is empty."""
        found = self._words("run")
        return found if found.labels else None

    # Systems and values

    @cached_property
    def _pair_names(self) -> tuple[str, str]:
        has = self.table.column_names
        return (
            ("winner", "loser") if "winner" in has and "loser" in has else ("system_a", "system_b")
        )

    @property
    def _names_systems(self) -> bool:
        return bool({"system", self._pair_names[0]}.intersection(self.table.column_names))

    @cached_property
    def _known(self) -> tuple[str, ...]:
        names = [name for name in ("system", *self._pair_names) if name in self.table.column_names]
        found = {label for name in names for label in self._words(name).labels}
        return (*self.systems, *sorted(found.difference(self.systems)))

    @cached_property
    def _pair(self) -> tuple[Coded, Coded]:
        first, second = self._pair_names
        return self._system_codes(first), self._system_codes(second)

    def _system_codes(self, name: str) -> Coded:
        """A column of systems in the codes of all of them."""
        found = self._words(name)
        return Coded(found.recode(self._known) if found.labels else found.codes, self._known)

    @cached_property
    def _is_comparison(self) -> Mask:
        return np.asarray((self._pair[0].codes >= 0) | (self._pair[1].codes >= 0))

    @cached_property
    def _system(self) -> Coded:
        if self._names_systems:
            return self._system_codes("system")
        self.notes.append(f"No column names the systems, so all are one system, '{ONE_SYSTEM}'.")
        return Coded(self._all(0), (ONE_SYSTEM,))

    def _value(self) -> Numbers:
        a, b = self._pair
        if self._pair_names == ("winner", "loser"):
            both = (a.codes >= 0) & (b.codes >= 0)
            return Numbers(np.where(both, 1.0, np.nan), a.codes != a.codes)
        column = self.table["value"]
        if not self._is_comparison.any():
            return self._scores(column)
        chosen = self._choices()
        self.notes.extend(choice_notes(self._chosen.by, cells.distinct(column)[1]))
        if self._is_comparison.all():
            self._refuse_unused_labels()
            return chosen
        scored = self._scores(column)
        return Numbers(
            np.where(self._is_comparison, chosen.value, scored.value),
            np.where(self._is_comparison, chosen.is_wrong, scored.is_wrong),
        )

    def _refuse_unused_labels(self) -> None:
        """Labels stand for scores, and a table of comparisons has none."""
        if self.labels is not None:
            what = "every row compares two systems, so there are no scores with labels."
            raise DataError(Problem(what, f"Leave out --labels. {CHOICE_REMEDY}", file=self.file))

    @cached_property
    def _chosen(self) -> ReadChoices:
        return choices(self.table["value"], *self._pair, by=self.choices)

    def _choices(self) -> Numbers:
        """The answers to comparisons; a column that can be read in two ways is refused."""
        read = self._chosen
        unclear = read.unclear & self._is_comparison
        if unclear.any():
            row = int(unclear.argmax())
            a, b, answer = (self._cell(name, row) for name in ("system_a", "system_b", "value"))
            raise DataError(
                Problem(
                    f"the choice '{answer}' between '{a}' and '{b}' could be the id of a system "
                    f"or a side; {counted(self.rows_of(unclear), 'row')} can be read in both ways.",
                    "Add --choices system if choices are ids of systems, or --choices side if a "
                    "(left, 1) means system_a and b (right, 2) means system_b.",
                    file=self.file,
                )
            )
        return read.preference

    def _scores(self, column: pa.ChunkedArray) -> Numbers:
        if self.labels is not None:
            return labelled_scores(column, self.labels)
        found = cells.numbers(column, are_scores=True)
        self.notes.extend(found.notes)
        if cells.is_truth(column):
            self.notes.append(_TRUTHS)
        if found.is_wrong.all() and len(found.is_wrong):
            truths = cells.by_word(column, cells.truth)
            if not truths.is_wrong.any():
                self.notes.append(_TRUTHS)
                return truths
        if found.is_wrong.any() and np.isnan(found.value).all():
            self._refuse_words(column)
        return found

    def _refuse_words(self, column: pa.ChunkedArray) -> None:
        """Ask for the scores of labels, once and not for every row."""
        _, words = cells.distinct(column)
        if words_for_scores(words):
            name = self.names["value"]
            what = f"the column '{name}' contains words instead of scores."
            raise DataError(Problem(what, labels_remedy(words), file=self.file))

    def _check_rows(self, value: Numbers, has_value: Mask) -> None:
        a, b, system = self._pair[0].codes, self._pair[1].codes, self._system.codes
        compares = self._is_comparison
        is_total = self._is_total() & has_value
        self.faults.add(
            is_total,
            lambda _: "the row holds a total or a mean, not a judgment.",
            "Remove it from the file.",
        )
        has_value = has_value & ~is_total
        for name in ("participant", "item", "question"):
            if name in self.table.column_names and not self._is_unknown(name):
                is_empty = (self._words(name).codes < 0) & has_value
                self.faults.add(is_empty, emptiness(name), "Fill in the cell.")
        if self.runs is not None:
            self.faults.add(
                (self.runs.codes < 0) & has_value,
                emptiness(self.names["run"]),
                "Fill in which run the row belongs to, or pool all with --columns run=.",
            )
        is_half = compares & ((a < 0) | (b < 0) | (system >= 0)) | (~compares & (system < 0))
        self.faults.add(
            is_half & has_value,
            lambda _: "a judgment is of one `system` (a rating) or of `system_a` and `system_b`.",
            "Fill in one of the two and leave the other empty.",
        )
        self.faults.add(
            compares & (a == b) & has_value,
            lambda row: f"'{self._cell(self._pair_names[0], row)}' is compared with itself.",
            "Name two different systems.",
        )
        self.faults.add(
            value.is_wrong & compares,
            lambda row: f"'{self._cell('value', row)}' is not an outcome of a comparison.",
            CHOICE_REMEDY,
        )
        self.faults.add(
            value.is_wrong & ~compares,
            lambda row: _no_number(self._cell("value", row)),
            "Write scores as numbers, with a decimal point and without other signs."
            if self.labels is None
            else "Correct it, or add it to --labels.",
        )

    def _is_total(self) -> Mask:
        """Which of the last rows sum up those above them."""
        found = np.zeros(len(self.table), dtype=np.bool_)
        if self.is_own:
            return found
        for name in ("participant", "item"):
            words = self._words(name)
            summing = list(map(_sums_up, words.labels))
            found |= np.array([*summing, False], dtype=np.bool_)[words.codes]
        found[: max(0, len(found) - _LAST)] = False
        return found

    def _is_unknown(self, name: str) -> bool:
        """Whether it is not known who judged: no column says so, or it is empty throughout."""
        return name == "participant" and not self._words(name).labels

    # Other columns

    def _question(self) -> Coded:
        if "question" in self.table.column_names:
            return self._words("question")
        label = self.question or ONE_QUESTION
        if self.question is None:
            note = f"No column names the question, so it is called '{label}'."
            advice = "" if "question" in self.given else suggestion("question", self.ignored)
            self.notes.append(f"{note} {advice}".strip())
        return Coded(self._all(0), (label,))

    def _side(self, value: NDArray[np.float64]) -> Coded:
        """Which of the two was shown first, if the table says so or shows it by its order."""
        stated = self._closed("side", absent=-1)
        if stated is not None or self.is_own:
            return stated or Coded(self._all(-1), SIDES)
        first = self.names.get("system_a", "system_a")
        is_shown = self._is_order_shown()
        if is_shown and self._is_order_of_winners(value):
            self.notes.append(
                f"'{first}' won all decided comparisons or none, so it seems to name the winner or "
                "the loser, not the option shown first. Which was shown first is taken as unknown; "
                "a column `side` can state it."
            )
        elif is_shown:
            self.notes.append(f"'{first}' is taken to be the option shown first.")
            return Coded(np.where(self._is_comparison, 0, -1).astype(np.int32), SIDES)
        return Coded(self._all(-1), SIDES)

    def _is_order_shown(self) -> bool:
        """Whether the columns say left and right, or some pair occurs in both orders.

        A table sorted by name shows each pair in one order alone, whatever was seen.
        """
        if "left" in plain(self.names.get("system_a", "")):
            return True
        a, b = (each.codes.astype(np.int64) for each in self._pair)
        if self._pair_names == ("winner", "loser") or not self._is_comparison.any():
            return False
        size = len(self._known) + 1
        forth, back = np.unique(a * size + b), np.unique(b * size + a)
        return bool(np.isin(forth, back).any())

    def _is_order_of_winners(self, value: NDArray[np.float64]) -> bool:
        """Whether one column has the winner in all of many rows, which chance would not do."""
        if "left" in plain(self.names.get("system_a", "")):
            return False
        decided = value[self._is_comparison & ((value == 0) | (value == 1))]
        return len(decided) >= _MANY_DECIDED and bool((decided == decided[0]).all())

    def _check_results(self, value: NDArray[np.float64]) -> NDArray[np.int8]:
        stated = self._read("passed", lambda column: cells.by_word(column, cells.truth))
        if stated is None:
            stated = self._match_expected(value)
        return np.where(np.isnan(stated), -1, stated).astype(np.int8)

    def _match_expected(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Whether the answer is the one that was expected, where one was."""

        def read(column: pa.ChunkedArray) -> Numbers:
            scored = cells.numbers(column)
            chosen = choices(column, *self._pair)
            if chosen.unclear.any():  # then as the answers themselves are read
                chosen = choices(column, *self._pair, by=self._chosen.by)
            return Numbers(
                np.where(self._is_comparison, chosen.preference.value, scored.value),
                np.where(self._is_comparison, chosen.preference.is_wrong, scored.is_wrong),
            )

        expected = self._read("expected", read)
        if expected is None:
            return np.broadcast_to(np.nan, len(self.table))
        is_known = ~np.isnan(expected) & ~np.isnan(value)
        return np.where(is_known, (expected == value).astype(np.float64), np.nan)

    # Columns that mean the same in any table

    def _words(self, name: str) -> Coded:
        if name not in self.table.column_names:
            return Coded(self._all(-1), ())
        if name not in self._read_words:
            found = cells.encode_words(self.table[name])
            self._read_words[name] = found if self.is_own else self._trim(name, found)
        return self._read_words[name]

    def _trim(self, name: str, found: Coded) -> Coded:
        """Names without the spaces around them; where two would become one, both stay.

        A cell of spaces alone is empty.
        """
        spaced = trim_names(found.labels)
        self.notes.extend(trimming_notes(spaced, self.names[name]))
        words = [spaced.get(label, label) for label in found.labels]
        labels = tuple(sorted(word for word in words if word.strip()))
        return Coded(Coded(found.codes, tuple(words)).recode(labels), labels)

    def _whole(self, name: str) -> NDArray[np.int32]:
        read = self._read(name, lambda column: whole_numbers(cells.numbers(column)))
        if read is None:
            return self._all(-1)
        if (read == 0).any():
            self.notes.append(f"{name}s are counted from 0 in the table, from 1 here.")
            read = read + 1
        return np.where(np.isnan(read), -1, read).astype(np.int32)

    def _seconds(self) -> NDArray[np.float64]:
        read = self._read("seconds", lambda column: not_negative(cells.numbers(column)))
        if read is None or self._are_milliseconds(read):
            return np.broadcast_to(np.nan, len(self.table))
        return read

    def _are_milliseconds(self, read: NDArray[np.float64]) -> bool:
        """Whether a column whose name does not state its unit is hardly in seconds; noted."""
        name = self.names["seconds"]
        is_stated = "seconds" in self.must_fit or "second" in name.casefold()
        median = float(np.nanmedian(read)) if (~np.isnan(read)).any() else 0.0
        if is_stated or median <= _LONGEST_SECONDS:
            return False
        self.notes.append(
            f"the column '{name}' looked like seconds, but with a median of {median:,.0f} they may "
            "be milliseconds, so it is not read. If they are seconds: "
            f"{columns_option('seconds', name)}."
        )
        return True

    def _moments(self) -> NDArray[np.datetime64]:
        nothing = np.broadcast_to(np.datetime64("NaT", "us"), len(self.table))
        if "submitted_at" not in self.table.column_names:
            return nothing
        found = cells.moments(self.table["submitted_at"])
        if not self._accepts("submitted_at", found.is_wrong):
            return nothing
        self.notes.extend(found.notes)
        if found.lacks_zone:
            self.notes.append("Times without a zone are taken to be in UTC.")
        return found.value

    def _kind(self, has_value: Mask) -> Coded:
        stated = self._closed("kind", absent=0)
        codes = self._all(0) if stated is None else stated.codes
        control = self._read(
            "control", lambda column: cells.by_word(column, cells.truth, absent=0.0)
        )
        if control is not None:
            codes = np.where((control > 0) & (codes == 0), KINDS.index("check"), codes)
        attempt = self._read("attempt", lambda column: whole_numbers(cells.numbers(column)))
        if attempt is not None:
            again = (attempt > np.nanmin(attempt, initial=1)) & (codes == 0)
            codes = np.where(again, KINDS.index("repeat"), codes)
            count = int((again & has_value).sum())
            if count:
                self.notes.append(f"{count:,} rows of a later attempt are kept as repeats.")
        return Coded(codes.astype(np.int32, copy=False), KINDS)

    def _closed(self, name: str, *, absent: int) -> Coded | None:
        """A column of words of a closed list."""
        read = self._read(name, lambda column: cells.closed_codes(name, column, absent=absent))
        if read is None:
            return None
        return Coded(np.nan_to_num(read, nan=absent).astype(np.int32), CLOSED[name])

    def _all(self, code: int) -> NDArray[np.int32]:
        """The same code in every row, kept once."""
        return np.broadcast_to(np.int32(code), len(self.table))

    def _read(
        self, name: str, read: Callable[[pa.ChunkedArray], Numbers]
    ) -> NDArray[np.float64] | None:
        """A column that need not be there, as numbers."""
        if name not in self.table.column_names:
            return None
        found = read(self.table[name])
        if not self._accepts(name, found.is_wrong):
            return None
        self.notes.extend(found.notes)
        return found.value

    def _accepts(self, name: str, is_wrong: Mask) -> bool:
        """Whether a column can be used; one that only looked like ours is left out with a note."""
        if not is_wrong.any():
            return True
        if name in self.must_fit:
            self.faults.add(
                is_wrong, lambda row: f"{name} is '{self._cell(name, row)}'.", REMEDIES[name]
            )
            return True
        cell = self._cell(name, int(is_wrong.argmax()))
        self.notes.append(
            f"the column '{self.names[name]}' looked like {name} but holds '{cell}', so it is not "
            "read."
        )
        return False

    def _cell(self, name: str, row: int) -> str:
        try:
            return _short(str(self.table[name][row].as_py()))
        except (ValueError, OverflowError):  # a time that Python does not know
            return "out of range"


def _sums_up(word: str) -> bool:
    words = [each.strip(":.()") for each in word.casefold().split()]
    return len(words) <= _SUMMING and not _TOTALS.isdisjoint(words)


def _no_number(cell: str) -> str:
    if is_date(cell):
        made = "a spreadsheet may have made it from a score such as 3/4"
        return f"'{cell}' is a date, not a number: {made}."
    return f"'{cell}' is {number_fault(cells.number(cell)) or 'not a number'}."


def _short(cell: str) -> str:
    return cell if len(cell) <= _LONGEST_SHOWN else cell[: _LONGEST_SHOWN - 1] + "…"


REMEDIES: Mapping[str, str] = {
    "segment": "Write a whole number from 1.",
    "position": "Write a whole number from 1.",
    "attempt": "Write a whole number from 1.",
    "seconds": "Write a number of seconds, 0 or more.",
    "submitted_at": "Write a time such as 2026-03-01T09:30:00+00:00.",
    "kind": f"Write one of {', '.join(KINDS)}.",
    "side": f"Write one of {', '.join(SIDES)}.",
    "origin": f"Write one of {', '.join(ORIGINS)}.",
    "state": f"Write one of {', '.join(STATUSES)}.",
    "control": "Write true or false.",
    "passed": "Write true or false.",
    "expected": "Write it as the answers are written.",
}


def emptiness(name: str) -> Callable[[int], str]:
    """Words for an empty cell of a column."""
    return lambda _: f"{name} is empty."


def whole_numbers(found: Numbers) -> Numbers:
    """Whole numbers from 0, as far as 32 bits go; all else is wrong."""
    value = found.value
    is_whole = (value >= 0) & (value < 2**31 - 1) & (value == np.floor(value))
    is_wrong = found.is_wrong | ~is_whole & ~np.isnan(value)
    return Numbers(np.where(is_wrong, np.nan, value), is_wrong)


def not_negative(found: Numbers) -> Numbers:
    """Numbers from 0; all else is wrong."""
    is_wrong = found.is_wrong | (found.value < 0)
    return Numbers(np.where(is_wrong, np.nan, found.value), is_wrong)
