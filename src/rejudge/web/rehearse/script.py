"""What the pages' script does in a real browser, done by a program: fetch, save, hand in."""

from __future__ import annotations

import re

from rejudge.web.rehearse.browser import Browser, Page

_TASK = re.compile(r'data-task="(\d+)"')


class Script:
    """The script of one page that shows a task or a list of them."""

    def __init__(self, browser: Browser, page: Page) -> None:
        self._browser = browser
        self._form = next(form for form in page.forms if form.action.endswith("/submit"))
        self._sent = 0

    def tasks(self) -> tuple[int, ...]:
        """The tasks of the batch in the order shown, by their place in the batch as planned."""
        return tuple(map(int, _TASK.findall(self._browser.fetch("/tasks"))))

    def save(self, number: int, question: str, raw: str, seconds: float) -> str:
        """Send one answer; what the site says became of it."""
        self._sent += 1
        filled = self._form.filled()
        body = {
            "stamp": filled["stamp"],
            "task": number,
            "question": question,
            "raw": raw,
            "number": self._sent,
            "active": seconds,
            "changes": 0,
            "blurs": 0,
        }
        status, said = self._browser.post_json("/save", body, {"x-csrf": filled["csrf"]})
        return str(said.get("outcome", status))

    def hand_in(self) -> Page:
        """Hand in the batch once everything is saved."""
        return self._browser.send(self._form, {})
