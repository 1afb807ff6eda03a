"""What a YAML parser complains of, in words that say what to do."""

from __future__ import annotations

import yaml

from rejudge.errors import Problem

# part of the parser's words → (what, remedy, whether the beginning of the thing is the place)
_WORDS: tuple[tuple[str, str, str, bool], ...] = (
    (
        "character '\\t'",
        "a tab stands here, which YAML does not allow.",
        "Indent with spaces.",
        False,
    ),
    (
        "mapping values are not allowed",
        "a ': ' stands where none can be.",
        "Put a text with ': ' in quotes, indent keys alike, leave a space after each colon above.",
        False,
    ),
    (
        "could not find expected ':'",
        "this line has no ': ' after its key.",
        "Write `key: value`, or indent the line if it belongs to the text above.",
        True,
    ),
    (
        "while scanning a quoted scalar",
        "the quote that is opened here is never closed.",
        "Close it, or write the text in the other kind of quotes.",
        True,
    ),
    (
        "while parsing a flow node",
        "a value or a closing bracket is missing here.",
        "Check brackets and commas, here and above.",
        False,
    ),
    (
        "while parsing a flow",
        "the bracket that is opened here is not closed, or a comma is missing.",
        "Check brackets and commas, and put texts inside brackets in quotes.",
        True,
    ),
    (
        "but found '<scalar>'",
        "words follow a value that has ended.",
        "Put the whole text in quotes, with the other kind of quotes inside.",
        False,
    ),
    (
        "expected <block end>",
        "this line is not indented like those it belongs to.",
        "Indent keys of one level by the same number of spaces.",
        False,
    ),
    (
        "expected alphabetic or numeric",
        "a text begins with *, & or !, which have a meaning of their own in YAML.",
        "Put the text in quotes.",
        False,
    ),
    (
        "cannot start any token",
        "a text begins with a character that YAML keeps for itself.",
        "Put the text in quotes.",
        False,
    ),
    (
        "unknown escape character",
        "in double quotes a backslash begins an escape, and this one is not known.",
        "Use single quotes, or write the backslash twice.",
        False,
    ),
)


def explain(error: yaml.YAMLError, text: str, *, file: str) -> Problem:
    """A syntax error with its line and what to do about it."""
    if isinstance(error, yaml.reader.ReaderError):
        return _unreadable(error, text, file=file)
    words = f"{getattr(error, 'context', None)} {getattr(error, 'problem', None)}"
    mark, begin = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    for part, what, remedy, at_beginning in _WORDS:
        if part in words:
            place = begin if at_beginning and begin is not None else mark
            return Problem(what, remedy, file=file, line=_line(place))
    return Problem(
        f"this is not YAML: {getattr(error, 'problem', None) or error}.",
        "Check indentation, colons and quotes here and on the line above.",
        file=file,
        line=_line(mark),
    )


def _unreadable(error: yaml.reader.ReaderError, text: str, *, file: str) -> Problem:
    character = chr(error.character) if isinstance(error.character, int) else str(error.character)
    before = text[: text.find(character)] if character in text else ""
    return Problem(
        f"the character U+{ord(character[0]):04X} cannot stand in YAML.",
        "Take it out; it is invisible in most editors.",
        file=file,
        line=before.count("\n") + 1,
    )


def _line(mark: yaml.Mark | None) -> int | None:
    return None if mark is None else mark.line + 1
