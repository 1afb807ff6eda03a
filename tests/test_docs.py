"""The documentation is true: its examples run, its links lead somewhere, nothing is left out.

How examples are written, in the README and in docs/:

```yaml      a part of study.yaml; joined to a small study it must be read and a plan drawn from it
```python    runs, after the blocks above it on the page
```console   `$ rejudge …` is run, and the lines below it must be what it prints. `…` stands for
             anything, on a line of its own for any lines. The command must end with 0, unless
             `$ echo $?` below it shows another number
:caption:    a block with a caption is a file of that name. In a folder it is written there before
             the blocks below it run (as ```diff: changed); without a folder it is an item file for
             the ```yaml above it
"""

from __future__ import annotations

import csv
import html.parser
import io
import json
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner

import rejudge
from rejudge import audit, stats, study
from rejudge.analysis import (
    Case,
    Conduct,
    Dependence,
    Details,
    Duel,
    Effect,
    Finding,
    Flow,
    Pace,
    PairOfPeople,
    People,
    Results,
    ScoreCounts,
    Signature,
    Spread,
    Statistic,
    SystemScores,
    Tally,
    TimeMark,
    Times,
    TimeShare,
    TimeSpent,
    UnitRow,
    Units,
)
from rejudge.bundle import Interface, Licence, Manifest, Reproduces, StatedChange
from rejudge.cli import COMMANDS, main
from rejudge.collect import Arrival
from rejudge.compare import (
    ClaimVerdict,
    Comparison,
    Condition,
    Confirmed,
    Correlated,
    Deviation,
    EffectComparison,
    Equivalent,
    LabelAgreement,
    Matched,
    PairRate,
    PooledEffect,
    PooledPart,
    PrintedCheck,
    RankStability,
    Reading,
    RunCard,
    Similarity,
    Variation,
)
from rejudge.design import Batch, Expected, Frozen, Plan, Task, draw
from rejudge.judgments import CheckCount, Exclusion, Judgments
from rejudge.lint import RULES
from rejudge.paper import PROPERTIES, Paper
from rejudge.study import KINDS
from rejudge.web.serving import Opened, Serving

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("guide/*.md")), *sorted(DOCS.glob("reference/*.md"))]
LINT_PAGES = sorted(DOCS.glob("reference/lint/R*.md"))
BLOCK = re.compile(
    r"^```(?:\{code-block\} )?(?P<kind>\S*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
CAPTION = re.compile(r"\A:caption: (?P<name>\S+)\n")
SMALL_STUDY = {
    "id": "id: example",
    "title": "title: Example",
    "systems": "systems: [s1, s2]",
    "questions": "questions: [{kind: rating, id: quality, prompt: How good is it}]",
    "design": "design: {seed: 1, batch: {inputs: 5}}",
}


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    kind: str
    body: str
    file: str | None  # its caption


def blocks_of(page: Path) -> Iterator[Block]:
    for found in BLOCK.finditer(page.read_text("utf-8")):
        caption = CAPTION.match(found["body"])
        body = found["body"].removeprefix(caption[0]) if caption else found["body"]
        yield Block(found["kind"] or "", body, caption["name"] if caption else None)


# ── examples ─────────────────────────────────────────────────────────────────────────────────────


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
FAULTY = {name: block.body for name, block, _ in shown(*LINT_PAGES) if is_part(block)}
ITEM_FILES = {
    name: (above if "\nitems:" in above else f"{above}\nitems: {{file: {block.file}}}", block.body)
    for name, block, above in shown(*PAGES)
    if block.file and "/" not in block.file
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_a_part_of_a_study_that_is_shown_is_read_and_can_be_planned(part):
    assert draw(read_study(part, made_items(part))).batches


@pytest.mark.parametrize("part", FAULTY.values(), ids=FAULTY)
def test_a_bad_study_on_a_lint_page_is_yaml_with_the_keys_of_a_study(part):
    assert set(yaml.safe_load(part)) <= set(study.schema()["properties"])


@pytest.mark.parametrize(("above", "items"), ITEM_FILES.values(), ids=ITEM_FILES)
def test_an_item_file_that_is_shown_is_read_with_the_study_above_it(above, items):
    assert read_study(above, items).items


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_and_programs_of_a_page_do_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks_of(page):
        if block.file and "/" in block.file:
            put(tmp_path / block.file, block)
        elif block.kind == "python":
            exec(compile(block.body, str(page), "exec"), names)  # noqa: S102 - our own pages
        elif block.kind == "console":
            for command, code, shown in sessions(block.body):
                compare(command, code, shown)


def put(target: Path, block: Block) -> None:
    """Write a file that a page shows; a diff takes its `-` lines out and puts the `+` lines in."""
    if block.kind != "diff":
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.body, "utf-8")
        return
    lines = block.body.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] == "-")
    after = "".join(line[1:] for line in lines if line[0] == "+")
    text = target.read_text("utf-8")
    assert before in text
    target.write_text(text.replace(before, after), "utf-8")


