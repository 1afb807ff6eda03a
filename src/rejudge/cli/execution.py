"""Where the long steps of a command run: `--processes` and `--cluster`; and in what memory."""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rejudge.executors.chunks import ChunkExecutor

R = TypeVar("R")  # what the command returns


@dataclass(frozen=True, slots=True)
class ExecutionOptions:
    """The options as typed."""

    processes: int | None = None
    cluster: str | None = None

    def executor(self, *, usual: int | None = None, keep: Path | None = None) -> ChunkExecutor:
        """The executor that was asked for, for use in a `with` block.

        `usual`: processes where neither option was typed; `keep`: a folder for finished chunks.
        """
        from rejudge.executors.selection import executor_for

        processes = self.processes or (None if self.cluster else usual)
        return executor_for(processes, self.cluster, keep)


def execution_options(function: Callable[..., R]) -> Callable[..., R]:
    """Give a command the options; it receives them as `execution`."""

    @click.option(
        "--processes",
        metavar="N",
        type=click.IntRange(min=1),
        help="Run long steps on this many processes. The numbers stay the same.",
    )
    @click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Run long steps on the workers of a dask scheduler, such as tcp://10.0.0.5:8786. The "
        "numbers stay the same.",
    )
    @functools.wraps(function)
    def command(*args: Any, **typed: Any) -> R:  # as click passes them
        execution = ExecutionOptions(typed.pop("processes"), typed.pop("cluster"))
        return function(*args, execution=execution, **typed)

    return command


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt, in malloc.h of the GNU C library
_LARGE = 1 << 30


def keep_freed_memory() -> None:
    """Let this process keep the memory of arrays that are done with, for the next ones.

    The GNU C library hands every array beyond 32 MB back at once, and the system clears each page
    that is asked for again: a third of all seconds with ten million rows. Elsewhere nothing
    changes.
    """
    if not sys.platform.startswith("linux"):  # pragma: no cover - other systems
        return
    adjust = getattr(ctypes.CDLL(None), "mallopt", None)
    if adjust is not None:
        adjust(_TRIM_THRESHOLD, _LARGE)
        adjust(_MMAP_THRESHOLD, _LARGE)
