"""Studies that several commands are tried on: judged on the site, or bundled."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest
from crowd import MORE, Crowd
from fake_account import Account

import bundled
from quick_sites import quick_sites  # noqa: F401 - used by all tests here
from rejudge.files.step_files import open_plan
from rejudge.prolific.fake import create_fake_app
from rejudge.web.serving import run_site
from served import ITEMS, STUDY, make_folder, run, said
from small_site import Site

ANSWERS = {"anna": "abab", "ben": "aaaa", "carl": "bb"}  # carl is in the middle of it
PEOPLE = {"kursteilnehmer-1": "abab", "kursteilnehmer-2": "aaaa", "kursteilnehmer-3": "bbab"}


def _served(folder: Path, answers: dict[str, str]) -> Path:
    make_folder(folder)
    with ExitStack() as stack:
        site = Site(folder / "study.db", *open_plan(folder), stack)
        for name, letters in answers.items():
            site.person(name).finish(letters)
    return folder


@pytest.fixture(scope="session")
def judged(tmp_path_factory) -> Path:
    """A study that two people have finished and one has begun."""
    return _served(tmp_path_factory.mktemp("collected") / "study", ANSWERS)


@pytest.fixture
def folder(judged, tmp_path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(judged, tmp_path / "study"))


@pytest.fixture(scope="session")
def served_once(tmp_path_factory) -> Path:
    """A study that three people have finished."""
    return _served(tmp_path_factory.mktemp("served") / "study", PEOPLE)


@pytest.fixture
def served(served_once, tmp_path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(served_once, tmp_path / "study"))


@pytest.fixture(scope="session")
def trees(tmp_path_factory) -> Path:
    """A study that was judged, and its bundle beside it."""
    folder = bundled.finish(tmp_path_factory.mktemp("cli") / "trees")
    said("bundle", folder, "--licence", "CC-BY-4.0", "--out", folder.parent / "trees.zip")
    return folder


@pytest.fixture
def archive(trees) -> Path:
    """The bundle of that study."""
    return trees.parent / "trees.zip"


@pytest.fixture(scope="module", autouse=True)
def no_figures_are_drawn(undrawn_figures: None) -> None:
    """Commands are tested here, and not what their figures look like."""


@pytest.fixture
def account(monkeypatch):
    """A fake Prolific that the environment points to."""
    account = Account()
    with run_site(create_fake_app(account.world)) as address:
        monkeypatch.setenv("REJUDGE_PROLIFIC_URL", address)
        monkeypatch.setenv("REJUDGE_PROLIFIC_TOKEN", account.world.token)
        yield account


@pytest.fixture
def posted(tmp_path, account) -> Path:
    """A study that is published on the fake Prolific."""
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY + MORE, encoding="utf-8")
    (folder / "items.csv").write_text(ITEMS, encoding="utf-8")
    assert run("plan", folder).exit_code == 0
    said("prolific", "create", folder, "--base-url", "https://study.example.org")
    said("prolific", "publish", folder, "--yes")
    return folder


@pytest.fixture
def crowd(account, posted):
    """The people who take part in it."""
    made = Crowd(account, posted)
    yield made
    made.store.close()
