"""Small papers: parts of paper.yaml, with what they leave out added."""

from __future__ import annotations

import re

from rejudge.audit import Audit, audit
from rejudge.paper import Paper, parse

REST = {
    "id": "id: example",
    "reference": "reference: {authors: Doe, year: 2026, title: An example}",
    "systems": "systems: [{id: a}, {id: b}]",
    "criteria": "criteria: [{id: quality, scale: {kind: rating, low: 1, high: 5, points: 5}}]",
}


def paper_of(part: str) -> Paper:
    """A part of paper.yaml, made whole."""
    given = set(re.findall(r"^([a-z]+):", part, re.MULTILINE))
    rest = [line for key, line in REST.items() if key not in given]
    return parse("\n".join([*rest, part]), file="paper.yaml")


def audited(text: str) -> Audit:
    """The audit of the first paper of a text; those after `---` are what it compares with."""
    paper, *others = (paper_of(part) for part in re.split(r"^---\n", text, flags=re.MULTILINE))
    return audit(paper, *others)


def codes(text: str) -> list[str]:
    """The codes that are found, the gravest first."""
    return [finding.code for finding in audited(text).findings]
