"""Tasks with a known right answer: made from items that nobody judges, on a random side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rejudge.design.plan import INPUT, REFERENCE, Expected, made_text, reference_of
from rejudge.design.sampling import Chance
from rejudge.errors import DesignError, Problem
from rejudge.study import (
    LETTERS,
    Check,
    Gold,
    Instruction,
    Item,
    Nonsense,
    Question,
    Study,
)


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
            self.notes.append(
                "No items are left over for checks, so checks borrow items of other batches."
            )
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
        if width == 1:
            at_most = question.lower_half if check.at_most is None else check.at_most
            expected = Expected(question.id, at_most=at_most)
            return MadeCheck(check.id, item.id, (bad,), expected)
        good = _good_options(self._study, item, width - 1, chance)
        options = (*good[:place], bad, *good[place:])
        if width == 2:  # noqa: PLR2004 - of two, the other one is the best
            expected = Expected(question.id, best=LETTERS[1 - place])
        else:
            expected = Expected(question.id, worst=LETTERS[place])
        return MadeCheck(check.id, item.id, options, expected)

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
            f"the check '{check.id}' is aimed at '{check.question}', which is not asked.",
            f"Aim it at a question of the study ({asked}) or leave it out.",
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
    is_spaced = len(words) > 3  # noqa: PLR2004 - “two texts” without any space inside are two words
    return " ".join(chance.shuffle(words)) if is_spaced else "".join(chance.shuffle("".join(words)))
