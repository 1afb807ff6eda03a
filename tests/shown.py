"""What the pages show: their blocks, their commands, and what is printed when these are run."""

from __future__ import annotations

import itertools
import re
import shlex
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import httpx
import numpy as np
from click.testing import CliRunner

from rejudge.cli import main
from rejudge.simulate.people import Crowd
from rejudge.web.rehearse.browser import Browser
from rejudge.web.rehearse.participant import (
    CHARACTERS,
    ParticipantRecord,
    ParticipantSetup,
    SimulatedParticipant,
)
from rejudge.web.serving import bind_socket, run_site
from rejudge.web.session import Seal, personal_path
from rejudge.web.site import OpenSite, Serving, site_secret

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    *sorted(DOCS.glob("tutorial/*.md")),
    *sorted(DOCS.glob("guide/*.md")),
    *sorted(DOCS.glob("reference/*.md")),
]
_BLOCK = re.compile(
    r"^```(?:\{code-block\} )?(?P<kind>\S*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
_CAPTION = re.compile(r"\A:caption: (?P<name>\S+)\n")
_NOT_RUN = {"make", "git", "cd", "cat", ".", "export"}  # of the shell, and of this repository


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    kind: str
    body: str
    file: str | None  # its caption


def blocks_of(page: Path) -> Iterator[Block]:
    for found in _BLOCK.finditer(page.read_text("utf-8")):
        caption = _CAPTION.match(found["body"])
        body = found["body"].removeprefix(caption[0]) if caption else found["body"]
        yield Block(found["kind"] or "", body, caption["name"] if caption else None)


def put(target: Path, block: Block) -> None:
    """Write a file that a page shows; a diff takes its `-` lines out and puts the `+` lines in."""
    if block.kind != "diff":
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.body, "utf-8")
        return
    lines = block.body.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] == "-")
    after = "".join(line[1:] for line in lines if line[0] == "+")
    text = target.read_text("utf-8")
    assert before in text
    target.write_text(text.replace(before, after), "utf-8")


def sessions(body: str) -> Iterator[tuple[list[str], int, list[str]]]:
    """Each command of a block with the exit code and the lines that are shown for it."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        if command.startswith("echo $?"):
            continue
        after = re.search(rf"^\$ {re.escape(part)}\$ echo \$\?\n(\d+)$", body, re.MULTILINE)
        yield shlex.split(command, comments=True), int(after[1]) if after else 0, shown


def run_and_compare(command: list[str], code: int, shown: list[str]) -> None:
    """Run a command as it is shown; what it prints must be what the page says."""
    given = dict(word.split("=", 1) for word in itertools.takewhile(_is_variable, command))
    command = command[len(given) :]
    if command[0] != "rejudge":
        assert command[0] in _NOT_RUN, f"not run by this test: {command}"
        return
    result = CliRunner().invoke(main, command[1:], env={"COLUMNS": "100", "NO_COLOR": "1", **given})
    said = f"{' '.join(command)} printed:\n{result.output}"
    assert result.exit_code == code, said
    wanted = [_squeezed(line) for line in shown if line.strip()]
    printed = [_squeezed(line) for line in result.output.splitlines() if line.strip()]
    assert not wanted or _fits(wanted, printed), said


def _is_variable(word: str) -> bool:
    return re.match(r"[A-Z_]+=", word) is not None


def _squeezed(line: str) -> str:
    return " ".join(line.split())


def _fits(wanted: list[str], printed: list[str]) -> bool:
    """Whether lines are as shown; `…` stands for anything."""
    if not wanted:
        return not printed
    if wanted[0] == "…":
        return any(_fits(wanted[1:], printed[skip:]) for skip in range(len(printed) + 1))
    pattern = ".*".join(re.escape(part) for part in wanted[0].split("…"))
    return bool(printed and re.fullmatch(pattern, printed[0])) and _fits(wanted[1:], printed[1:])


def taken_port(host: str, port: int) -> socket.socket | SimpleNamespace:
    """A free port as usual; but one that is shown may be another program's on this machine."""
    if port == 0:
        return bind_socket(host, port)
    return SimpleNamespace(getsockname=lambda: (host, port), close=lambda: None)


def people_come(serving: Serving, taken: socket.socket, site: OpenSite) -> None:
    """Instead of a site that runs until it is stopped: everybody who is wanted comes and judges.

    Behind TLS nobody comes: a server in front of it would be needed.
    """
    taken.close()
    if not serving.is_secure:
        with run_site(site.app) as address:
            _let_judge(address, site)
    site.store.close()


def _let_judge(address: str, site: OpenSite) -> None:
    study, plan = site.store.study, site.store.plan
    crowd = Crowd(study, plan, rng=np.random.default_rng(1))
    careful = next(each for each in CHARACTERS if each.name == "careful")
    for number in range(plan.people):
        name = f"person-{number}"
        person = crowd.person(name, rng=np.random.default_rng(number))
        with httpx.Client(base_url=address) as client:
            link = personal_path(Seal(site_secret(site.store), study.spec.id), name)
            setup = ParticipantSetup(study, plan, link, partial(Browser, client))
            participant = SimulatedParticipant(
                setup, careful, person, ParticipantRecord(name, careful.name)
            )
            list(participant.walk())
        assert not participant.record.complaints
