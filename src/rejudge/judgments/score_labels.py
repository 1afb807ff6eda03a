"""Scores that a table writes as words, such as "Agree", and the number each of them stands for."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from rejudge.errors import Problem, UsageError
from rejudge.judgments import arrow
from rejudge.judgments.arrow import Numbers, is_date, is_missing

if TYPE_CHECKING:
    import pyarrow as pa

_LABEL: Final = re.compile(r"\s*(.+?)\s*=\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*(?:,|$)")
_MOST_WORDS: Final = 12  # a scale has hardly more labels
_EXAMPLE: Final = "Write for instance --labels 'Disagree=1,Neutral=2,Agree=3'."


def parse_labels(typed: str) -> dict[str, float]:
    """Read `Disagree=1,Neutral=2,Agree=3`; a label may contain commas."""
    found: dict[str, float] = {}
    for match in _LABEL.finditer(typed):
        label, number = match[1], float(match[2])
        if found.setdefault(label, number) != number:
            what = f"'{label}' has two numbers, {found[label]:g} and {number:g}."
            raise UsageError(Problem(what, "Give each label one number.", field="--labels"))
    unread = _LABEL.sub("", typed).strip(", ")
    if unread or not found:
        raise UsageError(Problem(f"'{unread}' is unclear.", _EXAMPLE, field="--labels"))
    return found


def labelled_scores(column: pa.ChunkedArray, labels: Mapping[str, float]) -> Numbers:
    """A column of labels as numbers; a cell may also be a number itself."""
    by_label = _by_bare_label(labels)

    def read(word: str) -> float | None:
        if _bare(word) in by_label:
            return by_label[_bare(word)]
        if is_missing(word):
            return math.nan
        number = arrow.number(word)
        return None if math.isnan(number) else number

    return arrow.by_word(column, read)


def words_for_scores(words: Sequence[str]) -> bool:
    """Whether the words of a column are the labels of a scale: few, and none with a number."""
    said = {_bare(word) for word in words if not is_missing(word)}
    is_plain = not any(re.search(r"\d", word) or is_date(word) for word in said)
    return 1 < len(said) <= _MOST_WORDS and is_plain


def labels_remedy(words: Sequence[str]) -> str:
    """What to type for a column of labels, with the numbers left open."""
    said = sorted({word.strip() for word in words if not is_missing(word)})
    option = ",".join(f"{word}=…" for word in said)
    return f"State the score of each one: --labels '{option}'."


def _by_bare_label(labels: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for label, number in labels.items():
        if not math.isfinite(number):
            what, remedy = f"the score of '{label}' is {number}.", "Give each label a number."
            raise UsageError(Problem(what, remedy, field="--labels"))
        if found.setdefault(_bare(label), number) != number:
            what = f"'{label}' is given twice, with different numbers."
            remedy = (
                "Labels that differ only in capitals count as equal. Give each label one number."
            )
            raise UsageError(Problem(what, remedy, field="--labels"))
    return found


def _bare(word: str) -> str:
    return " ".join(word.split()).casefold()
