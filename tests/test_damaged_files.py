"""Every reader, given damaged files: it reads them or refuses them in words, and does no third."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from pyarrow import parquet

import bundled
from fuzzed import Damage, damaged, damages, is_read_or_refused, rezipped
from property_settings import examples
from rejudge.analysis.results import Results
from rejudge.bundle.archive import CHECKSUMS, checksums, pack, unpack
from rejudge.bundle.read import read_bundle
from rejudge.compare.compare import compare
from rejudge.compare.comparison import Comparison
from rejudge.compare.run import run_of_paper
from rejudge.design.draw import draw
from rejudge.design.duration import estimate_duration
from rejudge.design.freeze import Frozen, freeze
from rejudge.design.plan import Plan, check_plan
from rejudge.files.step_files import (
    FROZEN,
    JUDGMENTS,
    PLAN,
    RESULTS,
    STUDY,
    from_bytes,
    open_study,
    to_bytes,
)
from rejudge.incoming import decode
from rejudge.judgments.read import read_judgments
from rejudge.judgments.table import Judgments
from rejudge.lint.rules import check
from rejudge.paper.paper_file import open_shipped, parse_conditions, shipped_text
from rejudge.paper.paper_file import parse as parse_paper
from rejudge.study.parse import parse
from rejudge.web.wording import read_interface

Read = Callable[[bytes], object]

HEAD = ("participant", "item", "system", "question", "value", "submitted_at", "seconds")
ROWS = [
    (f"p{p}", f"i{i}", system, "q", (p + i) % 5 + 1, f"2026-03-01T09:{p}{i}:00+00:00", 1.5 * i + 1)
    for p in range(3)
    for i in range(4)
    for system in "ab"
]
PAPER = "ito-2023"
CONDITIONS = b"conditions:\n  participants-per-item: 3\n  scale: likert\n"
JSON_ITEMS = (
    "".join(
        json.dumps({"id": f"i{n}", "input": f"In {n}", "reference": f"Ref {n}", "outputs":
                    {"ash": f"A {n}", "beech": f"B {n}"}}) + "\n"
        for n in range(10)
    ).encode()
)  # fmt: skip


def text_table(separator: str) -> bytes:
    lines = (separator.join(map(str, row)) for row in (HEAD, *ROWS))
    return ("\n".join(lines) + "\n").encode()


def json_table() -> bytes:
    return "".join(json.dumps(dict(zip(HEAD, row, strict=True))) + "\n" for row in ROWS).encode()


def parquet_table() -> bytes:
    columns = {name: [row[place] for row in ROWS] for place, name in enumerate(HEAD)}
    out = io.BytesIO()
    parquet.write_table(pa.table(columns), out)
    return out.getvalue()


def workbook() -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in (HEAD, *ROWS):
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def read_as(path: Path, content: bytes) -> Judgments:
    path.write_bytes(content)
    return read_judgments(path, duplicates="last")


def read_study(name: str, content: bytes) -> None:
    """A study with one of its files damaged, up to its plan and what is weak in it."""
    files = {STUDY: bundled.STUDY.encode(), "items.csv": bundled.ITEMS.encode(), name: content}
    if name == "items.jsonl":
        files[STUDY] = files[STUDY].replace(b"items: {", b"items: {file: items.jsonl, ")

    def beside(wanted: str) -> bytes:
        if wanted not in files:
            raise FileNotFoundError(wanted)
        return files[wanted]

    study = parse(decode(files[STUDY], file=STUDY), beside)
    check(study, draw(study))


def read_paper(content: bytes) -> None:
    paper = parse_paper(decode(content, file="paper.yaml"), file="paper.yaml")
    assert run_of_paper(paper)


class Files:
    """Sound files of every kind, each with what reads it; made once."""

    def __init__(self, folder: Path) -> None:
        home = bundled.finish(folder / "trees")
        self.study = open_study(home)
        self.bundle = bundled.bundled(home)
        plan = draw(self.study)
        runs = [run_of_paper(open_shipped(name)) for name in ("lin-2022", "ito-2023")]
        frozen = freeze(self.study, plan, at=datetime(2026, 3, 1, tzinfo=UTC))
        tables = {
            "csv": text_table(","),
            "tsv": text_table("\t"),
            "jsonl": json_table(),
            "parquet": parquet_table(),
            "xlsx": workbook(),
        }
        self.all: dict[str, tuple[bytes, Read]] = {
            **{
                ending: (content, partial(read_as, folder / f"t.{ending}"))
                for ending, content in tables.items()
            },
            STUDY: (bundled.STUDY.encode(), partial(read_study, STUDY)),
            "items.csv": (bundled.ITEMS.encode(), partial(read_study, "items.csv")),
            "items.jsonl": (JSON_ITEMS, partial(read_study, "items.jsonl")),
            "page": (b"Do *you* agree?\n", partial(read_study, "pages/consent.md")),
            "paper.yaml": (shipped_text(PAPER).encode(), read_paper),
            "conditions": (CONDITIONS, lambda t: parse_conditions(decode(t, file="c"), file="c")),
            PLAN: (to_bytes(plan, made_from={}), self.read_plan),
            JUDGMENTS: ((home / JUDGMENTS).read_bytes(), partial(self.read_step, Judgments)),
            RESULTS: ((home / RESULTS).read_bytes(), partial(self.read_step, Results)),
            FROZEN: (to_bytes(frozen, made_from={}), partial(self.read_step, Frozen)),
            "comparison.json": (
                to_bytes(compare(*runs), made_from={}), partial(self.read_step, Comparison)
            ),
            "interface": (b'{"next": "Go on", "task_of": "{number} of {all}"}', read_interface),
            "bundle": (self.bundle, partial(read_bundle, file="b.zip")),
        }  # fmt: skip

    @staticmethod
    def read_step(kind: type, content: bytes) -> object:
        file = "step.csv" if kind is Judgments else "step.json"
        return from_bytes(kind, content, file=file).content

    def read_plan(self, content: bytes) -> None:
        plan = from_bytes(Plan, content, file=PLAN).content
        if plan.study == self.study.design_fingerprint and not check_plan(self.study, plan):
            check(self.study, plan)
            estimate_duration(self.study, plan)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("damaged"))


NAMES = (
    "csv", "tsv", "jsonl", "parquet", "xlsx", STUDY, "items.csv", "items.jsonl", "page",
    "paper.yaml", "conditions", PLAN, JUDGMENTS, RESULTS, FROZEN, "comparison.json", "interface",
    "bundle",
)  # fmt: skip
MANY = settings(max_examples=examples(200))


def test_every_kind_of_file_is_among_them_and_is_read_when_it_is_sound(files: Files) -> None:
    assert tuple(files.all) == NAMES
    for content, read in files.all.values():
        read(content)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(12))
@given(what=damages)
def test_a_damaged_file_is_read_or_refused(files: Files, name: str, what: list[Damage]) -> None:
    content, read = files.all[name]
    assert is_read_or_refused(lambda: read(damaged(content, what)))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@MANY
@given(what=damages)
def test_many_damaged_files_are_read_or_refused(
    files: Files, name: str, what: list[Damage]
) -> None:
    content, read = files.all[name]
    assert is_read_or_refused(lambda: read(damaged(content, what)))


# Inside of archives that are sound themselves

SHEETS = ("xl/workbook.xml", "xl/worksheets/sheet1.xml", "[Content_Types].xml", "xl/styles.xml")
PARTS = (STUDY, "items.csv", PLAN, JUDGMENTS, "excluded.csv", RESULTS, "bundle.json")


def sheet_damaged(files: Files, name: str, what: list[Damage]) -> bool:
    content, read = files.all["xlsx"]
    return is_read_or_refused(lambda: read(rezipped(content, name, what)))


def part_damaged(files: Files, name: str, what: list[Damage]) -> bool:
    """A bundle whose checksums fit what is in it: somebody made it so."""
    inside = unpack(files.bundle, file="b.zip")
    inside[name] = damaged(inside[name], what)
    inside[CHECKSUMS] = checksums({k: v for k, v in inside.items() if k != CHECKSUMS})
    return is_read_or_refused(lambda: read_bundle(pack(inside), file="b.zip"))


@pytest.mark.parametrize("name", SHEETS)
@settings(max_examples=examples(8))
@given(what=damages)
def test_a_workbook_with_a_damaged_part_is_read_or_refused(
    files: Files, name: str, what: list[Damage]
) -> None:
    assert sheet_damaged(files, name, what)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHEETS)
@MANY
@given(what=damages)
def test_many_damaged_workbooks_are_read_or_refused(
    files: Files, name: str, what: list[Damage]
) -> None:
    assert sheet_damaged(files, name, what)


@pytest.mark.parametrize("name", PARTS)
@settings(max_examples=examples(4))
@given(what=damages)
def test_a_bundle_with_a_damaged_part_is_read_or_refused(
    files: Files, name: str, what: list[Damage]
) -> None:
    assert part_damaged(files, name, what)


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
@MANY
@given(what=damages)
def test_many_damaged_bundles_are_read_or_refused(
    files: Files, name: str, what: list[Damage]
) -> None:
    assert part_damaged(files, name, what)
