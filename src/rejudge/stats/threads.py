"""Work on large arrays that several threads share: NumPy and SciPy let go of the interpreter."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_MOST = 4  # threads: memory is no quicker for more


def in_threads(work: Callable[[T], R], parts: Sequence[T]) -> list[R]:
    """What `work` gives for each part, in their order, whoever did it."""
    workers = min(len(parts), _processors(), _MOST)
    if workers <= 1:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, parts))


def _processors() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # pragma: no cover - not on Linux
