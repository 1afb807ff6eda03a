"""Small papers for audits: parts of paper.yaml, or numbers computed from made-up judgments."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from hypothesis import strategies as st

from rejudge.audit.rules import Audit, audit
from rejudge.paper.model import Paper
from rejudge.paper.paper_file import parse

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


# papers made of computed numbers

SYSTEMS = ("a", "b", "c", "d")
REFERENCE = {"authors": "Doe", "year": 2026, "title": "Made up"}
HALVES = st.sampled_from([ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_HALF_DOWN])
PLACES = st.integers(1, 4)


def printed(value, decimals, halves=ROUND_HALF_EVEN):
    """A number as a table prints it."""
    unit = Decimal(1).scaleb(-decimals)
    return str(Decimal(repr(float(value))).quantize(unit, rounding=halves))


def errors_of(paper: object, *others: object) -> list[tuple[str, str]]:
    found = audit(Paper.model_validate(paper), *(Paper.model_validate(each) for each in others))
    return [(each.code, each.says) for each in found.findings if each.severity == "error"]


def whole(
    part: dict[str, object], *, points: int = 5, systems: int = 2, **more: object
) -> dict[str, object]:
    return {
        "id": "made-up",
        "reference": REFERENCE,
        "systems": [{"id": each} for each in SYSTEMS[:systems]],
        "criteria": [
            {"id": "quality", "scale": {"kind": "rating", "low": 1, "high": points,
                                        "points": points}}
        ],
        **part,
        **more,
    }  # fmt: skip