def sessions(body: str) -> Iterator[tuple[list[str], int, list[str]]]:
    """Each command of a block with the exit code and the lines that are shown for it."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        if command.startswith("echo $?"):
            continue
        after = re.search(rf"^\$ {re.escape(part)}\$ echo \$\?\n(\d+)$", body, re.MULTILINE)
        yield shlex.split(command, comments=True), int(after[1]) if after else 0, shown


def compare(command: list[str], code: int, shown: list[str]) -> None:
    if command[0] != "rejudge":
        assert command[0] in {"make", "git", "cd", "cat"}, f"not run by this test: {command}"
        return
    result = CliRunner().invoke(main, command[1:], env={"COLUMNS": "100", "NO_COLOR": "1"})
    said = f"{' '.join(command)} printed:\n{result.output}"
    assert result.exit_code == code, said
    wanted = [squeezed(line) for line in shown if line.strip()]
    printed = [squeezed(line) for line in result.output.splitlines() if line.strip()]
    assert not wanted or fits(wanted, printed), said


def squeezed(line: str) -> str:
    return " ".join(line.split())


def fits(wanted: list[str], printed: list[str]) -> bool:
    """Whether lines are as shown; `…` stands for anything."""
    if not wanted:
        return not printed
    if wanted[0] == "…":
        return any(fits(wanted[1:], printed[skip:]) for skip in range(len(printed) + 1))
    pattern = ".*".join(re.escape(part) for part in wanted[0].split("…"))
    return bool(printed and re.fullmatch(pattern, printed[0])) and fits(wanted[1:], printed[1:])


def read_study(part: str, items: str) -> study.Study:
    """A part of study.yaml, with what it leaves out added."""
    given = set(re.findall(r"^([a-z]+):", part, re.MULTILINE))
    rest = [line for key, line in SMALL_STUDY.items() if key not in given]

    def read(name: str) -> bytes:
        if name.startswith("pages/"):
            raise FileNotFoundError(name)
        return items.encode()

    return study.parse("\n".join([*rest, part]), read)


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


# ── the site ─────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The documentation, built as `make docs` does; a link that leads nowhere is an error."""
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "-d", folder / "trees",
         DOCS, folder / "html"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    return folder / "html"


class Loaded(html.parser.HTMLParser):
    """Collects what a page loads by itself: scripts, styles, pictures; not what it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        wanted = "href" if tag == "link" else "src"
        self.addresses += [value or "" for name, value in attrs if name == wanted]


def test_no_page_asks_another_host_for_anything(site):
    for page in site.rglob("*.html"):
        parser = Loaded()
        parser.feed(page.read_text("utf-8"))
        assert not [a for a in parser.addresses if "//" in a], page
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", sheet.read_text("utf-8"))


def test_every_part_of_study_yaml_has_its_table(site):
    schema = study.schema()
    marked = set(re.findall(r"^<!-- keys: (\w+) -->$", source("study-yaml"), re.MULTILINE))
    assert marked == {"Spec", *schema["$defs"]}
    built = (site / "reference/study-yaml.html").read_text("utf-8")
    for part in (schema, *schema["$defs"].values()):
        for key in part["properties"]:
            assert f'<span class="pre">{key}</span>' in built, key


def test_every_part_and_condition_of_paper_yaml_has_its_table(site):
    schema = Paper.model_json_schema()
    marked = set(re.findall(r"^<!-- paper: (\w+) -->$", source("paper-yaml"), re.MULTILINE))
    assert marked == {"Paper", *schema["$defs"]}
    built = (site / "reference/paper-yaml.html").read_text("utf-8")
    keys = [key for part in (schema, *schema["$defs"].values()) for key in part["properties"]]
    for key in (*keys, *(known.key for known in PROPERTIES)):
        assert f'<span class="pre">{key}</span>' in built, key


def test_every_lint_code_has_its_page_and_its_line_in_the_list(site):
    built = (site / "reference/lint/index.html").read_text("utf-8")
    for rule in RULES.values():
        assert (DOCS / "reference/lint" / rule.page).is_file()
        assert f'href="{rule.page.removesuffix(".md")}.html"' in built


def test_every_audit_code_has_its_line_in_the_list(site):
    built = (site / "reference/audit/index.html").read_text("utf-8")
    for rule in audit.RULES.values():
        assert f'href="{rule.page.removesuffix(".md")}.html"' in built


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_has_its_place(site, command):
    page = (site / "reference/commands.html").read_text("utf-8")
    built = page.split(f'<section id="{command}">')[1].split("<section id=")[0]
    typed = main.get_command(None, command)
    assert not [name for name in names_of_options(typed) if name not in built]
    for name, below in getattr(typed, "commands", {}).items():
        built = page.split(f'<section id="{command}-{name}">')[1].split("<section id=")[0]
        assert not [name for name in names_of_options(below) if name not in built]


def names_of_options(command: click.Command) -> list[str]:
    options = [param for param in command.params if isinstance(param, click.Option)]
    return [name for option in options for name in option.opts]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What each command prints with --json, in a study that goes all the way, and is then served.

    Serving itself is left out: it goes on until it is stopped.
    """
    folder = tmp_path_factory.mktemp("json")
    home, backup = str(folder / "study"), str(folder / "backup.db")
    restored, bundle = str(folder / "restored.db"), str(folder / "bundle.zip")
    typed = {
        "new": ["new", home, "--kind", "rating"],
        "check": ["check", home],
        "explain": ["check", "--explain", "R101"],
        "audit": ["audit", "steen-2025"],
        "audit explain": ["audit", "--explain", "A101"],
        **{name: [name, home] for name in ("plan", "freeze", "simulate", "analyse", "report")},
        "bundle": ["bundle", home, "--licence", "CC0-1.0", "--out", bundle],
        "verify": ["verify", bundle],
        "reproduce": ["reproduce", bundle, "--as", "us", "--folder", str(folder / "again")],
        "rehearse": ["rehearse", home, "--people", "3", "--force"],
        "serve": ["serve", home, "--port", "0"],
        "status": ["status", home],
        "backup": ["backup", home, backup],
        "restore": ["restore", backup, "--database", restored],
        "withdraw": ["withdraw", home, "p0001"],
        "compare": ["compare", "august-2022", "miltenburg-2024"],
        "demo": ["demo", "--folder", str(folder / "demo")],
        "paper": ["paper", "list"],
        "paper new": ["paper", "new", str(folder / "paper.yaml")],
    }
    runner = CliRunner()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("rejudge.web.serving.serve", somebody_comes)
        return {
            name: json.loads(runner.invoke(main, [*words, "--json"]).stdout)
            for name, words in typed.items()
        }


