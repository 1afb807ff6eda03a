"""Run chunks on several processes of this machine.

Each worker process has its own pipe and one chunk at a time. So when a worker is killed, only
its chunk is lost, and it is known which: concurrent.futures would break the whole pool instead.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Final

from rejudge.errors import ExecutionError, Problem
from rejudge.executors.chunks import (
    Chunk,
    ChunkExecutor,
    Function,
    Numbered,
    Result,
    run_chunk,
    use_one_thread,
)

MOST_LOSSES: Final = 3  # workers that one chunk may end before it is given up
_GRACE_SECONDS = 5  # for a process to end after it was asked to


@dataclass(slots=True)
class _Worker:
    """A process, our end of its pipe, and the place of the chunk it is working on."""

    process: SpawnProcess
    pipe: Connection
    is_ready: bool = False
    place: int | None = None

    @classmethod
    def start(cls) -> _Worker:
        context = multiprocessing.get_context("spawn")  # fork copies locks that threads hold
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs,), daemon=True)
        process.start()
        theirs.close()  # so that the end of the process ends the pipe
        return cls(process, ours)

    def stop(self) -> None:
        self.process.terminate()
        self.process.join(_GRACE_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()

    @property
    def end(self) -> str:
        """How the process ended."""
        self.process.join(_GRACE_SECONDS)
        code = self.process.exitcode
        if code is not None and code < 0:
            with suppress(ValueError):
                return f"killed by {signal.Signals(-code).name}"
        return f"exit code {code}"


@dataclass(slots=True)
class ProcessExecutor(ChunkExecutor):
    """Runs chunks on worker processes, which are started once and kept until it is closed.

    A chunk whose worker was killed is run again; one that ends its worker three times is reported.
    """

    processes: int
    _workers: list[_Worker] = field(default_factory=list)

    def completed(self, function: Function[Result], chunks: Sequence[Chunk]) -> Numbered[Result]:
        waiting = deque(range(len(chunks)))
        losses: Counter[int | None] = Counter()
        left = len(chunks)
        try:
            while left:
                self._hand_out(function, chunks, waiting)
                for worker in self._wait():
                    kind, content = _receive(worker)
                    if kind == "lost":
                        self._replace(worker, chunks, waiting, losses)
                    elif kind == "ready":
                        worker.is_ready = True
                    else:
                        place, worker.place = worker.place, None
                        left -= 1
                        yield place, content  # type: ignore[misc]  # a busy worker has a place
        except BaseException:  # Ctrl-C too: no process is left behind
            self.close()
            raise

    def _hand_out(
        self, function: Function[Any], chunks: Sequence[Chunk], waiting: deque[int]
    ) -> None:
        """Give every idle worker a chunk, and start the workers that are still missing."""
        for worker in self._workers:
            if waiting and worker.is_ready and worker.place is None:
                worker.place = waiting.popleft()
                with suppress(BrokenPipeError, ConnectionError):  # its end is noticed on receiving
                    worker.pipe.send((function, chunks[worker.place]))
        starting = sum(not worker.is_ready for worker in self._workers)
        missing = min(self.processes - len(self._workers), len(waiting) - starting)
        self._workers += [_Worker.start() for _ in range(missing)]

    def _wait(self) -> Iterator[_Worker]:
        """The workers that have said something, or have ended."""
        pipes = {w.pipe: w for w in self._workers if not w.is_ready or w.place is not None}
        return (pipes[pipe] for pipe in wait(list(pipes)))  # type: ignore[index]  # they are ours

    def _replace(
        self,
        worker: _Worker,
        chunks: Sequence[Chunk],
        waiting: deque[int],
        losses: Counter[int | None],
    ) -> None:
        self._workers.remove(worker)
        place = worker.place
        losses[place] += 1
        how = worker.end
        worker.stop()
        if place is None:
            if worker.process.exitcode in {-signal.SIGKILL, -signal.SIGTERM}:
                _refuse_more(losses[place], how)
                return
            raise _not_started(how)
        if losses[place] >= MOST_LOSSES:
            raise _chunk_lost(chunks[place], how)
        waiting.appendleft(place)

    def close(self, *, is_done: bool = True) -> None:  # noqa: ARG002 - nothing is kept
        """End the worker processes."""
        while self._workers:
            self._workers.pop().stop()


def _receive(worker: _Worker) -> tuple[str, Any]:  # Any: the chunk's result
    """What a worker has sent; an error that happened there is raised here."""
    try:
        kind, content = worker.pipe.recv()
    except (EOFError, OSError):
        return "lost", None
    if kind == "error":
        raise content
    return kind, content


def _refuse_more(times: int, how: str) -> None:
    if times >= MOST_LOSSES:
        raise _not_started(how)


def _not_started(how: str) -> ExecutionError:
    what = f"a worker process ended before it began to work ({how})."
    remedy = (
        "In a script, start the work below `if __name__ == '__main__':`, because every worker "
        "imports the script. Otherwise use one process."
    )
    return ExecutionError(Problem(what, remedy))


def _chunk_lost(chunk: Chunk, how: str) -> ExecutionError:
    what = f"chunk '{chunk.key}' ended its worker process {MOST_LOSSES} times ({how})."
    remedy = "Usually there is too little memory: use fewer processes."
    return ExecutionError(Problem(what, remedy))


def _work(pipe: Connection) -> None:
    """The life of a worker: one chunk after the other, until the pipe or the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError), use_one_thread():
        pipe.send(("ready", None))
        while True:
            _answer(pipe)


def _answer(pipe: Connection) -> None:
    try:
        function, chunk = pipe.recv()
        pipe.send(("result", run_chunk(function, chunk)))
    except (EOFError, BrokenPipeError, ConnectionResetError):  # the parent has ended
        raise
    except Exception as error:  # noqa: BLE001 - it is raised again in the parent
        pipe.send(("error", _portable(error)))


def _portable(error: Exception) -> Exception:
    """The error with the place where it happened, or its text if it cannot be sent."""
    trace = traceback.format_exc()
    error.add_note(trace)
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    except Exception:  # noqa: BLE001 - whatever its class does on pickling
        return RuntimeError(trace)
    return error


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
