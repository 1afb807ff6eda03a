"""Tasks with a known right answer: created for a plan, or recognised in given batches.

A plan creates them from items that nobody judges, with the bad option on a random side. The control
tasks of an earlier study show a reference, the input or a text of their own instead of outputs.
They are recognised by their texts, or by the names `reference` and `input`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rejudge.design.batch_table import BatchRow, OptionCells
from rejudge.design.plan import INPUT, REFERENCE, Expected, Task, made_text, reference_of
from rejudge.design.sampling import Chance
from rejudge.english import join_quoted
from rejudge.errors import DesignError, Problem
from rejudge.study.items import page_text
from rejudge.study.kinds.question import LETTERS, Question
from rejudge.study.model import Item, Study
from rejudge.study.procedure import Check, Gold, Instruction, Nonsense


@dataclass(frozen=True, slots=True)
class MadeCheck:
    """A check for one batch, before it has its place and its id."""

    check: str
    item: str
    options: tuple[str, ...]
    expected: Expected
    instruction: str | None = None


class CheckMaker:
    """Makes the checks of all batches, using spare items evenly and both sides equally often."""

    def __init__(self, study: Study, spare: Sequence[Item], chance: Chance, batches: int) -> None:
        self.texts: dict[str, str] = {}
        self.notes: list[str] = []
        self._study = study
        self._chance = chance
        self._questions = {check.id: _question(study, check) for check in study.spec.checks}
        self._spare = [item for item in spare if item.has_reference]
        self._has_spare = bool(self._spare)
        if study.spec.checks and not self._has_spare:
            self._spare = [item for item in study.items if item.has_reference]
            self.notes.append("No items are left for checks, so checks use items of other batches.")
        self._sources = chance.stream("sources").shuffle(self._spare)
        self._next = 0
        self._places = {
            check.id: self._balanced_places(check, batches * check.per_batch)
            for check in study.spec.checks
        }

    def make(self, batch: str, taken: frozenset[str]) -> list[MadeCheck]:
        """The checks of a batch, from items of groups that it does not show (`taken`)."""
        made = []
        used = set(taken)
        for check in self._study.spec.checks:
            for number in range(check.per_batch):
                item = self._source(check, used)
                used.add(item.group)
                other = self._source(check, used, unlike=item) if _needs_two(check) else item
                used.add(other.group)
                key = f"{batch}-{check.id}-{number + 1}"
                made.append(self._make(check, key, item, other))
        return made

    def _make(self, check: Check, key: str, item: Item, other: Item) -> MadeCheck:
        question = self._questions[check.id]
        width = question.shows(len(self._study.system_ids))
        place = self._places[check.id].pop()
        chance = self._chance.stream("options", key)
        if isinstance(check, Instruction):
            options = tuple(chance.sample(self._study.system_ids, width))
            text, expected = _instruct(check, question, place, chance)
            return MadeCheck(check.id, item.id, options, expected, instruction=text)
        bad = self._bad_option(check, key, item, other)
        good = [] if width == 1 else _good_options(self._study, item, width - 1, chance)
        options = (*good[:place], bad, *good[place:])
        return MadeCheck(check.id, item.id, options, _expected(check, question, place, width))

    def _bad_option(self, check: Check, key: str, item: Item, other: Item) -> str:
        if isinstance(check, Gold):
            return INPUT if check.contrast == "input" else reference_of(other.id)
        self.texts[key] = _word_salad(item, other, self._chance.stream("salad", key))
        return made_text(key)

    def _source(self, check: Check, used: set[str], unlike: Item | None = None) -> Item:
        for _ in range(len(self._sources)):
            item = self._sources[self._next % len(self._sources)]
            self._next += 1
            if item.group in used or not _fits(check, item):
                continue
            if unlike is None or (
                item.reference != unlike.reference and item.input != unlike.input
            ):
                return item
        raise DesignError(
            Problem(
                f"there are no items left to make the check '{check.id}' from: it needs "
                f"{'two items' if _needs_two(check) else 'an item'} with a reference that its "
                "batch does not show.",
                "Add items with a reference, or draw fewer inputs with items.sample.inputs.",
                file="study.yaml",
                field="checks",
            )
        )

    def _balanced_places(self, check: Check, count: int) -> list[int]:
        """The place of the marked option, each equally often, in random order."""
        width = self._questions[check.id].shows(len(self._study.system_ids))
        chance = self._chance.stream("places", check.id)
        start = chance.below(width)
        return chance.shuffle([(start + i) % width for i in range(count)])


def _question(study: Study, check: Check) -> Question:
    for question in study.spec.questions:
        if question.id == check.question:
            return question
    asked = ", ".join(question.id for question in study.spec.questions)
    raise DesignError(
        Problem(
            f"the check '{check.id}' is about '{check.question}', which is not asked.",
            f"Choose a question of the study ({asked}), or remove the check.",
            file="study.yaml",
            field="checks",
        )
    )


def _needs_two(check: Check) -> bool:
    """Whether the text of another item is shown too."""
    is_against_other = isinstance(check, Gold) and check.contrast == "other-reference"
    return is_against_other or isinstance(check, Nonsense)


def _fits(check: Check, item: Item) -> bool:
    """A gold check against the input needs a reference that is not the input itself."""
    is_against_input = isinstance(check, Gold) and check.contrast == "input"
    return not (is_against_input and item.reference == item.input)


def _good_options(study: Study, item: Item, count: int, chance: Chance) -> list[str]:
    """The reference first of all; more than one good option is filled up with outputs."""
    twins = (item.reference, item.input)  # shown last of all: two of a kind make an odd task
    systems = sorted(
        chance.shuffle(study.system_ids), key=lambda s: study.output(item.id, s) in twins
    )
    return chance.shuffle([REFERENCE, *systems[: count - 1]])


def _instruct(
    check: Instruction, question: Question, place: int, chance: Chance
) -> tuple[str, Expected]:
    """The words of an instruction and the answer it asks for."""
    if question.is_comparison:
        expected = Expected(question.id, best=LETTERS[place])
        return check.text.replace("{answer}", LETTERS[place].upper()), expected
    number, slack = chance.choice(question.instructed_scores), question.slack
    expected = Expected(question.id, at_least=number - slack, at_most=number + slack)
    return check.text.replace("{answer}", question.spell(number)), expected


def _word_salad(item: Item, other: Item, chance: Chance) -> str:
    """Words of two texts, mixed; characters, where words are not set apart by spaces."""
    text = f"{item.reference} {other.reference}"
    words = text.split()
    is_spaced = len(words) > 3
    return " ".join(chance.shuffle(words)) if is_spaced else "".join(chance.shuffle("".join(words)))


_REFERENCES = frozenset({"reference", "gold", "@reference"})
_INPUTS = frozenset({"input", "@input", "copy"})


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
        fitting = [check for check in self._checks.values() if _must_be(check, options)]
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
            return _read_instruction(name, row, item, (check, options, question, answer))
        bad = _bad_place(check, options)
        if answer and question.is_comparison:
            expected = Expected(question.id, best=answer)
        elif bad is not None:
            expected = _expected(check, question, bad, len(options))
        else:
            remedy = "Give the letter of the right answer in a column `answer`."
            return NoCheck("the right answer of this check cannot be determined.", remedy)
        return Task(name, item.id, options, "check", check.id, expected)


def _must_be(check: Check, options: Sequence[str]) -> bool:
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


def _expected(check: Gold | Nonsense, question: Question, bad: int, width: int) -> Expected:
    """The answers that are right when the option at `bad` must lose."""
    if width == 1:
        at_most = question.lower_half if check.at_most is None else check.at_most
        return Expected(question.id, at_most=at_most)
    if width == 2:
        return Expected(question.id, best=LETTERS[1 - bad])
    return Expected(question.id, worst=LETTERS[bad])


def _read_instruction(
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
