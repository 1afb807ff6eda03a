"""Functions of parts for tests of `parallel`; worker processes import them from here."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from rejudge.errors import DataError, Problem


def draw(seed: int, seconds: float = 0.0) -> float:
    """A random number of the part's seed, after some time."""
    time.sleep(seconds)
    return float(np.random.default_rng(seed).normal())


def threads(_seed: int) -> set[int]:
    """How many threads linear algebra uses."""
    return {each["num_threads"] for each in threadpool_info()}


def kill_second(seed: int) -> int:
    """Kill the worker of the second part."""
    if seed == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return seed


def fail_in_third(seed: int) -> int:
    """An error that people can fix, in one part."""
    if seed == 2:
        raise DataError(Problem("there is nothing to compare.", "Add a system.", field="systems"))
    return seed


def mark_and_sleep(folder: str, _seed: int) -> None:
    """Write the number of this process into a folder, and work for longer than anyone waits."""
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(600)


class PicklingExecutor(Executor):
    """Sends parts and results through pickle, as processes do, and computes the last one first."""

    def map(self, fn: Callable[..., Any], *iterables: Any, **_: Any) -> Iterator[Any]:  # as it is
        parts = list(zip(*iterables, strict=True))
        return reversed([_send(_send(fn)(*_send(each))) for each in reversed(parts)])


def _send(content: Any) -> Any:  # whatever is sent
    return pickle.loads(pickle.dumps(content))  # noqa: S301 - our own bytes
