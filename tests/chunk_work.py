"""Functions of chunks for tests of executors; worker processes import them from here."""

from __future__ import annotations

import os
import pickle
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rejudge.errors import DataError, Problem
from rejudge.executors.chunks import Chunk, ChunkExecutor, use_one_thread


@dataclass(frozen=True, slots=True)
class ChunkSummary:
    """A result with everything that can be kept."""

    label: str
    draws: Any  # an array
    mean: Any  # a number of numpy
    parts: tuple[Any, ...]
    missing: float


def make_chunks(count: int, *arguments: object) -> list[Chunk]:
    """Chunks with keys and seeds of their own."""
    return [Chunk(f"part {place}", (7, place), arguments) for place in range(count)]


def draw(chunk: Chunk) -> ChunkSummary:
    """Random numbers of the chunk's seed."""
    draws = chunk.rng().normal(size=5)
    parts = (None, True, 3, "é\0字", [1.5, {"a": (2,)}])
    return ChunkSummary(chunk.key, draws, draws.mean(), parts, float("nan"))


def process_id(_chunk: Chunk) -> int:
    """The process in which it ran."""
    return os.getpid()


def kill_once(chunk: Chunk) -> float:
    """Kill the worker in the first attempt at each chunk with an even seed."""
    mark = Path(chunk.arguments[0]) / f"{chunk.seed[-1]}"
    if chunk.seed[-1] % 2 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return float(chunk.rng().normal())


def kill_always(chunk: Chunk) -> int:
    """Kill the worker of one chunk whenever it runs."""
    if chunk.seed[-1] == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return chunk.seed[-1]


def fail_in_third(chunk: Chunk) -> int:
    """An error that people can fix, in one chunk."""
    if chunk.seed[-1] == 2:
        raise DataError(Problem("there is nothing to compare.", "Add a system.", field="systems"))
    return chunk.seed[-1]


def count_calls(chunk: Chunk) -> int:
    """Leave a mark for each call; the fourth chunk fails as long as a file is there."""
    folder = Path(chunk.arguments[0])
    if chunk.seed[-1] == 3 and (folder / "stop").exists():
        raise KeyboardInterrupt
    (folder / f"call-{chunk.seed[-1]}-{time.monotonic_ns()}").touch()
    return chunk.seed[-1]


def sleep_and_draw(chunk: Chunk) -> float:
    """Take the seconds of the first argument, and add up a large second one."""
    seconds, *arrays = chunk.arguments
    time.sleep(seconds)
    return float(chunk.rng().normal() + sum(float(np.sum(array)) for array in arrays))


def mark_and_sleep(chunk: Chunk) -> None:
    """Write the number of this process into a folder, and work for longer than anyone waits."""
    (Path(chunk.arguments[0]) / str(os.getpid())).touch()
    time.sleep(600)


class UnsendableError(Exception):
    """An error that cannot be pickled and read back."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} {two}")


def fail_unsendably(_chunk: Chunk) -> int:
    """An error that cannot be sent to another process."""
    raise UnsendableError("two", "words")


def return_unsendable(_chunk: Chunk) -> object:
    """A result that cannot be sent to another process."""
    return lambda: 1


@dataclass(frozen=True, slots=True)
class RemoteExecutor(ChunkExecutor):
    """Sends chunks and results through pickle, as processes do, and finishes the last one first."""

    def completed(self, function: Any, chunks: Any) -> Any:  # as in ChunkExecutor
        for place in reversed(range(len(chunks))):
            sent_function, chunk = _send((function, chunks[place]))
            with use_one_thread():
                result = sent_function(chunk)
            yield place, _send(result)


def _send(content: Any) -> Any:  # whatever is sent
    return pickle.loads(pickle.dumps(content))  # noqa: S301 - our own bytes
