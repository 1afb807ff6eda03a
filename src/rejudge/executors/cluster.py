"""Run chunks on the workers of a dask.distributed cluster (extra `cluster`)."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar
from uuid import uuid4

from rejudge.errors import ExecutionError, Problem
from rejudge.executors.chunks import (
    Chunk,
    ChunkExecutor,
    Function,
    Numbered,
    Result,
    environment,
    run_chunk,
    use_one_thread,
)

CONNECT_SECONDS: Final = 5
NO_WORKER_SECONDS: Final = 60  # how long to wait for workers after all have gone
_GLANCE_SECONDS = 5  # between looks at whether there are workers
_LARGE_BYTES = 1 << 20  # an argument of this size is sent to the cluster once, not with each chunk

Client = Any  # distributed's types are not there without the extra
Future = Any  # 〃
Awaited = TypeVar("Awaited")


@dataclass(slots=True)
class ClusterExecutor(ChunkExecutor):
    """Runs chunks on the workers of the scheduler at an address, such as tcp://host:8786.

    The scheduler runs the chunks of a lost worker again. Every worker must have the same rejudge,
    Python and numpy as this machine.
    """

    address: str
    patience: float = NO_WORKER_SECONDS
    _client: Client = field(default=None)

    def completed(self, function: Function[Result], chunks: Sequence[Chunk]) -> Numbered[Result]:
        client = self._connect()
        finished: SimpleQueue[Future] = SimpleQueue()
        futures = self._submit(client, function, chunks)
        places = {future.key: place for place, future in enumerate(futures)}
        try:
            for future in futures:
                future.add_done_callback(finished.put)
            for _ in range(len(futures)):
                future = self._wait(client, lambda: finished.get(timeout=_GLANCE_SECONDS))
                place = places[future.key]
                result = partial(_result, future, chunks[place], self.address)
                yield place, self._wait(client, result)  # a lost result is computed again
                future.release()
        finally:
            with suppress(Exception):  # the connection may be the reason why we are here
                client.cancel(futures)

    def open(self) -> None:
        """Connect; a wrong address is reported before anything else is done."""
        self._connect()

    def close(self, *, is_done: bool = True) -> None:  # noqa: ARG002 - nothing is kept
        """End the connection; the cluster itself goes on."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connect(self) -> Client:
        if self._client is None:
            self._client = _client_of(self.address)
            try:
                _check_workers(self._client, self.address)
            except BaseException:
                self.close()
                raise
        return self._client

    def _submit(
        self, client: Client, function: Function[Any], chunks: Sequence[Chunk]
    ) -> list[Future]:
        run = uuid4().hex[:12]
        sent: dict[int, Future] = {}  # large arguments by id: several chunks may share one
        with _no_size_warning():
            return [
                client.submit(
                    _run_on_worker,
                    function,
                    (chunk.key, chunk.seed),
                    [_sent_once(client, each, sent) for each in chunk.arguments],
                    environment(),
                    key=f"rejudge-{run}-{place}",
                )
                for place, chunk in enumerate(chunks)
            ]

    def _wait(self, client: Client, get: Callable[[], Awaited]) -> Awaited:
        """What `get` returns once it is there, unless there have been no workers for too long."""
        waited = 0.0
        while True:
            try:
                return get()
            except (Empty, TimeoutError):
                waited = 0.0 if _workers(client) else waited + _GLANCE_SECONDS
            if waited >= self.patience:
                raise _no_workers(self.address)


def _client_of(address: str) -> Client:
    try:
        from distributed import Client as DaskClient
    except ImportError:
        what = "--cluster needs a package that is not installed."
        remedy = "Install it with `pip install 'rejudge[cluster]'`."
        raise ExecutionError(Problem(what, remedy)) from None
    _require_scheduler(address)
    connect: Any = DaskClient  # its types are not complete
    return connect(address, timeout=CONNECT_SECONDS, set_as_default=False)


def _require_scheduler(address: str) -> None:
    """Raise an ExecutionError unless a scheduler answers at the address.

    A client of dask whose connection fails keeps its threads, so it is made only afterwards.
    """
    with ThreadPoolExecutor(1) as thread:  # where no event loop is running, as one is in notebooks
        try:
            kind = thread.submit(asyncio.run, _kind_of_server(address)).result()
        except Exception as error:
            what = f"no dask scheduler answers at {address} within {CONNECT_SECONDS} seconds."
            remedy = (
                "Check the address that `dask scheduler` printed, such as tcp://10.0.0.5:8786, "
                "and that no firewall blocks it."
            )
            raise ExecutionError(Problem(what, remedy)) from error
    if kind != "Scheduler":
        what = f"{address} is the address of a dask {kind.lower()}, not of the scheduler."
        raise ExecutionError(Problem(what, "Give the address that `dask scheduler` printed."))


