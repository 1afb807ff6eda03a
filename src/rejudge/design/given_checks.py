"""Checks among the batches of an earlier study: which check of the study a task is, and its answer.

The original's control tasks show a reference, the input or a text of their own instead of outputs.
They are recognised by their texts, or by the names `reference` and `input`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rejudge.design.batch_table import BatchRow, OptionCells
from rejudge.design.plan import INPUT, REFERENCE, Expected, Task, made_text, reference_of
from rejudge.english import join_quoted
from rejudge.study import LETTERS, Check, Gold, Instruction, Item, Question, Study, page_text

_REFERENCES = frozenset({"reference", "gold", "@reference"})
_INPUTS = frozenset({"input", "@input", "copy"})
_PAIR = 2


@dataclass(frozen=True, slots=True)
class NoCheck:
    """Why a task cannot be a check of the study, and what to do."""

    what: str
    remedy: str


class CheckReader:
    """Reads tasks whose right answer is known; keeps the texts that only they show."""

    def __init__(self, study: Study) -> None:
        self.texts: dict[str, str] = {}
        self._study = study
        self._checks = {check.id: check for check in study.spec.checks}
        self._references = {
            page_text(item.reference): item.id for item in reversed(study.items) if item.reference
        }

    def is_likely(self, row: BatchRow, item: Item, known: Sequence[str | None]) -> bool:
        """Whether what is not a system is at least a reference or the input."""
        strangers = [o for o, s in zip(row.options, known, strict=True) if s is None]
        return all(self._option("", item, option) in {REFERENCE, INPUT} for option in strangers)

    def read(
        self, name: str, row: BatchRow, item: Item, known: Sequence[str | None]
    ) -> Task | NoCheck:
        """The task, or why it cannot be a check of the study."""
        options: list[str] = []
        for place, (option, system) in enumerate(zip(row.options, known, strict=True)):
            found = system or self._option(f"{name}-{LETTERS[place]}", item, option)
            if found is None:
                shown = option.system or "an unnamed output"
                return NoCheck(
                    f"{shown!r} is not a system, and its text is not given.",
                    "Add the texts, such as outputa and outputb, or write reference or input.",
                )
            options.append(found)
        check = self._check(row, options)
        if isinstance(check, NoCheck):
            return check
        for place, option_id in enumerate(options):
            if option_id == made_text(f"{name}-{LETTERS[place]}"):
                self.texts[f"{name}-{LETTERS[place]}"] = row.options[place].text or ""
        return self._task(name, row, item, (check, tuple(options)))

    def _option(self, key: str, item: Item, option: OptionCells) -> str | None:
        """What is shown: the reference, the input, another item's reference, or a text."""
        name = option.system.casefold()
        if option.text is None:
            if name.startswith("@reference:"):
                other = option.system.partition(":")[2]
                return reference_of(other) if other in self._study.item else None
            return REFERENCE if name in _REFERENCES else INPUT if name in _INPUTS else None
        shown = page_text(option.text)
        if item.reference and shown == page_text(item.reference):
            return REFERENCE
        if shown == page_text(item.input):
            return INPUT
        other = self._references.get(shown, "")
        return reference_of(other) if other else made_text(key)

    def _check(self, row: BatchRow, options: Sequence[str]) -> Check | NoCheck:
        named = row.cells.get("check")
        if named is not None:
            return self._checks.get(named) or NoCheck(
                f"the study has no check '{named}'.",
                f"The checks are {join_quoted(self._checks) or 'none'}; add it to study.yaml.",
            )
        fitting = [check for check in self._checks.values() if _fits(check, options)]
        if len(fitting) == 1:
            return fitting[0]
        if not fitting:
            contrast = "input" if INPUT in options else "other-reference"
            return NoCheck(
                "this task shows texts other than outputs, and no check of the study fits it.",
                f"Add a gold check with `contrast: {contrast}` to study.yaml, or remove the task.",
            )
        return NoCheck(
            f"this task could be any of the checks {join_quoted(c.id for c in fitting)}.",
            "Name the one it is in a column `check`.",
        )

    def _task(
        self, name: str, row: BatchRow, item: Item, found: tuple[Check, tuple[str, ...]]
    ) -> Task | NoCheck:
        check, options = found
        question = next(q for q in self._study.spec.questions if q.id == check.question)
        answer = row.cells.get("answer", "").casefold()
        if answer and question.is_comparison and answer not in LETTERS[: len(options)]:
            letters = join_quoted(LETTERS[: len(options)])
            return NoCheck(f"the right answer {answer!r} is not one of {letters}.", "Correct it.")
        if isinstance(check, Instruction):
            return _instructed(name, row, item, (check, options, question, answer))
        bad = _bad_place(check, options)
        if answer and question.is_comparison:
            expected: Expected | None = Expected(question.id, best=answer)
        else:
            expected = _expected(check, question, bad, len(options))
        if expected is None:
            remedy = "Give the letter of the right answer in a column `answer`."
            return NoCheck("the right answer of this check cannot be determined.", remedy)
        return Task(name, item.id, options, "check", check.id, expected)


def _fits(check: Check, options: Sequence[str]) -> bool:
    """Whether it can only be this check: beside the text that must lose there is the reference.

    A misspelt system has a text that is neither, and is not taken for a check.
    """
    if isinstance(check, Instruction) or REFERENCE not in options:
        return False
    return _bad_place(check, options) is not None


def _bad_place(check: Check, options: Sequence[str]) -> int | None:
    """The place of the text that must lose; None where there is none, or more than one."""
    if isinstance(check, Gold) and check.contrast == "input":
        places = [place for place, option in enumerate(options) if option == INPUT]
    else:
        places = [
            p for p, option in enumerate(options) if option.startswith(("@text:", "@reference:"))
        ]
    return places[0] if len(places) == 1 else None


def _expected(check: Check, question: Question, bad: int | None, width: int) -> Expected | None:
    if isinstance(check, Instruction) or bad is None:
        return None
    if width == 1:
        at_most = question.lower_half if check.at_most is None else check.at_most
        return Expected(question.id, at_most=at_most)
    if width == _PAIR:
        return Expected(question.id, best=LETTERS[1 - bad])
    return Expected(question.id, worst=LETTERS[bad])


def _instructed(
    name: str, row: BatchRow, item: Item, found: tuple[Check, tuple[str, ...], Question, str]
) -> Task | NoCheck:
    check, options, question, answer = found
    if not answer or not isinstance(check, Instruction):
        remedy = "Give it in a column `answer`."
        return NoCheck("the answer that this instruction asks for is missing.", remedy)
    if question.is_comparison:
        expected = Expected(question.id, best=answer)
        spelt = answer.upper()
    else:
        try:
            number = float(answer)
        except ValueError:
            return NoCheck(f"the right answer {answer!r} is not a number.", "Correct it.")
        low, high = number - question.slack, number + question.slack
        expected = Expected(question.id, at_least=low, at_most=high)
        spelt = question.spell(number)
    text = row.cells.get("instruction") or check.text.replace("{answer}", spelt)
    return Task(name, item.id, options, "check", check.id, expected, text)
