"""How the faults of a file are put in words: what is wrong, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import BaseModel

from rejudge.english import did_you_mean, join_quoted
from rejudge.study.analysis_plan import MULTIPLE
from rejudge.study.conduct import CURRENCY, EMAIL, LANGUAGE, REGION
from rejudge.study.parts import SLUG
from rejudge.study.publication import ORCID
from rejudge.study.schema import (
    field_at,
    kinds_at,
    known_keys,
    line_of_yaml,
    parts_at,
    sections_with,
)
from rejudge.study.yaml_file import Path

Words: TypeAlias = tuple[str, str]  # what, remedy

_LONG = 60
_PAIRS = ("design", "pairs")


@dataclass(frozen=True, slots=True)
class WrongValue:
    """One error of pydantic, with what is needed to put it in words."""

    path: Path  # in the file
    location: Path  # pydantic's: with the tags of unions
    root: type[BaseModel]  # what the whole file is
    value: Any  # whatever the file holds there
    context: Mapping[str, Any]  # pydantic's, by kind of error
    word: str | None  # the unquoted word in the file, if it is one
    message: str

    @property
    def name(self) -> str:
        """The key, or the name of the list that contains the value."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "the file")

    @property
    def shown(self) -> str:
        """The value in a few words."""
        if self.value is None:
            return "nothing"
        if isinstance(self.value, dict):
            return "a mapping"
        if isinstance(self.value, list | tuple):
            return "a list"
        if not isinstance(self.value, str):
            return self.word or str(self.value)
        return f"'{self.value}'" if len(self.value) <= _LONG else f"'{self.value[:_LONG]}…'"

    @property
    def example(self) -> str:
        """How the key could be written."""
        field = field_at(self.location, self.root)
        if field is None:
            return ""
        if not field.examples and (field.is_required() or field.default_factory):
            return ""
        value = (
            field.examples[0] if field.examples else field.get_default(call_default_factory=True)
        )
        return "" if value is None else f"`{self.name}: {line_of_yaml(value)}`"


def in_words(kind: str, found: WrongValue) -> Words:
    """What is wrong and what to do, by pydantic's kind of error."""
    if found.path[: len(_PAIRS)] == _PAIRS and kind not in _OF_A_NAME:
        return _no_pairs(found)
    if "pairs" in found.path[:-1] and kind not in _OF_A_NAME:
        return _A_PAIR
    if found.location[-1] == "[key]":
        return _wrong_key(kind, found)
    return _WORDS.get(kind, _otherwise)(found)


_OF_A_NAME = {"string_type", "string_pattern_mismatch"}


def _no_pairs(found: WrongValue) -> Words:
    if len(found.path) == len(_PAIRS):
        return (
            f"{found.shown} is neither `all` nor a list of pairs.",
            "Write `pairs: all` or for instance `pairs: [[baseline, ours]]`.",
        )
    return _A_PAIR


_A_PAIR: Words = (
    "a pair names exactly two systems.",
    "Write for instance `[baseline, ours]`.",
)


def _wrong_key(kind: str, found: WrongValue) -> Words:
    if kind == "string_pattern_mismatch":
        return explain_pattern(found.context["pattern"], str(found.value))
    return (
        f"'{found.value}' is not a number.",
        "The keys here are the points of the scale, for instance `labels: {1: bad, 5: good}`.",
    )


def _missing(found: WrongValue) -> Words:
    example = found.example
    return (
        f"'{found.name}' is missing.",
        f"Add it, for instance {example}." if example else "Add it.",
    )


def _unknown_key(found: WrongValue) -> Words:
    known = known_keys(parts_at(found.location[:-1], found.root))
    home = sections_with(found.name, found.root) if len(found.path) == 1 else ()
    near = did_you_mean(found.name, known)
    if home and not near:
        return (
            f"there is no key '{found.name}' at the top level.",
            f"Put it under {join_quoted(home)}, indented.",
        )
    return f"there is no key '{found.name}' here.", near or f"The keys are {join_quoted(known)}."


def _unknown_kind(found: WrongValue) -> Words:
    noun = _KINDS_OF.get(str(found.path[0]), "question")
    kinds = kinds_at(found.location, found.root)
    tag = found.context["tag"]
    near = f"Did you mean '{_MEANT[tag]}'?" if tag in _MEANT else did_you_mean(tag, kinds)
    return (
        f"'{tag}' is not a kind of {noun}.",
        f"{near} The kinds are {join_quoted(kinds)}.".lstrip(),
    )


_KINDS_OF = {"checks": "check", "arithmetic": "arithmetic"}
_MEANT = {
    "likert": "rating",
    "scale": "rating",
    "preference": "pairwise",
    "comparison": "pairwise",
    "bws": "best-worst",
    "sentences": "segments",
    "attention": "instruction",
}


def _no_kind(found: WrongValue) -> Words:
    return (
        "'kind' is missing.",
        f"Add it: `kind:` and one of {join_quoted(kinds_at(found.location, found.root))}.",
    )


def _unlisted_value(found: WrongValue) -> Words:
    known = [part.strip("' ") for part in found.context["expected"].replace(" or ", ",").split(",")]
    known = [word for word in known if word]
    choice = f"Write {'one of ' if len(known) > 1 else ''}{join_quoted(known)}"
    if found.value is None:
        return f"'{found.name}' is empty.", f"{choice}, or remove the key."
    near = did_you_mean(str(found.value), known)
    return f"{found.shown} is not known here.", f"{near} {choice}.".lstrip()


