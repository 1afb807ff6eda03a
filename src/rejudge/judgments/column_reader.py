"""Columns of a read table that mean the same in any table: names, numbers, times, kinds.

What is wrong in a cell is noted with its row; what was assumed is noted in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rejudge.collect import STATUSES
from rejudge.english import count as counted
from rejudge.judgments import arrow
from rejudge.judgments.arrow import Numbers
from rejudge.judgments.cells import (
    REMEDIES,
    kind_code,
    not_negative,
    origin_code,
    state_code,
    whole_numbers,
)
from rejudge.judgments.columns import columns_option, trim_names
from rejudge.judgments.table import KINDS, ORIGINS, Coded

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

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
        import numpy as np

        rows = np.flatnonzero(is_wrong)
        self.count += len(rows)
        self.found += [(row, say(row), remedy) for row in rows[:SHOWN].tolist()]


@dataclass(frozen=True)
class ColumnReader:
    """Reads the columns of a table that already have our names."""

    table: pa.Table
    names: Mapping[str, str]  # our name → the table's, for messages
    must_fit: frozenset[str]  # columns asked for by name: a cell that cannot be read is a fault
    is_own: bool = False  # a file in our own format, in which names are kept as they are
    faults: Faults = field(default_factory=Faults)
    notes: list[str] = field(default_factory=list)
    _read_words: dict[str, Coded] = field(default_factory=dict)

    def _words(self, name: str) -> Coded:
        if name not in self.table.column_names:
            return Coded(self._all(-1), ())
        if name not in self._read_words:
            found = arrow.encode_words(self.table[name])
            self._read_words[name] = found if self.is_own else self._trim(name, found)
        return self._read_words[name]

    def _trim(self, name: str, found: Coded) -> Coded:
        """Names without the spaces around them; where two would become one, both stay."""
        spaced = trim_names(found.labels)
        if spaced:
            example = next(iter(sorted(spaced)))
            self.notes.append(
                f"Spaces around {counted(len(spaced), 'name')} in '{self.names[name]}' are "
                f"dropped: '{example}' is '{spaced[example]}'."
            )
        words = [spaced.get(label, label) for label in found.labels]
        labels = tuple(sorted(words))
        return Coded(Coded(found.codes, tuple(words)).recode(labels), labels)

    def _whole(self, name: str) -> NDArray[np.int32]:
        import numpy as np

        read = self._read(name, lambda column: whole_numbers(arrow.numbers(column)))
        if read is None:
            return self._all(-1)
        if (read == 0).any():
            self.notes.append(f"{name}s are counted from 0 in the table, from 1 here.")
            read = read + 1
        return np.where(np.isnan(read), -1, read).astype(np.int32)

    def _seconds(self) -> NDArray[np.float64]:
        import numpy as np

        read = self._read("seconds", lambda column: not_negative(arrow.numbers(column)))
        if read is None or self._are_milliseconds(read):
            return np.broadcast_to(np.nan, len(self.table))
        return read

    def _are_milliseconds(self, read: NDArray[np.float64]) -> bool:
        """Whether a column whose name does not state its unit is hardly in seconds; noted."""
        import numpy as np

        name = self.names["seconds"]
        is_stated = "seconds" in self.must_fit or "second" in name.casefold()
        median = float(np.nanmedian(read)) if (~np.isnan(read)).any() else 0.0
        if is_stated or median <= _LONGEST_SECONDS:
            return False
        self.notes.append(
            f"the column '{name}' looked like seconds, but with a median of {median:,.0f} they may "
            f"be milliseconds: not read. If they are seconds: {columns_option('seconds', name)}."
        )
        return True

    def _moments(self) -> NDArray[np.datetime64]:
        import numpy as np

        nothing = np.broadcast_to(np.datetime64("NaT", "us"), len(self.table))
        if "submitted_at" not in self.table.column_names:
            return nothing
        found = arrow.moments(self.table["submitted_at"])
        if not self._accepts("submitted_at", found.is_wrong):
            return nothing
        self.notes.extend(found.notes)
        if found.lacks_zone:
            self.notes.append("Times without a zone are taken to be in UTC.")
        return found.value

    def _kind(self, has_value: Mask) -> Coded:
        import numpy as np

        stated = self._read("kind", lambda column: arrow.by_word(column, kind_code, absent=0.0))
        codes = self._all(0) if stated is None else np.nan_to_num(stated)
        control = self._read(
            "control", lambda column: arrow.by_word(column, arrow.truth, absent=0.0)
        )
        if control is not None:
            codes = np.where((control > 0) & (codes == 0), KINDS.index("check"), codes)
        attempt = self._read("attempt", lambda column: whole_numbers(arrow.numbers(column)))
        if attempt is not None:
            again = (attempt > np.nanmin(attempt, initial=1)) & (codes == 0)
            codes = np.where(again, KINDS.index("repeat"), codes)
            count = int((again & has_value).sum())
            if count:
                self.notes.append(f"{count:,} rows of a later attempt are kept as repeats.")
        return Coded(codes.astype(np.int32, copy=False), KINDS)

    def _origin(self) -> Coded:
        import numpy as np

        read = self._read("origin", lambda column: arrow.by_word(column, origin_code, absent=0.0))
        return Coded(
            self._all(0) if read is None else np.nan_to_num(read).astype(np.int32), ORIGINS
        )

    def _state(self) -> Coded:
        """What became of the batch on our site; many tables call something else a state."""
        import numpy as np

        read = self._read("state", lambda column: arrow.by_word(column, state_code, absent=-1.0))
        if read is None:
            return Coded(self._all(-1), STATUSES)
        return Coded(np.nan_to_num(read, nan=-1).astype(np.int32), STATUSES)

    def _all(self, code: int) -> NDArray[np.int32]:
        """The same code in every row, kept once."""
        import numpy as np

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
            f"the column '{self.names[name]}' looked like {name} but holds '{cell}': not read."
        )
        return False

    def _cell(self, name: str, row: int) -> str:
        try:
            return _short(str(self.table[name][row].as_py()))
        except (ValueError, OverflowError):  # a time that Python does not know
            return "out of range"


def _short(cell: str) -> str:
    return cell if len(cell) <= _LONGEST_SHOWN else cell[: _LONGEST_SHOWN - 1] + "…"
