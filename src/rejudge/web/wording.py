"""The words of buttons and messages, by language, from catalogues that a study can extend."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from string import Formatter

from rejudge.errors import Problem, StudyError
from rejudge.study.parse import INTERFACE

LANGUAGES = ("en", "de", "nl", "es", "zh", "ar")
_EXAMPLE = 'Write, for example, {"next": "Continue"}.'
_RIGHT_TO_LEFT = {"ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"}


class Words:
    """The texts of the interface in one language; an unknown key is returned as it is."""

    def __init__(self, language: str, own: Mapping[str, str] | None = None) -> None:
        known = language.partition("-")[0]
        has_catalogue = known in LANGUAGES
        own = own or {}
        # own words can make up a whole language; else what has no words in it is English
        self.language = language if has_catalogue or own else "en"
        self._texts = {**catalogue(known if has_catalogue else "en"), **own}

    @property
    def direction(self) -> str:
        """The direction of writing: `ltr` or `rtl`."""
        return "rtl" if self.language.partition("-")[0] in _RIGHT_TO_LEFT else "ltr"

    def __call__(self, key: str, **given: object) -> str:
        return self._texts[key].format(**given) if given else self._texts[key]

    def of(self, *keys: str) -> dict[str, str]:
        """Some texts, unchanged, for the script."""
        return {key: self._texts[key] for key in keys}


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """The texts of one of the languages shipped with rejudge."""
    file = resources.files("rejudge.web") / "catalogue" / f"{language}.json"
    texts: dict[str, str] = json.loads(file.read_text("utf-8"))
    return texts


def read_interface(text: bytes, *, file: str = INTERFACE) -> dict[str, str]:
    """Read a study's own texts; raise a StudyError with every problem."""
    try:
        own = json.loads(text.decode("utf-8-sig"))
        json.dumps(own, ensure_ascii=False).encode("utf-8")  # half a character cannot be shown
    except (ValueError, RecursionError) as error:
        raise StudyError(
            Problem(
                f"this is not JSON: {error}.",
                _EXAMPLE,
                file=file,
            )
        ) from None
    if not isinstance(own, dict):
        raise StudyError(
            Problem(
                "this must map names to texts, but is a list or a single value.",
                _EXAMPLE,
                file=file,
            )
        )
    problems = [
        Problem(what, remedy, file=file, field=str(key))
        for key, words in own.items()
        for what, remedy in _faults(key, words)
    ]
    if problems:
        raise StudyError(*problems)
    return own


def placeholders(text: str) -> set[str]:
    """The placeholders of a text, such as {number}, with their format if they have one."""
    return {
        name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
        for _, name, spec, conversion in Formatter().parse(text)
        if name is not None
    }


def _faults(key: str, words: object) -> list[tuple[str, str]]:
    english = catalogue("en")
    if key not in english:
        return [("there is no text with this name.", f"Known names: {', '.join(sorted(english))}.")]
    if not isinstance(words, str) or not words.strip():
        return [("this is not text.", "Write the text in quotes.")]
    try:
        unknown_names = placeholders(words) - placeholders(english[key])
    except ValueError:
        return [("a brace is not closed.", "Write {{ for a literal brace.")]
    if unknown_names:
        return [
            (
                f"there is no value for {', '.join(sorted(unknown_names))}.",
                f"In English: {english[key]}",
            )
        ]
    return []
