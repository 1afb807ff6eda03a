"""From the columns of a read table to judgments: codes, numbers, and every fault with its row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rejudge.english import count as counted
from rejudge.errors import DataError, Problem
from rejudge.judgments import arrow
from rejudge.judgments.arrow import Numbers, is_date
from rejudge.judgments.column_reader import (
    CHOICE_REMEDY,
    ChoiceReading,
    ColumnReader,
    ReadChoices,
    choice_notes,
    choices,
    emptiness,
    side_code,
)
from rejudge.judgments.columns import AbsentColumns, plain, suggestion
from rejudge.judgments.score_labels import labelled_scores, labels_remedy, words_for_scores
from rejudge.judgments.table import SIDES, Coded, Judgments, number_fault

if TYPE_CHECKING:
    import pyarrow as pa

    Mask = NDArray[np.bool_]

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
class Encoder(ColumnReader):
    """Turns the columns of a table into judgments."""

    question: str | None
    ignored: tuple[str, ...] = ()  # columns of the table that are not read
    given: frozenset[str] = frozenset()  # roles named by the user, also those turned off
    choices: ChoiceReading | None = None
    labels: Mapping[str, float] | None = None  # of scores that are written as words
    file: str | None = None
    counts: NDArray[np.int64] | None = None  # how often each row stands in the file; else once

    def rows_of(self, which: Mask | list[int]) -> int:
        """How many rows of the file some rows of the table stand for."""
        counts = np.ones(len(self.table), np.int64) if self.counts is None else self.counts
        return int(counts[which].sum())

    def judgments(self) -> tuple[Judgments, Mask]:
        """The table with all its rows, and which of them have a value."""
        self._refuse_missing_columns()
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
            origin=self._origin(),
            plan=self._words("plan"),
            passed=self._check_results(value.value),
            state=self._state(),
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

    def _refuse_missing_columns(self) -> None:
        has = self.table.column_names
        wanted = ["item", *([] if self._pair_names == ("winner", "loser") else ["value"])]
        if "system_a" in has or "system_b" in has:
            wanted += ["system_a", "system_b"]
        absent = AbsentColumns(self.names, self.ignored, self.given, self.file)
        problems = list(absent.problems(wanted, names_systems=self._names_systems))
        if problems:
            raise DataError.of(problems)

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
        return tuple(sorted({label for name in names for label in self._words(name).labels}))

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
        self.notes.extend(choice_notes(self._chosen.by, arrow.distinct(column)[1]))
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
        found = arrow.numbers(column, are_scores=True)
        self.notes.extend(found.notes)
        if arrow.is_truth(column):
            self.notes.append(_TRUTHS)
        if found.is_wrong.all() and len(found.is_wrong):
            truths = arrow.by_word(column, arrow.truth)
            if not truths.is_wrong.any():
                self.notes.append(_TRUTHS)
                return truths
        if found.is_wrong.any() and np.isnan(found.value).all():
            self._refuse_words(column)
        return found

    def _refuse_words(self, column: pa.ChunkedArray) -> None:
        """Ask for the scores of labels, once and not for every row."""
        _, words = arrow.distinct(column)
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
        read = self._read("side", lambda column: arrow.by_word(column, side_code, absent=-1.0))
        if read is not None:
            return Coded(np.nan_to_num(read, nan=-1).astype(np.int32), SIDES)
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
        stated = self._read("passed", lambda column: arrow.by_word(column, arrow.truth))
        if stated is None:
            stated = self._match_expected(value)
        return np.where(np.isnan(stated), -1, stated).astype(np.int8)

    def _match_expected(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Whether the answer is the one that was expected, where one was."""

        def read(column: pa.ChunkedArray) -> Numbers:
            scored = arrow.numbers(column)
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


def _sums_up(word: str) -> bool:
    words = [each.strip(":.()") for each in word.casefold().split()]
    return len(words) <= _SUMMING and not _TOTALS.isdisjoint(words)


def _no_number(cell: str) -> str:
    if is_date(cell):
        made = "a spreadsheet may have made it from a score such as 3/4"
        return f"'{cell}' is a date, not a number: {made}."
    return f"'{cell}' is {number_fault(arrow.number(cell)) or 'not a number'}."
