"""The documentation as it is built: no page asks another host, and no table lacks a line.

What needs no building is in test_docs.py.
"""

from __future__ import annotations

import html.parser
import importlib
import pkgutil
import re
import subprocess
import sys

import click
import pytest

import rejudge
from rejudge import audit, study
from rejudge.cli import COMMANDS, main
from rejudge.lint import RULES
from rejudge.paper import PROPERTIES, Paper
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
    schema = study.schema()
    assert marked("study-yaml", "keys") == {"Spec", *schema["$defs"]}
    built = (site / "reference/study-yaml.html").read_text("utf-8")
    for part in (schema, *schema["$defs"].values()):
        for key in part["properties"]:
            assert f'<span class="pre">{key}</span>' in built, key


def test_every_part_and_condition_of_paper_yaml_has_its_table(site):
    schema = Paper.model_json_schema()
    assert marked("paper-yaml", "paper") == {"Paper", *schema["$defs"]}
    built = (site / "reference/paper-yaml.html").read_text("utf-8")
    keys = [key for part in (schema, *schema["$defs"].values()) for key in part["properties"]]
    for key in (*keys, *(known.key for known in PROPERTIES)):
        assert f'<span class="pre">{key}</span>' in built, key


def test_every_lint_code_has_its_page_and_its_line_in_the_list(site):
    built = (site / "reference/lint/index.html").read_text("utf-8")
    for rule in RULES.values():
        assert (DOCS / "reference/lint" / rule.page).is_file()
        assert f'href="{rule.page.removesuffix(".md")}.html"' in built


def test_every_audit_code_has_its_page_and_its_line_in_the_list(site):
    built = (site / "reference/audit/index.html").read_text("utf-8")
    for rule in audit.RULES.values():
        assert (DOCS / "reference/audit" / rule.page).is_file()
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


@pytest.mark.parametrize("key", catalogue("en"))
def test_every_word_of_the_pages_has_its_line(site, key):
    built = (site / "reference/interface.html").read_text("utf-8")
    assert f'<span class="pre">{key}</span>' in built


def test_every_package_with_public_names_has_its_table(site):
    built = (site / "reference/packages.html").read_text("utf-8")
    assert marked("packages", "package") == PACKAGES
    for package in PACKAGES:
        for name in importlib.import_module(package).__all__:
            assert f'<span class="pre">{name}' in built, f"{package}.{name}"


def _public_packages() -> set[str]:
    """The packages that list public names, except those that only commands use."""
    found = pkgutil.walk_packages(rejudge.__path__, "rejudge.")
    packages = [
        each.name for each in found if each.ispkg and not each.name.startswith("rejudge.cli")
    ]
    named = {name for name in packages if hasattr(importlib.import_module(name), "__all__")}
    one_module = {"rejudge.platforms"}
    return (named | one_module) - {"rejudge.stats"}  # statistics have a page of their own


PACKAGES = _public_packages()


def marked(page: str, name: str) -> set[str]:
    """The tables that a page has made for it."""
    text = (DOCS / "reference" / f"{page}.md").read_text("utf-8")
    return set(re.findall(rf"^<!-- {name}: (\S+) -->$", text, re.MULTILINE))
