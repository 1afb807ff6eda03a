"""Surveys in the shape of a published study: 300 items in 10 lists of 30, ten people."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qualtrics_files import (
    NOON,
    export,
    session,
    write,
)
from rejudge.analysis import analyse
from rejudge.exchange.formats import Reader, Writer
from rejudge.exchange.qualtrics import FORMAT
from rejudge.judgments import Judgments, read_judgments


def test_the_format_can_be_read_and_written() -> None:
    assert isinstance(FORMAT, Reader)
    assert isinstance(FORMAT, Writer)


@given(st.binary(max_size=400))
def test_recognising_never_raises(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("any") / "file"
    file.write_bytes(content)
    assert FORMAT.recognises(file) in {True, False}


def tables_of(rows: Sequence[dict[str, str]]) -> tuple[str, str]:
    """An export and a mapping that say what a long table says, one session per person and list."""
    sessions: dict[tuple[str, str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        sessions[row["rater"], row["batch"], row["attempt"]].append(row)
    written = [
        session(
            person,
            {f"t{row['item']}": row["score"] for row in judged},
            number=number,
            start=NOON + timedelta(days=40 * int(attempt), hours=number),
            seconds=float(judged[0]["session_wall_seconds"]),
        )
        for number, ((person, _, attempt), judged) in enumerate(sessions.items())
    ]
    head = "tag,item,question,system,position\n"
    lines = {
        f"t{r['item']},{r['item']},{r['criterion']},{r['system']},{r['position']}\n" for r in rows
    }
    return export(written), head + "".join(sorted(lines))


def test_the_published_responses_give_the_published_durations_and_the_same_analysis(
    tmp_path: Path, published: Callable[[str], tuple[Path, dict[str, Any]]]
) -> None:
    """Seed 004: sums of minutes and numbers of lists by participant, from the raw export."""
    table = published("august2022_miltenburg2024")[0] / "judgments.csv"
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    text, mapping = tables_of(rows)
    (tmp_path / "mapping.csv").write_text(mapping)
    imported = FORMAT.read([write(tmp_path, text), tmp_path / "mapping.csv"], study=None, plan=None)
    minutes: defaultdict[str, float] = defaultdict(float)
    lists: Counter[str] = Counter()
    for row in csv.DictReader(io.StringIO(imported.files["sessions.csv"].decode())):
        minutes[row["participant"]] += float(row["seconds"]) / 60
        lists[row["participant"]] += 1
    people = sorted(minutes)
    assert [round(minutes[p]) for p in people] == [10500, 156, 19, 1437, 37, 40, 62, 26, 55, 76]
    assert [lists[p] for p in people] == [10, 13, 4, 4, 4, 4, 4, 4, 10, 10]
    direct = read_judgments(table)
    assert findings(imported.judgments) == findings(direct)


def findings(judgments: Judgments) -> object:
    """Every number of an analysis that depends on what was judged by whom."""
    rows = sorted(judgments.rows(), key=lambda r: (r.kind, r.participant or "", r.item))
    results = analyse(Judgments.from_rows(rows))  # in one order: sums differ in the last digit
    return results.findings, len(judgments.of_kind("real")), len(judgments.of_kind("repeat"))


def test_a_survey_in_the_published_shape_gives_the_analysis_of_the_equivalent_table(
    tmp_path: Path,
) -> None:
    """300 items in 10 lists of 30, ten people with 4 or 10 lists, three lists done twice."""
    chance = random.Random(4)  # noqa: S311 - no secret
    rows = []
    for person in range(1, 11):
        for batch in range(1, 11 if person in {1, 2, 9, 10} else 5):
            for attempt in range(1, 3 if person == 2 and batch <= 3 else 2):
                seconds = str(chance.randint(200, 900))
                for position in range(1, 31):
                    number = (batch - 1) * 30 + position
                    rows.append({
                        "rater": f"{person:03}", "item": f"{number:032x}",
                        "system": ("svm", "gedi", "dexpert")[number % 3], "criterion": "fluency",
                        "score": str(chance.randint(1, 4)), "batch": str(batch),
                        "position": str(position), "attempt": str(attempt),
                        "session_wall_seconds": seconds,
                    })  # fmt: skip
    text, mapping = tables_of(rows)
    (tmp_path / "mapping.csv").write_text(mapping)
    imported = FORMAT.read([write(tmp_path, text), tmp_path / "mapping.csv"], study=None, plan=None)
    with (tmp_path / "table.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert findings(imported.judgments) == findings(read_judgments(tmp_path / "table.csv"))
