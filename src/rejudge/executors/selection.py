"""Where chunks of work run: one after the other, on several processes, or on a cluster.

Each chunk has its own seed, so the results are the same wherever it runs:

    with executor_for(processes=4, keep=folder / "chunks") as executor:
        results = executor.run(function, chunks, progress=show)
"""

from __future__ import annotations

import os
from pathlib import Path

from rejudge.errors import Problem, UsageError
from rejudge.executors.chunks import ChunkExecutor, SerialExecutor
from rejudge.executors.cluster import ClusterExecutor
from rejudge.executors.kept import KeepingExecutor
from rejudge.executors.processes import ProcessExecutor


def executor_for(
    processes: int | None = None, cluster: str | None = None, keep: Path | None = None
) -> ChunkExecutor:
    """The executor for a number of processes, or for the address of a dask scheduler.

    Without either, chunks run one after the other in this process. With `keep`, finished chunks
    stay in that folder until the executor is closed without an error, so that work that was
    interrupted goes on where it stopped. Use it in a `with` block.
    """
    executor = _executor(processes, cluster)
    return executor if keep is None else KeepingExecutor(executor, keep)


def _executor(processes: int | None, cluster: str | None) -> ChunkExecutor:
    if cluster is not None and processes is not None:
        what = "--processes and --cluster cannot be combined."
        remedy = "Give only the cluster; its workers determine how many chunks run at once."
        raise UsageError(Problem(what, remedy))
    if cluster is not None and not cluster.strip():  # dask would start a cluster of its own
        what, remedy = "the address is empty.", "Write for instance tcp://10.0.0.5:8786."
        raise UsageError(Problem(what, remedy, field="--cluster"))
    if cluster is not None:
        return ClusterExecutor(cluster)
    if processes is None or processes == 1:
        return SerialExecutor()
    if processes < 1:
        what = f"{processes} is not a number of processes."
        raise UsageError(Problem(what, "Write 1 or more.", field="--processes"))
    return ProcessExecutor(processes)


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # pragma: no cover - other systems
