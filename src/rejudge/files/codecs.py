"""Step files: how a type becomes the bytes of a JSON or CSV file, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from rejudge import fingerprint
from rejudge.errors import FileError, Problem
from rejudge.judgments.judgments_csv import read_csv, to_csv
from rejudge.judgments.table import Judgments
from rejudge.version import __version__

T = TypeVar("T")
_SHOWN = 10  # faults of one file; the rest is counted
_LONGEST_SHOWN = 40
_OPEN = 3  # the file, its content and the content's parts are never squeezed into one line
_LINE = re.compile(r" at line (\d+) column \d+$")
FORMAT = 1  # of every step file
_MARK = "\x1e"  # inside a string JSON escapes it, so as it is it can only stand between entries


def _encoder(comma: str) -> Callable[[Any], str]:  # JSON of any shape
    return json.JSONEncoder(
        ensure_ascii=False, sort_keys=True, separators=(comma, ":"), allow_nan=False
    ).encode


_encode = _encoder(",")

_encode_marked = _encoder("," + _MARK)


@dataclass(frozen=True, slots=True)
class StoredContent(Generic[T]):
    """The content of a step file, and where it came from."""

    content: T
    made_from: Mapping[str, str]  # fingerprints by name
    rejudge: str  # the version that wrote it
    is_edited: bool = False  # since it was written, by its checksum; a table has none


def checksum_of(document: Mapping[str, Any]) -> str:  # JSON of any shape
    """The checksum of a step file: of all its values but the checksum, however it is laid out."""
    return fingerprint.of_json({key: document[key] for key in document if key != "checksum"})


def refuse_edited(stored: StoredContent[T], *, file: str, remedy: str) -> None:
    """Raise a FileError for a step file that somebody changed after rejudge wrote it."""
    if stored.is_edited:
        what = "this file was edited after rejudge wrote it: its checksum does not match."
        raise FileError(Problem(what, remedy, file=file))


class _Document(BaseModel, Generic[T]):
    """A whole step file. Its strictness holds for the dataclasses inside as well."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    format: int
    kind: str
    rejudge: str
    made_from: dict[str, str]
    checksum: str
    content: T


@dataclass(frozen=True)
class JsonCodec(Generic[T]):
    """How one type is written as a step file and read back."""

    holds: type[T]
    kind: str
    command: str  # that makes such a file
    verify: Callable[[T], str | None] = lambda _: None  # what is wrong with the content
    remedy: str = ""  # for a file that cannot be made again, because it records the past

    def to_json(self, content: T) -> Any:  # JSON values
        """What the file would hold, with all defaults."""
        return self._adapter.dump_python(content, mode="json")

    def encode(self, content: T, made_from: Mapping[str, str]) -> bytes:
        """The bytes of the file, the same for the same thing; defaults are left out."""
        document = {
            "format": FORMAT,
            "kind": self.kind,
            "rejudge": __version__,
            "made_from": dict(made_from),
            "content": self._adapter.dump_python(content, mode="json", exclude_defaults=True),
        }
        document["checksum"] = checksum_of(document)
        return (format_json(document) + "\n").encode("utf-8")

    def decode(self, text: bytes, *, file: str) -> StoredContent[T]:
        """What the file says and whether it was edited, or every fault that was found in it."""
        try:
            read = self._document.model_validate_json(text, strict=True)
        except ValidationError as error:
            raise FileError(*self._faults(error, text, file)) from None
        stranger = self._wrong_kind({"kind": read.kind, "format": read.format}, file)
        if stranger is not None:
            raise FileError(stranger)
        is_edited = not _matches(read.checksum, text, file)
        with _explain_not_finite(file):
            wrong = self.verify(read.content)
        if wrong is not None:
            raise FileError(Problem(f"{wrong}.", "Find out who changed the file.", file=file))
        return StoredContent(read.content, read.made_from, read.rejudge, is_edited)

    @property
    def when_edited(self) -> str:
        """What to do about a file that was edited."""
        return self.remedy or (
            f"Write it again with `{self.command} … --force`, or restore the file."
        )

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self.holds)

    @cached_property
    def _document(self) -> type[_Document[T]]:
        document: Any = _Document  # the parameter is known only now, which types cannot say
        whole: type[_Document[T]] = document[self.holds]
        return whole

    @property
    def _remedy(self) -> str:
        return self.remedy or f"Write it again with `{self.command} --force`."

    def _faults(self, error: ValidationError, text: bytes, file: str) -> Iterator[Problem]:
        faults = error.errors(include_url=False)
        if faults[0]["type"] == "json_invalid":
            yield self._broken(faults[0]["msg"], file)
            return
        stranger = self._wrong_kind(TypeAdapter(Any).validate_json(text), file)
        if stranger is not None:
            yield stranger
            return
        for fault in faults[:_SHOWN]:
            field = ".".join(str(step) for step in fault["loc"])
            yield Problem(_message(fault), self._remedy, file=file, field=field)
        if len(faults) > _SHOWN:
            yield Problem(f"there are {len(faults) - _SHOWN} more errors like these.", file=file)

    def _broken(self, message: str, file: str) -> Problem:
        found = _LINE.search(message)
        reason = _LINE.sub("", message.removeprefix("Invalid JSON: "))
        line = int(found[1]) if found else None
        return Problem(f"this is broken JSON: {reason}.", self._remedy, file=file, line=line)

    def _wrong_kind(self, head: Any, file: str) -> Problem | None:  # any JSON may be in a file
        """Whether the file is of another kind or format."""
        if not isinstance(head, dict) or not {"kind", "format"} <= set(head):
            return Problem("this is not a step file of rejudge.", self._remedy, file=file)
        if head["kind"] != self.kind:
            what = f"this is a file of kind '{head['kind']}', not '{self.kind}'."
            return Problem(what, self._remedy, file=file)
        if head["format"] != FORMAT or isinstance(head["format"], bool):
            what = f"this file has format {head['format']}; this version of rejudge reads {FORMAT}."
            remedy = "Read it with the version of rejudge that wrote it."
            return Problem(what, remedy, file=file)
        return None


