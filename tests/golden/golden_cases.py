"""The cases of the golden corpus: how their files are made, and what is run on them.

`cases.csv` lists them. A step is the name of a command line of `commands.csv` and what it is run
on. Tables are made from hashes, so that every machine has the same. Judgments of studies are those
of `rejudge simulate`, drawn once and kept in `inputs`: a change of the simulation changes no
analysis.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import shlex
import tomllib
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import combinations, product
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

from click.testing import CliRunner
from golden_rows import Record
from golden_today import Rows, read

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("REJUDGE_SHARED", HERE.parents[2] / "shared")) / "data"
PAPERS = (
    "hosking-2021 arvan-2025 steen-2025 august-2022 miltenburg-2024 miltenburg-2024-second "
    "hosking-2022 arvan-2024 lin-2022 ito-2023"
)
_TODAY = datetime(2026, 1, 15, 12, tzinfo=UTC)  # wages and pay depend on the date
Line: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """Some files, and the commands to run on them in this order."""

    speed: str
    name: str
    made: str  # a table, or a starter and its changes
    judgments: str  # a file of inputs, for a study
    steps: str
    needs: str  # a folder of public data beside the repository

    @property
    def is_slow(self) -> bool:
        """Whether it belongs to `make slow`."""
        return self.speed == "slow"

    @property
    def has_data(self) -> bool:
        """Whether the public data that it needs are there."""
        return not self.needs or (SHARED / self.needs).is_dir()


def _csv(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


CASES = tuple(Case(**row) for row in _csv("cases.csv"))


# Running


def run(case: Case, folder: Path) -> tuple[Record, list[str]]:
    """The rows and the distinct sentences of all steps, run in an empty folder."""
    lines = {row["name"]: row for row in _csv("commands.csv")}
    record: Record = {}
    texts: set[str] = set()
    with chdir(folder), ExitStack() as stack:
        for module in ("check", "look", "power"):
            stack.enter_context(patch(f"rejudge.cli.commands.{module}.datetime", _Clock))
        drawing = "rejudge.report.figures.registry.Picture.svg_at"
        stack.enter_context(patch(drawing, lambda *_: "<svg></svg>"))
        _make(case)
        for step in case.steps.split(" + "):
            name, _, on = step.partition(" ")
            rows = _run_step(step.replace("{data}/", ""), lines[name], on)
            record |= rows.record
            texts |= rows.texts
    return record, sorted(texts)


def _run_step(step: str, command: dict[str, str], on: str) -> Rows:
    rows = Rows(step)
    given = shlex.split(command["line"].format(on).replace("{papers}", PAPERS))
    with _noted_streams() as streams:
        exit_code, output = invoke(*(each.replace("{data}", str(SHARED)) for each in given))
    rows.add("exit code", "", {"value": exit_code})
    for name in dict.fromkeys(streams):
        rows.add("random stream", name, {"drawn": "yes"})
    if command["reader"] == "plan":
        output = Path(on, "plan.json").read_text(encoding="utf-8")
    read(rows, command["reader"] if exit_code < 2 else "problems", json.loads(output))
    return rows


def invoke(*arguments: str) -> tuple[int, str]:
    """Run rejudge in this process."""
    from rejudge.cli import main

    outcome = CliRunner(catch_exceptions=False).invoke(main, list(arguments))
    return outcome.exit_code, outcome.stdout


class _Clock(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override] - no Self
        return _TODAY.astimezone(tz)


@contextmanager
def _noted_streams() -> Iterator[list[str]]:
    """The names of random streams that are used: checksums of short names with dots."""
    names: list[str] = []

    def crc32(data: bytes, start: int = 0) -> int:
        is_name = isinstance(data, bytes) and len(data) < 200 and b"." in data and data.isascii()
        if is_name:
            names.append(data.decode())
        return own(data, start)

    own = zlib.crc32
    with patch("zlib.crc32", crc32):
        yield names


# Studies


def _make(case: Case) -> None:
    kind, _, rest = case.made.partition(" ")
    name, *changes = rest.split(" ")
    if kind in {"starter", "like"}:
        _study("study", "--kind" if kind == "starter" else "--like", name, changes)
        if case.judgments:
            packed = (HERE / "inputs" / f"{case.judgments}.csv.gz").read_bytes()
            Path("study", "judgments.csv").write_bytes(gzip.decompress(packed))
    elif case.made == "damaged":
        for number, change in enumerate(_changes("damaged")):
            _study(f"d{number:02}", "--kind", "rating", [])
            _edit(Path(f"d{number:02}", "study.yaml"), *change)
    elif case.made != "nothing":
        _TABLES[case.made]()


def _study(folder: str, *new: Any) -> None:
    option, name, changes = new
    invoke("new", folder, option, name)
    for change in changes:
        for old, text in _changes(change):
            _edit(Path(folder, "study.yaml"), old, text)
    if "weights" in changes:  # inputs are drawn with unequal probabilities
        items = Path(folder, "items.csv")
        with items.open(encoding="utf-8", newline="") as file:
            rows = [{**row, "interest": 1 + n % 4} for n, row in enumerate(csv.DictReader(file))]
        _write(rows, items)


def _changes(name: str) -> list[tuple[str, str]]:
    with (HERE / "studies.toml").open("rb") as file:
        changes: list[tuple[str, str]] = tomllib.load(file)[name]
    return changes


def _edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    if old not in text:
        raise AssertionError(f"{old!r} is not in study.yaml")
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


# Tables

_SYSTEMS = ("ash", "beech", "cedar")


def _draw(*names: object) -> float:
    """A number from 0 to 1 that depends on these names alone."""
    text = "|".join(map(str, names)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=6).digest()) / 2**48


def _noise(*names: object) -> float:
    """The same around 0, with a standard deviation of 1."""
    return 3**0.5 * (sum(_draw(*names, part) for part in range(4)) - 2)


def _opinion(person: int, item: int, system: str, question: object = "") -> float:
    quality = {"ash": 0.5, "beech": 0.0, "cedar": -0.4}[system]
    parts = (("person", person), ("item", item), (person, system), (item, system))
    shared = sum(0.4 * _noise(question, *names) for names in parts)
    return quality + shared + 0.8 * _noise(question, person, item, system)


def _points(low: int, high: int, middle: float, step: float = 1.0) -> Callable[[float], int]:
    return lambda opinion: max(low, min(high, round(middle + step * opinion)))


_FIVE = _points(1, 5, 3)


def _line(person: int, item: int, **more: Any) -> Line:
    return {
        "participant": f"p{person}", "item": f"i{item:02}", "dataset": ("news", "wiki")[item % 2],
        "country": ("NL", "DE")[person % 3 > 0], "length": 10 + item * 7 % 13,
        "seconds": round(3 + 20 * _draw("seconds", person, item), 1), **more,
    }  # fmt: skip


def _write(rows: Iterable[Line], path: Path = Path("table.csv")) -> None:
    listed = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, listed[0])
        writer.writeheader()
        writer.writerows(listed)


def _cells(
    people: int, items: int, systems: tuple[str, ...] = _SYSTEMS
) -> Iterator[tuple[int, int, str]]:
    return product(range(people), range(items), systems)


def _scores(
    people: int,
    items: int,
    *questions: str,
    is_judged: Callable[[int, int, str], bool] = lambda *_: True,
    score: Callable[[float], object] = _FIVE,
) -> None:
    _write(
        _line(p, i, system=s, criterion=q, score=score(_opinion(p, i, s, q)))
        for p, i, s in _cells(people, items)
        for q in questions or ("fluency",)
        if is_judged(p, i, s)
    )


def _choices(people: int, items: int, *, tie: float = 0.4) -> None:
    rows = []
    for (p, i, _), pair in product(_cells(people, items, ("",)), combinations(_SYSTEMS, 2)):
        a, b = pair if _draw("side", p, i, pair) < 0.5 else pair[::-1]
        by = _opinion(p, i, a) - _opinion(p, i, b)
        choice = "tie" if abs(by) <= tie else "a" if by > 0 else "b"
        rows.append(_line(p, i, system_a=a, system_b=b, choice=choice))
    _write(rows)


def _rankings() -> None:
    """Ranks of three systems; close ones are tied."""
    rows = []
    for p, i, s in _cells(8, 10):
        steps = [round(1.5 * _opinion(p, i, each)) for each in _SYSTEMS]
        own = steps[_SYSTEMS.index(s)]
        rows.append(_line(p, i, system=s, rank=1 + sum(other > own for other in steps)))
    _write(rows)


def _segments() -> None:
    """Scores of two to four sentences of each output."""
    points = _points(0, 2, 1)
    _write(
        _line(p, i, system=s, segment=k, score=points(_opinion(p, k, s, i)))
        for p, i, s in _cells(4, 8)
        for k in range(1, 3 + (i + len(s)) % 3)
    )


def _labs() -> None:
    """Three labs with people of their own; the second judged the items of the first."""
    _write(
        _line(
            10 * n + p,
            start + i,
            system=s,
            lab=name,
            score=_FIVE(0.3 * n + _opinion(10 * n + p, start + i, s)),
        )
        for n, (name, start) in enumerate((("Adam", 0), ("Brno", 0), ("Cork", 12)))
        for p, i, s in _cells(6, 12)
    )


def _unknown_people() -> None:
    """The same item was scored three times by nobody knows whom."""
    rows = [_line(p, i, system=s, score=_points(0, 100, 50, 20)(_opinion(p, i, s)))
            for p, i, s in _cells(3, 12)]  # fmt: skip
    for row in rows:
        del row["participant"]
    _write(rows)


def _twice() -> None:
    """Some people judged some items twice."""
    _write(
        _line(p, i, system=s, score=_FIVE(_opinion(p, i, s, again)))
        for p, i, s in _cells(6, 10)
        for again in ("", "again")[: 2 if (p + i) % 5 == 0 else 1]
    )


def _wide() -> None:
    """One row for each output, one column for each person."""
    _write(
        {"item": f"i{i}", "system": s} | {f"rater_{p}": _FIVE(_opinion(p, i, s)) for p in range(4)}
        for _, i, s in _cells(1, 10)
    )


def _votes() -> None:
    """Votes between six systems, counted without loading them."""
    import pyarrow as pa
    from pyarrow import parquet

    rows = []
    for number in range(1500):
        a, b = sorted(range(6), key=lambda each, vote=number: _draw("vote", vote, each))[:2]
        by = b - a + 4 * (_draw("by", number) - 0.5)
        rows.append({"item": f"i{number // 3}", "participant": f"p{number % 90}",
                     "system_a": f"s{a}", "system_b": f"s{b}",
                     "choice": "tie" if abs(by) < 0.4 else "a" if by > 0 else "b"})  # fmt: skip
    parquet.write_table(pa.Table.from_pylist(rows), "votes.parquet")


def _errors() -> None:
    """A paper in which fewer errors are better, and a table of the same."""
    Path("paper.yaml").write_bytes((HERE / "inputs" / "paper.yaml").read_bytes())
    _scores(6, 10, "errors", score=_points(0, 7, 3.5, 1.2))


_TABLES: dict[str, Callable[[], None]] = {
    "scores": lambda: _scores(9, 12),
    "two questions": lambda: _scores(8, 12, "fluency", "adequacy"),
    "missing cells": lambda: _scores(8, 12, is_judged=lambda *cell: _draw("seen", *cell) < 0.8),
    "binary": lambda: _scores(8, 16, score=lambda opinion: int(opinion > 0)),
    "labels": lambda: _scores(6, 12, score=lambda x: ("bad", "odd", "good")[_points(0, 2, 1)(x)]),
    "crowd": lambda: _scores(40, 40, is_judged=lambda p, i, _: (p + 7 * i) % 40 < 3),
    "uneven": lambda: _scores(
        6, 12, is_judged=lambda p, i, s: (s != "cedar" or i < 5) and _draw(p, i, s) < 0.7
    ),
    "no shared items": lambda: _scores(6, 15, is_judged=lambda _, i, s: s == _SYSTEMS[i % 3]),
    "one item": lambda: _scores(8, 1),
    "one person": lambda: _scores(1, 12),
    "all equal": lambda: _scores(4, 6, score=lambda _: 3),
    "all tied": lambda: _choices(5, 6, tie=99),
    "choices": lambda: _choices(8, 10),
    "rankings": _rankings, "segments": _segments, "labs": _labs, "wide": _wide, "votes": _votes,
    "unknown people": _unknown_people, "judged twice": _twice, "errors": _errors,
}  # fmt: skip
