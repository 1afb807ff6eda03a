"""Run independent parts of a computation: in this process, on several, or on a dask cluster.

Whoever divides a computation gives each part its own seed, so the results are the same wherever it
runs:

    with executor_for(processes=4) as executor:
        for result in run(function, parts, executor):
            ...
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, partial
from multiprocessing.connection import wait
from typing import Any, Final, TypeVar

from rejudge.errors import ExecutionError, Problem, UsageError

_CONNECT_SECONDS: Final = 5
_ALIKE: Final = ("python", "rejudge", "numpy", "scipy")  # what decides the digits of a number

Result = TypeVar("Result")


def run(
    function: Callable[..., Result],
    parts: Sequence[tuple[Any, ...]],  # Any: whatever the function takes
    executor: Executor | None = None,
) -> Iterator[Result]:
    """The results of a function for the arguments of each part, in the order of the parts.

    Each is yielded as soon as it and all earlier ones are there. Without an executor, parts are
    computed here, one after the other. With one, the function must be of the top level of a module.
    """
    if executor is None:
        with use_one_thread():
            for part in parts:
                yield function(*part)
    else:
        yield from executor.map(partial(_run_part, function), parts)


def executor_for(
    processes: int | None = None, cluster: str | None = None
) -> AbstractContextManager[Executor | None]:
    """An executor with so many processes, or with the workers of the dask scheduler at an address
    such as tcp://host:8786; None for one process.

    At the end of the `with` block no process of ours is left.
    """
    if cluster is not None and processes is not None:
        what = "--processes and --cluster cannot be combined."
        remedy = "Give only the cluster; its workers determine how many parts run at once."
        raise UsageError(Problem(what, remedy))
    if cluster is not None and not cluster.strip():  # dask would start a cluster of its own
        what, remedy = "the address is empty.", "Write for instance tcp://10.0.0.5:8786."
        raise UsageError(Problem(what, remedy, field="--cluster"))
    if processes is not None and processes < 1:
        what = f"{processes} is not a number of processes."
        raise UsageError(Problem(what, "Write 1 or more.", field="--processes"))
    if cluster is not None:
        return _cluster_executor(cluster)
    return nullcontext() if processes in (None, 1) else _process_executor(processes)


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # pragma: no cover - other systems


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


def _run_part(function: Callable[..., Result], part: tuple[Any, ...]) -> Result:
    _limit_threads_of_worker()
    return function(*part)


@cache
def _limit_threads_of_worker() -> None:
    """Until it ends, since parts may run side by side in it."""
    use_one_thread().__enter__()


@contextmanager
def _process_executor(processes: int) -> Iterator[Executor]:
    context = multiprocessing.get_context("spawn")  # fork copies locks that threads hold
    pool = ProcessPoolExecutor(processes, context, initializer=_begin_worker)
    try:
        yield pool
    except BaseException as error:  # Ctrl-C too: no process is left behind
        for process in list(pool._processes.values()):  # noqa: SLF001 - no public name before 3.14
            process.terminate()
        if isinstance(error, BrokenProcessPool):
            what = "a worker process ended before its part of the work was done."
            remedy = (
                "Usually there is too little memory: use fewer processes. In a script, start the "
                "work below `if __name__ == '__main__':`, because every worker imports the script."
            )
            raise ExecutionError(Problem(what, remedy)) from error
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextmanager
def _cluster_executor(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        what = "--cluster needs a package that is not installed."
        remedy = "Install it with `pip install 'rejudge[cluster]'`."
        raise ExecutionError(Problem(what, remedy)) from None
    connect: Any = Client  # its types are not complete
    try:
        client = connect(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except Exception as error:  # another service can answer with anything
        what = f"no dask scheduler answers at {address} within {_CONNECT_SECONDS} seconds."
        remedy = "Check the address that `dask scheduler` printed, and that no firewall blocks it."
        raise ExecutionError(Problem(what, remedy)) from error
    with client, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        _require_same_versions(client, address)
        try:
            yield client.get_executor(pure=False)
        except (CancelledError, KilledWorker) as error:
            what = f"the cluster at {address} lost a part of the work: {error}."
            remedy = "Check that it is running and has enough memory, or start fewer threads."
            raise ExecutionError(Problem(what, remedy)) from error


def _require_same_versions(client: Any, address: str) -> None:  # Any: of `distributed`
    """Raise an ExecutionError unless there are workers and all are like this machine."""
    found = client.get_versions(packages=[*_ALIKE[1:]])
    if not found["workers"]:
        what = f"the dask scheduler at {address} has no workers."
        raise ExecutionError(Problem(what, f"Start some with `dask worker {address}`."))
    ours = {name: found["client"]["packages"][name] for name in _ALIKE}
    for worker, theirs in found["workers"].items():
        for name, version in ours.items():
            other = theirs["packages"].get(name)
            if other != version:
                what = f"worker {worker} has {name} {other}, this machine {name} {version}."
                remedy = "Install the same versions on every host; otherwise numbers could differ."
                raise ExecutionError(Problem(what, remedy))
