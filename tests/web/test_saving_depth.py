"""Saving an answer goes one way: from the site to the store to the database, without detours."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rejudge.store import statement

_MOST_FRAMES = 16  # of our own, from the queue's thread to the statement


@pytest.fixture
def calls(monkeypatch) -> list[list[str]]:
    """For every statement that is run, the packages on the way to it, outermost first."""
    seen: list[list[str]] = []
    original = statement._Compiled.arrange

    def arrange(self, values) -> object:
        frame, own = sys._getframe(1), []
        while frame is not None:
            parts = Path(frame.f_code.co_filename).parts
            if "rejudge" in parts:
                own.insert(0, parts[len(parts) - parts[::-1].index("rejudge")])
            frame = frame.f_back
        seen.append(own)
        return original(self, values)

    monkeypatch.setattr(statement._Compiled, "arrange", arrange)
    return seen


def test_saving_an_answer_is_one_direction_and_not_deep(opened, calls):
    site = opened()
    person = site.person()
    person.to_tasks()
    calls.clear()
    person.send(**{next(iter(person.form["names"])): "a"})
    assert len(site.rows()) == 1
    writes = [own for own in calls if own[0] == "web"]
    assert writes
    assert max(map(len, writes)) <= _MOST_FRAMES
    assert {tuple(dict.fromkeys(own)) for own in writes} == {("web", "store")}
    assert all(own == sorted(own, reverse=True) for own in writes)  # never back to the site
