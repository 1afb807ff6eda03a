"""Placeholders in the pages of a study: `{minutes}` stands for what study.yaml and the plan say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

# What each one stands for; the guide and the error messages list them.
PLACEHOLDERS: Final[Mapping[str, str]] = {
    "title": "the title of the study",
    "contact": "name and address of the contact, such as Ada Example (ada@lab.edu)",
    "email": "the address of the contact alone",
    "ethics": "who approved the study, from `ethics`",
    "tasks": "number of tasks in a batch, including checks and repeats",
    "inputs": "number of inputs in a batch, without checks",
    "shared": "number of inputs that everybody judges first, from `design.calibration`",
    "batches": "number of batches one person can do",
    "pages": "number of tasks one person can do in total, including calibration",
    "minutes": "minutes per batch: `payment.minutes`, or the estimate if not given",
    "total": "minutes for everything one person can do, including calibration",
    "hours": "the same in hours, rounded up to half an hour",
    "reward": "the amount for one batch (a voucher: for everything), such as GBP 2.10",
    "hourly": "the resulting amount per hour, such as GBP 12.60",
    "earnings": "the amount for everything one person can do, including calibration",
    "duration": "a sentence about the number of pages and the minutes",
    "payment": "a sentence about the pay, also for course credit and unpaid work",
    "wage": "a sentence about the living or minimum wage that the pay meets; empty if there is "
    "none",
    "practice": "a sentence about the practice examples; empty if there are none",
    "ties": 'a sentence about "about the same"; empty if this cannot be chosen',
    "withdrawal": "a sentence on how to withdraw answers with the participant number",
}

# Braces around a word are a placeholder; doubled braces are braces; all others are text.
_MARK = re.compile(r"\{\{|\}\}|\{([A-Za-z][A-Za-z0-9_-]*)\}")


def placeholders(text: str) -> Iterator[str]:
    """The names in braces, in the order of the text, whether they are known or not."""
    return (found[1] for found in _MARK.finditer(text) if found[1])


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with its placeholders replaced; a name without a value stays as it is."""

    def replaced(found: re.Match[str]) -> str:
        return values.get(found[1], found[0]) if found[1] else found[0][0]

    return _MARK.sub(replaced, text)
