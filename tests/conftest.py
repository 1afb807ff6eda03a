"""Fixtures shared by the tests of several packages."""

from __future__ import annotations

import gc
import json
import os
import shutil
import ssl
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import browser_contexts
import postgres
import property_settings
from environment import forget_settings
from skipped import read_skipped, skip_lines, skip_or_fail, write_skipped

forget_settings(os.environ)

# Tests run in as many processes as there are cores. Threads of linear algebra in each of them would
# wait for one another, which takes more time than the work; read when NumPy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# At every request httpx tries to import this, and searches the whole path where it is absent.
if find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]  # Python's way to say so

property_settings.load()

# Looking for garbage among tens of thousands of tests while they are collected takes a third of the
# time of collecting them; afterwards they stay where they are.
gc.disable()

_SHARED = Path(os.environ.get("REJUDGE_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.hookimpl(tryfirst=True)  # before Hypothesis reads the seed
def pytest_configure(config: pytest.Config) -> None:
    property_settings.choose_seed(config)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes are not part of a test's name: they may hold the time at which they were made, and
    workers refuse to start where names differ."""
    return argname if isinstance(val, bytes) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where an earlier run listed what it had to skip, only that is run."""
    listed = read_skipped(os.environ)
    if listed is None:
        return
    wanted = [each for each in items if {each.nodeid, each.nodeid.partition("::")[0]} & listed]
    config.hook.pytest_deselected(items=[each for each in items if each not in wanted])
    items[:] = wanted


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.enable()
    gc.freeze()
    gc.set_threshold(50_000, 50, 50)  # what tests leave behind is small; looking for it is not


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    for line in skip_lines(skipped):
        terminalreporter.write_line(line)
    write_skipped(os.environ, skipped)
    terminalreporter.write_line(property_settings.seed_line(config))


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """Files are written as usual, but nobody waits until a loss of power could not harm them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("os.fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """Each HTTP client would read all certificates again, though it talks to this machine alone."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("ssl.create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where the browser is; without one a test skips."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        skip_or_fail("needs Chromium: apt-get install chromium")
    return found


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Any]:
    """Chromium, started once for a file of tests. The same for all of them: what it does beside
    showing pages is a request to another host."""
    with browser_contexts.launched(chromium) as started:
        yield started


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages, each in a context of its own, as Playwright takes the options."""
    contexts: list[Any] = []

    def open_one(**options: Any) -> Any:
        contexts.append(browser.new_context(**options))
        return contexts[-1].new_page()

    yield open_one
    for context in contexts:
        browser_contexts.let_go(context)


@pytest.fixture
def person_at() -> Iterator[Callable[[Any], Any]]:
    """Makes people at an opened site, with browsers that are closed in the end."""
    from participants import Person

    people: list[Person] = []

    def make(site: Any) -> Person:
        people.append(Person(site.app))
        return people[-1]

    yield make
    for person in people:
        person.client.close()


@pytest.fixture
def no_comparisons(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every comparison of systems fails, as while a study is running; lists what was attempted."""
    import comparison_guard

    return comparison_guard.guard_comparisons(monkeypatch)


@pytest.fixture(scope="module")
def undrawn_figures() -> Iterator[None]:
    """For a file of tests in which commands write reports: figures are not drawn."""
    import undrawn

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("rejudge.report.figures.registry.Picture.svg_at", undrawn.svg_at)
        yield


@pytest.fixture
def published() -> Callable[[str], tuple[Path, dict[str, Any]]]:
    """Public judgments with their published figures, by name; skips if they are not available."""

    def find(name: str) -> tuple[Path, dict[str, Any]]:
        folder = _SHARED / "data" / name
        if not folder.is_dir():
            pytest.skip(f"needs the public data '{name}' (set REJUDGE_SHARED to its folder)")
        figures = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["figures"]
        return folder, {figure["id"]: figure for figure in figures}

    return find


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A server for this run; where PostgreSQL is absent a test skips."""
    if postgres.find_binaries() is None and not os.environ.get("REJUDGE_TEST_POSTGRES"):
        skip_or_fail(postgres.ABSENT)
    with postgres.server() as running:
        yield running


@pytest.fixture
def mortal_server() -> Iterator[postgres.OwnServer]:
    """A server of this test alone, which can be stopped and started again."""
    if postgres.find_binaries() is None:
        skip_or_fail(postgres.ABSENT)
    with postgres.own_server() as running:
        yield running


def _with_tables(address: str) -> str:
    from rejudge.store.copies import create_tables
    from rejudge.store.database import Database

    made = Database(address)
    create_tables(made)
    made.close()
    if made.is_sqlite:
        made.make_single_file()
    return address


@pytest.fixture(scope="session")
def tables_on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with all tables and nothing in them; making them takes longer than a test."""
    return _with_tables(str(tmp_path_factory.mktemp("tables") / "tables.db"))


@pytest.fixture(scope="session")
def tables_on_postgres(postgres_server: postgres.Server) -> str:
    """A database with all tables, which each test finds empty."""
    return _with_tables(postgres_server.new_database())


def _empty_tables() -> str:
    """Deletes all rows but the number of the schema.

    Where there are few rows, a TRUNCATE of all tables takes three times as long.
    """
    from rejudge.store.tables import setting, study

    tables = [table for table in study.metadata.sorted_tables if table is not setting]
    deleted = [f'DELETE FROM "{table.name}"' for table in reversed(tables)]  # noqa: S608 - our own names
    deleted.append("DELETE FROM setting WHERE name <> 'schema'")
    again = "SELECT setval(oid, 1, false) FROM pg_class WHERE relkind = 'S'"
    return "; ".join([*deleted, again])


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database that knows no study, of both kinds in turn."""
    if request.param == "sqlite":
        tables = request.getfixturevalue("tables_on_sqlite")
        return str(shutil.copyfile(tables, tmp_path / "study.db"))
    address: str = request.getfixturevalue("tables_on_postgres")
    postgres.run(address, _empty_tables())
    return address
