"""The examples of the documentation run, and show what is true.

How they are written, in the README and in docs/:

```yaml      a part of study.yaml; joined to a small study it must be read and a plan drawn from it
```python    runs, after the blocks above it on the page
```console   `$ rejudge …` is run, and the lines below it must be what it prints. `…` stands for
             anything, on a line of its own for any lines. The command must end with 0, unless
             `$ echo $?` below it shows another number. While `rejudge serve` is shown to run,
             everybody who is wanted comes and judges
:caption:    a block with a caption is a file of that name. In a folder it is written there before
             the blocks below it run (as ```diff: changed); without a folder it is an item file for
             the ```yaml above it
```
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from quick_sites import quick_sites  # noqa: F401 - used by all tests here
from rejudge.design.draw import draw
from rejudge.study.model import Study
from rejudge.study.parse import parse
from rejudge.study.sample_size import FILLED_SIZE
from shown import (
    PAGES,
    Block,
    blocks_of,
    people_come,
    put,
    run_and_compare,
    sessions,
    taken_port,
)

pytestmark = pytest.mark.usefixtures("undrawn_figures")
SMALL_STUDY = {
    "id": "id: example",
    "title": "title: Example",
    "systems": "systems: [s1, s2]",
    "questions": "questions: [{kind: rating, id: quality, prompt: How good is it}]",
    "design": "design: {seed: 1, batch: {inputs: 5}}",
}


def shown(*pages: Path) -> Iterator[tuple[str, Block, str]]:
    """Every block of the pages with a name for it and the part of a study that stands above it."""
    for page in pages:
        above = ""
        for number, block in enumerate(blocks_of(page), start=1):
            yield f"{page.stem}-{number}", block, above
            above = block.body if is_part(block) else above


def is_part(block: Block) -> bool:
    return block.kind == "yaml" and not block.file


PARTS = {name: block.body for name, block, _ in shown(*PAGES) if is_part(block)}
ITEM_FILES = {
    name: (above if "\nitems:" in above else f"{above}\nitems: {{file: {block.file}}}", block.body)
    for name, block, above in shown(*PAGES)
    if block.file and "/" not in block.file
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_a_part_of_a_study_that_is_shown_is_read_and_can_be_planned(part):
    assert draw(read_study(part, made_items(part))).batches


@pytest.mark.parametrize(("above", "items"), ITEM_FILES.values(), ids=ITEM_FILES)
def test_an_item_file_that_is_shown_is_read_with_the_study_above_it(above, items):
    assert read_study(above, items).items


# pages that take a study all the way, or simulate many
LONG = {
    "compare", "first-study", "power", "reproduce-a-paper", "running-a-study", "simulate", "venues",
}  # fmt: skip


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=pytest.mark.slow if page.stem in LONG else ())
        for page in PAGES
    ],
)
def test_the_commands_and_programs_of_a_page_do_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rejudge.web.serving.bind_socket", taken_port)
    monkeypatch.setattr("rejudge.web.serving.serve", people_come)
    names: dict[str, object] = {}
    for block in blocks_of(page):
        if block.file and "/" in block.file:
            put(tmp_path / block.file, block)
        elif block.kind == "python":
            exec(compile(block.body, str(page), "exec"), names)  # noqa: S102 - our own pages
        elif block.kind == "console":
            for command, code, printed in sessions(block.body):
                run_and_compare(command, code, printed)


def read_study(part: str, items: str) -> Study:
    """A part of study.yaml, with what it leaves out added."""
    given = set(re.findall(r"^([a-z]+):", part, re.MULTILINE))
    rest = [line for key, line in SMALL_STUDY.items() if key not in given]

    def read(name: str) -> bytes:
        if name.startswith("pages/") or name == FILLED_SIZE:
            raise FileNotFoundError(name)
        return items.encode()

    return parse("\n".join([*rest, part]), read)


def made_items(part: str) -> str:
    """Items enough for every example, under the columns it asks for."""
    shown = yaml.safe_load(part)
    systems = [
        each if isinstance(each, str) else each.get("column", each["id"])
        for each in shown.get("systems", ["s1", "s2"])
    ]
    names = shown.get("items", {}).get("columns", {})
    roles = ("id", "input", "reference", "dataset")
    lines = io.StringIO()
    writer = csv.writer(lines)
    writer.writerow([*(names.get(role, role) for role in roles), *systems])
    for number in range(400):
        texts = [f"Text {number} of {each}. It ends." for each in ("the input", "all", *systems)]
        writer.writerow([number, *texts[:2], f"set {number % 3}", *texts[2:]])
    return lines.getvalue()
