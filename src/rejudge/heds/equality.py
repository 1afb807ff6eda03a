"""Whether two answers say the same, each question by its own measure."""

from __future__ import annotations

import math
import re
from typing import Final

from rejudge.heds.answers import SheetAnswer
from rejudge.heds.scales import ParsedScale, parse_scale
from rejudge.heds.schema import SheetQuestion

_COUNTS: Final = ("3.1.1", "3.2.1")
_NUMBERS: Final = ("3.1.3.2", "4.3.3", "4.3.11.2", "4.3.12.2")
_FIRST_COUNT: Final = re.compile(r"\d[\d,.  ]*\d|\d")
_FIRST_NUMBER: Final = re.compile(r"[-−]?(?:\d+(?:\.\d+)?|\.\d+)")
_QUOTES: Final = str.maketrans({**dict.fromkeys("“”„«»″", '"'), **dict.fromkeys("‘’‚′`", "'")})
_DASHES: Final = str.maketrans(dict.fromkeys("–—−‑", "-"))
_LONGEST: Final = 10_000  # values of a range that are written out to compare it with a list


def are_equal(question: SheetQuestion, one: SheetAnswer, two: SheetAnswer) -> bool:
    """Whether two answers to a question of 3.0 say the same."""
    if "absent" in {one.state, two.state}:
        return one.state == two.state and one.options == two.options
    if question.is_choice:
        return set(one.options) == set(two.options) and _same_text(one.text, two.text)
    measured = _same_measure(question, one.text, two.text)
    return _same_text(one.text, two.text) if measured is None else measured


def _same_measure(question: SheetQuestion, one: str, two: str) -> bool | None:
    """Compared as counts, numbers or scales; None where the texts are none of these."""
    if question.number in _COUNTS:
        first, second = _first_count(one), _first_count(two)
        return None if first is None or second is None else first == second
    if question.number in _NUMBERS:
        low, high = _first_number(one), _first_number(two)
        return None if low is None or high is None else math.isclose(low, high, abs_tol=1e-9)
    if question.number == "4.3.4":
        scales = parse_scale(one), parse_scale(two)
        return _same_scale(scales[0], scales[1]) if scales[0] and scales[1] else None
    return None


def number_ratio(question: SheetQuestion, one: str, two: str) -> float | None:
    """How many times the first count the second one is; None where there are no counts."""
    if question.number not in _COUNTS:
        return None
    first, second = _first_count(one), _first_count(two)
    return second / first if first and second is not None else None


def _first_count(text: str) -> int | None:
    """The first whole number: `1,000 outputs` and `1 000` are a thousand."""
    found = _FIRST_COUNT.search(text)
    if found is None:
        return None
    head = re.match(r"\d{1,3}(?:[,. \u202f\u00a0]\d{3})+(?!\d)", found[0])
    digits = re.sub(r"\D", "", head[0]) if head else re.split(r"\D", found[0])[0]
    return int(digits)


def _first_number(text: str) -> float | None:
    found = _FIRST_NUMBER.search(text)
    return float(found[0].replace("−", "-")) if found else None


def _same_scale(one: ParsedScale, two: ParsedScale) -> bool:
    labels = [tuple(_plain(label) for label in scale.labels) for scale in (one, two)]
    is_labelled_alike = (
        not all(labels) or len(labels[0]) != len(labels[1]) or labels[0] == labels[1]
    )
    return _values(one) == _values(two) and is_labelled_alike


def _values(scale: ParsedScale) -> tuple[str, ...]:
    size = scale.size
    if scale.kind != "range" or size is None or size > _LONGEST:
        return tuple(_plain(value) for value in scale.values)
    low = int(float(scale.values[0]))
    return tuple(str(low + step) for step in range(size))


def _same_text(one: str, two: str) -> bool:
    return _plain(one) == _plain(two)


def _plain(text: str) -> str:
    words = text.translate(_QUOTES).translate(_DASHES).casefold().split()
    return " ".join(words).rstrip(".")
