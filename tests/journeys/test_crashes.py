"""Power failures, full disks and databases that are gone: no answer marked as saved is lost,
and none that is lost was marked as saved."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Self

import httpx
import pytest

from rejudge.files.step_files import open_plan
from rejudge.store.store import open_existing
from rejudge.web.rehearse.browser import Page
from served import Running, answer, begin, make_folder, serving


class Crowd:
    """People who answer as fast as they can, and what they were told is saved."""

    def __init__(self, site: Running, people: int) -> None:
        self.saved: dict[tuple[str, str], str] = {}  # by person and control
        self.refused: list[Page] = []
        self._site = site
        self._threads = [
            threading.Thread(target=self._work, args=(f"c{n}",), daemon=True) for n in range(people)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.join()

    def wait_for(self, saved: int) -> None:
        """Until so many answers were marked as saved, or nobody is working any more."""
        while len(self.saved) < saved and any(thread.is_alive() for thread in self._threads):
            threading.Event().wait(0.01)

    def _work(self, name: str) -> None:
        browser = self._site.browser()
        try:
            first = page = begin(browser, name)
            for turn in range(200):  # round and round: every save is a new one
                letter = "ab"[turn % 2]
                if page.step != "task" or page.status != 200:
                    self.refused.append(page)
                    return
                control = next(n for n in page.forms[0].names if n.endswith(":meaning"))
                after = answer(browser, page, letter)
                if after.status != 200:
                    self.refused.append(after)
                    return
                self.saved[name, control] = letter
                page = after if after.path != "/task/4" else browser.open(first.path)
        except httpx.HTTPError:
            return  # the site is gone; this one was not marked as saved


def stored(folder: Path, database: str) -> dict[tuple[str, str], list[str]]:
    """Every answer ever stored, by person and control, in order."""
    study, plan = open_plan(folder)
    store = open_existing(database, study, plan)
    numbers = {task.id: n for batch in plan.batches for n, task in enumerate(batch.tasks)}
    names = {store.pseudonym_of(f"c{n}"): f"c{n}" for n in range(20)}
    found: dict[tuple[str, str], list[str]] = {}
    for row in store.answer_rows():
        control = f"{numbers[row.task]}:{row.question}"
        found.setdefault((names[row.participant], control), []).append(row.raw)
    store.close()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_no_saved_answer_is_lost_when_the_site_is_killed(tmp_path, database, workers):
    folder = make_folder(tmp_path / "study")
    options = ("--database", database, "--workers", workers)
    with serving(folder, *options) as site, Crowd(site, 6) as crowd:
        crowd.wait_for(12)
        site.kill()
    found = stored(folder, database)
    lost = {
        key: value for key, value in crowd.saved.items() if value not in found.get(key, [])[-2:]
    }
    assert not lost
    assert not [(page.path, page.status, page.text) for page in crowd.refused]
    with serving(folder, "--database", database) as again:
        assert begin(again.browser(), "c0").step == "task"


@pytest.mark.slow
def test_a_full_disk_says_not_saved_yet_and_never_saved(tmp_path):
    folder = make_folder(tmp_path / "study")
    database = folder / "study.db"
    with serving(folder) as site:
        begin(site.browser(), "c19")
        largest = max(path.stat().st_size for path in folder.iterdir()) + 100_000
        site.limit_files(largest)
        with Crowd(site, 4) as crowd:
            pass
        assert crowd.refused
        assert {page.status for page in crowd.refused} == {503}
        assert all("Not saved yet" in page.text for page in crowd.refused)
        site.kill()
    found = stored(folder, str(database))
    assert all(value in found.get(key, [])[-2:] for key, value in crowd.saved.items())


@pytest.mark.slow
def test_answers_stay_in_the_form_when_they_cannot_be_saved(tmp_path):
    folder = make_folder(tmp_path / "study")
    with serving(folder) as site:
        browser = site.browser()
        page = begin(browser, "c0")
        site.limit_files(max(path.stat().st_size for path in folder.iterdir()))
        refused = answer(browser, page, "b")
        control = next(n for n in page.forms[0].names if n.endswith(":meaning"))
        assert refused.status == 503
        assert refused.forms[0].values()[control] == "b"
        assert browser.open("/healthz").status == 503
        site.kill()
