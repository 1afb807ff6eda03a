"""The documentation as it is built: no page asks another host, and no table lacks a line.

What needs no building is in test_docs.py.
"""

from __future__ import annotations

import html.parser
import re
import subprocess
import sys

import click
import pytest

from rejudge.audit.rules import RULES as AUDIT_RULES
from rejudge.cli import COMMANDS, main
from rejudge.lint.rules import RULES
from rejudge.paper.conditions import PROPERTIES
from rejudge.paper.model import Paper
from rejudge.study.schema import schema
from rejudge.web.wording import catalogue
from shown import DOCS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The documentation, built as `make docs` does; a link that leads nowhere is an error.

    Notebooks are shown without what they give: test_examples.py runs them.
    """
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "-t", "quick", "-b", "html",
         "-d", folder / "trees", DOCS, folder / "html"],
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
    described = schema()
    assert marked("study-yaml", "keys") == {"Spec", *described["$defs"]}
    built = (site / "reference/study-yaml.html").read_text("utf-8")
    for part in (described, *described["$defs"].values()):
        for key in part["properties"]:
            assert f'<span class="pre">{key}</span>' in built, key


def test_every_part_and_condition_of_paper_yaml_has_its_table(site):
    schema = Paper.model_json_schema()
    assert marked("paper-yaml", "paper") == {"Paper", *schema["$defs"]}
    built = (site / "reference/paper-yaml.html").read_text("utf-8")
    keys = [key for part in (schema, *schema["$defs"].values()) for key in part["properties"]]
    for key in (*keys, *(known.key for known in PROPERTIES)):
        assert f'<span class="pre">{key}</span>' in built, key


def test_every_rule_has_its_section(site):
    for page, rules in (("checks", RULES), ("audit", AUDIT_RULES)):
        built = (site / f"reference/{page}.html").read_text("utf-8")
        assert not [
            rule.code for rule in rules.values() if f">{rule.code} {rule.name}<" not in built
        ]


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
    return [name for option in options for name in option.opts if name != "--json"]  # on all


@pytest.mark.parametrize("key", catalogue("en"))
def test_every_word_of_the_pages_has_its_line(site, key):
    built = (site / "reference/interface.html").read_text("utf-8")
    assert f'<span class="pre">{key}</span>' in built


def marked(page: str, name: str) -> set[str]:
    """The tables that a page has made for it."""
    text = (DOCS / "reference" / f"{page}.md").read_text("utf-8")
    return set(re.findall(rf"^<!-- {name}: (\S+) -->$", text, re.MULTILINE))
