"""Under which terms a bundle may be used: licences by their SPDX identifier, or an address."""

from __future__ import annotations

from dataclasses import dataclass

from rejudge.errors import Problem, UsageError

REMEDY = "Say under which terms others may use it, such as --licence CC-BY-4.0."


@dataclass(frozen=True, slots=True)
class Licence:
    """The terms of use of a bundle."""

    id: str  # SPDX identifier, or the address again
    name: str
    url: str
    asks_the_same: bool = False  # what is made from it must have the same licence


def _creative_commons(id_: str, words: str, *, asks_the_same: bool = False) -> Licence:
    path = id_.removeprefix("CC-").removesuffix("-4.0").lower()
    url = f"https://creativecommons.org/licenses/{path}/4.0/"
    return Licence(id_, f"Creative Commons {words} 4.0 International", url, asks_the_same)


LICENCES: dict[str, Licence] = {
    licence.id: licence
    for licence in (
        Licence(
            "CC0-1.0",
            "Creative Commons Zero 1.0 Universal",
            "https://creativecommons.org/publicdomain/zero/1.0/",
        ),
        _creative_commons("CC-BY-4.0", "Attribution"),
        _creative_commons("CC-BY-SA-4.0", "Attribution-ShareAlike", asks_the_same=True),
        _creative_commons("CC-BY-NC-4.0", "Attribution-NonCommercial"),
        _creative_commons(
            "CC-BY-NC-SA-4.0", "Attribution-NonCommercial-ShareAlike", asks_the_same=True
        ),
        Licence(
            "ODC-By-1.0",
            "Open Data Commons Attribution License 1.0",
            "https://opendatacommons.org/licenses/by/1-0/",
        ),
        Licence(
            "ODbL-1.0",
            "Open Data Commons Open Database License 1.0",
            "https://opendatacommons.org/licenses/odbl/1-0/",
            asks_the_same=True,
        ),
        Licence("MIT", "MIT License", "https://spdx.org/licenses/MIT.html"),
        Licence("Apache-2.0", "Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0"),
    )
}


def licence_of(given: str) -> Licence:
    """A licence by its identifier, whatever its case, or by the address of its text."""
    word = given.strip()
    by_id = {id_.casefold(): licence for id_, licence in LICENCES.items()}
    if word.casefold() in by_id:
        return by_id[word.casefold()]
    if word.startswith(("https://", "http://")) and not any(map(str.isspace, word)):
        return Licence(word, word, word)
    raise UsageError(
        Problem(
            f"'{given}' is no licence that is known here.",
            f"Give one of {', '.join(LICENCES)}, or the address of its text (https://…).",
        )
    )


def clash(original: Licence, chosen: Licence) -> Problem | None:
    """Why what is made from an original may not be passed on under a licence; None: it may."""
    if not original.asks_the_same or original.id == chosen.id:
        return None
    return Problem(
        f"the original is under {original.id}, which asks for the same licence again.",
        f"Use --licence {original.id}, or ask its authors.",
    )
