"""What a chunk of work is, what every executor does with chunks, and the simplest executor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from rejudge.executors.environment import use_one_thread

if TYPE_CHECKING:
    import numpy as np

Result = TypeVar("Result")
Function = Callable[["Chunk"], Result]
Numbered = Iterator[tuple[int, Result]]  # the place of a chunk, and its result


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of work: arguments that can be pickled, and the numbers that seed its chance."""

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
