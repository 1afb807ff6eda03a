"""A YAML text as plain values, with the line of each of them.

Anchors, aliases and tags are refused: none is needed, and without them a small file cannot grow
into a large value. Keys are always text, as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from rejudge.errors import Problem, StudyError
from rejudge.fingerprint import Json

Path: TypeAlias = tuple[str | int, ...]

MOST_LISTED = 100  # problems of one study
_DEEPEST = 20  # our files need six levels
_NUMBER = re.compile(r"[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[-+]?\d{1,100}", re.ASCII)
# tabs, other line breaks, byte order marks, half characters; documents; comments that touch a block
# sign; explicit keys
_READ_DIFFERENTLY = re.compile(
    "[\t\x85\u2028\u2029\ufeff\ud800-\udfff]|^(---|\\.\\.\\.)|[|>][-+\\d]*#|[\\[{,]\\s*\\?",
    re.MULTILINE,
)
_CONSTANTS: Mapping[str, Json] = {
    # YAML 1.1 reads yes, no, on and off as truth values, and so do most programs
    **dict.fromkeys(("true", "yes", "on"), True),
    **dict.fromkeys(("false", "no", "off"), False),
    **dict.fromkeys(("", "~", "null"), None),
    **dict.fromkeys((".inf", "+.inf"), float("inf")),
    "-.inf": float("-inf"),
    ".nan": float("nan"),
}


@dataclass(frozen=True, slots=True)
class YamlFile:
    """The values of a YAML mapping, their lines, and how plain words were written."""

    values: dict[str, Json]
    lines: Mapping[Path, int]
    words: Mapping[Path, str]  # unquoted scalars, as they are in the file
    problems: tuple[Problem, ...] = ()  # faults that leave the rest readable

    def line(self, path: Path) -> int:
        """The line of a value, or of the nearest mapping or list around it."""
        while path not in self.lines:
            path = path[:-1]
        return self.lines[path]


def read_yaml(
    text: str,
    *,
    file: str,
    beginning: str = "`rejudge new DIR` writes one to begin with.",
    example: str = "`id: my-study` and `title: My study`",
) -> YamlFile:
    """The mapping that a YAML text holds; duplicate keys are reported, the first one counts.

    `beginning` says how somebody with an empty file gets one to begin with, `example` what its
    lines look like.
    """
    builder = _build_quickly(text, file)
    if builder is None:
        try:
            builder = _build_slowly(text, file)
        except yaml.YAMLError as error:
            raise StudyError(explain(error, text, file=file)) from None
    if builder.root is None:
        raise StudyError(Problem("the file is empty.", beginning, file=file))
    if not isinstance(builder.root, dict):
        raise StudyError(
            Problem(
                "the file has no keys and values.",
                f"Begin with lines such as {example}.",
                file=file,
                line=builder.lines[()],
            )
        )
    problems = tuple(builder.problems)
    return YamlFile(builder.root, builder.lines, builder.words, problems)


def _build_quickly(text: str, file: str) -> _Builder | None:
    """The same from the parser in C, ten times as fast; None where the two may not agree.

    The C parser accepts a little more (such as a `?` in a word in brackets), numbers the lines of a
    few empty values differently, and has other messages. Such texts and all errors are therefore
    left to the parser in Python.
    """
    loader = getattr(yaml, "CSafeLoader", None)  # PyYAML can be built without it
    if loader is None or _READ_DIFFERENTLY.search(text):
        return None
    builder, brackets = _Builder(file), 0
    try:
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.CollectionStartEvent):
                brackets += bool(brackets or event.flow_style)
            elif isinstance(event, yaml.CollectionEndEvent):
                brackets -= bool(brackets)
            elif brackets and "?" in getattr(event, "value", "") and not event.style:
                return None
            builder.take(event)
    except (yaml.YAMLError, StudyError):
        return None
    return builder


def _build_slowly(text: str, file: str) -> _Builder:
    builder = _Builder(file)
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        builder.take(event)
    return builder


def refuse_other_format(written: YamlFile, known: int, *, file: str) -> None:
    """Refuse a file of another format than the one that is known."""
    given = written.values.get("format", known)
    if isinstance(given, int) and not isinstance(given, bool) and given != known:
        raise StudyError(
            Problem(
                f"the file has format {given}; this version of rejudge reads {known}.",
                f"Write `format: {known}`, or read it with the version that it was written for.",
                file=file,
                line=written.line(("format",)),
                field="format",
            )
        )


def in_order(problems: Iterable[Problem], *, first: str) -> list[Problem]:
    """Each problem once: the file itself before others, then by line; sums at the end.

    Of very many, the first are listed and the rest counted.
    """

    def place(problem: Problem) -> tuple[bool, str, bool, int]:
        file = problem.file or ""
        return file != first, file, problem.line is None, problem.line or 0

    listed = sorted(dict.fromkeys(problems), key=place)
    more = len(listed) - MOST_LISTED
    return listed if more <= 1 else [*listed[:MOST_LISTED], count_more(more, file=first)]


def count_more(number: int, *, file: str) -> Problem:
    """What is said about problems that are not listed."""
    return Problem(f"{number:,} more problems were found.", "Correct these first.", file=file)


def field_name(path: Path) -> str | None:
    """A path as people write it, such as `questions[2].points`."""
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return name.removeprefix(".") or None


@dataclass(slots=True)
class _Level:
    """A mapping or list that is being filled."""

    value: dict[str, Json] | list[Json]
    path: Path
    key: str | None = None  # read, its value still to come
    line_of_key: dict[object, int] = field(default_factory=dict)
    is_repeated: bool = False  # the value to come belongs to a key that was there before


@dataclass(slots=True)
class _Builder:
    """Puts the events of the YAML parser together without recursion."""

    file: str
    root: Json = None
    has_document: bool = False
    lines: dict[Path, int] = field(default_factory=dict)
    words: dict[Path, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    levels: list[_Level] = field(default_factory=list)

    def take(self, event: yaml.Event) -> None:
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.DocumentStartEvent):
            self._begin_document(line)
        elif isinstance(event, yaml.AliasEvent):
            raise self._not_plain("an alias (*)", line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.levels.pop()
        elif isinstance(event, yaml.NodeEvent):
            self._refuse_decoration(event, line)
            self._take_node(event, line)

    def _begin_document(self, line: int) -> None:
        if self.has_document:
            raise StudyError(
                Problem(
                    "a second document begins here.",
                    "Remove the line `---`; one file is one document.",
                    file=self.file,
                    line=line,
                )
            )
        self.has_document = True

    def _refuse_decoration(self, event: yaml.NodeEvent, line: int) -> None:
        if event.anchor:
            raise self._not_plain("an anchor (&)", line)
        if getattr(event, "tag", None):
            raise self._not_plain("a tag (!)", line)

    def _not_plain(self, what: str, line: int) -> StudyError:
        return StudyError(
            Problem(
                f"{what} is used here, which rejudge does not support.",
                "Write the value out; a text that begins with *, & or ! must be in quotes.",
                file=self.file,
                line=line,
            )
        )

    def _take_node(self, event: yaml.NodeEvent, line: int) -> None:
        level = self.levels[-1] if self.levels else None
        if level is not None and isinstance(level.value, dict) and level.key is None:
            self._take_key(level, event, line)
            return
        path = self._place(level, line)
        if isinstance(event, yaml.ScalarEvent):
            self._attach(level, self._scalar(event, path, line))
            return
        value: dict[str, Json] | list[Json] = (
            {} if isinstance(event, yaml.MappingStartEvent) else []
        )
        self._attach(level, value)
        if len(self.levels) == _DEEPEST:
            raise StudyError(
                Problem(
                    f"values are nested more than {_DEEPEST} deep here.",
                    "Check the brackets and the indentation.",
                    file=self.file,
                    line=line,
                )
            )
        self.levels.append(_Level(value, path))

    def _place(self, level: _Level | None, line: int) -> Path:
        if level is None:
            path: Path = ()
        elif isinstance(level.value, list):
            path = (*level.path, len(level.value))
        else:
            path = (*level.path, level.key or "")
        self.lines.setdefault(path, line)
        return path

    def _attach(self, level: _Level | None, value: Json) -> None:
        if level is None:
            self.root = value
        elif isinstance(level.value, list):
            level.value.append(value)
        elif level.key is not None:
            if not level.is_repeated:
                level.value[level.key] = value
            level.key, level.is_repeated = None, False

    def _take_key(self, level: _Level, event: yaml.NodeEvent, line: int) -> None:
        if not isinstance(event, yaml.ScalarEvent):
            raise StudyError(
                Problem(
                    "a list or a mapping was found where a key is expected.",
                    "Put a text that begins with [ or { in quotes.",
                    file=self.file,
                    line=line,
                )
            )
        key = self._plain_unicode(event.value, line)
        number = None if event.style else _resolve(key)
        same: object = number if isinstance(number, float | int) else key  # 1 and 1.0 are one key
        level.key, level.is_repeated = key, same in level.line_of_key
        first = level.line_of_key.setdefault(same, line)
        self.lines.setdefault((*level.path, key), line)
        if level.is_repeated:
            self.problems.append(
                Problem(
                    f"the key '{key}' occurs twice, on lines {first} and {line}.",
                    "Keep one of them.",
                    file=self.file,
                    line=line,
                    field=field_name((*level.path, key)),
                )
            )

    def _scalar(self, event: yaml.ScalarEvent, path: Path, line: int) -> Json:
        value = self._plain_unicode(event.value, line)
        if event.style:
            return value
        self.words.setdefault(path, value)
        return _resolve(value)

    def _plain_unicode(self, text: str, line: int) -> str:
        """YAML writes an emoji as two escapes if it must; half a character is not text."""
        if text.isascii():
            return text
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise StudyError(
                Problem(
                    "an escape such as \\ud83d is only half of a character.",
                    "Write the character itself.",
                    file=self.file,
                    line=line,
                )
            ) from None


class _Writer(yaml.SafeDumper):
    """Quotes whatever `read_yaml` would not read as text: it knows more numbers than YAML 1.1."""

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """The node of a text."""
        quoted = None if _resolve(text) == text else '"'
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=quoted)


_Writer.add_representer(str, _Writer.represent_text)


def write_yaml(value: object, *, width: int = 100, flow: bool = False) -> str:
    """A value as YAML that `read_yaml` reads as the same value."""
    return yaml.dump(
        value,
        Dumper=_Writer,
        default_flow_style=flow,
        width=width,
        allow_unicode=True,
        sort_keys=False,
    )


def _resolve(word: str) -> Json:
    """What an unquoted word stands for: nothing, a truth value, a number, or itself.

    Octal, hexadecimal and base-60 numbers of YAML 1.1 stay texts: `1:30` must not become 90.
    """
    if word.lower() in _CONSTANTS:
        return _CONSTANTS[word.lower()]
    if _WHOLE.fullmatch(word):
        return int(word)
    return float(word) if _NUMBER.fullmatch(word) else word


# part of the parser's words → (what, remedy, whether the beginning of the thing is the place)
_WORDS: tuple[tuple[str, str, str, bool], ...] = (
    (
        "character '\\t'",
        "there is a tab here, which YAML does not allow.",
        "Indent with spaces.",
        False,
    ),
    (
        "mapping values are not allowed",
        "there is a ': ' where none is allowed.",
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
        "there is text after the end of a value.",
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
        "a text begins with *, & or !, which have a special meaning in YAML.",
        "Put the text in quotes.",
        False,
    ),
    (
        "cannot start any token",
        "a text begins with a character that is reserved in YAML.",
        "Put the text in quotes.",
        False,
    ),
    (
        "unknown escape character",
        "in double quotes a backslash starts an escape sequence, and this one does not exist.",
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
        f"the character U+{ord(character[0]):04X} is not allowed in YAML.",
        "Remove it; it is invisible in most editors.",
        file=file,
        line=before.count("\n") + 1,
    )


def _line(mark: yaml.Mark | None) -> int | None:
    return None if mark is None else mark.line + 1
