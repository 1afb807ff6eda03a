"""A study folder, and `rejudge serve` of it as a process of its own."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import httpx
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.web.rehearse.browser import Browser, Page
from rejudge.web.session import Seal, personal_path

ITEMS = "id,input,north,south\n" + "".join(f"i{n},in {n},n {n},s {n}\n" for n in range(24))
STUDY = """
id: served
title: Served
systems: [north, south]
questions: [{id: meaning, kind: pairwise, prompt: 'Which keeps the meaning?'}]
design: {seed: 1, batch: {inputs: 4}, participants_per_batch: 3}
site: {comment: false}
"""


SECRET = "of these processes alone, and long enough"  # noqa: S105 - of a test


def make_folder(folder: Path) -> Path:
    """Six batches of four tasks, each for three people."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    (folder / "items.csv").write_text(ITEMS, encoding="utf-8")
    assert run("plan", folder).exit_code == 0
    return folder


def run(*words: object):
    return CliRunner().invoke(main, [str(word) for word in words])


def said(*words: object) -> Any:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@dataclass
class Running:
    """A site that runs, and what it said when it began."""

    process: subprocess.Popen[str]
    said: dict[str, Any]
    stack: ExitStack
    printed: str = ""  # after it began

    def browser(self, cookies: httpx.Cookies | None = None) -> Browser:
        """A browser of its own, with cookies and connections of its own."""
        address = self.said["listens"]
        client = httpx.Client(base_url=address, cookies=cookies, timeout=None)
        return Browser(self.stack.enter_context(client))

    def limit_files(self, largest: int) -> None:
        """From now on no file may grow beyond so many bytes, as on a disk that is full."""
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (largest, largest))

    def stop(self) -> None:
        """As people do it; what it still prints is kept."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
        assert self.process.stdout is not None
        self.printed = self.process.stdout.read() if not self.process.stdout.closed else ""

    def kill(self) -> None:
        """As when the power goes: no word to anybody."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def serving(folder: Path, *options: str, stderr: IO[str] | None = None) -> Iterator[Running]:
    """`rejudge serve` on a free port, until the block ends; it is stopped as people do it."""
    program = "from rejudge.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", str(folder), "--port", "0", "--json"]
    with (
        subprocess.Popen(
            [*command, *options],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            start_new_session=True,
            env={**os.environ, "REJUDGE_SECRET": SECRET},
        ) as process,
        ExitStack() as stack,
    ):
        site = Running(process, json.loads(_first_document(process)), stack)
        try:
            while site.browser().open("/healthz").status != 200:
                pass  # a busy machine may take long for its first write
            yield site
        finally:
            site.stop()


def _first_document(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.rstrip() == "}":
            break
    return "".join(lines)


def begin(browser: Browser, name: str) -> Page:
    """Come in by a personal link, consent, read the instructions; the first task."""
    page = browser.open(personal_path(Seal(SECRET.encode(), "served"), name))
    for step in ("consent", "instructions"):
        if page.step == step:
            page = browser.send(page.forms[0], {"agree": "yes"})
    return page


def answer(browser: Browser, page: Page, letter: str) -> Page:
    (name,) = (name for name in page.forms[0].names if name.endswith(":meaning"))
    return browser.send(page.forms[0], {"go": "next", name: letter})
