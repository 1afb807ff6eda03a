"""Facts about platforms: one place, and other packages may add some."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from judged_study import small_study
from rejudge.collect import Arrival, platform_arrival, recruiter_of
from rejudge.platforms import Platform, own_platforms, platform, platform_names, platforms

SOURCES = Path(__file__).parents[2] / "src" / "rejudge"
ADDED = """
import re
from rejudge.platforms import Platform

PLATFORM = Platform(
    name="panel", title="Our Panel", recruited="from our panel",
    link_ids={"who": re.compile("[a-z]{3}"), "when": re.compile("[0-9]+")},
)
"""


def test_a_platform_is_named_in_its_own_modules_alone():
    found = [
        f"{path.relative_to(SOURCES)}:{number}"
        for path in sorted(SOURCES.rglob("*.py"))
        if not re.search(r"prolific|^paper/|commands/demo", path.relative_to(SOURCES).as_posix())
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if re.search("prolific", line, re.IGNORECASE) and not _is_registration(line)
    ]
    assert found == []


def _is_registration(line: str) -> bool:
    """A line of a registry, which has to name what it lists."""
    return re.match(r'\s*(_MODULES: Final = |"prolific": "Create)', line) is not None


@pytest.mark.parametrize("name", list(own_platforms()))
def test_every_platform_says_what_it_is(name):
    known = platform(name)
    assert known.title
    assert len(known.recruited.split()) > 1
    assert small_study(recruitment={"platform": name}).spec.recruitment.platform == name


def test_an_unknown_platform_is_refused_with_a_list():
    with pytest.raises(Exception, match="Use one of: link, prolific"):
        small_study(recruitment={"platform": "moon"})


def test_another_package_can_add_a_platform_beside_a_broken_one(tmp_path, monkeypatch):
    (tmp_path / "our_panel.py").write_text(ADDED)
    (tmp_path / "their_panel.py").write_text("raise RuntimeError")
    (info := tmp_path / "our_panel-1.0.dist-info").mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: our-panel\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[rejudge.platforms]\npanel = our_panel:PLATFORM\n"
        "broken = their_panel:PLATFORM\nabsent = nowhere:PLATFORM\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    platforms.cache_clear()
    try:
        assert "panel" in platform_names()
        assert isinstance(platform("panel"), Platform)
        study = small_study(recruitment={"platform": "panel"})
        assert recruiter_of(study) == "panel"
        query = {"who": "ada", "when": "7"}
        assert platform_arrival("panel", query) == Arrival("panel", "ada", "7")
        assert platform_arrival("panel", {"who": "Ada", "when": "7"}) == "odd"
    finally:
        platforms.cache_clear()
        sys.modules.pop("our_panel", None)
