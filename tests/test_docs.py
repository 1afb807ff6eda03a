"""The documentation is whole: nothing that somebody can type, read or write is left out.

That its examples are true is seen to in test_doc_examples.py.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

import pytest
import yaml
from click.testing import CliRunner

import rejudge
from heds_files import filled_sheet
from quick_sites import quick_sites  # noqa: F401 - used by all tests here
from rejudge import stats
from rejudge.analysis.results import Results
from rejudge.audit.rules import Audit
from rejudge.bundle.archive import Manifest
from rejudge.cli import COMMANDS, main
from rejudge.collect.visit import Arrival
from rejudge.compare.comparison import Comparison
from rejudge.design.freeze import Frozen
from rejudge.design.plan import Plan
from rejudge.findings.model import Finding
from rejudge.judgments.table import Judgments
from rejudge.prolific.study import ProlificRecord
from rejudge.study.kinds.registry import KINDS
from rejudge.web.app import create_app
from rejudge.web.rendering import SiteContext
from rejudge.web.site import OpenSite, Serving
from rejudge.web.wording import LANGUAGES
from shown import DOCS, PAGES, ROOT
from tool_exports import EXPORTS

pytestmark = pytest.mark.usefixtures("undrawn_figures")

# ── commands ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Ran:
    """What a command printed as JSON, and the files it wrote."""

    said: Mapping[str, Any]
    wrote: tuple[str, ...]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Each command in a study that goes all the way, and is then served.

    Serving itself is left out: it goes on until it is stopped.
    """
    folder = tmp_path_factory.mktemp("json")
    home, backup = str(folder / "study"), str(folder / "kept" / "backup.db")
    restored, bundle = str(folder / "kept" / "restored.db"), str(folder / "kept" / "bundle.zip")
    (folder / "kept").mkdir()
    (folder / "kept" / "sheet.json").write_bytes(filled_sheet("3.0").write())
    people = folder / "kept" / "people.csv"
    people.write_text("name,email\nBo,bo@example.org\n", "utf-8")
    typed = {
        "new": ["new", home, "--kind", "rating"],
        "check": ["check", home],
        "explain": ["check", "--explain", "R101"],
        "audit": ["audit", "steen-2025", "--out", str(folder / "audited")],
        "audit explain": ["audit", "--explain", "A101"],
        **{name: [name, home] for name in ("plan", "freeze", "simulate", "analyse", "report")},
        "baseline": ["baseline", home, "--rules", "top", "--force"],
        "bundle": ["bundle", home, "--licence", "CC0-1.0", "--out", bundle],
        "verify": ["verify", bundle],
        "reproduce": ["reproduce", bundle, "--as", "us", "--out", str(folder / "again")],
        "rehearse": ["rehearse", home, "--participants", "3", "--force"],
        "serve": ["serve", home, "--port", "0"],
        "links": ["links", home, "anna", "--dashboard"],
        "invite": ["invite", home, str(people)],
        "panel": ["panel", home, str(folder / "kept" / "panel.csv")],
        "status": ["status", home],
        "backup": ["backup", home, backup],
        "restore": ["restore", backup, "--database", restored],
        "privacy": [
            "privacy",
            "export",
            home,
            "p0001",
            "--out",
            str(folder / "asked" / "p0001.zip"),
        ],
        "privacy record": ["privacy", "record", home],
        "withdraw": ["withdraw", home, "p0001", "--yes"],
        "purge": ["purge", home, "--delete", "platform-ids", "--dry-run"],
        "compare": ["compare", "august-2022", "miltenburg-2024", "--out", str(folder / "side")],
        "import": ["import", str(EXPORTS / "arena.json"), "--out", str(folder / "imported")],
        "heds": ["heds", "check", str(folder / "kept" / "sheet.json")],
        "heds new": ["heds", "new", str(folder / "sheets" / "new.json")],
        "heds convert": ["heds", "convert", str(folder / "kept" / "sheet.json")],
        "heds diff": ["heds", "diff", *[str(folder / "kept" / "sheet.json")] * 2],
        "heds print": ["heds", "print", str(folder / "kept" / "sheet.json"), "--to", "tex"],
        "paper": ["paper", "list"],
        "paper new": ["paper", "new", str(folder / "papers" / "doe.yaml")],
        "paper check": ["paper", "check", "steen-2025"],
    }
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("rejudge.web.serving.serve", somebody_comes)
        patched.setenv("REJUDGE_PANEL_KEY", "a long random text of the tests")
        return {name: run(words, folder) for name, words in typed.items()}


