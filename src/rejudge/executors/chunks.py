"""What a chunk of work is, what decides its numbers, and what every executor does with chunks.

The simplest executor is here too: one chunk after the other, in this process.
"""

from __future__ import annotations

import hashlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeVar

from rejudge.version import __version__

if TYPE_CHECKING:
    import numpy as np

Result = TypeVar("Result")
Function = Callable[["Chunk"], Result]
Numbered = Iterator[tuple[int, Result]]  # the place of a chunk, and its result
_LIBRARIES: Final = ("numpy", "scipy")  # the ones that compute


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of work: arguments that can be pickled, and the seed of its random numbers."""

    key: str  # names the chunk in messages and in the folder of finished chunks
    seed: tuple[int, ...]  # for numpy's SeedSequence
    arguments: tuple[Any, ...] = ()  # Any: whatever the function takes

    def rng(self) -> np.random.Generator:
        """A new generator with the seed of this chunk: the same numbers on every machine."""
        import numpy as np

        return np.random.default_rng(np.random.SeedSequence(self.seed))


class Executor(Protocol):
    """Something that runs chunks and returns their results in the order of the chunks."""

    def run(
        self,
        function: Callable[[Chunk], Result],
        chunks: Sequence[Chunk],
        *,
        progress: Callable[[float], None] | None = None,
    ) -> list[Result]:
        """Run a function of the top level of a module on every chunk."""


class ChunkExecutor(ABC):
    """An executor that yields results as chunks finish, and is closed after its last run."""

    __slots__ = ()

    @abstractmethod
    def completed(self, function: Function[Result], chunks: Sequence[Chunk]) -> Numbered[Result]:
        """The place and the result of every chunk, in the order in which they finish."""

    def run(
        self,
        function: Function[Result],
        chunks: Sequence[Chunk],
        *,
        progress: Callable[[float], None] | None = None,
    ) -> list[Result]:
        """Run a function of the top level of a module on every chunk.

        `progress` is called with the share of chunks that are done. An error in a chunk is raised
        here, with the key of the chunk as a note.
        """
        return list(self.run_in_order(function, chunks, progress=progress))

    def run_in_order(
        self,
        function: Function[Result],
        chunks: Sequence[Chunk],
        *,
        progress: Callable[[float], None] | None = None,
    ) -> Iterator[Result]:
        """As `run`, but each result is yielded as soon as those of all earlier chunks were.

        So that many large results can be added up without keeping them all.
        """
        early: dict[int, Result] = {}
        due = 0
        with closing(self.completed(function, chunks)) as finished:  # type: ignore[type-var]  # a generator
            for place, result in finished:
                early[place] = result
                while due in early:
                    yield early.pop(due)
                    due += 1
                if progress is not None:
                    progress((due + len(early)) / len(chunks))

    def open(self) -> None:  # noqa: B027 - most have nothing to open
        """Connect to what is needed, so that a problem is reported before the work begins."""

    def close(self, *, is_done: bool = True) -> None:  # noqa: B027 - most have nothing to close
        """End processes and connections; `is_done`: nothing is left to go on with later."""

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close(is_done=kind is None)


@dataclass(frozen=True, slots=True)
class SerialExecutor(ChunkExecutor):
    """Runs one chunk after the other in this process."""

    def completed(self, function: Function[Result], chunks: Sequence[Chunk]) -> Numbered[Result]:
        with use_one_thread():
            for place, chunk in enumerate(chunks):
                yield place, run_chunk(function, chunk)


def run_chunk(function: Function[Result], chunk: Chunk) -> Result:
    """Run a function on a chunk; an error names the chunk."""
    try:
        return function(chunk)
    except Exception as error:
        error.add_note(f"in chunk '{chunk.key}'")
        raise


@cache
def environment() -> dict[str, str]:
    """The versions of everything that computes, and a fingerprint of rejudge's own code.

    The fingerprint distinguishes two installations with the same version, such as two states of a
    working copy.
    """
    python = ".".join(map(str, sys.version_info[:2]))
    libraries = {name: _version(name) for name in _LIBRARIES}
    return {"rejudge": __version__, "code": _code(), "python": python, **libraries}


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:  # pragma: no cover - they are required
        return "not installed"


def _code() -> str:
    home = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        name = path.relative_to(home).as_posix().encode("utf-8", "surrogateescape")
        digest.update(name + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@contextmanager
def use_one_thread() -> Iterator[None]:
    """Let linear algebra use one thread.

    Sums depend on how many threads share them, in the last digits; and many processes with many
    threads each are slower than with one. Only libraries that are loaded can be limited, so they
    are loaded first: numpy and scipy each have their own.
    """
    import numpy as np  # noqa: F401 - its linear algebra
    import scipy.linalg  # noqa: F401 - 〃
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield
