"""Small studies for tests of power: one question of any kind, with tests, claims and pay."""

from __future__ import annotations

from collections.abc import Mapping

from rejudge.study.model import Study
from rejudge.study.parse import parse

RATING = "kind: rating, id: fluency, prompt: How fluent is it, points: 5"
PAIRWISE = "kind: pairwise, id: meaning, prompt: Which is better"
PAY = "payment: {kind: paid, currency: GBP, minutes: 10, hourly: 12.00, fee_percent: 33.3}\n"


def rating_study(**changes: object) -> Study:
    """Two systems, 20 items, one rating question with a mixed model; keys can be replaced."""
    return planned_study((RATING,), "{question: fluency, test: mixed-model}", **changes)


def planned_study(
    questions: tuple[str, ...],
    tests: str,
    *,
    systems: str = "[a, b]",
    items: int = 20,
    design: str = "{seed: 1, batch: {inputs: 5}, participants_per_batch: 3}",
    more: str = "",
    files: Mapping[str, bytes] | None = None,
) -> Study:
    """A study with these questions and planned tests; no tests: nothing is planned."""
    text = planned_text(questions, tests, systems=systems, design=design, more=more)
    names = [name.strip() for name in systems.strip("[]").split(",")]
    table = {"items.csv": item_table(names, items), **(files or {})}

    def read(name: str) -> bytes:
        if name not in table:
            raise FileNotFoundError(name)
        return table[name]

    return parse(text, read)


def planned_text(
    questions: tuple[str, ...],
    tests: str,
    *,
    systems: str = "[a, b]",
    design: str = "{seed: 1, batch: {inputs: 5}, participants_per_batch: 3}",
    more: str = "",
) -> str:
    asked = "".join(f"  - {{{question}}}\n" for question in questions)
    analysis = f"analysis: {{tests: [{tests}]}}\n" if tests else ""
    return (
        f"id: small\ntitle: Small\nsystems: {systems}\nquestions:\n{asked}design: {design}\n"
        f"{analysis}{more}"
    )


def item_table(systems: list[str], items: int) -> bytes:
    rows = [",".join(["id", "input", *systems])]
    rows += [
        ",".join([f"i{n}", f"input {n}", *(f"{name} output {n}" for name in systems)])
        for n in range(items)
    ]
    return "\n".join(rows).encode()