def _matches(checksum: str, text: bytes, file: str) -> bool:
    with _explain_not_finite(file):
        return checksum == checksum_of(json.loads(text))


@contextmanager
def _explain_not_finite(file: str) -> Iterator[None]:
    """Numbers that are not finite have no canonical JSON; most types refuse them when read."""
    try:
        yield
    except ValueError:
        what = "a number in this file is NaN or infinite, which rejudge never writes."
        raise FileError(Problem(what, "Restore the file.", file=file)) from None


def _message(fault: Mapping[str, Any]) -> str:  # as pydantic reports it
    if fault["type"] == "missing":
        return "this key is missing."
    if fault["type"] in {"extra_forbidden", "unexpected_keyword_argument"}:
        return "this key is unknown."
    found = json.dumps(fault["input"], ensure_ascii=False, default=str)
    found = found if len(found) <= _LONGEST_SHOWN else found[: _LONGEST_SHOWN - 1] + "…"
    return f"{fault['msg'][:1].lower()}{fault['msg'][1:]}, but found {found}."


def format_json(value: Any, depth: int = 0) -> str:  # JSON of any shape
    """JSON that people can read and compare: sorted keys, one compact row per line."""
    if not isinstance(value, dict | list) or not value or (depth >= _OPEN and _is_row(value)):
        return _encode(value)
    pad = "\n" + " " * (depth + 1)
    if isinstance(value, dict):
        members = (f"{_encode(key)}: {format_json(value[key], depth + 1)}" for key in sorted(value))
        return "{" + pad + f",{pad}".join(members) + pad[:-1] + "}"
    if depth + 1 >= _OPEN and all(isinstance(row, dict) and _is_row(row) for row in value):
        # All at once is twice as quick as row by row; only between rows does a brace end and begin.
        rows = _encode_marked(value)[1:-1].replace("}," + _MARK + "{", "}," + pad + "{")
        return "[" + pad + rows.replace(_MARK, "") + pad[:-1] + "]"
    return "[" + pad + f",{pad}".join(format_json(row, depth + 1) for row in value) + pad[:-1] + "]"


def _is_row(value: dict[str, Any] | list[Any]) -> bool:
    """Whether nothing in it is nested deeper than a list in an object."""
    for child in value.values() if isinstance(value, dict) else value:
        if isinstance(child, list | dict):
            leaves = child if isinstance(child, list) else child.values()
            if any(isinstance(leaf, dict | list) for leaf in leaves):
                return False
    return True


@dataclass(frozen=True)
class JudgmentsCodec:
    """How judgments are written as a table and read back. Other programs read it as it is."""

    command: str  # that makes such a file

    @property
    def when_edited(self) -> str:
        """Not needed: results name the fingerprint of the judgments they were computed from."""
        return ""

    def encode(self, content: Judgments, made_from: Mapping[str, str]) -> bytes:  # noqa: ARG002
        """The bytes of the file; its rows name the plan it was made from."""
        return to_csv(content).encode("utf-8")

    def decode(self, text: bytes, *, file: str) -> StoredContent[Judgments]:
        """The judgments and the plan they name, or every fault that was found."""
        try:
            judgments = read_csv(text.decode("utf-8"), file=file)
        except UnicodeDecodeError:
            remedy = "Save it as UTF-8: in a spreadsheet “CSV UTF-8”."
            raise FileError(Problem("the file is not UTF-8.", remedy, file=file)) from None
        plans = judgments.plan.labels
        return StoredContent(judgments, {"plan": plans[0]} if len(plans) == 1 else {}, rejudge="")
