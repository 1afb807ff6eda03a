"""What the people of a rehearsal are like. Together they do all that real people do to a site."""

from __future__ import annotations

from dataclasses import dataclass

_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Character:
    """How somebody behaves; what they think of the texts is another matter."""

    name: str
    means: str  # in a few words, for the table at the end
    share: int  # so many of a round of twenty
    is_careless: bool = False  # answers without looking
    is_one_sided: bool = False  # answers always the same
    is_scripted: bool = False  # with JavaScript: saves each answer as the pages' script does
    pace: float = 1.0  # seconds taken, relative to others
    leaves_after: float | None = None  # this share of the first batch
    back_after: float | None = None  # seconds; None: never
    refreshes: bool = False  # reloads, goes back, sends twice
    has_two_tabs: bool = False
    declines: bool = False


CHARACTERS: tuple[Character, ...] = (
    Character("careful", "reads and decides", share=4),
    Character("scripted", "the same, with JavaScript", share=4, is_scripted=True),
    Character("careless", "answers without looking", share=2, is_careless=True),
    Character("fast", "decides in no time", share=1, pace=0.15),
    Character("one-sided", "always the same answer", share=1, is_one_sided=True),
    Character(
        "returning",
        "goes on later, on another device",
        share=2,
        leaves_after=0.5,
        back_after=0.3 * _HOUR,
    ),
    Character("two tabs", "works in two windows at once", share=1, has_two_tabs=True),
    Character("leaving", "never comes back", share=1, leaves_after=0.4),
    Character("refreshing", "reloads, goes back, sends twice", share=2, refreshes=True),
    Character(
        "late", "comes back a day too late", share=1, leaves_after=0.7, back_after=26 * _HOUR
    ),
    Character("declining", "does not consent", share=1, declines=True),
)


def cast(people: int) -> tuple[Character, ...]:
    """The characters of so many people: rounds of twenty, each spread as evenly as it can be.

    Whoever leaves comes early in a round, so that there is somebody to take the place.
    """
    once = _spread(CHARACTERS)
    rounds = -(-people // len(once))
    return (once * rounds)[:people]


def _spread(characters: tuple[Character, ...]) -> tuple[Character, ...]:
    """Each character at even distances: the j-th of n stands at (j + ½) / n of the round."""
    placed = [
        ((turn + 0.5) / character.share, number, character)
        for number, character in enumerate(characters)
        for turn in range(character.share)
    ]
    return tuple(character for _, _, character in sorted(placed, key=lambda each: each[:2]))
