"""Facts about platforms: one place, and other packages may add some."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from judged_study import small_study
from rejudge.collect.visit import Arrival, platform_arrival, recruiter_of
from rejudge.errors import DataError, FileError
from rejudge.platforms import (
    AGE_GROUPS,
    MTURK,
    PROLIFIC,
    Platform,
    order_age_groups,
    own_platforms,
    platform,
    platform_names,
    platforms,
    read_demographics,
)

SOURCES = Path(__file__).parents[1] / "src" / "rejudge"
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
        if not re.search(
            r"prolific|^platforms\.py|^(paper|heds)/|commands/demo",
            path.relative_to(SOURCES).as_posix(),
        )
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if re.search("prolific", line, re.IGNORECASE) and not _is_registration(line)
    ]
    assert list(SOURCES.rglob("*.py"))
    assert found == []


def _is_registration(line: str) -> bool:
    """A line of a registry, which has to name what it lists."""
    return re.match(r'\s*(_MODULES: Final = |"prolific": "Create)', line) is not None


@pytest.mark.parametrize("name", list(own_platforms()))
def test_every_platform_says_what_it_is(name):
    known = platform(name)
    assert known.title
    assert bool(known.recruited) != (name in {"qualtrics", "spreadsheet"})  # these find nobody
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


def test_groups_of_ages_are_in_their_own_order_without_gaps():
    assert order_age_groups(["65 or more", "35–44"]) == ("35–44", "45–54", "55–64", "65 or more")
    assert order_age_groups(AGE_GROUPS[::-1]) == AGE_GROUPS
    assert order_age_groups(["18–24"]) == ("18–24",)


def test_anything_else_has_no_order():
    assert order_age_groups([]) == ()
    assert order_age_groups(["Germany", "18–24"]) == ()


# ── links ────────────────────────────────────────────────────────────────────────────────────────

PERSON, VISIT, STUDY = "5f" * 12, "6a" * 12, "7b" * 12
ON_PROLIFIC = {"PROLIFIC_PID": PERSON, "SESSION_ID": VISIT, "STUDY_ID": STUDY}
WORKER, ASSIGNMENT = "A2B4C6D8E0F1GH", "3" + "ABC" * 9 + "X"
ON_MTURK = {"workerId": WORKER, "assignmentId": ASSIGNMENT, "hitId": "3" + "XYZ" * 9 + "9"}


def test_a_link_names_the_person_and_the_visit():
    assert platform_arrival("prolific", ON_PROLIFIC) == Arrival("prolific", PERSON, VISIT)
    assert platform_arrival("mturk", ON_MTURK) == Arrival("mturk", WORKER, ASSIGNMENT)


@pytest.mark.parametrize(
    "changes",
    [
        {"PROLIFIC_PID": PERSON.upper()},
        {"SESSION_ID": VISIT[1:]},
        {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"},
    ],
)
def test_a_link_that_the_platform_did_not_make_is_odd(changes):
    assert platform_arrival("prolific", ON_PROLIFIC | changes) == "odd"


@pytest.mark.parametrize("name", ["link", "qualtrics", "spreadsheet"])
def test_visitors_without_a_platform_come_by_a_link_and_carry_no_ids(name):
    study = small_study(recruitment={"platform": name})
    assert recruiter_of(study) == "link"
    assert platform_arrival(recruiter_of(study), ON_PROLIFIC) == "missing"
    assert (platform(name).completion_url, platform(name).is_crowd) == (None, False)


def test_the_link_asks_the_platform_for_all_three_ids():
    assert all(f"{name}={{{{%{name}%}}}}" in PROLIFIC.link_query for name in PROLIFIC.link_ids)


def test_a_preview_is_told_by_the_assignment_it_does_not_have():
    name, value = MTURK.preview_query
    assert not MTURK.link_ids[name].fullmatch(value)
    assert platform_arrival("mturk", ON_MTURK | {name: value}) == "preview"


@pytest.mark.parametrize(
    ("of", "text", "has_id"),
    [
        (PROLIFIC, PERSON, True),
        (PROLIFIC, f"by {PERSON}, twice", True),
        (PROLIFIC, f"user-{PERSON}.csv", True),
        (PROLIFIC, PERSON + "0", False),
        (PROLIFIC, PERSON[:-1], False),
        (PROLIFIC, PERSON.upper(), False),
        (MTURK, WORKER, True),
        (MTURK, f"({WORKER})", True),
        (MTURK, "ACKNOWLEDGEMENTS", False),  # a word has no digits
        (MTURK, "ABCDEFGHIJKLM1", False),  # nor one digit alone
        (MTURK, WORKER.lower(), False),
        (MTURK, f"x{WORKER}", False),
    ],
)
def test_ids_are_found_in_a_text(of, text, has_id):
    assert (of.id_shape.search(text) is not None) == has_id


# ── what participants told the platform ──────────────────────────────────────────────────────────


def test_rows_are_by_pseudonym_and_empty_cells_were_not_given(tmp_path):
    path = tmp_path / "demographics.csv"
    path.write_text("participant,Age,Sprache\np0001,30-39,العربية\np0002,,\n", encoding="utf-8")
    assert read_demographics(path) == {
        "p0001": {"Age": "30-39", "Sprache": "العربية"},
        "p0002": {"Age": None, "Sprache": None},
    }


@pytest.mark.parametrize("content", [b"", b"Age,participant\n31,p1\n", b"\xff\xfep\x00a\x00"])
def test_a_changed_table_is_refused(tmp_path, content):
    path = tmp_path / "demographics.csv"
    path.write_bytes(content)
    with pytest.raises(FileError, match="was changed"):
        read_demographics(path)


def test_an_unknown_platform_is_named_with_the_known_ones():
    with pytest.raises(DataError, match="there is no platform 'agora'"):
        platform("agora")