def somebody_comes(_: Serving, taken: socket.socket, site: Opened) -> None:
    """In place of a site that runs: one person arrives, as p0001."""
    site.store.arrive(Arrival("link", "anna", "anna"), now=datetime.now(UTC))
    site.store.close()
    taken.close()


@pytest.mark.parametrize(
    ("command", "run"),
    [(name, name) for name in COMMANDS if name != "schema"]
    + [("check", "explain"), ("audit", "audit explain"), ("paper", "paper new")],
)
def test_every_key_that_a_command_prints_as_json_is_documented(said, command, run):
    """The keys of the whole and of the entries of its lists; the parts of results are in files."""
    page = source("commands").split(f"\n## {command}\n")[1].split("\n## ")[0]
    page += source("files") if command in {"analyse", "compare"} else ""
    lists = [entry for value in said[run].values() if isinstance(value, list) for entry in value]
    keys = {*said[run], *(key for entry in lists if isinstance(entry, dict) for key in entry)}
    assert not [key for key in keys if f"`{key}`" not in page]


# ── nothing is left out ──────────────────────────────────────────────────────────────────────────


def source(page: str) -> str:
    return (DOCS / "reference" / f"{page}.md").read_text("utf-8")


@pytest.mark.parametrize("kind", [k.model_fields["kind"].annotation.__args__[0] for k in KINDS])
def test_every_kind_of_question_has_its_section(kind):
    assert f"\n## {kind}\n" in (DOCS / "guide/questions.md").read_text("utf-8")
    assert f"\n### {kind}\n" in source("study-yaml")


@pytest.mark.parametrize("name", rejudge.__all__)
def test_every_public_name_has_its_place(name):
    assert f"`{name}" in source("python")


@pytest.mark.parametrize("name", stats.__all__)
def test_every_statistic_has_its_place(name):
    assert f"`{name}`" in source("statistics")


STEP_FILES = [
    Plan, Batch, Task, Expected, Frozen, Judgments, Exclusion,
    Results, Finding, Tally, Spread, Statistic, Effect, Flow, Pace, Case, Dependence, CheckCount,
    Signature, Details, ScoreCounts, SystemScores, Duel, Units, UnitRow, People, Conduct,
    PairOfPeople, Times, TimeMark, TimeShare, TimeSpent, audit.Audit, audit.Finding,
    Manifest, Licence, Interface, Reproduces, StatedChange,
    Comparison, RunCard, Condition, Similarity, Deviation, Variation, Correlated, LabelAgreement,
    Confirmed, ClaimVerdict, Matched, EffectComparison, Equivalent, Reading, PrintedCheck,
    PooledEffect, PooledPart, RankStability, PairRate,
]  # fmt: skip


@pytest.mark.parametrize("written", STEP_FILES, ids=lambda written: written.__name__)
def test_every_key_and_column_of_a_step_file_has_its_place(written):
    keys = [field.name for field in fields(written)]
    assert not [key for key in keys if f"`{key}`" not in source("files")]


# ── README ───────────────────────────────────────────────────────────────────────────────────────


def test_the_targets_that_pages_name_are_in_the_makefile():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page in (*PAGES, ROOT / "CONTRIBUTING.md"):
        named = set(re.findall(r"(?:`|\$ |^)make ([a-z]+)", page.read_text("utf-8"), re.MULTILINE))
        assert named <= targets, page


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
def test_links_of_the_front_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8")):
        assert "://" in target or (ROOT / target).exists(), target


def test_the_version_to_cite_is_the_version_of_the_package():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == (
        rejudge.__version__
    )


def test_the_picture_is_small():
    pictures = list((DOCS / "pictures").iterdir())
    assert pictures
    assert all(picture.stat().st_size <= 300_000 for picture in pictures)
