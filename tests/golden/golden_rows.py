"""Rows of the golden corpus: numbers and decisions, addressed by what they are about.

A `Key` says what a number is about; a record maps keys to named numbers, such as `value`, `n`,
`low`, `p corrected`, `supported`. Nothing here depends on the layout of a file of rejudge. On disk
a line holds all numbers of one key. A field is left out where it has its usual value: level .95,
two-sided, comparable, planned, not weighted, not simultaneous.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import NamedTuple, TypeAlias

Value: TypeAlias = float | str | None  # a number, a decision, or undefined


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """What a number is about; empty: all of them, or not concerned."""

    command: str  # of a case, as its steps name it
    question: str = ""
    group: str = ""  # column=name; column=* for a number about all groups together
    systems: str = ""  # one, or `first > second`
    category: str = ""  # a label, a level of a factor
    within: str = ""  # a case of the analysis, or without exclusions
    runs: str = ""  # that are compared, joined by +
    measure: str = ""
    method: str = ""


Record: TypeAlias = dict[Key, dict[str, Value]]
RECORDED = Path(__file__).parent / "recorded"
_COLUMNS = tuple(each.name for each in fields(Key))

# How close two numbers must be, relative to the larger, by how they are computed.
CLOSED, SOLVED, ORDINAL = 1e-9, 1e-6, 1e-4
_DIGITS = {CLOSED: 11, SOLVED: 9, ORDINAL: 8}
_LOOSE = 1e-3  # degrees of freedom of fits, and what rests on them
_REST_ON_DF = frozenset({"df", "p", "p corrected", "p tukey", "p holm", "low", "high"})
_P = frozenset({"p", "p corrected", "p tukey", "p holm", "p looks", "p differ"})
_NO_P = 1e-14  # smaller p values are the same
_BY_LAPLACE = ("ordinal-mixed-model", "binary-mixed-model")
_BY_ITERATION = (
    "mixed-model", "joint-mixed-model", "bradley-terry", "plackett-luce", "interaction",
    "one-way-anova", "random-effects", "pooled-cluster-robust",
)  # fmt: skip
_SOLVED_MEASURES = ("model ", "detectable", "look", "power", "truth", "claim power", "equivalence")


def precision_of(key: Key, field: str) -> float:
    """How close this number must be to the recorded one, relative to its size."""
    if any(name in key.method for name in _BY_LAPLACE):
        exact = ORDINAL
    elif any(name in key.method for name in _BY_ITERATION) or key.measure.startswith(
        _SOLVED_MEASURES
    ):
        exact = SOLVED
    else:
        return CLOSED
    is_fit = not key.measure.startswith(("look", "equivalence"))
    return _LOOSE if is_fit and field.removeprefix("statistic ") in _REST_ON_DF else exact


def is_same(key: Key, field: str, recorded: Mapping[str, Value], now: Value) -> bool:
    """Whether a number is what was recorded, as far as rounding and its error allow."""
    before = recorded[field]
    if not isinstance(before, float) or not isinstance(now, float):
        return before == now
    error = recorded.get(f"{field} mc error")
    if isinstance(error, float):  # of a simulated number: both were drawn
        return abs(now - before) <= 4 * math.sqrt(2) * error
    if field.endswith("mc error"):
        return True  # it only says how close the number beside it must be
    exact = precision_of(key, field)
    if field in _P and min(before, now) > 0:
        apart = abs(math.log(before) - math.log(now))
        return apart <= exact * max(1.0, -math.log(before)) or max(before, now) < _NO_P
    scale = recorded.get("error")
    floor = exact * max(0.1, scale if isinstance(scale, float) else 0.0)
    if {"low", "high"} <= recorded.keys() and field in {"low", "high"}:
        low, high = recorded["low"], recorded["high"]
        if isinstance(low, float) and isinstance(high, float):
            return abs(now - before) <= exact * max(0.1, (high - low) / 2, abs(before) * 1e-3)
    return abs(now - before) <= max(exact * max(abs(before), abs(now)), floor)


class Difference(NamedTuple):
    """A number that is not what was recorded; None where a row is new or gone."""

    key: Key
    field: str
    recorded: Value
    now: Value


def differences(recorded: Record, now: Record) -> Iterator[Difference]:
    """Every number that differs, in the order of the keys."""
    for key in sorted({*recorded, *now}):
        old, new = recorded.get(key, {}), now.get(key, {})
        for field in dict.fromkeys((*old, *new)):
            if field not in old or field not in new or not is_same(key, field, old, new[field]):
                yield Difference(
                    key, field, old.get(field, "no such row"), new.get(field, "no such row")
                )


def merge(recorded: Record, now: Record) -> Record:
    """The new record, with the recorded digits wherever a number is the same."""
    merged: Record = {}
    for key, numbers in now.items():
        old = recorded.get(key, {})
        merged[key] = {
            field: old[field] if field in old and is_same(key, field, old, value) else value
            for field, value in numbers.items()
        }
    return merged


def difference_table(found: Iterable[Difference], *, most: int = 25) -> str:
    """What differs, as text: what it is about, recorded, now, and by how much."""
    listed = list(found)
    lines = []
    for key, field, before, now in listed[:most]:
        about = " | ".join(part for part in astuple(key) if part)
        is_number = isinstance(before, float) and isinstance(now, float)
        by = f"  ({now - before:+.3g})" if is_number else ""  # type: ignore[operator] - numbers
        lines.append(f"{about} | {field}: {as_text(before, 17)} -> {as_text(now, 17)}{by}")
    if len(listed) > most:
        lines.append(f"… and {len(listed) - most} more")
    return "\n".join(lines)


def as_text(value: Value, digits: int = 11) -> str:
    """A value as it is written: with so many significant digits."""
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    return "none" if value is None else value


def _value_of(text: str) -> Value:
    if text == "none":
        return None
    try:
        return float(text)
    except ValueError:
        return text


def write(record: Record, path: Path) -> None:
    """Write one line for each key, in order; a line that several commands share, once."""
    commands: dict[tuple[str, ...], list[str]] = {}
    for key in sorted(record):
        parts = (
            f"{field}={as_text(value, _DIGITS.get(precision_of(key, field), 7))}"
            for field, value in record[key].items()
        )
        command, *rest = astuple(key)
        commands.setdefault((*rest, "; ".join(parts)), []).append(command)
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow((*_COLUMNS, "numbers"))
        lines.writerows((" & ".join(names), *rest) for rest, names in commands.items())


def read(path: Path) -> Record:
    """What was recorded; nothing where there is no file yet."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {
        Key(command, *rest): {
            field: _value_of(text)
            for field, _, text in (part.partition("=") for part in numbers.split("; "))
        }
        for commands, *rest, numbers in rows
        for command in commands.split(" & ")
    }
