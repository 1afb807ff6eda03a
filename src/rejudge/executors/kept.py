"""Keep finished chunks in a folder, so that interrupted work goes on where it stopped.

A chunk is kept as NumPy's .npz with a JSON description of its result, and read without pickle, so
that a file from somewhere else can run no code. Its name is a fingerprint of all that decides the
result: function, arguments, seed, code and library versions. A file that is damaged, or belongs to
something else, is left alone and its chunk is run again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import secrets
import sys
import zipfile
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from rejudge.errors import FileError
from rejudge.executors.chunks import Chunk, ChunkExecutor, Function, Numbered, Result, environment
from rejudge.incoming import explain_errors, read_bytes

SUFFIX: Final = ".chunk.npz"
_HEAD = "head"  # the array with the JSON text
_PLAIN = (bool, int, float, str, type(None))
_UNREADABLE = (  # what reading a damaged or foreign file raises
    *(FileError, OSError, EOFError, ValueError, KeyError, TypeError, IndexError, AttributeError),
    *(zipfile.BadZipFile, zlib.error, NotImplementedError, MemoryError, RecursionError),
)

Encoded = Any  # JSON values
_Arrays = list[Any]  # numpy arrays


@dataclass(slots=True)
class KeepingExecutor(ChunkExecutor):
    """Runs chunks with another executor, except those whose results are in the folder.

    The files are removed when it is closed without an error, and the folder if it is then empty.
    """

    inner: ChunkExecutor
    folder: Path
    _files: set[Path] = field(default_factory=set)

    def completed(self, function: Function[Result], chunks: Sequence[Chunk]) -> Numbered[Result]:
        missing = []
        for place, chunk in enumerate(chunks):
            kept = self._read(function, chunk)
            if kept is None:
                missing.append(place)
            else:
                yield place, kept[0]
        rest = [chunks[place] for place in missing]
        if not rest:
            return
        with closing(self.inner.completed(function, rest)) as finished:  # type: ignore[type-var]  # a generator
            for number, result in finished:
                self._write(function, rest[number], result)
                yield missing[number], result

    def open(self) -> None:
        """Open the other executor."""
        self.inner.open()

    def close(self, *, is_done: bool = True) -> None:
        """Close the other executor; remove the files if everything is done."""
        self.inner.close(is_done=is_done)
        if not is_done:
            return
        while self._files:
            self._files.pop().unlink(missing_ok=True)
        with suppress(OSError):  # not there, or not empty: somebody else's files
            self.folder.rmdir()

    def _read(self, function: Function[Result], chunk: Chunk) -> tuple[Result] | None:
        identity = identity_of(function, chunk)
        path = self._path(identity)
        if not path.is_file():
            return None
        try:
            content = read_bytes(path, remedy="")
            result = from_bytes(content, identity, package=function.__module__.partition(".")[0])
        except _UNREADABLE:
            return None
        self._files.add(path)
        return (result,)

    def _write(self, function: Function[Result], chunk: Chunk, result: Result) -> None:
        identity = identity_of(function, chunk)
        path, content = self._path(identity), to_bytes(result, identity)
        with explain_errors(path, "written"):
            self.folder.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
            try:
                part.write_bytes(content)
                os.replace(part, path)  # noqa: PTH105 - a file never holds half of a result
            finally:
                part.unlink(missing_ok=True)
        self._files.add(path)

    def _path(self, identity: str) -> Path:
        return self.folder / f"{identity[:32]}{SUFFIX}"


def identity_of(function: Callable[..., Any], chunk: Chunk) -> str:
    """The fingerprint of all that decides the result of a chunk."""
    arrays: _Arrays = []
    encoded = [
        f"{function.__module__}:{function.__qualname__}",
        environment(),
        chunk.key,
        list(chunk.seed),
        _encode(list(chunk.arguments), arrays, other=_fingerprint),
    ]
    digest = hashlib.sha256(json.dumps(encoded, sort_keys=True).encode())
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def to_bytes(result: object, identity: str) -> bytes:
    """A result as the content of a file: numbers, texts, arrays, and dataclasses of these."""
    import numpy as np

    arrays: _Arrays = []
    head = json.dumps({"identity": identity, "result": _encode(result, arrays, other=_refuse)})
    named: dict[str, Any] = {f"a{place}": array for place, array in enumerate(arrays)}
    named[_HEAD] = np.frombuffer(head.encode(), np.uint8)
    stream = io.BytesIO()
    np.savez(stream, **named)
    return stream.getvalue()


def from_bytes(content: bytes, identity: str, *, package: str) -> Any:  # whatever was kept
    """The result in a file; dataclasses are made only if they belong to this package."""
    import numpy as np

    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        head = json.loads(stored[_HEAD].tobytes())
        if head["identity"] != identity:
            raise ValueError(identity)
        arrays = [stored[f"a{place}"] for place in range(len(stored.files) - 1)]
    return _decode(head["result"], arrays, package)


def _encode(value: Any, arrays: _Arrays, *, other: Callable[[object], Encoded]) -> Encoded:
    """JSON for a value; arrays are put aside and named by their place."""
    import numpy as np

    def encode(each: object) -> Encoded:
        return _encode(each, arrays, other=other)

    if type(value) in _PLAIN:
        return value
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        arrays.append(np.asarray(value))
        return {"array" if isinstance(value, np.ndarray) else "number": len(arrays) - 1}
    if type(value) in {list, tuple}:
        return {type(value).__name__: [encode(each) for each in value]}
    if type(value) is dict:
        return {"dict": [[encode(key), encode(each)] for key, each in value.items()]}
    if is_dataclass(value) and not isinstance(value, type):
        name = f"{type(value).__module__}:{type(value).__qualname__}"
        parts = {each.name: encode(getattr(value, each.name)) for each in fields(value)}
        return {"class": name, "fields": parts}
    return other(value)


def _fingerprint(value: object) -> Encoded:
    """An argument of another kind, for comparison only: it is never read back.

    Parts of a study (pydantic's models) by their JSON: they hold sets, whose order in a pickle
    differs from one process to the next.
    """
    if isinstance(value, BaseModel):
        name = f"{type(value).__module__}:{type(value).__qualname__}"
        return {"model": name, "json": value.model_dump_json()}
    if isinstance(value, set | frozenset):
        return {"set": sorted(json.dumps(_fingerprint(each)) for each in value)}
    return {"pickle": hashlib.sha256(pickle.dumps(value, protocol=5)).hexdigest()}


def _refuse(value: object) -> Encoded:
    raise TypeError(f"the result of a chunk cannot be kept: it contains a {type(value).__name__}")


def _decode(encoded: Encoded, arrays: _Arrays, package: str) -> Any:  # whatever was kept
    def decode(each: Encoded) -> Any:  # 〃
        return _decode(each, arrays, package)

    if type(encoded) in _PLAIN:
        return encoded
    if "class" in encoded:
        made = _class_named(encoded["class"], package)
        return made(**{name: decode(each) for name, each in encoded["fields"].items()})
    ((kind, content),) = encoded.items()
    if kind == "dict":
        return {decode(key): decode(each) for key, each in content}
    if kind in {"list", "tuple"}:
        made_of = [decode(each) for each in content]
        return made_of if kind == "list" else tuple(made_of)
    array = arrays[content]
    return array if kind == "array" else array[()]


def _class_named(name: str, package: str) -> type[Any]:
    """A dataclass of a module that is already imported and belongs to the package."""
    module, _, qualified = name.partition(":")
    found: Any = sys.modules[module]  # a module, then what it contains
    for part in qualified.split("."):
        found = getattr(found, part)
    if module.partition(".")[0] != package or not (
        isinstance(found, type) and is_dataclass(found) and found.__module__ == module
    ):
        raise ValueError(name)
    return found