def run(words: list[str], folder: Path) -> Ran:
    """Run a command; its files are named as in the folder it writes, below the common one."""
    before = files_in(folder)
    result = CliRunner().invoke(main, [*words, "--json"])
    assert result.exception is None or isinstance(result.exception, SystemExit), words
    said = json.loads(result.stdout)
    new = files_in(folder) - before
    return Ran(said, tuple(sorted(path.partition("/")[2] for path in new)))


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def somebody_comes(_: Serving, taken: socket.socket, site: OpenSite) -> None:
    """Instead of a site that runs: one person arrives, as p0001."""
    site.store.arrive(Arrival("link", "anna", "anna"), now=datetime.now(UTC))
    site.store.close()
    taken.close()


# Keys below these are names from the study or the paper, not ours.
OF_THE_STUDY = {
    "inputs_by_dataset", "sides_by_pair", "statuses", "looked", "excluded_rows", "page_hashes",
    "deleted",
}  # fmt: skip


# Without JSON of their own, or tested with what they need in cli/commands.
ELSEWHERE = {"schema", "demo", "export", "prolific", "submission", "look", "power"}


@pytest.mark.parametrize(
    ("command", "run"),
    [(name, name) for name in COMMANDS if name not in ELSEWHERE]
    + [("check", "explain"), ("audit", "audit explain"), ("paper", "paper new"),
       ("paper", "paper check"), ("privacy", "privacy record"), ("heds", "heds new"),
       ("heds", "heds convert"),
       ("heds", "heds diff"), ("heds", "heds print")],
)  # fmt: skip
def test_every_key_that_a_command_prints_as_json_is_documented(ran, command, run):
    """However deep; the parts of results and comparisons are in files.

    `export` is in cli/commands/test_export.py: it needs a format to write. `power` is in
    cli/commands/test_power.py: it has names of systems as keys.
    """
    page = section(source("commands"), command)
    deep = command not in {"analyse", "compare", "baseline"}
    page += "" if deep else source("files")
    keys = set(keys_of(ran[run].said)) if deep else set(ran[run].said)
    assert not [key for key in keys if f"`{key}`" not in page]


def keys_of(said: object) -> Iterator[str]:
    if isinstance(said, Mapping):
        for key, value in said.items():
            yield key
            if key not in OF_THE_STUDY:
                yield from keys_of(value)
    elif isinstance(said, list):
        for entry in said:
            yield from keys_of(entry)


WRITING = [
    "new", "plan", "freeze", "simulate", "analyse", "baseline", "report", "bundle", "reproduce",
    "rehearse", "privacy", "privacy record",
    "serve", "invite", "panel", "backup", "restore", "compare", "audit", "import", "paper new",
    "heds new",
]  # fmt: skip


@pytest.mark.parametrize("command", WRITING)
def test_every_file_that_a_command_writes_is_documented_with_it(ran, command):
    rows = re.findall(r"^\| (`[^|]+) \|[^|]*\| ([^|]*) \|$", source("files"), re.MULTILINE)
    patterns = [
        name
        for names, by in rows
        if f"`rejudge {command}`" in by
        for name in re.findall(r"`([^`]+)`", names)
    ]
    assert ran[command].wrote
    assert not [
        file for file in ran[command].wrote if not any(fnmatch(file, each) for each in patterns)
    ]


def test_commands_that_only_look_write_nothing(ran):
    silent = set(ran) - set(WRITING)
    assert not {name: ran[name].wrote for name in silent if ran[name].wrote}


def test_every_variable_of_the_environment_has_its_line():
    """`REJUDGE_SERVING` is between processes of one site, and nobody's to set."""
    named = {
        name
        for file in (ROOT / "src").rglob("*.py")
        for name in re.findall(r'"(REJUDGE_[A-Z]+)"', file.read_text("utf-8"))
    } - {"REJUDGE_SERVING"}
    assert named
    assert not [
        name for name in named if f"| `{name}` |" not in section(source("commands"), "Environment")
    ]


def test_every_address_of_the_site_has_its_line(tmp_path):
    """What an administrator sees in front of it. Pages of the dashboard are named together."""
    page = (DOCS / "guide/own-server.md").read_text("utf-8")
    paths = {route.path for route in made_app(tmp_path).routes}
    assert len(paths) > 1
    assert not [path for path in paths if f"`{re.sub('/?{rest:path}', '/…', path)}`" not in page]


def made_app(folder: Path) -> Any:
    from rejudge.files.step_files import open_plan
    from rejudge.store.store import open_store

    home = str(folder / "study")
    for words in (["new", home], ["plan", home]):
        assert CliRunner().invoke(main, words).exit_code == 0
    now = datetime.now(UTC)
    known, plan = open_plan(Path(home))
    store = open_store(str(folder / "study.db"), known, plan, now=now)
    site = SiteContext(study=known, plan=plan, store=store, now=lambda: now, secret=b"x" * 32)
    app = create_app(site)
    store.close()
    return app


