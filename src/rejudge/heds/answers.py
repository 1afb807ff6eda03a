"""One answer of a datasheet: given, said to be absent, or blank."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from rejudge import fingerprint
from rejudge.errors import DataError, Problem
from rejudge.heds.schema import VERSIONS, SheetQuestion, schema

AnswerState: TypeAlias = Literal["value", "absent", "blank"]

_MARKS: Final = frozenset(
    ("n/a", "na", "n.a", "n. a", "none", "no", "nil", "-", "–", "—", "not applicable")
)
_WITH_REASON: Final = re.compile(r"n/a\s*[.:;,(–—-]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SheetAnswer:
    """What a sheet says to one question: ticked options, text, or both.

    To write an answer, give `text`, `options` (keys) or both; `SheetAnswer(is_absent=True)` writes
    what the form asks for where there is nothing to say, and `SheetAnswer()` clears the answer.
    """

    text: str = ""  # of a choice: the explanation that belongs to a ticked option
    options: tuple[int, ...] = ()
    is_absent: bool = False  # the sheet says that there is nothing to say

    @property
    def state(self) -> AnswerState:
        """Whether there is a value, a statement that there is none, or nothing at all."""
        if self.is_absent:
            return "absent"
        return "value" if self.text.strip() or self.options else "blank"


def answer_hash(answer: SheetAnswer) -> str:
    """The fingerprint of an answer, to see whether somebody has changed it since."""
    text = answer.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return fingerprint.of_json([*sorted(answer.options), text])


def describe_answer(question: SheetQuestion, answer: SheetAnswer) -> str:
    """An answer in words: the names of the ticked options, and the text."""
    names = "; ".join(question.option(key).name for key in answer.options)
    return join_parts([names, answer.text.strip()])


def join_parts(parts: Sequence[str]) -> str:
    """Options and explanation in one line; an option may end with a full stop."""
    said = [part for part in parts if part]
    signs = (" " if part.endswith(".") else ": " for part in said[:-1])
    return "".join(part + sign for part, sign in zip(said[:-1], signs, strict=True)) + "".join(
        said[-1:]
    )


def says_absent(question: SheetQuestion, text: str, options: tuple[int, ...]) -> bool:
    """Whether an answer says that there is nothing to say, in any of the usual ways."""
    if question.is_choice:
        return bool(options) and all(question.option(key).is_absent for key in options)
    return is_bare_mark(question, text) or bool(_WITH_REASON.match(text.strip()))


def is_bare_mark(question: SheetQuestion, text: str) -> bool:
    """Whether a text is one of the usual marks, such as N/A, without a reason."""
    said = text.strip().rstrip(".").casefold()
    return said in _MARKS or said in _conventions(question)


def written_form(question: SheetQuestion, answer: SheetAnswer) -> SheetAnswer:
    """An answer as the file holds it: known options, the usual mark, no stray line breaks."""
    options = tuple(sorted(set(answer.options)))
    _refuse_options(question, options)
    text = _clean(question, answer.text)
    if answer.is_absent and not text and not options:
        text, options = _absence(question)
    return SheetAnswer(text, options, is_absent=says_absent(question, text, options))


def _absence(question: SheetQuestion) -> tuple[str, tuple[int, ...]]:
    if not question.is_choice:
        return question.absent or "N/A", ()
    for option in question.options:
        if option.is_absent:
            return "", (option.key,)
    what = f"Question {question.number} has no option for 'not applicable'."
    raise DataError(Problem(what, "Choose one of its options."))


def _refuse_options(question: SheetQuestion, options: tuple[int, ...]) -> None:
    known = len(question.options)
    for key in options:
        if not 1 <= key <= known:
            what = f"Question {question.number} has no option {key}."
            remedy = f"Its options are 1 to {known}." if known else "It is answered with a text."
            raise DataError(Problem(what, remedy))
    if question.kind == "single" and len(options) > 1:
        what = f"Question {question.number} takes one option, but {len(options)} were given."
        raise DataError(Problem(what, "Choose one."))


def _clean(question: SheetQuestion, text: str) -> str:
    """The form deletes line breaks in one-line fields and joins the words; a blank keeps them."""
    if not text.strip():  # the form stalls on answers of blanks only
        return ""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if question.multiline or question.is_choice:
        return lines
    return re.sub(r"[ \t]*\n\s*", " ", lines.strip("\n"))


def _conventions(question: SheetQuestion) -> frozenset[str]:
    """What either version asks people to write where there is nothing to say."""
    number = question.number
    twins = (schema(version) for version in VERSIONS)
    stated = [each.question(number).absent for each in twins if each.has(number)]
    return frozenset(text.casefold() for text in (question.absent, *stated) if text)