async def _kind_of_server(address: str) -> str:
    import distributed

    dask: Any = distributed  # its types are not complete
    arguments = dask.Security().get_connection_args("client")
    async with asyncio.timeout(CONNECT_SECONDS):
        server = await dask.comm.connect(address, timeout=CONNECT_SECONDS, **arguments)
        try:
            await server.write({"op": "identity", "reply": True})
            return str((await server.read())["type"])
        finally:
            server.abort()


def _check_workers(client: Client, address: str) -> None:
    """Raise an ExecutionError unless there are workers and all are like this machine."""
    if not _workers(client):
        raise _no_workers(address)
    try:
        found = client.run(environment)
    except Exception as error:
        what = "a worker of the cluster has no rejudge, or an older version of it."
        remedy = f"Install rejudge {environment()['rejudge']} on every host of the cluster."
        raise ExecutionError(Problem(what, remedy)) from error
    for worker, theirs in found.items():
        _require_same(theirs, worker)


def _require_same(theirs: dict[str, str], worker: str) -> None:
    ours = environment()
    for name, wanted in ours.items():
        if theirs.get(name) != wanted:
            kind = "different code of rejudge" if name == "code" else _pair(theirs, name)
            what = f"worker {worker} has {kind}, this machine {_pair(ours, name)}."
            remedy = "Install the same versions on every host; otherwise numbers could differ."
            raise ExecutionError(Problem(what, remedy))


def _pair(versions: dict[str, str], name: str) -> str:
    return f"{name} {versions.get(name, '(none)')}"


def _workers(client: Client) -> int:
    with suppress(OSError, TimeoutError):
        return len(client.scheduler_info(n_workers=-1)["workers"])
    return 0


def _no_workers(address: str) -> ExecutionError:
    what = f"the dask scheduler at {address} has no workers."
    remedy = f"Start some with `dask worker {address}`."
    return ExecutionError(Problem(what, remedy))


def _sent_once(client: Client, argument: Any, sent: dict[int, Future]) -> Any:  # as in a chunk
    """A large argument as a future of the cluster, where tasks find it.

    As a task of its own it can be made again on another worker; scattered data would be lost with
    the worker that holds it.
    """
    if getattr(argument, "nbytes", 0) < _LARGE_BYTES:
        return argument
    if id(argument) not in sent:
        sent[id(argument)] = client.submit(_hold, argument, key=f"rejudge-{uuid4().hex}")
    return sent[id(argument)]


def _hold(argument: Any) -> Any:  # as in a chunk
    return argument


@contextmanager
def _no_size_warning() -> Iterator[None]:
    """Without dask's advice to scatter large arguments."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        yield


def _result(future: Future, chunk: Chunk, address: str) -> Any:  # the chunk's result
    from distributed import CancelledError, KilledWorker

    try:
        return future.result(timeout=_GLANCE_SECONDS)
    except KilledWorker as error:
        what = f"chunk '{chunk.key}' ended {error.allowed_failures + 1} workers of the cluster."
        remedy = "Usually there is too little memory: start workers with fewer threads."
        raise ExecutionError(Problem(what, remedy)) from error
    except TimeoutError:
        raise
    except (CancelledError, OSError) as error:
        what = f"the connection to the dask scheduler at {address} was lost."
        raise ExecutionError(Problem(what, "Check that it is still running.")) from error


def _run_on_worker(
    function: Function[Result],
    identity: tuple[str, tuple[int, ...]],
    arguments: list[Any],  # as in a chunk
    expected: dict[str, str],
) -> Result:
    """Run a chunk on a worker; one that has joined since may have other versions."""
    if environment() != expected:
        _require_same(environment(), "that joined later")
    _limit_threads()
    key, seed = identity
    return run_chunk(function, Chunk(key, tuple(seed), tuple(arguments)))


@cache
def _limit_threads() -> None:
    """Limit the threads of this process until it ends; chunks may run side by side in it."""
    use_one_thread().__enter__()