# ── nothing is left out ──────────────────────────────────────────────────────────────────────────


def source(page: str) -> str:
    return (DOCS / "reference" / f"{page}.md").read_text("utf-8")


def section(page: str, title: str) -> str:
    """What stands under a heading of the second rank."""
    return page.split(f"\n## {title}\n")[1].split("\n## ", maxsplit=1)[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_of_the_pages_is_named(language):
    assert f"`{language}`" in source("interface")


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_of_question_has_its_section(kind):
    assert f"\n## {kind}\n" in (DOCS / "guide/questions.md").read_text("utf-8")
    assert f"\n### {kind}\n" in source("study-yaml")


@pytest.mark.parametrize("name", dir(rejudge))
def test_every_public_name_has_its_place(name):
    assert re.search(rf"^\| `{name}\b", source("python"), re.MULTILINE)


STATISTICS = [
    name
    for name, value in vars(stats).items()
    if not name.startswith("_") and not isinstance(value, ModuleType)
]


@pytest.mark.parametrize("name", STATISTICS)
def test_every_statistic_has_its_place(name):
    assert f"`{name}`" in source("statistics")


STEP_FILES = {
    "plan.json": Plan,
    "frozen.json": Frozen,
    "prolific.json": ProlificRecord,
    "judgments.csv": Judgments,
    "results.json": Results,
    "bundle.json": Manifest,
    "comparison.json": Comparison,
    "audit.json": Audit,
}


@pytest.mark.parametrize("file", STEP_FILES)
def test_every_key_and_column_of_a_step_file_has_its_place_in_its_section(file):
    page = section(source("files"), file)
    described_once = parts_of(Finding) if file == "comparison.json" else []  # with the results
    keys = [
        (part.__name__, each.name)
        for part in parts_of(STEP_FILES[file])
        for each in fields(part)
        if part not in described_once
    ]
    assert not [(part, key) for part, key in keys if f"`{key}`" not in page]


def parts_of(kind: type) -> list[Any]:
    """A type of ours and all those of its parts; a type may hold others of itself."""
    found: list[Any] = []
    waiting: list[Any] = [kind]
    while waiting:
        each = waiting.pop()
        if not (isinstance(each, type) and is_dataclass(each)):
            waiting += get_args(each)
        elif each not in found:
            found.append(each)
            waiting += get_type_hints(each).values() if each is not Judgments else ()  # arrays
    return found


def test_every_page_of_the_documentation_is_in_the_contents():
    contents = (DOCS / "index.md").read_text("utf-8")
    for page in DOCS.glob("[tgr]*/*.md"):
        assert f"\n{page.relative_to(DOCS).with_suffix('')}\n" in contents, page


# ── figures that were measured ───────────────────────────────────────────────────────────────────


def measured(name: str) -> Any:
    return json.loads((ROOT / f"benchmarks/results/{name}.json").read_text("utf-8"))


HEADLINES = ("headline", "headline_choices")


def test_tables_of_simulated_levels_are_those_that_were_measured():
    """`make levels` simulates them again; this tool writes what was measured into the pages."""
    command = [sys.executable, str(ROOT / "tools/make_level_tables.py"), "--check"]
    found = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("name", HEADLINES)
def test_the_headline_was_right_often_enough_in_every_design(name):
    """At most 6.5 % false positives and at least 93.5 % coverage, in 2,000 studies."""
    found = [(row["studies"], row["methods"][row["headline"]]) for row in measured(name)]
    assert min(studies for studies, _ in found) >= 2000
    assert max(rates["level"] for _, rates in found) <= 6.5
    assert min(rates["coverage"] or 100 for _, rates in found) >= 93.5


def test_free_slopes_were_right_often_enough_in_every_design():
    """At most 6.5 % false positives and at least 93.5 % coverage, in 2,000 studies."""
    found = [(row["studies"], row["methods"]["free"]) for row in measured("slopes")]
    assert min(studies for studies, _ in found) >= 2000
    assert max(rates["level"] for _, rates in found) <= 6.5
    assert min(rates["coverage"] for _, rates in found) >= 93.5


def test_figures_in_the_readme_are_those_that_were_measured():
    plan = measured("plan")["rows"][1]
    whole = [row for row in measured("command")["crowd"]["rows"] if row["file"] == "csv"]
    command = [row for row in whole if row["questions"] == 3][-3:]
    single = whole[-1]
    assert single["questions"] == 1
    mixed = measured("mixed")["crowd"]
    few, many = (mixed["rejudge"][n]["cpu_seconds"] for n in ("33,333", "1,000,000"))
    other = mixed["gpboost"]["33,333"]["cpu_seconds"]
    alpha = measured("agreement")["rows"][2]
    load = {row["case"]: row for row in measured("load")["rows"]}
    site, potato = load["sqlite-1-one-load-100"], load["potato-one-load-10"]
    assert plan["tasks"] == 30_000
    assert (site["completed"], site["concurrency"], site["check"]["lost_acked"]) == (300, 100, 0)
    readme = (ROOT / "README.md").read_text("utf-8")
    figures = (
        f"{plan['total_s']:.1f} s; largest imbalance of sides: {plan['worst_pair']} |",
        f"a script with coin flips: {plan['script_worst_pair']} |",
        "{:,}, {:,} and {:,} ratings |".format(*(row["rows"] for row in command)),
        "| {:.0f}, {:.0f} and {:.0f} s;".format(*(row["elapsed_seconds"] for row in command)),
        f"{max(row['peak_gb'] for row in command):.1f} GB at most;",
        f"{single['elapsed_seconds']:.0f} s and {single['peak_gb']:.1f} GB where all",
        f"{few:.1f} and {many:.0f} s of one processor | gpboost: {other:.0f} s, and no result",
        f"{alpha['count_and_1000_resamples_s']:.3f} s |",
        f"{site['participants_per_s']:.0f} a second;",
        f"95 % of answers stored within {site['ops']['answer']['p95_ms']:.0f} ms",
        f"Potato {potato['participants_per_s']:.1f} a second, {potato['concurrency']} at once |",
    )
    assert not [figure for figure in figures if figure not in readme]


CASES_OF_THE_GUIDE = (
    "sqlite-1-one-load-100", "postgres-1-one-load-100", "sqlite-1-list-load-100",
    "postgres-1-list-load-100", "potato-one-load-10", "bare-load-100",
)  # fmt: skip


def test_figures_of_the_site_in_the_guide_are_those_that_were_measured():
    guide = (ROOT / "docs" / "guide" / "own-server.md").read_text("utf-8")
    table = [line.strip("|").split("|") for line in guide.splitlines() if line.startswith("| ")]
    shown = [[cell.strip() for cell in row[2:]] for row in table if len(row) == 6][1:]
    load = {row["case"]: row for row in measured("load")["rows"]}
    assert shown == [
        [
            f"{load[case]['participants_per_s']:.1f}",
            f"{load[case]['server_cpu_ms_per_participant']:,.1f}",
            f"{load[case]['ops']['open']['p95_ms']:,.0f}",
            f"{load[case]['server_rss_mib']}",
        ]
        for case in CASES_OF_THE_GUIDE
    ]
    ours = [load[case]["check"] for case in CASES_OF_THE_GUIDE if "1-" in case]
    assert len(ours) == 4
    for check in ours:
        assert not check["lost_acked"] + check["stored_but_different"] + check["errors"]


# ── links ────────────────────────────────────────────────────────────────────────────────────────


def test_every_label_of_the_documentation_is_defined_once():
    labels = [label for page in PAGES for label in _labels(page)]
    assert labels
    assert not {label for label in labels if labels.count(label) > 1}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_to_sections_lead_to_a_label_or_heading(page):
    for target, anchor in re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", page.read_text("utf-8")):
        named = (page.parent / target).resolve() if target else page
        assert anchor in {*_labels(named), *_heading_anchors(named)}, f"{target}#{anchor}"


def test_the_changelog_has_no_relative_links():
    """It is read in two places: at the root, and as a page of the documentation."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert not [target for target in re.findall(r"\]\(([^)]+)\)", text) if "://" not in target]


def _labels(page: Path) -> list[str]:
    return re.findall(r"^\(([a-z0-9-]+)\)=$", page.read_text("utf-8"), re.MULTILINE)


def _heading_anchors(page: Path) -> set[str]:
    """The two anchors of a heading: `studyyaml` as MyST makes it, `study-yaml` as docutils does."""
    headings = re.findall(r"^#{1,4} (.+)$", page.read_text("utf-8").lower(), re.MULTILINE)
    return {
        anchor
        for heading in headings
        for anchor in (
            re.sub(r"[^\w -]", "", heading).replace(" ", "-"),
            re.sub(r"[^a-z0-9]+", "-", heading).strip("-"),
        )
    }


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


def test_the_readme_is_read_in_two_minutes():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 200


def test_the_version_to_cite_is_the_version_of_the_package():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == (
        rejudge.__version__
    )


def test_every_picture_is_small_and_shown_somewhere():
    pages = [*PAGES, *DOCS.glob("design/*.md"), DOCS / "index.md"]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    pictures = list((DOCS / "pictures").iterdir())
    assert pictures
    assert all(picture.stat().st_size <= 300_000 for picture in pictures)
    assert not [picture.name for picture in pictures if picture.name not in text]