def _no_text(found: WrongValue) -> Words:
    if found.value is None:
        return f"'{found.name}' is empty.", _write(found) or "Write a text, or remove the key."
    if isinstance(found.value, list | tuple | dict):
        return f"{found.shown} was found where a text is expected.", _write(
            found
        ) or "Write a text."
    kind = "a truth value" if isinstance(found.value, bool) else "a number"
    word = found.word if found.word is not None else str(found.value)
    key = f"{found.name}: " if found.path and isinstance(found.path[-1], str) else ""
    return f"{word} is read as {kind}, not as a text.", f'Put it in quotes: `{key}"{word}"`.'


def _no_number(found: WrongValue) -> Words:
    noun = "a whole number" if found.message.endswith("integer") else "a number"
    if isinstance(found.value, str) and found.word is None and _is_number(found.value):
        return (
            f"{found.shown} is a text, because it is in quotes.",
            f"Remove the quotes: `{found.name}: {found.value}`.",
        )
    if found.value is None:
        return f"'{found.name}' is empty.", _write(found) or "Write a number, or remove it."
    return f"{found.shown} is not {noun}.", _write(found) or f"Write {noun}."


def _no_truth(found: WrongValue) -> Words:
    return (
        f"{found.shown} is neither true nor false.",
        f"Write `{found.name}: true` or `{found.name}: false`.",
    )


def _no_mapping(found: WrongValue) -> Words:
    if found.path[:1] == ("systems",) and found.word:
        return _no_text(found)
    if found.value is None:
        return f"'{found.name}' is empty.", _write(found) or "Fill it, or remove it."
    remedy = _write(found) or "Write keys and values, such as `id: …`, indented under it."
    return f"{found.shown} was found where keys and values are expected.", remedy


def _no_list(found: WrongValue) -> Words:
    if found.value is None:
        remedy = _write(found) or "Give it entries, or remove the key."
        return f"'{found.name}' is empty.", remedy
    return f"{found.shown} was found where a list is expected.", (
        _write(found) or f"Write `{found.name}: [ … ]`, or one entry per line after `- `."
    )


def _too_few(found: WrongValue) -> Words:
    if "pattern" not in found.context and isinstance(found.value, str):
        return f"'{found.name}' is empty.", _write(found) or "Write a text."
    return f"'{found.name}' has no entries.", _write(found) or "Add one."


def _too_many(found: WrongValue) -> Words:
    most, given = found.context["max_length"], len(found.value)
    return f"'{found.name}' has {given} entries.", f"At most {most} are possible."


def _bound(key: str, words: str) -> Callable[[WrongValue], Words]:
    def explain(found: WrongValue) -> Words:
        limit = found.context[key]
        return f"'{found.name}' is {found.shown}.", f"It must be {words} {limit:g}."

    return explain


def _not_finite(found: WrongValue) -> Words:
    return f"{found.shown} is not a finite number.", _write(found) or "Write a number."


def _pattern(found: WrongValue) -> Words:
    return explain_pattern(found.context["pattern"], str(found.value))


def _own_words(found: WrongValue) -> Words:
    """Our own validators say “what. Remedy.”"""
    what, _, remedy = found.message.removeprefix("Value error, ").partition(". ")
    return what.rstrip(".") + ".", remedy


def _otherwise(found: WrongValue) -> Words:
    return f"{found.shown} does not fit here: {found.message}.", _write(found)


def _write(found: WrongValue) -> str:
    return f"Write for instance {found.example}." if found.example else ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


_WORDS: Mapping[str, Callable[[WrongValue], Words]] = {
    "missing": _missing,
    "extra_forbidden": _unknown_key,
    "union_tag_invalid": _unknown_kind,
    "union_tag_not_found": _no_kind,
    "literal_error": _unlisted_value,
    "string_type": _no_text,
    "string_too_short": _too_few,
    "string_pattern_mismatch": _pattern,
    "int_type": _no_number,
    "float_type": _no_number,
    "finite_number": _not_finite,
    "bool_type": _no_truth,
    "model_type": _no_mapping,
    "dict_type": _no_mapping,
    "tuple_type": _no_list,
    "too_short": _too_few,
    "too_long": _too_many,
    "greater_than_equal": _bound("ge", "at least"),
    "greater_than": _bound("gt", "more than"),
    "less_than_equal": _bound("le", "at most"),
    "less_than": _bound("lt", "less than"),
    "value_error": _own_words,
    "wrong_key": _own_words,
}


def explain_pattern(pattern: str, value: str) -> tuple[str, str]:
    """What is wrong with a value that does not fit a pattern, and what would fit."""
    what, remedy, suggest = _PATTERNS[pattern]
    better = suggest(value)
    is_better = better != value and re.match(pattern, better) is not None
    hint = f", for instance {better}" if is_better else ""
    if not value.strip():
        return "the value is empty.", f"{remedy}."
    return f"'{value}' is {what}.", f"{remedy}{hint}."


def _digits(value: str) -> str:
    return value.rstrip("/").rpartition("/")[2]


def _slug(value: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", value).strip("-_.")[:64]


_PATTERNS: Mapping[str, tuple[str, str, Callable[[str], str]]] = {
    SLUG: (
        "not a short name",
        "Use letters a–z, digits, '.', '_' and '-', at most 64, a letter or digit first",
        _slug,
    ),
    CURRENCY: ("not a currency", "Write three capital letters such as GBP or EUR", str.upper),
    REGION: ("not a region", "Write two capital letters such as GB, or GB-LND", str.upper),
    LANGUAGE: ("not a language code", "Write for instance en, zh or pt-BR", str.lower),
    EMAIL: ("not an e-mail address", "Write for instance ada@example.org", str),
    ORCID: ("not an ORCID iD", "Write its 16 digits, such as 0000-0002-1825-0097", _digits),
    MULTIPLE: (
        "no way to treat multiple judgments",
        "Write first, each, mean, median, majority, drop or participant:ID",
        str.lower,
    ),
}
