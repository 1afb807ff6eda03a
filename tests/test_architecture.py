"""ARCHITECTURE.md and CONTRIBUTING.md name packages, functions and files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
TO_CHANGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## Where to change")[1]
SOURCE = ROOT / "src" / "rejudge"


def part(heading: str) -> str:
    return PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]


FUNCTIONS = sorted(set(re.findall(r"`([a-z_.]+\.[A-Za-z_]+)`", part("From study file to report"))))
FUNCTIONS = [name for name in FUNCTIONS if not re.search(r"\.(yaml|csv|json|db|zip|html)$", name)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_of_the_page_is_in_its_package(name):
    package, _, function = name.rpartition(".")
    place = package.replace(".", "/")
    modules = (*SOURCE.glob(f"{place}/**/*.py"), *SOURCE.glob(f"{place}.py"))
    texts = [path.read_text("utf-8") for path in modules]
    assert any(re.search(rf"^(def|class) {function}\b", text, re.MULTILINE) for text in texts)


def test_every_package_has_its_row_and_every_row_its_package():
    rows = re.findall(r"^\| (`[^|]+`) \|", part("Packages"), flags=re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    modules = {path.stem for path in SOURCE.glob("*.py")} - {"__init__"}
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert named == modules | packages


def test_every_file_of_this_page_and_of_where_to_change_what_is_there():
    named = re.findall(r"`((?:\w+/)+[\w.]*)`", PAGE + TO_CHANGE)
    assert named
    places = (ROOT, SOURCE, *(path for path in SOURCE.iterdir() if path.is_dir()))
    lost = [name for name in named if not any((place / name).exists() for place in places)]
    assert [name for name in lost if "NAME" not in name] == ["report/index.html"]  # of a study
