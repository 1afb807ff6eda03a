"""The study that is served under load: pairs of texts, 32 in a batch, nothing optional left out."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rejudge.design.draw import draw
from rejudge.files.disk import write_files
from rejudge.files.step_files import PLAN, open_study, write

TASKS = 32  # in a batch, as the load generator answers them
PEOPLE = 3  # per batch
_WORDS = [
    "the",
    "old",
    "town",
    "council",
    "will",
    "vote",
    "on",
    "a",
    "new",
    "bridge",
    "over",
    "the",
    "river",
    "before",
    "winter",
    "comes",
]
_STUDY = """
id: load
title: Load
language: en
systems: [first, second]
questions:
  - {{id: meaning, kind: pairwise, prompt: 'Which version keeps the meaning better?'}}
design:
  seed: 1
  batch: {{inputs: {tasks}}}
  participants_per_batch: {people}
  order: batch
recruitment: {{{recruitment}, languages: [en]}}
site:
  show: {show}
  comment: false
  minutes_held: {minutes_held}
  minutes_to_begin: {minutes_held}
  places_per_address: 1000000
  codes: {{completed: DONE1LOAD, declined: NOCONSENT, full: NOTASKLEFT}}
pages:
  instructions: pages/instructions.md
  consent: pages/consent.md
"""
_PAGES = {
    "pages/instructions.md": "Read both versions and choose the one that keeps the meaning.\n",
    "pages/consent.md": "I take part of my own will and may stop at any time.\n",
}


@dataclass(frozen=True, slots=True)
class Load:
    """How large the study is and how its pages look."""

    batches: int
    show: Literal["one", "list"] = "one"
    minutes_held: float = 60.0
    recruitment: str = "platform: prolific"


def make_folder(folder: Path, load: Load) -> Path:
    """Write the study and its plan."""
    text = _STUDY.format(
        tasks=TASKS,
        people=PEOPLE,
        show=load.show,
        minutes_held=load.minutes_held,
        recruitment=load.recruitment,
    )
    files = {"study.yaml": text.encode(), "items.csv": _items(load.batches * TASKS).encode()}
    files |= {name: page.encode() for name, page in _PAGES.items()}
    write_files(folder, files, force=True)
    study = open_study(folder)
    plan = draw(study)
    made_from = {"study": plan.study, "items": study.items_fingerprint}
    write(plan, folder / PLAN, made_from=made_from, force=True)
    return folder


def _items(count: int) -> str:
    """Inputs of about 300 characters and two versions of each, all different."""
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(("id", "input", "first", "second"))
    for number in range(count):
        turned = number % len(_WORDS)
        words = " ".join((*_WORDS[turned:], *_WORDS[:turned]))
        text = f"Report {number}: {words}; {words}; {words}."
        rows.writerow((f"i{number:05}", text, f"{text} One.", f"{text} Two."))
    return out.getvalue()
