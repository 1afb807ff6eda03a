"""Run independent chunks of work one after the other, on several processes, or on a cluster.

Each chunk has a seed of its own, so the results are the same wherever it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of work: arguments that can be pickled, and the numbers that seed its chance."""

    key: str  # names the chunk in messages and in the folder of finished chunks
    seed: tuple[int, ...]  # for numpy's SeedSequence
    arguments: tuple[Any, ...] = ()  # Any: whatever the function takes


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


@dataclass(frozen=True, slots=True)
class SerialExecutor:
    """Runs one chunk after the other in this process."""

    def run(
        self,
        function: Callable[[Chunk], Result],
        chunks: Sequence[Chunk],
        *,
        progress: Callable[[float], None] | None = None,
    ) -> list[Result]:
        results = []
        for number, chunk in enumerate(chunks, start=1):
            results.append(function(chunk))
            if progress is not None:
                progress(number / len(chunks))
        return results
