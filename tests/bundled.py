"""A small study that simulated people have judged, and bundles of it, honest and not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from rejudge.analysis.analyse import analyse
from rejudge.bundle.archive import CHECKSUMS, checksums, licence_of, pack, unpack
from rejudge.bundle.build import FinishedStudy, bundle
from rejudge.bundle.original import of_bundle
from rejudge.bundle.privacy import KnownPrivacy
from rejudge.bundle.read import Bundle
from rejudge.bundle.reproduce import Reproduction, RequestedChange, reproduce
from rejudge.design.draw import draw
from rejudge.files.codecs import checksum_of
from rejudge.files.disk import write_files
from rejudge.files.step_files import open_plan, open_study, read_judgments, to_bytes
from rejudge.judgments.answers import tabulate
from rejudge.judgments.exclusions import exclude, excluded_csv
from rejudge.simulate.parameters import Parameters
from rejudge.simulate.people import judge

STUDY = """\
# Which sentence is better? With a comment that stays.
format: 1
id: trees
title: Which sentence is better?
contact: {name: Robin Example, email: robin@lab.example}
ethics: Board of trees, 2026-7
systems:
  - ash
  - id: beech
    name: Beech
questions:
  - {kind: pairwise, id: meaning, prompt: "Which keeps the meaning?", tie: true}
  - kind: rating
    id: fluency
    prompt: How fluent is it?
    points: 5          # from 1
design:
  seed: 5
  batch: {inputs: 3}
  participants_per_batch: 3   # how many people judge each batch
items: {sample: {inputs: 6}}
checks:
  - {kind: gold, id: gold, question: meaning}
recruitment:
  platform: link
payment: {reward: 1.5, minutes: 4}
analysis:
  tests:
    - {question: meaning, test: cluster-robust}
    - {question: fluency, test: mixed-model}
  exclude: {failed_checks: 1}
site: {codes: {completed: C1A2B3}}
claims:
  - {id: best, says: ash best on meaning}
"""
ITEMS = "id,dataset,input,reference,ash,beech\n" + "".join(
    f"i{n},{('woods', 'hills')[n % 2]},Path {n} goes up.,Path {n} climbs.,Up goes {n}.,It is {n}.\n"
    for n in range(10)
)
PAGES = {
    "pages/consent.md": "I agree to take part.\n",
    "pages/information.md": "Ask Robin Example (robin@lab.example).\n",
    "pages/instructions.md": "Read both, then choose.\n",
}
DAY = date(2026, 11, 16)
CONTACT = KnownPrivacy(contact="robin@lab.example")


def finish(folder: Path, *, seed: int = 3, study: str = STUDY) -> Path:
    """Write the study with its plan, judgments and results."""
    texts = {"study.yaml": study, "items.csv": ITEMS, **PAGES}
    write_files(folder, {name: text.encode() for name, text in texts.items()}, force=False)
    plan = draw(open_study(folder))
    write_files(folder, {"plan.json": to_bytes(plan, made_from={})}, force=False)
    return judged(folder, seed=seed)


def judged(folder: Path, *, seed: int) -> Path:
    """Let simulated people judge the plan of a folder, and analyse what they said."""
    study, plan = open_plan(folder)
    answers = judge(
        study, plan, rng=np.random.default_rng(seed), parameters=Parameters(careless=0.2)
    )
    judgments = tabulate(study, plan, answers, origin="simulated")
    cleaned = exclude(study, plan, judgments)
    results = analyse(cleaned, study=study, plan=plan, seed=seed)
    files = {
        "judgments.csv": to_bytes(judgments, made_from={}),
        "excluded.csv": excluded_csv(cleaned).encode(),
        "results.json": to_bytes(results, made_from={}),
    }
    write_files(folder, files, force=True)
    return folder


def finished(folder: Path) -> FinishedStudy:
    """What is bundled."""
    study, plan = open_plan(folder)
    is_judged = (folder / "judgments.csv").exists()
    return FinishedStudy(folder, study, plan, read_judgments(folder, plan) if is_judged else None)


def reproduced(
    bundle: Bundle, content: bytes, *requests: RequestedChange, lab: str = "Our Lab", **more: Any
) -> Reproduction:
    """A reproduction of a bundle."""
    return reproduce(
        of_bundle(bundle), lab=lab, home="original.zip", requests=requests, archive=content, **more
    )


def bundled(folder: Path, *, licence: str = "CC-BY-4.0", **more: Any) -> bytes:
    """The bundle of a folder."""
    known = more.pop("known", CONTACT)
    terms = {"licence": licence_of(licence), "published": DAY, "known": known}
    return bundle(finished(folder), **terms, **more).content


def with_file(content: bytes, name: str, change: Callable[[bytes], bytes | None]) -> bytes:
    """A bundle with one file changed behind the back of its checksums; None takes it out."""
    files = unpack(content, file="bundle.zip")
    text = change(files.pop(name, b""))
    return pack(files if text is None else files | {name: text})


def forged(content: bytes, changes: Mapping[str, Callable[[bytes], bytes]]) -> bytes:
    """A bundle with files changed by somebody who has put the checksums right again."""
    files = unpack(content, file="bundle.zip")
    files |= {name: change(files[name]) for name, change in changes.items()}
    del files[CHECKSUMS]
    return pack(files | {CHECKSUMS: checksums(files)})


def edited(change: Callable[[Any], None]) -> Callable[[bytes], bytes]:
    """A change to the values of a JSON file by somebody who puts its checksum right, too."""

    def changed(text: bytes) -> bytes:
        values = json.loads(text)
        change(values)
        if "checksum" in values:
            values["checksum"] = checksum_of(values)
        return json.dumps(values).encode()

    return changed
