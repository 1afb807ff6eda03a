"""A dask scheduler and its workers in processes of their own, on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_START = "from dask.__main__ import main; main()"


@dataclass(frozen=True, slots=True)
class DaskCluster:
    """The address of the scheduler, and the worker processes."""

    address: str
    workers: tuple[subprocess.Popen[bytes], ...]


@contextmanager
def start_cluster(
    folder: Path, workers: int, *, source: Path | None = None
) -> Iterator[DaskCluster]:
    """A scheduler and so many workers on the loopback address; all are ended afterwards.

    `source` is where the workers find another rejudge.
    """
    known = folder / "scheduler.json"
    shared = ("--host", "127.0.0.1", "--no-dashboard")
    processes = [
        _start(folder, source, "scheduler", *shared, "--port", "0", "--scheduler-file", known)
    ]
    try:
        address = _address(known)
        options = (*shared, "--nthreads", "1", "--no-nanny", "--local-directory", folder)
        made = tuple(_start(folder, source, "worker", address, *options) for _ in range(workers))
        processes += made
        yield DaskCluster(address, made)
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


def _start(folder: Path, source: Path | None, *words: str | Path) -> subprocess.Popen[bytes]:
    first = [str(source)] if source else []
    paths = os.pathsep.join([*first, str(Path(__file__).parent), *filter(None, sys.path)])
    with (folder / f"{words[0]}.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-c", _START, *map(str, words)],
            env={**os.environ, "PYTHONPATH": paths},
            cwd=folder,
            stdout=log,
            stderr=log,
        )


def _address(known: Path) -> str:
    import json

    while not (known.exists() and (text := known.read_text(encoding="utf-8"))):
        time.sleep(0.1)
    return str(json.loads(text)["address"])
